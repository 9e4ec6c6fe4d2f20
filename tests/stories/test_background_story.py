"""Stories of a process that a sprint leaves running on purpose."""

import psutil
import pytest
from story_project import Project, plan, sprint, unit, wait_for

LEAVE_RUNNING = """
said = subprocess.run([os.environ['TOPKICK'], 'background', 'run', 'server', 'sleep', '1000'])
sys.exit(said.returncode)
"""


def _servers(project: Project) -> list[psutil.Process]:
    return [p for p in project.processes() if _name(p) == "sleep"]


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


@pytest.mark.spec("ER-03")
def test_a_background_process_outlives_the_run_and_is_ended_by_name(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="background", unchecked=True), sprint())))
    project.script("a.1", LEAVE_RUNNING)
    project.says("start", "--yes", "--foreground", "--accept-unchecked")
    assert project.overall() == "completed"
    (server,) = _servers(project)
    assert "server  running  sleep 1000" in project.says("background", "list")
    project.says("background", "stop", "server")
    wait_for(lambda: not server.is_running())
    wait_for(lambda: not project.processes())


@pytest.mark.spec("ER-03", "RP-04")
def test_a_background_sprint_is_said_to_be_checked_by_its_process(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="background", unchecked=True), sprint())))
    project.script("a.1", LEAVE_RUNNING)
    assert "Unchecked  none" in project.says("start", "--dry-run")
    said = project.says("start", "--yes", "--foreground")
    assert "U1/1 a: COMPLETED, checked: its process runs" in said
    assert "2 done (2 checked)" in said
    assert "U1/1 checked: its process runs" in project.says("status")
    told = project.says("explain", "U1/1")
    assert "COMPLETED (checked: its process runs)" in told
    assert "0 of 0" not in told
    assert "criteria were run" not in told
    report = project.says("report")
    assert report == (project.root / "COMPLETE_project.md").read_text()
    assert "- **Status**: COMPLETED (checked: its process runs)" in report
    assert "| Sprint U1/1 | ✓ | ✓ | VERIFIED (its process runs) |" in report
    assert "- Sprint U1/1: checked: its process runs ✓" in report
    assert "2/2 sprints fully verified" in report
    assert "without a criterion" not in report
    project.says("background", "stop", "server")
    wait_for(lambda: not project.processes())


@pytest.mark.spec("ER-03", "SD-02")
def test_killall_ends_what_runs_in_the_background(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="background", unchecked=True), sprint())))
    project.script("a.1", LEAVE_RUNNING)
    project.script("a.2", "hang()")
    project.start_in_background("--accept-unchecked")
    wait_for(project.trail)
    assert len(_servers(project)) == 1
    project.says("killall")
    assert _servers(project) == []
    project.wait_for_rest()


@pytest.mark.spec("ER-03", "SD-05", "K6")
def test_killall_after_the_end_ends_what_runs_in_the_background(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="background", unchecked=True))))
    project.script("a.1", LEAVE_RUNNING)
    project.says("start", "--yes", "--foreground", "--accept-unchecked")
    assert len(_servers(project)) == 1
    project.says("killall")
    assert project.processes() == []
    assert "Nothing runs in the background" in project.says("background", "list")


@pytest.mark.spec("ER-03")
def test_a_background_sprint_that_left_nothing_running_has_failed(project: Project) -> None:
    project.make(
        plan(unit("a", sprint(kind="background", unchecked=True))), limits={"max_retries": 1}
    )
    project.script("a.1", "claim('done')")
    project.says("start", "--yes", "--foreground", "--accept-unchecked", code=3)
    assert "no background process is confirmed running" in project.says("status")
