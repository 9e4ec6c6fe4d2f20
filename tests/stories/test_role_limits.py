"""Stories of roles whose answer has not the form: limits hold over all tries, looks are mended."""

import json
import sys
from pathlib import Path

from story_project import Project

SLEEPER = "import sys, time; open(sys.argv[1] + '/starts', 'a').write('x'); time.sleep(600)"
BOARD = "tasks/0-kanban-x.md"


def test_a_role_that_used_all_its_time_is_not_asked_again(project: Project) -> None:
    """Earlier it was ended at its time limit, then asked three more times with the whole limit."""
    project.make("# Nothing to run by units\n", limits={"sprint_minutes": 0.1})
    (project.root / "EXECUTION_PLAN.md").unlink()
    command = [sys.executable, "-c", SLEEPER, str(project.scripts)]
    project.configure(json.dumps(project.agent_command()), json.dumps(command))
    (project.root / "tasks").mkdir()
    head = "type: kanban\ntitle: X\nphase: design\ncurrent: tasks/1-x.md\ntasks: [tasks/1-x.md]\n"
    (project.root / BOARD).write_text(f"---\n{head}---\n\n# Kanban: X\n")
    (project.root / "tasks/1-x.md").write_text(
        "---\nassignee: Architect\nstate: todo\n---\n\n# X\n"
    )
    said = project.says("kanban", "run", code=3)
    assert (project.scripts / "starts").read_text() == "x"
    assert "the time limit of one order is used up" in said


def test_a_long_finding_of_a_team_is_shortened_and_not_asked_for_again(project: Project) -> None:
    """Finding A8: 100 characters too many burnt four runs of a role with the same bytes."""
    agent = Path(__file__).with_name("team_agent.py")
    project.make("# Nothing to run by units\n")
    (project.root / "EXECUTION_PLAN.md").unlink()
    long = agent.read_text().replace('"key_findings": [', '"key_findings": ["long " * 40, ', 1)
    assert long != agent.read_text()
    talker = project.scripts / "talker.py"
    talker.write_text(long)
    command = [sys.executable, "-I", "-S", str(talker), str(project.scripts)]
    project.configure(json.dumps(project.agent_command()), json.dumps(command))
    words = ("checkpoint", "run", "team/notes", "--requirement", "Notes", "--pipeline", "spec-only")
    project.run(*words, "--no-supervision")
    tasks = [x.split(" ")[2] for x in (project.scripts / "starts").read_text().splitlines()]
    assert len(tasks) == len(set(tasks)) > 1
