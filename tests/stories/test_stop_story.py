"""Stories of `stop`: drained, forced, for one unit alone, and resumed."""

import signal

import pytest
from story_project import Project, is_alive, plan, sprint, unit, wait_for

TWO_EACH = plan(unit("a", sprint(), sprint()), unit("b", sprint(), sprint()))


def _two_at_work(project: Project) -> None:
    project.make(TWO_EACH)
    project.script("a.1", "wait('gate-a'); work()")
    project.script("b.1", "wait('gate-b'); work()")
    project.start_in_background()
    wait_for(lambda: len(project.trail()) == 2)


@pytest.mark.spec("SD-01", "SD-04", "SD-06", "ST-03", "D7", "K2")
def test_stop_lets_agents_finish_and_resume_goes_on(project: Project) -> None:
    project.make(TWO_EACH)
    project.script("a.1", "wait('gate'); work()")
    project.script("b.1", "wait('gate'); claim('done')")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: len(project.trail()) == 2)
    said = project.says("stop")
    assert "Supervisor entering graceful shutdown. Waiting for 2 active agents to finish." in said
    assert project.state("a") == "STOPPING"
    project.let_go("gate")
    assert project.end_of(supervisor)[0] == 6
    assert (project.state("a"), project.state("a/1"), project.state("a/2")) == (
        "STOPPED",
        "COMPLETED",
        "PENDING",
    )
    assert (project.state("b"), project.state("b/1")) == ("STOPPED", "BACKOFF")
    assert project.sprint("b/1").failures == 1
    assert len(project.starts()) == 2
    assert project.overall() == "stopped"
    assert "Status: stopped" in project.board()
    assert "topkick resume" in project.says("start", "--yes", code=2)
    project.script("b.1", "work()")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"
    assert [s.attempt for s in project.starts() if s.unit == "b"] == [1, 2, 1]


@pytest.mark.spec("SD-01", "K1", "K3", "C3")
def test_a_second_stop_ends_the_agents_and_charges_nobody(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "deaf(); hang()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.says("stop")
    assert project.state("a") == "STOPPING"
    assert "Ending 1 active agent" in project.says("stop")
    assert project.end_of(supervisor)[0] == 6
    assert (project.state("a"), project.state("a/1")) == ("KILLED", "BACKOFF")
    assert project.sprint("a/1").failures == 0
    assert not is_alive(project.starts()[0].pid)
    assert any(d.startswith("Force-terminated") for d in project.decisions())


@pytest.mark.spec("SD-01", "K1")
def test_stop_runs_out_of_patience(project: Project) -> None:
    project.make(plan(unit("a")), limits={"stop_patience_minutes": 0.005})
    project.script("a.1", "hang()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.says("stop")
    assert project.end_of(supervisor)[0] == 6
    assert project.state("a") == "KILLED"


@pytest.mark.spec("SD-01")
def test_stop_of_one_unit_leaves_the_others_at_work(project: Project) -> None:
    _two_at_work(project)
    project.says("stop", "U1")
    project.let_go("gate-a")
    wait_for(lambda: project.state("a") == "STOPPED")
    assert project.state("b") == "RUNNING"
    project.let_go("gate-b")
    project.wait_for_rest()
    assert (project.state("a"), project.state("b")) == ("STOPPED", "COMPLETED")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("SD-01")
def test_stop_after_one_unit_was_stopped_kills_nobody(project: Project) -> None:
    _two_at_work(project)
    said = project.says("stop", "U1")
    assert "U1 stops: no order after this one. Waiting for 1 active agent to finish." in said
    assert "Do not wait: topkick stop U1 " in said
    said = project.says("stop")
    assert "Supervisor entering graceful shutdown. Waiting for 2 active agents to finish." in said
    assert (project.state("a"), project.state("b")) == ("STOPPING", "STOPPING")
    said = project.says("stop", "U1")
    assert "Ending 1 active agent." in said or "U1 is KILLED." in said  # if it went at once
    wait_for(lambda: project.state("a") == "KILLED")
    project.let_go("gate-b")
    project.wait_for_rest()
    assert (project.state("b"), project.state("b/1")) == ("STOPPED", "COMPLETED")


def test_stop_says_what_became_of_the_unit_that_was_named(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint()), unit("b", needs="a")))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.die(supervisor)
    said = project.says("stop", "U2")
    assert "U2 is NOT_STARTED: there is nothing to stop." in said
    assert "Stopped." not in said
    assert "a new one continues in the background" in said
    project.says("stop")
    project.let_go("gate")
    project.wait_for_rest()
    assert project.state("a") == "STOPPED"


@pytest.mark.spec("SD-06")
def test_with_everything_done_there_is_nothing_to_stop(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "work()")
    project.says("start", "--yes", "--foreground")
    (project.root / "mine.txt").write_text("mine")
    for words in (("stop",), ("stop", "U1"), ("killall",), ("stop", "--now")):
        said = project.says(*words)
        assert said.startswith("Nothing is running: everything is done, 1 done (1 checked).\n")
        assert "Why: topkick report" in said
        assert "resume" not in said
        assert "mine.txt" not in said


@pytest.mark.spec("SD-05", "SD-06")
def test_stop_now_is_killall(project: Project) -> None:
    _two_at_work(project)
    said = project.says("stop", "--now")
    assert "Kill All Complete" in said
    assert "Agents terminated: 2" in said
    mission = project.wait_for_rest()
    assert {u.state.value for u in mission.units.values()} == {"KILLED"}


@pytest.mark.spec("SD-01")
def test_stop_now_of_one_unit_ends_its_agent_alone(project: Project) -> None:
    _two_at_work(project)
    project.says("stop", "U1", "--now")
    wait_for(lambda: project.state("a") == "KILLED")
    assert project.state("b") == "RUNNING"
    project.let_go("gate-a")
    project.let_go("gate-b")
    project.says("resume", "U1")
    project.wait_for_rest()
    assert project.overall() == "completed"


@pytest.mark.spec("SD-01")
def test_ctrl_c_in_the_foreground_drains_and_forces_when_it_comes_again(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "hang()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    supervisor.send_signal(signal.SIGINT)
    wait_for(lambda: project.state("a") == "STOPPING")
    supervisor.send_signal(signal.SIGINT)
    assert project.end_of(supervisor)[0] == 6
    assert project.state("a") == "KILLED"


@pytest.mark.spec("SD-05")
def test_stop_with_a_dead_supervisor_is_obeyed_all_the_same(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.die(supervisor)
    stopping = project.begin("stop")
    wait_for(lambda: project.state("a") == "STOPPING")
    project.let_go("gate")
    project.end_of(stopping)
    project.wait_for_rest()
    assert (project.state("a"), project.state("a/1")) == ("STOPPED", "COMPLETED")
