"""Stories of a supervisor that dies: its agents work on, and the next one finds them again."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from story_project import Project, plan, sprint, unit, wait_for

from topkick.app import respawn
from topkick.engine import messages as h
from topkick.engine.io.crash_points import AT


def _two_at_work(project: Project) -> None:
    project.make(plan(unit("a"), unit("b"), unit("c", needs="a b")))
    project.script("a.1", "wait('gate'); work()")
    project.script("b.1", "wait('gate'); work()")


@pytest.mark.spec("SD-04", "D3", "N3", "RP-02")
def test_resume_finds_living_agents_again_and_starts_none_twice(project: Project) -> None:
    _two_at_work(project)
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: len(project.trail()) == 2)
    project.die(supervisor)
    page = project.says("status")
    assert "The supervisor is dead; 2 agents still working; topkick resume takes over" in page
    status = project.status()
    assert (status["supervisor"]["alive"], status["live_agents"]) == (False, 2)
    project.says("resume")
    wait_for(project.supervisor)
    assert "is at work already" in project.says("resume")
    said = project.says("resume", "--yes", "--foreground", code=4)
    assert "is at work already; it got the command" in said
    assert "topkick watch" in said
    assert len(project.starts()) == 2
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
    run_ids = [s.run_id for s in project.starts()]
    assert len(run_ids) == len(set(run_ids)) == 3
    assert {d.run_id for d in project.dispatches()} == set(run_ids)


@pytest.mark.spec("SD-04", "D3")
def test_agents_that_ended_meanwhile_are_judged_from_their_record(project: Project) -> None:
    _two_at_work(project)
    project.script("b.1", "wait('gate'); fail(9)")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: len(project.trail()) == 2)
    project.die(supervisor)
    project.let_go("gate")
    wait_for(lambda: not project.processes())
    project.script("b.1", "work()")
    said = project.says("resume", "--foreground")
    assert "U1/1 a: COMPLETED, checked" in said
    assert "U2/1 b: its agent ended with 9" in said
    assert [s.attempt for s in project.starts() if s.unit == "b"] == [1, 2]
    assert [s.attempt for s in project.starts() if s.unit == "a"] == [1]


@pytest.mark.spec("N3")
def test_resume_twice_is_resume_once(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.says("stop")
    project.let_go("gate")
    project.end_of(supervisor)
    project.script("a.2", "wait('second'); work()")
    project.says("resume")
    wait_for(lambda: len(project.trail()) == 2)
    project.says("resume")
    project.let_go("second")
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert len(project.starts()) == 2


@pytest.mark.spec("LP-01", "D3", "J4")
def test_a_supervisor_killed_in_the_background_comes_back_by_itself(project: Project) -> None:
    _two_at_work(project)
    project.start_in_background()
    wait_for(lambda: len(project.trail()) == 2)
    first = project.supervisor()
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: project.supervisor() not in {None, first})
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert len(project.starts()) == 3
    epochs = [x.epoch for x in project.happenings() if isinstance(x, h.SupervisorWoke)]
    assert epochs == sorted(set(epochs))
    assert len(epochs) == 2


@pytest.mark.spec("LP-01", "D3", "J4")
def test_a_supervisor_that_the_system_refused_something_comes_back_by_itself(
    project: Project,
) -> None:
    """Too many open files for a moment were taken for an ordinary end."""
    if not hasattr(resource, "prlimit"):
        pytest.skip("the limits of another process cannot be set here")
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    first = project.supervisor()
    assert first is not None
    _, most = resource.prlimit(first, resource.RLIMIT_NOFILE)
    resource.prlimit(first, resource.RLIMIT_NOFILE, (3, most))
    project.let_go("gate")
    wait_for(lambda: project.supervisor() not in {None, first})
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert len(project.starts()) == 1


@pytest.mark.spec("LP-01")
def test_a_journal_in_use_at_its_start_is_no_ordinary_end_of_a_supervisor(
    project: Project,
) -> None:
    """Earlier no process restarted it, and the run rested until a person looked."""
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    with closing(sqlite3.connect(project.place.journal_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        words = [sys.executable, "-m", "topkick", "supervise", project.place.plan_path]
        done = subprocess.run(words, env=project.env, capture_output=True, text=True, check=False)
    assert done.returncode == respawn.CRASHED
    assert "cannot be used now: database is locked" in done.stderr


@pytest.mark.spec("B5")
def test_a_supervisor_that_dies_every_time_is_begun_again_after_a_rest(project: Project) -> None:
    _two_at_work(project)
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: len(project.trail()) == 2)
    project.die(supervisor)
    words = ("supervise", str(project.place.plan_path), "--respawn")
    respawner = project.begin(*words, env={AT: "journal.after-commit:1"})
    wait_for(lambda: len(_woke(project)) >= 3 and "will be restarted" in project.says("status"))
    assert [w.deaths for w in _woke(project)][:3] == [0, 1, 2]
    respawner.terminate()
    respawner.wait()
    project.let_go("gate")
    assert project.run("resume", "--foreground").returncode == 0
    assert len(project.starts()) == 3


def _woke(project: Project) -> list[h.SupervisorWoke]:
    return [x for x in project.happenings() if isinstance(x, h.SupervisorWoke)]


def test_sigterm_ends_the_supervisor_and_leaves_its_agents_alone(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    supervisor = project.supervisor()
    assert supervisor is not None
    os.kill(supervisor, signal.SIGTERM)
    wait_for(lambda: project.supervisor() is None)
    assert project.status()["live_agents"] == 1
    project.let_go("gate")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"
    assert len(project.starts()) == 1


@pytest.mark.spec("SD-05")
def test_accept_works_with_a_dead_supervisor(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="manual")), unit("b")))
    project.script("b.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: project.state("a/1") == "PARTIAL" and project.trail())
    project.die(supervisor)
    project.says("accept", "U1/1", "--why", "heard it")
    assert project.state("a") == "COMPLETED"
    assert project.state("b") == "RUNNING"
    assert project.status()["live_agents"] == 1
    project.let_go("gate")
    project.says("resume", "--foreground")
    assert len(project.starts()) == 2
