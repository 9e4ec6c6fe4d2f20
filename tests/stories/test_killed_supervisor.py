"""Stories of a supervisor that is killed again and again, and of its own files being changed."""

import os
import re
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from story_project import Project, is_alive, plan, unit, wait_for

import topkick
from topkick.app import respawn
from topkick.app.state_dir import supervisor_deaths
from topkick.app.state_dir.restart_notice import expected
from topkick.app.state_dir.supervisor_deaths import SupervisorDeaths, read_deaths


def _kill(project: Project) -> int:
    pid = wait_for(project.supervisor)
    os.kill(pid, signal.SIGKILL)
    return pid


def _respawner(project: Project) -> psutil.Process:
    for process in project.processes():
        with suppress(psutil.Error):
            if "--respawn" in process.cmdline():
                return process
    raise AssertionError("no respawner")


@pytest.mark.spec("B5", "SD-05")
def test_a_killed_supervisor_is_noted_and_status_says_when_it_comes_back(project: Project) -> None:
    """Finding 12: nothing was noted, and `status` sent the user to `resume` meanwhile."""
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    first = _kill(project)
    wait_for(lambda: project.supervisor() not in {None, first})
    (line,) = wait_for(lambda: [d for d in project.decisions() if "SIGKILL" in d])
    assert line.startswith("Supervisor restarted: ")

    watching = project.begin("watch")
    _kill(project)
    said = wait_for(lambda: (s := project.says("status")) and "will be restarted" in s and s)
    assert "killed by SIGKILL (2 times in this run)" in said
    assert re.search(r"will be restarted at \d\d:\d\d:\d\d", said)
    assert "1 agent still working" in said
    assert "The supervisor is dead" not in said
    again = project.status()["supervisor"]
    assert again["alive"] is False
    assert again["restarts_at"]
    third = wait_for(project.supervisor)
    assert watching.poll() is None, "the viewer gave up although a restart was due"
    os.kill(third, signal.SIGKILL)
    wait_for(lambda: "3 times in this run" in project.says("status"))
    respawner = _respawner(project)
    respawner.terminate()
    wait_for(lambda: not is_alive(respawner.pid))
    assert "topkick resume takes over" in project.says("status")
    project.let_go("gate")
    project.says("resume", "--foreground")
    project.end_of(watching)
    assert len(project.starts()) == 1


@pytest.mark.spec("B5")
def test_the_respawner_rests_longer_and_longer_and_never_gives_the_night_up() -> None:
    deaths, at_us, rests = SupervisorDeaths(), 0, []
    for pid in range(1, 10):
        deaths = deaths.and_of(pid, at_us + 1, at_us := at_us + 1_000_000, "killed")
        rests.append(deaths.rest_s)
    assert rests == [1.0, 10.0, 60.0, 300.0, 600.0, 600.0, 600.0, 600.0, 600.0]
    lived_us = round(supervisor_deaths.GOOD_STRETCH_S * 1e6)
    deaths = deaths.and_of(20, at_us + 1, at_us := at_us + 1 + lived_us, "killed")
    assert (deaths.rest_s, deaths.total) == (1.0, 10)
    assert deaths.and_of(21, at_us + 1, at_us + 2, "killed").rest_s == 10.0


def test_a_death_that_two_processes_note_is_one_death() -> None:
    once = SupervisorDeaths().and_of(7, began_at_us=10, at_us=20, died="killed by SIGKILL")
    assert once.and_of(7, began_at_us=9, at_us=30, died="found dead") == once
    assert once.and_of(7, began_at_us=21, at_us=30, died="found dead").total == 2


def _end_respawner(project: Project) -> None:
    respawner = _respawner(project)
    respawner.kill()
    wait_for(lambda: not is_alive(respawner.pid))


def _kill_both(project: Project) -> None:
    """Kill the supervisor and the respawner that would have recorded its death."""
    pid = wait_for(project.supervisor)
    _end_respawner(project)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_alive(pid))


@pytest.mark.spec("B5", "SD-05")
def test_a_resume_between_two_deaths_forgets_neither_them_nor_the_backing_off(
    project: Project,
) -> None:
    """The count began anew with each `resume`, and unseen deaths were in no Decisions Log."""
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    _kill_both(project)
    project.says("resume")
    (first,) = [d for d in project.decisions() if d.startswith("Supervisor ")]
    assert first.startswith("Supervisor died: the one before was found dead")
    assert "(1 time in this run)" in first

    second = wait_for(project.supervisor)
    os.kill(second, signal.SIGKILL)
    said = wait_for(lambda: (s := project.says("status")) and "will be restarted" in s and s)
    assert "killed by SIGKILL (2 times in this run)" in said
    restart = expected(project.place.state_dir)
    assert restart is not None
    deaths = read_deaths(project.place.state_dir)
    assert (deaths.total, deaths.in_a_row, deaths.rest_s) == (2, 2, 10.0)
    _end_respawner(project)
    project.says("resume")
    logged = [d for d in project.decisions() if d.startswith("Supervisor ")]
    assert len(logged) == 2
    assert "killed by SIGKILL" in logged[1]
    assert "(2 times in this run)" in logged[1]
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert len([d for d in project.decisions() if d.startswith("Supervisor ")]) == 2


def test_a_killed_foreground_supervisor_is_noted_and_an_orderly_end_is_not(
    project: Project,
) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.die(supervisor)
    project.let_go("gate")
    project.says("resume", "--foreground")
    project.says("report")
    assert len([d for d in project.decisions() if d.startswith("Supervisor ")]) == 1
    project.says("start", "--again", "--yes", "--foreground")
    assert not [d for d in project.decisions() if d.startswith("Supervisor ")]


@pytest.mark.parametrize("code", [0, 2, 3, 4, 5, 6, 7])
def test_an_end_that_another_start_would_only_repeat_is_no_death(code: int) -> None:
    assert not respawn.is_death(code)


@pytest.mark.parametrize("code", [-9, -11, 1, 70])
def test_signals_and_crashes_are_deaths(code: int) -> None:
    assert respawn.is_death(code)


def test_a_supervisor_of_changed_source_files_says_so(project: Project, tmp_path: Path) -> None:
    """Attack A13: a respawned supervisor loaded patched files, and reported nothing."""
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    copy = tmp_path / "copied" / "topkick"
    shutil.copytree(Path(topkick.__file__).parent, copy)
    project.env["PYTHONPATH"] = str(copy.parent)
    project.start_in_background()
    wait_for(project.trail)
    assert "own files changed" not in project.says("status")
    with (copy / "runner" / "wake_fifo.py").open("a") as file:
        file.write("# patched\n")
    first = _kill(project)
    wait_for(lambda: project.supervisor() not in {None, first})
    wait_for(lambda: [d for d in project.decisions() if d.startswith("topkick changed: ")])
    assert "topkick's own files changed during this run" in project.says("status")
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
