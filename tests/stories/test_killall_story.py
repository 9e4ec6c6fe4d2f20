"""Stories of `killall`: nothing survives, nothing is touched, and it can always be gone on."""

import pytest
from story_project import Project, is_alive, plan, sprint, unit, wait_for

STUBBORN = "write('half.txt'); orphan(); deaf(); hang()"


def _orphans(project: Project) -> list[int]:
    return [int(line.split()[-1]) for line in project.trail() if " orphan " in line]


def _stubborn_agents(project: Project) -> None:
    project.make(plan(unit("a"), unit("b"), unit("c", needs="a b")))
    project.script("default", STUBBORN)


def _all_at_work(project: Project) -> None:
    wait_for(lambda: sum("hangs" in line for line in project.trail()) == 2)
    wait_for(lambda: len(_orphans(project)) == 2)


def _nothing_lives(project: Project) -> None:
    pids = [*_orphans(project), *(s.pid for s in project.starts())]
    assert len(pids) == 4
    assert not any(is_alive(pid) for pid in pids)


@pytest.mark.spec("SD-02", "SD-03", "SD-06", "K4", "K5", "C3")
def test_killall_ends_every_process_and_touches_no_byte(project: Project) -> None:
    _stubborn_agents(project)
    project.start_in_background()
    _all_at_work(project)
    before = project.picture()
    said = project.says("killall")
    _nothing_lives(project)
    assert project.picture() == before
    assert "Kill All Complete\n\nAgents terminated: 2\n" in said
    assert "Work units with uncommitted work: a, b" in said
    assert "stash push -u -- " in said
    assert "To resume: topkick resume" in said
    mission = project.wait_for_rest()
    states = {name: u.state.value for name, u in mission.units.items()}
    assert states == {"a": "KILLED", "b": "KILLED", "c": "NOT_STARTED"}
    assert {project.state("a/1"), project.state("b/1")} == {"BACKOFF"}
    assert mission.sprint("a", "1").failures == 0
    status = project.status()
    assert status["overall"] == "killed"
    assert status["killed"]["reason"] == "user invoked killall"
    assert status["active_agents"] == []
    assert "(none — all agents terminated)" in project.board()
    assert "Kill reason: user invoked killall" in project.board()


@pytest.mark.spec("SD-02", "SD-05", "K4", "K5", "K6")
def test_killall_with_a_dead_supervisor_ends_every_process(project: Project) -> None:
    _stubborn_agents(project)
    supervisor = project.begin("start", "--yes", "--foreground")
    _all_at_work(project)
    project.die(supervisor)
    before = project.picture()
    said = project.says("killall")
    _nothing_lives(project)
    assert project.picture() == before
    assert "Agents terminated: 2" in said
    assert project.overall() == "killed"


@pytest.mark.spec("K6", "SD-02")
def test_killall_twice_is_killall_once(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "hang()")
    project.start_in_background()
    wait_for(project.trail)
    project.says("killall")
    states = [project.state("a"), project.state("a/1")]
    said = project.says("killall")
    assert "Agents terminated: 0" in said
    assert [project.state("a"), project.state("a/1")] == states == ["KILLED", "BACKOFF"]
    assert project.overall() == "killed"


@pytest.mark.spec("SD-02", "SD-04", "N3")
def test_resume_after_killall_finds_finished_work_without_a_new_order(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "work(); hang()")
    project.start_in_background()
    wait_for(project.trail)
    project.says("killall")
    assert project.state("a/1") == "BACKOFF"
    said = project.says("resume", "--foreground")
    assert "Found done" in said
    assert project.overall() == "completed"
    assert len(project.starts()) == 1


@pytest.mark.spec("SD-03", "SD-04", "C3", "D3")
def test_resume_after_killall_gives_unfinished_work_out_again(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1.1", "write('half.txt'); hang()")
    project.start_in_background()
    wait_for(project.trail)
    project.says("killall")
    project.says("resume", "--foreground")
    first, second, _ = project.starts()
    assert (first.attempt, second.attempt) == (1, 1)
    assert first.run_id != second.run_id
    assert "- a/half.txt" in project.prompt(second)
    assert (project.root / "a" / "half.txt").exists()
    assert project.overall() == "completed"


@pytest.mark.spec("D9", "SD-02")
def test_killall_where_nothing_runs_says_so(project: Project) -> None:
    project.make(plan(unit("a")))
    assert "There is no run here" in project.says("killall")
    assert not (project.root / "SUPERVISOR_STATE.md").exists()
