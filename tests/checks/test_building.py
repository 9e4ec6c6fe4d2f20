"""Builds on one host take turns, even if a build dies, is stopped or is urgent."""

import fcntl
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from topkick.checks.build_slots import Slots, building, free_mb_in, has_room, pressure_in
from topkick.checks.model import CheckOutcome, CheckResult
from topkick.checks.worker.commands import Commands
from topkick.engine.errors import UsageError
from topkick.runner.process.tree import SignalPipe

PATIENCE_S = 90.0
# A checker in small: one build in the shell, by a slot. It says what it hears, and how it ended.
CHECKER = """
import os, sys
from pathlib import Path
from topkick.checks.worker import commands
from topkick.checks.build_slots import Slots
from topkick.runner.process.tree import SignalPipe
place, builds, label, text = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
slots = Slots(place, builds, 100.0, 0, label)
bell = SignalPipe(stop_fd=0)
env = {"PATH": os.environ["PATH"]}
result = commands.Commands(
    label, Path.cwd(), env, 60.0, (), None, bell, place / f"{label}.xml", slots=slots
).run(text)
print(result.outcome.value, bell.stops_asked, result.excerpt, flush=True)
"""
# It ends by itself if the test never lets it go.
UNTIL_LET_GO = "for i in $(seq 1000); do test -e go && break; sleep 0.05; done"


