"""Checks with real checkers: what they find, and what is left when they are taken back or die."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from topkick.checks.executor import TRIES, CheckBench
from topkick.checks.model import Ahead, CheckOutcome
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.settings import Settings

PATIENCE_S = 120.0
ME = ("-c", "user.name=S", "-c", "user.email=s@localhost")
SETTINGS = Settings(AgentProgram("none", ("true",)), check_timeout_s=20.0)


class Desk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.bench = CheckBench(root, root, root / "log", lambda: SETTINGS, os.environ)

    def check(self, *commands: str, id_: str = "r1.check.0") -> h.CheckWork:
        order = h.CheckWork(id_, "r1", ".", commands, (), None, "")
        self.bench.ensure(order)
        return order

    def facts(self, patience_s: float = 90.0) -> list[h.Fact]:
        ends_at_s = time.monotonic() + patience_s
        found: list[h.Fact] = []
        while not found and time.monotonic() < ends_at_s:
            select.select([self.bench.fileno()], [], [], 0.1)
            found += self.bench.poll()
        return found

    def outcomes(self) -> list[CheckOutcome]:
        (fact,) = self.facts()
        assert isinstance(fact, h.WorkChecked)
        return [r.outcome for r in fact.evidence.results]

    def wait(self, condition: object) -> None:
        ends_at_s = time.monotonic() + PATIENCE_S
        assert callable(condition)
        while not condition():
            assert time.monotonic() < ends_at_s, "it never came true"
            self.bench.poll()
            time.sleep(0.01)

    def checkers(self) -> list[int]:
        """The children of the one child that was started: the process they are forked from."""
        (foreman,) = (p for p in psutil.Process().children() if _is_foreman(p))
        return [p.pid for p in foreman.children()]


def _is_foreman(process: psutil.Process) -> bool:
    alive = process.status() != psutil.STATUS_ZOMBIE
    return alive and "topkick.checks.worker" in " ".join(process.cmdline())


def _works_in(process: psutil.Process, directory: Path) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.cwd() == str(directory)
    except psutil.Error:
        return False


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    made = Desk(tmp_path)
    yield made
    made.bench.close()


def test_each_command_is_run_and_told(desk: Desk) -> None:
    desk.check("true", "exit 3", "no-such-program-here", "./not-written-yet.sh")
    assert desk.outcomes() == [
        CheckOutcome.PASSED,
        CheckOutcome.FAILED,
        CheckOutcome.CANNOT_RUN,
        CheckOutcome.FAILED,
    ]


def test_one_checker_takes_one_look_after_the_other(desk: Desk) -> None:
    for number in range(3):
        desk.check("true", id_=f"r1.check.{number}")
        assert desk.outcomes() == [CheckOutcome.PASSED]
    assert len(desk.checkers()) == 1


def test_a_survey_stops_at_the_first_failing_entry_criterion(desk: Desk) -> None:
    desk.bench.ensure(h.SurveyGround("r1.survey.0", "r1", ".", ("false",), ("touch ran",)))
    (fact,) = desk.facts()
    assert isinstance(fact, h.GroundSurveyed)
    assert not fact.ground.entry[0].passed
    assert not (desk.root / "ran").exists()


def test_the_next_sprint_is_looked_at_only_when_all_is_well(desk: Desk) -> None:
    for command, looked in (("false", False), ("true", True)):
        ahead = Ahead((), ("true",))
        order = h.CheckWork(f"{command}.check.0", "r1", ".", (command,), (), None, "", ahead)
        desk.bench.ensure(order)
        (fact,) = desk.facts()
        assert isinstance(fact, h.WorkChecked)
        assert (fact.evidence.ahead is not None) is looked


@pytest.mark.spec("N4")
def test_uncommitted_work_is_saved_around_an_order_and_not_at_every_poll(desk: Desk) -> None:
    first = ["git", *ME, "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(first, cwd=desk.root, check=True)
    (desk.root / "left.txt").write_text("left\n")

    def saved() -> set[str]:
        refs = ["git", "for-each-ref", "--format=%(refname)", "refs/topkick"]
        return set(subprocess.check_output(refs, cwd=desk.root, text=True).split())

    desk.bench.ensure(h.PollCondition("r-1.poll.0.1", "r-1", 1, ".", ("true",)))
    assert desk.facts()
    assert not saved()
    desk.bench.ensure(h.SurveyGround("r-2.survey.0", "r-2", ".", (), ("true",)))
    assert desk.facts()
    desk.check("true", id_="r-2.check.0")
    assert desk.facts()
    assert saved() == {"refs/topkick/salvage/r-root", "refs/topkick/salvage/r1-root"}


@pytest.mark.spec("VF-05")
def test_a_look_taken_back_ends_its_whole_tree(desk: Desk) -> None:
    order = desk.check("setsid sleep 300 & echo $! > pid; sleep 300")
    desk.wait(lambda: (desk.root / "pid").exists() and (desk.root / "pid").read_text().strip())
    pid = int((desk.root / "pid").read_text())
    desk.bench.cancel(order.id)
    desk.wait(lambda: not desk.bench.live())
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.spec("VF-05")
def test_a_checker_whose_supervisor_is_gone_ends_what_it_runs(desk: Desk) -> None:
    desk.check("echo $$ > pid; sleep 300")
    desk.wait(lambda: (desk.root / "pid").exists() and (desk.root / "pid").read_text().strip())
    pid = int((desk.root / "pid").read_text())
    desk.bench.close()
    ends_at_s = time.monotonic() + PATIENCE_S
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < ends_at_s, "the check lives on"
        time.sleep(0.05)


def test_a_checker_that_dies_is_replaced_and_the_look_is_taken_again(desk: Desk) -> None:
    desk.check("test -f second || { touch second; sleep 300; }")
    desk.wait((desk.root / "second").exists)
    os.kill(desk.checkers()[0], signal.SIGKILL)
    assert desk.outcomes() == [CheckOutcome.PASSED]


def test_where_checkers_come_from_may_die_too(desk: Desk) -> None:
    desk.check("true", id_="r1.check.0")
    assert desk.outcomes() == [CheckOutcome.PASSED]
    for pid in desk.checkers():
        foreman = psutil.Process(pid).parent()
        assert foreman is not None
        foreman.kill()
        os.kill(pid, signal.SIGKILL)
    desk.check("true", id_="r1.check.1")
    assert desk.outcomes() == [CheckOutcome.PASSED]


def test_a_look_that_kills_its_checker_each_time_charges_nobody(desk: Desk) -> None:
    hopping = "hop() { echo >> hops; [ $1 -lt 900 ] && hop $(($1 + 1)) & }; hop 0; sleep 300"
    desk.check(f"echo x >> tries; : >> hops; kill -9 $PPID; {hopping}")
    assert desk.outcomes() == [CheckOutcome.CANNOT_RUN]
    assert (desk.root / "tries").read_text().count("x") == TRIES
    hops = (desk.root / "hops").stat().st_size
    time.sleep(0.3)
    assert (desk.root / "hops").stat().st_size == hops
    assert not [p for p in psutil.process_iter() if _works_in(p, desk.root)]


def test_keys_of_every_agent_are_hidden_also_where_an_output_is_shortened(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    first = AgentProgram("first", ("true",), pass_env=("FIRST_KEY",))
    other = AgentProgram("other", ("true",), pass_env=("OTHER_KEY",))
    settings = replace(SETTINGS, agent=first, other_agent=other)
    key = "0123456789abcdefghijklmnopqrstuvwxyz"
    environ = {**os.environ, "FIRST_KEY": "some-other-key", "OTHER_KEY": key}
    desk = Desk(tmp_path)
    desk.bench = CheckBench(tmp_path, tmp_path, tmp_path / "log", lambda: settings, environ)
    shapes = [(n, m) for n in (0, 570, 590, 620, 1_790) for m in (0, 580, 1_780, 9_000)]
    for n, m in shapes:
        (tmp_path / f"{n}-{m}").write_text("." * n + key + ":" * m + key * 3)
    desk.check(*(f"cat {n}-{m}" for n, m in shapes))
    try:
        (fact,) = desk.facts()
    finally:
        desk.bench.close()
    assert isinstance(fact, h.WorkChecked)
    for result in fact.evidence.results:
        assert result.passed
        assert not [at for at in range(26) if key[at : at + 10] in result.excerpt], result
        assert "[hidd" in result.excerpt
        assert len(result.excerpt) <= 2_400 + len("\n[...]\n")
