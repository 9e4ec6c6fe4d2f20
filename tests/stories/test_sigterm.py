"""Stories of SIGTERM: a foreground run ends its agents, a busy run listens, and both say so."""

import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest
import test_epic_story
import test_kanban_story
import test_team_story
from story_project import Project, plan, unit, wait_for

from topkick.app.clock import WallClock
from topkick.engine import messages as h
from topkick.engine.codec.chain import Head
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import Supervisor
from topkick.sprint.model import Mission
from topkick.sprint.policy import decide as sprint


@pytest.mark.spec("SD-01")
def test_sigterm_ends_the_agents_of_a_foreground_run_and_charges_nobody(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "hang()")
    run = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    run.send_signal(signal.SIGTERM)
    code, said = project.end_of(run)
    assert code == 6, said
    assert project.processes() == []
    assert project.overall() == "stopped"
    assert project.sprint("a/1").failures == 0
    assert any("SIGTERM" in line for line in project.decisions())
    project.says("resume", "--foreground")
    assert project.overall() == "completed"


def test_sigterm_may_leave_the_agents_of_a_foreground_run_at_work(project: Project) -> None:
    project.make(plan(unit("a")), top={"on_sigterm": "leave"})
    project.script("a.1", "wait('gate'); work()")
    run = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    run.send_signal(signal.SIGTERM)
    code, said = project.end_of(run)
    assert code == 6, said
    assert project.status()["live_agents"] == 1
    project.let_go("gate")
    project.says("resume", "--foreground")
    assert len(project.starts()) == 1


SLEEPER = "team_sleeper.py"
OTHERS = [
    pytest.param(test_kanban_story.make, "kanban_agent.py", ("kanban", "run"), id="kanban run"),
    pytest.param(
        test_team_story.make,
        "team_agent.py",
        (*test_team_story.BEGIN, "spec-only"),
        id="checkpoint run",
    ),
    pytest.param(
        test_epic_story.make,
        "epic_agent.py",
        ("epic", "tick", test_epic_story.EPIC),
        id="epic tick",
    ),
]


def _sleepers(project: Project) -> list[psutil.Process]:
    return [p for p in project.processes() if any(SLEEPER in word for word in p.cmdline())]


@pytest.mark.spec("SD-01")
@pytest.mark.parametrize(("make", "agent", "words"), OTHERS)
def test_sigterm_ends_the_agents_of_every_other_run_in_a_terminal(
    project: Project, make: Callable[[Project], Project], agent: str, words: tuple[str, ...]
) -> None:
    """Only `start --foreground` did: the agents of the others worked on without a supervisor."""
    make(project).configure(agent, SLEEPER)
    run = project.begin(*words)
    wait_for((project.scripts / "starts").exists)
    run.send_signal(signal.SIGTERM)
    code, said = project.end_of(run)
    assert code == 6, said
    assert _sleepers(project) == []


def test_sigterm_leaves_the_agents_of_a_board_where_the_settings_say_so(project: Project) -> None:
    test_kanban_story.make(project).configure("kanban_agent.py", SLEEPER)
    project.configure('isolation = "shared"', 'isolation = "shared"\non_sigterm = "leave"')
    run = project.begin("kanban", "run")
    wait_for((project.scripts / "starts").exists)
    run.send_signal(signal.SIGTERM)
    assert project.end_of(run)[0] == 6
    assert len(_sleepers(project)) == 1
    project.says("killall")
    assert _sleepers(project) == []


class BusyBench:
    """Has news in every turn; SIGTERM comes with the third."""

    def __init__(self) -> None:
        self.turns = 0
        self.supervisor: Supervisor | None = None

    def takes(self, _order: h.Order) -> bool:
        return False

    def ensure(self, _order: h.Order) -> str | None:
        return None

    def cancel(self, _order_id: str) -> None:
        return

    def live(self) -> frozenset[str]:
        return frozenset()

    def poll(self) -> Sequence[h.Fact]:
        self.turns += 1
        assert self.turns < 10, "a busy supervisor did not leave"
        if self.turns == 3 and self.supervisor is not None:
            self.supervisor.leave()
        return (h.TimePassed(),)

    def wake_in_s(self) -> float | None:
        return None


class NoBoard:
    trouble = ""

    def show(self, mission: Mission, head: Head) -> None:
        return

    def flush(self, mission: Mission, head: Head) -> None:
        return

    def wake_in_s(self) -> float | None:
        return None


def test_a_supervisor_that_is_never_idle_leaves_after_the_turn_in_which_it_is_asked(
    tmp_path: Path,
) -> None:
    """Finding 10: SIGTERM was looked at only in a turn without news."""
    path = tmp_path / "journal.db"
    Journal.create(path, 1).close()
    bench = BusyBench()
    with Journal.open(path, anchor=None) as journal:
        bench.supervisor = Supervisor(
            sprint.decide,
            journal,
            (bench,),
            WallClock(lambda: None),
            NoBoard(),
            lambda _news: None,
            lambda _trouble: None,
        )
        bench.supervisor.run(driven=True, holder="this one")
    assert bench.turns == 3