class Yard:
    """A place with checkers in it; what builds do is in `trace`."""

    def __init__(self, at: Path) -> None:
        self.at = at
        self.place = at / "building"
        self.trace = at / "trace"
        self._all: list[subprocess.Popen[str]] = []

    def check(self, label: str, script: str, builds: int = 1) -> "subprocess.Popen[str]":
        (self.at / f"build-{label}.sh").write_text(script)
        text = f"sh build-{label}.sh"
        words = [sys.executable, "-c", CHECKER, str(self.place), str(builds), label, text]
        pipe = subprocess.PIPE
        made = subprocess.Popen(words, cwd=self.at, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._all.append(made)
        return made

    def lines(self) -> list[str]:
        return self.trace.read_text().splitlines() if self.trace.exists() else []

    def tickets(self) -> list[str]:
        return sorted(p.name for p in self.place.glob("wait-*"))

    def close(self) -> None:
        (self.at / "go").touch()
        for process in self._all:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    made = Yard(tmp_path)
    yield made
    made.close()


def until(look: Callable[[], bool]) -> None:
    ends_at_s = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < ends_at_s, "it never came true"
        time.sleep(0.02)


def said(process: "subprocess.Popen[str]") -> str:
    """Wait for the end and return the output; the pipe stays open, or the check would stop."""
    process.wait(PATIENCE_S)
    assert process.stdout is not None
    return process.stdout.read().strip()


def heard(process: "subprocess.Popen[str]") -> str:
    """Return the line in which the check says that it waits."""
    assert process.stderr is not None
    assert select.select([process.stderr], [], [], PATIENCE_S)[0], "it does not wait"
    return process.stderr.readline()


def most_at_once(lines: list[str]) -> int:
    now, most = 0, 0
    for line in lines:
        now += {"begin": 1, "end": -1}[line.split()[0]]
        most = max(most, now)
    assert now == 0, lines
    return most


def long_build(name: object) -> str:
    return f"echo begin {name} >>trace; {UNTIL_LET_GO}; echo end {name} >>trace"


def build(number: int, seconds: float = 0.05) -> str:
    return f"echo begin {number} >>trace; sleep {seconds}; echo end {number} >>trace"


@pytest.mark.spec("GT-02")
def test_one_at_a_time(yard: Yard) -> None:
    running = [yard.check(f"p{n}", build(n)) for n in range(4)]
    assert [said(process) for process in running] == ["passed 0"] * 4
    assert len(yard.lines()) == 8
    assert most_at_once(yard.lines()) == 1
    assert yard.tickets() == []


@pytest.mark.spec("GT-02")
def test_two_at_a_time_where_two_are_allowed(yard: Yard) -> None:
    """The first two can only end together; the others come when there is room."""
    meet = (
        "echo begin {0} >>trace; touch here-{0}\n"
        "for i in $(seq 1000); do test -e here-{1} && break; sleep 0.05; done\n"
        "test -e here-{1} && echo end {0} >>trace"
    )
    first = [yard.check("a", meet.format("a", "b"), 2), yard.check("b", meet.format("b", "a"), 2)]
    until(lambda: len([x for x in yard.lines() if x.startswith("begin")]) == 2)
    more = [yard.check(f"p{n}", build(n), 2) for n in range(2)]
    assert [said(process) for process in (*first, *more)] == ["passed 0"] * 4
    assert most_at_once(yard.lines()) == 2


@pytest.mark.spec("GT-02")
def test_who_allows_one_waits_for_those_who_allow_more(yard: Yard) -> None:
    for label in "ab":
        yard.check(label, long_build(label), 2)
    until(lambda: len(yard.lines()) == 2)
    third = yard.check("c", build(3), 1)
    told = heard(third)
    assert "project a" in told
    assert "project b" in told
    (yard.at / "go").touch()
    assert said(third) == "passed 0"
    assert yard.lines()[-2:] == ["begin 3", "end 3"]


@pytest.mark.spec("GT-02")
def test_first_come_first_served_and_told_who_is_waited_for(yard: Yard) -> None:
    first = yard.check("first", long_build(0))
    until(lambda: yard.lines() == ["begin 0"])
    waiting = []
    for number in range(1, 4):
        waiting.append(yard.check(f"p{number}", build(number, 0)))
        told = heard(waiting[-1])
        assert f"waits for another build on this host (pid {first.pid}, project first)" in told
    (yard.at / "go").touch()
    assert [said(process) for process in (first, *waiting)] == ["passed 0"] * 4
    assert [x.split()[1] for x in yard.lines() if x.startswith("end")] == list("0123")


@pytest.mark.spec("GT-02")
def test_a_build_keeps_its_slot_though_its_checker_is_killed(yard: Yard) -> None:
    text = f"echo $$ >pid; {long_build(1)}"
    holder = yard.check("a", text)
    until(lambda: (yard.at / "pid").exists() and (yard.at / "pid").read_text().endswith("\n"))
    child = psutil.Process(int((yard.at / "pid").read_text()))
    holder.kill()
    holder.wait()
    second = yard.check("b", build(2))
    assert "project a" in heard(second)
    assert yard.tickets() == ["wait-1"]
    assert yard.lines() == ["begin 1"]
    assert child.is_running()
    (yard.at / "go").touch()
    assert said(second) == "passed 0"
    assert yard.lines() == ["begin 1", "end 1", "begin 2", "end 2"]


@pytest.mark.spec("GT-02")
def test_what_a_build_leaves_behind_keeps_nobody_out(yard: Yard) -> None:
    """A child that a build leaves behind is ended, and the slot is free for the next build."""
    first = yard.check("a", "setsid sleep 60 >/dev/null 2>&1 & echo done")
    assert said(first) == "passed 0 done"
    assert said(yard.check("b", build(2))) == "passed 0"


@pytest.mark.spec("GT-02")
def test_the_dead_are_no_part_of_the_line(yard: Yard) -> None:
    yard.check("a", long_build(0))
    until(lambda: yard.lines() == ["begin 0"])
    dead = yard.check("dead", build(1))
    heard(dead)
    third = yard.check("c", build(2))
    heard(third)
    dead.kill()
    dead.wait()
    (yard.at / "go").touch()
    assert said(third) == "passed 0"
    assert yard.lines() == ["begin 0", "end 0", "begin 2", "end 2"]
    assert yard.tickets() == []


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize("how", ["line", "signal"])
def test_a_wait_ends_when_asked_to_stop(yard: Yard, how: str) -> None:
    yard.check("a", long_build(0))
    until(lambda: yard.lines() == ["begin 0"])
    second = yard.check("b", build(1))
    heard(second)
    assert second.stdin is not None
    if how == "signal":
        second.terminate()
    else:
        second.stdin.close()
    assert said(second) == "failed 1 stopped before it began"
    assert yard.lines() == ["begin 0"]
    assert yard.tickets() == []


def run(at: Path, text: str, bell: SignalPipe, slots: Slots) -> CheckResult:
    env = {"PATH": os.environ["PATH"]}
    return Commands("r", at, env, 60.0, (), None, bell, at / "report", slots=slots).run(text)


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path, bell: tuple[SignalPipe, int]) -> None:
    (tmp_path / "building").write_text("in the way")
    with pytest.raises(UsageError, match="Builds wait for each other by locks in"):
        run(tmp_path, "make test", bell[0], Slots(tmp_path / "building"))


