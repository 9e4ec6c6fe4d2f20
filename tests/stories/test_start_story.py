"""Stories of `start`: in the background, in the foreground, refused, and not at all."""

import pytest
from story_project import Project, plan, sprint, unit, wait_for

from topkick.engine import messages as h
from topkick.sprint.transitions import UnitState

TWO_LAYERS = plan(unit("a"), unit("b"), unit("c", needs="a b"))


@pytest.mark.spec("LP-01", "LP-03", "LP-04", "RP-01", "RP-02", "ST-01")
def test_start_in_the_background_runs_to_the_end(project: Project) -> None:
    project.make(TWO_LAYERS)
    project.start_in_background()
    mission = project.wait_for_rest()
    assert {u.state for u in mission.units.values()} == {UnitState.COMPLETED}
    board = project.board()
    assert "Status: completed" in board
    assert "Sprints: 3 of 3 completed (3 checked, 0 unchecked, 0 accepted)" in board
    assert "- Work unit state: COMPLETED" in board
    page = project.says("status")
    assert "completed · 3 done (3 checked)" in page
    assert "Next event: none, everything is done" in page
    assert project.git("status", "--porcelain") == " M EXECUTION_PLAN.md\n"  # its name


@pytest.mark.spec("LP-01", "LP-04")
def test_start_in_the_foreground_tells_the_story_and_ends_with_0(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    said = project.says("start", "--yes", "--foreground")
    assert "U1/1 a: dispatched to scripted (haiku), attempt 1/3" in said
    assert said.index("U1/1 a: COMPLETED, checked") < said.index("U1/2 a: dispatched")
    assert "U1 a: COMPLETED" in said
    assert not project.processes()


@pytest.mark.spec("ST-05", "D9")
def test_start_dry_run_shows_the_page_and_writes_nothing(project: Project) -> None:
    project.make(TWO_LAYERS)
    before = project.picture()
    said = project.says("start", "--dry-run")
    assert "Units      3 work units, 3 sprints" in said
    assert "First      U1/1 a, U2/1 b" in said
    assert "test -f a/done-1.txt" in said
    assert project.picture() == before
    assert not project.place.state_dir.exists()
    assert not (project.root / "SUPERVISOR_STATE.md").exists()
    assert project.starts() == []


@pytest.mark.spec("ST-05")
def test_start_without_a_terminal_asks_for_yes(project: Project) -> None:
    project.make(TWO_LAYERS)
    assert "topkick start --yes" in project.says("start", code=2)
    assert not project.place.state_dir.exists()


def test_start_only_one_unit_leaves_the_others_alone(project: Project) -> None:
    project.make(TWO_LAYERS)
    project.says("start", "--yes", "--foreground", "--only", "U2")
    assert [s.unit for s in project.starts()] == ["b"]
    assert project.overall() == "stopped"
    assert project.state("a") == "NOT_STARTED"
    project.says("resume", "--foreground", "--yes")
    assert project.overall() == "completed"


@pytest.mark.spec("ST-03")
def test_start_while_a_run_is_here_names_resume(project: Project) -> None:
    project.make(plan(unit("a")))
    assert "topkick start" in project.says("resume", code=2)
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.starts)
    for words in ((), ("--foreground",)):
        said = project.says("start", "--yes", *words, code=4)
        assert "topkick watch" in said
        assert "topkick resume" in said
    project.says("stop")
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"


@pytest.mark.spec("ST-03")
def test_start_after_a_kill_names_resume_and_after_the_end_begins_anew(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", "hang()")
    project.start_in_background()
    wait_for(project.trail)
    project.says("killall")
    assert "topkick resume" in project.says("start", "--yes", code=2)
    project.script("a.1", "work()")
    project.says("resume", "--foreground")
    first = project.mission().id
    assert "Everything is done already" in project.says("resume")
    refused = project.says("start", "--yes", "--foreground", code=2)
    assert "The last run completed all of this plan" in refused
    assert "topkick start --again" in refused
    assert project.mission().id == first
    assert "this does it again" in project.says("start", "--dry-run")
    project.says("start", "--yes", "--foreground", "--again")
    assert project.mission().id != first
    archived = [path.name for path in project.place.archive.iterdir()]
    assert any(name.endswith(first) for name in archived)


@pytest.mark.spec("PL-01", "PL-02")
def test_start_without_a_plan_says_three_lines_and_does_nothing(project: Project) -> None:
    done = project.run("start", "--yes")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "ERROR: Cannot find EXECUTION_PLAN.md.\n"
        "topkick requires an execution plan to operate.\n"
        "Please provide the path: topkick start /path/to/EXECUTION_PLAN.md\n"
    )
    assert list(project.root.iterdir()) == []


@pytest.mark.spec("PL-01")
def test_start_finds_the_plan_upward_and_by_its_path(project: Project) -> None:
    project.make(plan(unit("a")))
    below = project.root / "deep" / "down"
    below.mkdir(parents=True)
    assert project.run("start", "--dry-run", cwd=below).returncode == 0
    by_path = project.run(
        "start", str(project.root / "EXECUTION_PLAN.md"), "--dry-run", cwd=project.home
    )
    assert by_path.returncode == 0


def test_two_starts_at_once_make_one_run(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    both = [project.begin("start", "--yes", "--foreground") for _ in range(2)]
    wait_for(lambda: any(p.poll() is not None for p in both))
    loser = next(p for p in both if p.poll() is not None)
    code, said = project.end_of(loser)
    assert code in {2, 4}, said
    assert "topkick" in said
    assert "Traceback" not in said
    project.let_go("gate")
    winner = next(p for p in both if p is not loser)
    assert project.end_of(winner)[0] == 0
    assert len(project.starts()) == 1


def test_topkick_alone_without_a_terminal_helps_or_shows_the_status(project: Project) -> None:
    assert "Usage: topkick" in project.says()
    project.make(plan(unit("a")))
    assert "Usage: topkick" in project.says()
    assert project.starts() == []
    project.says("start", "--yes", "--foreground")
    assert "completed · 1 done (1 checked)" in project.says()


@pytest.mark.spec("LP-02", "G1")
def test_a_unit_waits_until_all_it_needs_are_completed(project: Project) -> None:
    project.make(TWO_LAYERS)
    project.says("start", "--yes", "--foreground")
    completed: set[str] = set()
    for happening in project.happenings():
        match happening:
            case h.UnitMoved(unit=name, now=UnitState.COMPLETED):
                completed.add(name)
            case h.RunOpened(unit="c"):
                assert completed == {"a", "b"}
            case _:
                pass
    assert completed == {"a", "b", "c"}
    assert [s.unit for s in project.starts()][-1] == "c"


@pytest.mark.spec("D10", "LP-02")
def test_no_more_agents_than_asked_for_work_at_once(project: Project) -> None:
    project.make(plan(*(unit(name) for name in "abcd")), limits={"max_agents": 2})
    project.script("default", "wait('gate'); work()")
    project.start_in_background()
    wait_for(lambda: len(project.starts()) == 2)
    assert len(project.mission().runs) == 2
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
    at_work = most = 0
    for happening in project.happenings():
        at_work += isinstance(happening, h.RunOpened) - isinstance(happening, h.RunClosed)
        most = max(most, at_work)
    assert most == 2
