"""A kanban board run by the real command line, with scripted agents and real processes."""

import json
import sys
from pathlib import Path

import pytest
from story_project import Project

from topkick.app.project import find_file_project

AGENT = Path(__file__).with_name("kanban_agent.py")
BOARD = "tasks/0-kanban-lexer.md"
TASKS = ("tasks/1-design.md", "tasks/2-build.md")
PERSONS = "\n## Notes of a person\nKeep *this*.  \n"


def make(project: Project, manager: str = "agent") -> Project:
    project.make("# Nothing to run by units\n", top={"agent": "scripted"})
    (project.root / "EXECUTION_PLAN.md").unlink()
    command = [sys.executable, "-I", "-S", str(AGENT), str(project.scripts)]
    project.configure(json.dumps(project.agent_command()), json.dumps(command))
    toml = project.root / "topkick.toml"
    toml.write_text(toml.read_text() + f'[kanban]\nmanager = "{manager}"\n')
    (project.root / "tasks").mkdir()
    listed = ", ".join(TASKS)
    head = f"type: kanban\ntitle: Lexer\nphase: design\ncurrent: {TASKS[0]}\ntasks: [{listed}]\n"
    (project.root / BOARD).write_text(f"---\n{head}---\n\n# Kanban: Lexer\n{PERSONS}")
    for path, role in zip(TASKS, ("Architect", "Implementor"), strict=True):
        text = f"---\nassignee: {role}\nstate: todo\n---\n\n# Task: {role}'s\n\n## Work Log\n"
        (project.root / path).write_text(text)
    return project


def asked(project: Project) -> list[str]:
    lines = (project.scripts / "starts").read_text().splitlines()
    ids = [line.split(" ")[0] for line in lines]
    assert len(ids) == len(set(ids)), "an order was begun twice"
    return [line.partition(" ")[2] for line in lines]


WHOLE = [
    f"Architect {TASKS[0]}",
    f"Manager {TASKS[0]}",
    f"Implementor {TASKS[1]}",
    f"Manager {TASKS[1]}",
]


@pytest.mark.spec("KB-02", "KB-10")
def test_a_board_is_run_to_its_end_and_can_be_looked_at(project: Project):
    make(project)
    assert "Current: tasks/1-design.md (Architect)" in project.says("kanban", "show")
    said = project.says("kanban", "run")
    assert asked(project) == WHOLE
    assert "done: the Manager names no next task, and the board is complete" in said
    assert (project.root / BOARD).read_text().endswith(PERSONS)
    shown = project.says("kanban", "show", BOARD)
    assert "No current task." in shown
    assert "Kanban run" in project.says("status")
    assert json.loads(project.says("status", "--json"))["overall"] == "completed"
    assert '"message": "did 1-design.md"' in project.says("logs", "Architect")
    assert "its answer was read" in project.says("explain", "2-build")
    assert "every decision agrees with the rules" in project.says("journal", "replay", "--check")
    state = (project.root / "SUPERVISOR_STATE.tasks-0-kanban-lexer.md").read_text()
    assert "- Status: completed" in state
    assert project.git("status", "--short", "--", "SUPERVISOR_STATE*") == ""
    assert "nothing to do" in project.says("kanban", "run", BOARD)


@pytest.mark.spec("KB-04")
def test_bad_answers_are_asked_for_again_byte_for_byte_and_then_it_ends(project: Project):
    make(project)
    for number in range(1, 5):
        project.script(f"Architect.{number}", f"I am done, really ({number}).\n")
    said = project.says("kanban", "run", BOARD, code=3)
    assert asked(project) == WHOLE[:1] * 4
    prompts = {path.read_bytes() for path in project.scripts.glob("prompt.*")}
    assert len(prompts) == 1
    assert "I am done, really (4)." in said
    place = find_file_project(project.root / BOARD, "kanban")
    given = {(path / "prompt").read_bytes() for path in place.runs.iterdir() if path.is_dir()}
    assert given == prompts
    state = (project.root / "SUPERVISOR_STATE.tasks-0-kanban-lexer.md").read_text()
    assert state.count("Retry Event") == 3
    assert "**Attempt:** 3/3" in state
    assert "**Action:** Rescheduling with exact same parameters" in state
    assert "I am done, really (1)." in state
    assert "topkick kanban run" in project.says("status")


@pytest.mark.spec("KB-08")
@pytest.mark.parametrize("point", ["loop.written:12", "launch.after-request:2"])
def test_killed_the_same_command_goes_on_with_the_task_in_hand(project: Project, point: str):
    make(project)
    trace = str(project.scripts / "trace")
    env = {"TOPKICK_CRASH_AT": point, "TOPKICK_CRASH_TRACE": trace}
    project.run("kanban", "run", BOARD, env=env)
    said = project.says("kanban", "run", BOARD)
    assert "board is complete" in said
    answered = list(dict.fromkeys(asked(project)))
    assert answered == WHOLE


@pytest.mark.spec("KB-09")
def test_the_built_in_manager_keeps_a_new_board(project: Project):
    make(project, manager="builtin")
    for path in (project.root / "tasks").iterdir():
        path.unlink()
    assert "Next: topkick kanban run" in project.says("kanban", "new", "Lexer", "--request", "It.")
    said = project.says("kanban", "run")
    assert "all tasks are done" in said
    done = (project.root / "tasks/1-populate-work-items.md").read_text()
    assert "state: done" in done
    assert "phase: complete" in (project.root / "tasks/0-kanban-lexer.md").read_text()
    assert asked(project) == ["Architect tasks/1-populate-work-items.md"] * 2


@pytest.mark.spec("KB-02")
def test_one_instruction_without_a_board(project: Project):
    make(project)
    project.script("Architect.1", '{"status": "ok", "message": "hello"}')
    words = ("kanban", "run", "--instruction", "Say hello.", "--role", "Architect")
    assert "Architect answered ok" in project.says(*words)


@pytest.mark.spec("KB-10")
def test_mistakes_are_told_with_what_to_do_next(project: Project):
    make(project)
    assert "Create one: topkick kanban new" in project.says("kanban", "run", "no.md", code=2)
    (project.root / "tasks/9-kanban-two.md").write_text((project.root / BOARD).read_text())
    assert "Name one of them" in project.says("kanban", "run", code=2)
    assert "kanban-manager" in project.says("schema")
    schema = json.loads(project.says("schema", "kanban-worker"))
    assert schema["required"] == ["status", "message"]
    assert "Known: kanban-worker" in project.says("schema", "nothing", code=2)


@pytest.mark.spec("KB-08")
def test_in_the_background_it_outlives_its_terminal_and_can_be_watched(project: Project):
    make(project)
    said = project.says("kanban", "run", BOARD, "--background")
    assert f"Follow: topkick watch {BOARD}" in said
    watched = project.says("watch", BOARD)
    assert "the Manager names no next task, and the board is complete" in watched
    assert asked(project) == WHOLE


def test_an_instruction_has_no_board_to_watch(project: Project):
    make(project)
    said = project.says("kanban", "run", "--instruction", "Do it.", "--background", code=2)
    assert "Run it here: topkick kanban run" in said
