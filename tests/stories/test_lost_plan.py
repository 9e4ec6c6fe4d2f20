"""Stories of a run whose plan is gone: every command of the run works without it."""

import re
import shlex
import shutil

import pytest
from story_project import Project, plan, sprint, unit, wait_for

MISSING = "The plan EXECUTION_PLAN.md is missing; bring it back: "
DELETES = """
git("rm", "-qf", "EXECUTION_PLAN.md")
git("commit", "-q", "-m", "Tidy up")
wait("gate")
work()
"""
LOOKS = (
    ("status",),
    ("status", "--json"),
    ("logs",),
    ("logs", "U1/1"),
    ("explain",),
    ("report",),
    ("journal", "check"),
    ("journal", "show"),
    ("background", "list"),
)


def way_back(said: str) -> str:
    """Return the one command that is offered, as it is printed."""
    lines = [line for line in said.splitlines() if "is missing; bring it back: " in line]
    assert len(lines) == 1, said
    return lines[0].partition("bring it back: ")[2]


@pytest.mark.spec("SD-05", "LP-05")
def test_an_agent_that_deletes_the_plan_leaves_every_command_at_work(project: Project) -> None:
    text = plan(unit("a", sprint(), sprint()))
    project.make(text)
    project.script("a.1", DELETES)
    project.start_in_background()
    wait_for(project.trail)
    path = project.root / "EXECUTION_PLAN.md"
    below = project.root / "deep" / "down"
    below.mkdir(parents=True)
    for words in LOOKS:
        done = project.run(*words)
        assert done.returncode == 0, f"{words}\n{done.stderr}"
        assert done.stderr.count("is missing") == 1, done.stderr
    for env in ({}, {"TOPKICK_PLAN": str(path)}):
        done = project.run("status", env=env, cwd=below)
        assert done.returncode == 0, done.stderr
        assert f"{path} is missing; bring it back: git checkout " in done.stderr
    wait_for(lambda: "the plan file was deleted; the run continues" in project.says("logs"))
    assert "was edited" not in project.says("status")
    path.write_text(text)
    wait_for(lambda: "the plan file is the accepted plan again" in project.says("logs"))
    assert "was deleted" not in project.says("status")
    path.unlink()
    project.let_go("gate")
    waive = wait_for(lambda: re.findall(r"topkick (waive U1/1 \S+) --why", project.says("status")))
    assert "bring it back: " in project.says(*waive[0].split(), "--why", "it comes back")
    told = project.says("resume", "--foreground")
    assert "continues with the plan as it was accepted" in told
    assert "completed" in project.says("status")
    assert "works in the checkout itself" in project.says("land")
    assert project.shell(way_back(project.run("report").stderr)).returncode == 0
    assert path.read_text() == text
    assert "missing" not in project.run("status").stderr


@pytest.mark.spec("K6", "SD-05")
def test_the_brake_works_on_a_branch_without_the_plan(project: Project) -> None:
    project.make(plan(unit("a")))
    project.git("checkout", "-q", "-b", "bare")
    project.git("rm", "-q", "EXECUTION_PLAN.md")
    project.git("commit", "-q", "-m", "No plan")
    project.git("checkout", "-q", "main")
    project.script("a.1.1", "hang()")
    project.start_in_background()
    wait_for(project.trail)
    project.git("checkout", "-q", "-f", "bare")
    told = project.run("stop")
    assert told.returncode == 0, told.stderr
    assert "Waiting for 1 active agent" in told.stdout
    done = project.run("killall", env={"TOPKICK_PLAN": "EXECUTION_PLAN.md"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [p for p in project.processes() if p.pid == project.starts()[0].pid]
    command = way_back(done.stderr)
    assert project.git("show", f"{shlex.split(command)[2]}:EXECUTION_PLAN.md")
    told = project.says("resume", "--foreground", code=2)
    assert way_back(told) == command
    assert "Go back: git switch main" in told


@pytest.mark.spec("PL-01")
def test_without_git_and_under_another_name_the_run_is_found_too(project: Project) -> None:
    project.make(plan(unit("a")))
    shutil.rmtree(project.root / ".git")
    text = (project.root / "EXECUTION_PLAN.md").read_text()
    (project.root / "EXECUTION_PLAN.md").rename(project.root / "night.md")
    below = project.root / "below"
    below.mkdir()
    project.says("start", "night.md", "--yes", "--foreground")
    kept = (project.root / "night.md").read_text()
    (project.root / "night.md").unlink()
    done = project.run("status", cwd=below)
    assert done.returncode == 0, done.stderr
    assert "1 done (1 checked)" in done.stdout
    assert project.shell(way_back(project.run("explain").stderr)).returncode == 0
    assert (project.root / "night.md").read_text() == kept
    assert text.splitlines()[-1] in kept


@pytest.mark.spec("PL-02")
def test_a_newcomer_is_told_how_to_get_a_plan(project: Project) -> None:
    for words in (("status",), ("killall",), ("logs",), ("report",), ("land",)):
        said = project.says(*words, code=2)
        assert said.startswith("ERROR: Cannot find EXECUTION_PLAN.md.\n"), said
        assert "topkick init --example" in said
        assert "topkick plan breakdown" in said
    assert list(project.root.iterdir()) == []


def test_a_plan_that_an_agent_deleted_without_a_commit_is_not_held_against_it(
    project: Project,
) -> None:
    """Earlier this was "not committed: EXECUTION_PLAN.md", and `status` always said "deleted"."""
    text = plan(unit("."))
    project.make(text)
    project.script("..1", "(PROJECT / 'EXECUTION_PLAN.md').unlink(); wait('gate')")
    project.start_in_background()
    wait_for(project.trail)
    wait_for(lambda: "the plan file was deleted; the run continues" in project.says("logs"))
    project.let_go("gate")
    wait_for(lambda: not project.processes())
    assert '"overall": "blocked"' in project.run("status", "--json").stdout
    for words in (("status",), ("explain", "U1/1"), ("report",)):
        assert "not committed" not in project.says(*words), words
    assert "\n- EXECUTION_PLAN.md" not in project.prompt(project.starts()[-1])
    assert "The plan was deleted" in project.says("status")
    (project.root / "EXECUTION_PLAN.md").write_text(text)
    said = project.says("status")
    assert "deleted" not in said
    assert project.status()["plan_edited"] is False
