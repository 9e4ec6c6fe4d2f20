"""A supervisor that slept while another took over: it wakes up, does nothing more, and ends."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.stories.story_project import Project, is_alive, plan, unit, wait_for
from topkick.app.state_dir.lock import ProjectLock, holder
from topkick.engine import messages as h
from topkick.engine.codec.chain import ChainEntry, Head
from topkick.engine.errors import AnotherSupervisor
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import Supervisor
from topkick.engine.messages import CODEC
from topkick.sprint.model import Mission
from topkick.sprint.policy import decide as sprint

PATIENCE_S = 90.0

# What only a broken lock would allow: a second supervisor beside a living holder.
FORCE = """
import sys
from topkick.app.state_dir import lock
lock._try_lock = lambda *_: True
from topkick.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


def end_of(process: "subprocess.Popen[str]") -> tuple[int, str]:
    said, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def asleep(project: Project) -> "subprocess.Popen[str]":
    """Return a supervisor with two agents at work, stopped by SIGSTOP."""
    project.make(plan(unit("a"), unit("b"), unit("c", needs="a")))
    project.script("a.1", "wait('a'); work()")
    project.script("b.1", "wait('b'); work()")
    first = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: len(project.trail()) == 2, PATIENCE_S)
    os.kill(first.pid, signal.SIGSTOP)
    return first


def wake(first: "subprocess.Popen[str]") -> tuple[int, str]:
    os.kill(first.pid, signal.SIGCONT)
    return end_of(first)


def epochs(project: Project) -> list[int]:
    return [x.epoch for x in project.happenings() if isinstance(x, h.SupervisorWoke)]


@pytest.mark.spec("J4", "D3", "K7")
def test_state_directory_replaced_by_its_copy_while_the_holder_slept(project: Project) -> None:
    first = asleep(project)
    state_dir = project.place.state_dir
    away = state_dir.with_name("away")
    state_dir.rename(away)
    subprocess.run(["cp", "-a", away, state_dir], check=True)
    second = project.begin("resume", "--foreground")
    wait_for(lambda: project.supervisor() == second.pid and len(epochs(project)) > 1, PATIENCE_S)
    project.let_go("a")
    wait_for(lambda: project.state("c") == "COMPLETED", PATIENCE_S)
    code, said = wake(first)
    assert code == 4, said
    assert "was moved, removed or replaced while this supervisor worked" in said
    assert project.supervisor() == second.pid
    assert holder(state_dir) is not None
    assert is_alive(next(s.pid for s in project.starts() if s.unit == "b"))
    project.let_go("b")
    second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0
    assert "Status: completed" in project.board()
    assert project.says("journal", "check")
    run_ids = [s.run_id for s in project.starts()]
    assert len(run_ids) == len(set(run_ids)) == 3
    shutil.rmtree(away)