def test_other_commands_do_not_wait(tmp_path: Path, bell: tuple[SignalPipe, int]) -> None:
    slots = Slots(tmp_path / "building")
    with building(slots, bell[0]) as held:
        assert held is not None
        assert run(tmp_path, "test -d building", bell[0], slots).outcome is CheckOutcome.PASSED


# --- memory --------------------------------------------------------------------------------

CALM = """some avg10=1.50 avg60=30.00 avg300=0.00 total=123
full avg10=99.00 avg60=0.00 avg300=0.00 total=12
"""


@pytest.mark.parametrize(
    ("text", "pressure"),
    [
        (CALM, 1.5),
        ("full avg10=99.00 avg60=0.00\n", None),
        ("some avg10=100.00 avg60=0.00\n", 100.0),
        ("some avg10=1.2.3\n", None),
        ("", None),
    ],
)
def test_pressure_is_read(text: str, pressure: float | None) -> None:
    assert pressure_in(text) == pressure


def test_free_memory_is_read() -> None:
    text = "MemTotal:  8000000 kB\nMemFree: 1 kB\nMemAvailable:    2097152 kB\nCached: 7 kB\n"
    assert free_mb_in(text) == 2048
    assert free_mb_in("MemTotal: 8000000 kB\n") is None
    assert free_mb_in("") is None


def proc(at: Path, pressure: float, free_mb: int) -> Path:
    (at / "pressure").mkdir(parents=True, exist_ok=True)
    (at / "pressure" / "memory").write_text(f"some avg10={pressure:.2f} avg60=0.00\n")
    (at / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {free_mb * 1024} kB\n")
    return at


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    ("pressure", "free_mb", "allowed"),
    [(0.0, 4096, True), (20.0, 1024, True), (20.5, 4096, False), (0.0, 1023, False)],
)
def test_a_second_build_begins_only_where_there_is_room(
    tmp_path: Path, bell: tuple[SignalPipe, int], pressure: float, free_mb: int, *, allowed: bool
) -> None:
    """The first build may always begin; a build that must wait is informed, and can leave."""
    here, ring = bell
    slots = Slots(tmp_path / "locks", 2, proc=proc(tmp_path / "proc", pressure, free_mb))
    assert has_room(slots) is allowed
    told: list[str] = []

    def hear(words: str) -> None:
        told.append(words)
        os.write(ring, b"!")

    with building(slots, here) as first:
        assert first is not None
        with building(slots, here, hear) as second:
            assert (second is not None) is allowed
            assert bool(told) is not allowed


def test_where_the_system_tells_nothing_nothing_is_forbidden(tmp_path: Path) -> None:
    assert has_room(Slots(tmp_path, 2, 0.0, 1 << 30, proc=tmp_path / "none"))


@pytest.mark.spec("GT-02")
def test_a_refused_build_begins_when_there_is_room_again(
    tmp_path: Path, bell: tuple[SignalPipe, int]
) -> None:
    slots = Slots(tmp_path / "locks", 2, proc=proc(tmp_path / "proc", 90.0, 9000))
    with building(slots, bell[0]) as first:
        assert first is not None
        with building(slots, bell[0], lambda _: (proc(slots.proc, 0.0, 9000), None)[1]) as second:
            assert second is not None
    assert not list(slots.place.glob("wait-*"))


@pytest.mark.spec("GT-02")
def test_who_cannot_look_at_all_slots_keeps_none_of_them(
    tmp_path: Path, bell: tuple[SignalPipe, int]
) -> None:
    """A process that met the error kept the locks of the other slots for as long as it lived."""
    (tmp_path / "slot-1").touch()
    (tmp_path / "slot-2").mkdir()
    slots = Slots(tmp_path, 2)
    with pytest.raises(UsageError, match="Builds wait for each other"), building(slots, bell[0]):
        pass
    (tmp_path / "slot-2").rmdir()
    with (tmp_path / "slot-1").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