@pytest.mark.spec("J4", "D3", "K7", "J2")
def test_a_lock_that_failed_is_made_good_by_the_epoch(project: Project) -> None:
    first = asleep(project)
    second = subprocess.Popen(
        [sys.executable, "-c", FORCE, "resume", "--foreground"],
        cwd=project.root,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_for(lambda: len(epochs(project)) > 1, PATIENCE_S)
    project.let_go("a")
    project.let_go("b")
    said, _ = second.communicate(timeout=PATIENCE_S)
    board, records = project.board(), project.happenings()
    code, last_words = wake(first)
    assert code == 4, said + last_words
    assert "Another supervisor took over this project" in last_words
    assert project.board() == board
    assert project.happenings() == records
    assert len(project.starts()) == 3


@pytest.mark.spec("J4", "K7")
def test_state_directory_removed_under_a_supervisor(project: Project) -> None:
    first = asleep(project)
    os.kill(first.pid, signal.SIGCONT)
    shutil.rmtree(project.place.state_dir)
    project.let_go("a")
    code, said = end_of(first)
    assert code == 4, said
    assert "its agents continue" in said
    left = next(s.pid for s in project.starts() if s.unit == "b")
    assert is_alive(left)
    assert not project.place.state_dir.exists()
    project.let_go("b")
    wait_for(lambda: not is_alive(left), PATIENCE_S)


@pytest.mark.spec("J4", "SD-05")
def test_a_holder_whose_name_was_damaged_still_holds_and_is_not_called_dead(
    project: Project,
) -> None:
    first = asleep(project)
    os.kill(first.pid, signal.SIGCONT)
    (project.place.state_dir / "holder.json").write_bytes(b"\0garbage")
    assert "supervisor is dead" not in project.says("status")
    assert project.status()["supervisor"]["alive"] is True
    assert "is at work already" in project.says("resume")
    project.let_go("a")
    project.let_go("b")
    assert end_of(first)[0] == 0
    assert len(project.starts()) == 3


@pytest.mark.spec("J4", "K6", "K7")
def test_a_project_on_a_read_only_disk_is_held_and_killed_all_the_same(
    project: Project, need: Callable[[str], str]
) -> None:
    need("unshare")
    if os.geteuid() != 0:
        pytest.skip("only root may mount, so this proves nothing here")
    first = asleep(project)
    said = read_only(project, "status")
    assert "supervisor is dead" not in said
    assert "code 0" in said
    said = read_only(project, "start", "--yes", "--foreground")
    assert "A run is here already" in said
    assert "code 4" in said
    project.die(first)
    said = read_only(project, "killall")
    assert "The kill could not be recorded" in said
    assert "code 1" in said
    assert not any(is_alive(s.pid) for s in project.starts())
    project.says("killall")


def read_only(project: Project, *words: str) -> str:
    topkick = shlex.join([sys.executable, "-m", "topkick", *words])
    script = f"mount --bind . . && mount -o remount,ro,bind . && cd $PWD && {topkick}; echo code $?"
    done = subprocess.run(
        ["unshare", "-m", "/bin/sh", "-c", script],
        cwd=project.root,
        env=project.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout + done.stderr


# --- one turn of the loop ------------------------------------------------------------------


class Overtaken:
    """A world in which another supervisor takes the project over during a wait."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waits = 0

    def now_us(self) -> int:
        return 1

    def monotonic_us(self) -> int:
        return 1

    def rest(self, duration_s: float) -> None:
        raise AssertionError("nothing here makes it wait for the disk")

    def wait(self, timeout_s: float | None) -> None:
        self._waits += 1
        assert self._waits == 1, "it went on though it was overtaken"
        with Journal.open(self._path, anchor=None) as other:
            other.begin_epoch("the other one")


class Bench:
    """An executor with something alive that no order wants: it is cancelled in every turn."""

    def __init__(self) -> None:
        self.cancelled = 0

    def takes(self, order: h.Order) -> bool:
        return False

    def ensure(self, order: h.Order) -> None:
        raise AssertionError("it takes no orders")

    def cancel(self, order_id: str) -> None:
        self.cancelled += 1

    def live(self) -> frozenset[str]:
        return frozenset({"stray"})

    def poll(self) -> tuple[h.Fact, ...]:
        return ()

    def wake_in_s(self) -> float | None:
        return None


class Board:
    trouble = ""

    def show(self, mission: Mission, head: Head) -> None:
        return

    def flush(self, mission: Mission, head: Head) -> None:
        raise AssertionError("the board of another would be overwritten")

    def wake_in_s(self) -> float | None:
        return None


@pytest.mark.spec("J4")
def test_who_was_overtaken_while_waiting_orders_nothing_in_the_next_turn(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal.create(path, 1).close()
    bench = Bench()
    with Journal.open(path, anchor=None) as journal:
        supervisor = Supervisor(
            sprint.decide,
            journal,
            (bench,),
            Overtaken(path),
            Board(),
            lambda _news: None,
            lambda _trouble: None,
        )
        with pytest.raises(AnotherSupervisor, match="the other one"):
            supervisor.run(driven=True, holder="this one")
    assert bench.cancelled == 1


@pytest.mark.spec("J4")
def test_a_journal_replaced_under_its_writer_is_not_its_own_any_more(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal.create(path, 1).close()
    with Journal.open(path, anchor=None) as journal:
        journal.begin_epoch("first")
        journal.append(1, [ChainEntry(*CODEC.encode(h.SupervisorWoke(1, driven=True)))])
        journal.require_ours()
        shutil.copy(path, tmp_path / "copy.db")
        (tmp_path / "copy.db").rename(path)
        with pytest.raises(AnotherSupervisor, match="moved, removed or replaced"):
            journal.unanswered()


# --- the lock itself -----------------------------------------------------------------------


@pytest.mark.spec("J4")
def test_who_lost_the_directory_leaves_the_name_of_the_next_holder_alone(tmp_path: Path) -> None:
    state_dir = tmp_path / "state"
    first = ProjectLock(state_dir).acquire(now_us=1)
    state_dir.rename(tmp_path / "away")
    with ProjectLock(state_dir).acquire(now_us=2):
        with pytest.raises(AnotherSupervisor, match="moved, removed or replaced"):
            first.require_in_place()
        first.release()
        who = holder(state_dir)
        assert who is not None
        assert who.since_us == 2
