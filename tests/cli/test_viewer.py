"""The viewer's page fits its screen, and the terminal is put back however the viewer ends."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from dataclasses import replace

import pytest
from rich.console import Console

from topkick.app.run_view import View
from topkick.app.state_dir.lock import Holder
from topkick.checks.model import Ground
from topkick.cli.viewer import page as viewer_page
from topkick.cli.viewer.page import StopQuestion
from topkick.engine import messages as h
from topkick.engine.agents.budgets import Budget, Budgets, Spending
from topkick.engine.agents.program import AgentProgram, Usage
from topkick.engine.codec.chain import EMPTY
from topkick.engine.kernel import step
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan, SprintPlan, UnitPlan
from topkick.sprint.model import Limit, Mission
from topkick.sprint.policy.decide import decide
from topkick.sprint.views.status import Situation

PATIENCE_S = 120.0
T0_US = 1_760_000_000_000_000


def view(units: int) -> View:
    """Return a view with some units at work and most of them waiting for the first."""
    names = [f"unit {n} [red]with markup[/]" for n in range(units)]
    plans = tuple(
        UnitPlan(n, sprints=(SprintPlan("1", "Do"),), waits_for=() if i < 3 else (names[0],))
        for i, n in enumerate(names)
    )
    settings = Settings(AgentProgram("a", ("true",)), accept_unchecked=True)
    mission = Mission()
    for fact in (
        h.SupervisorWoke(1, driven=True),
        h.CommandGiven(h.Start("m", Plan("Big", "", units=plans), settings)),
        h.GroundSurveyed("m-1", Ground("a" * 40)),
    ):
        mission = step(decide, mission, fact, T0_US).mission
    return View(mission, EMPTY, Holder(1, T0_US), 1, T0_US + 720_000_000)


def drawn(page: object, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, force_terminal=False, highlight=False)
    with console.capture() as capture:
        console.print(page)
    return capture.get().splitlines()


@pytest.mark.spec("RP-02")
@pytest.mark.parametrize("size", [(80, 24), (60, 15), (120, 50), (200, 8)])
@pytest.mark.parametrize("units", [1, 5, 40])
def test_the_page_fits(size: tuple[int, int], units: int) -> None:
    events = [f"12:04:{n:02} U1/1 event " + "long " * 30 for n in range(60)]
    lines = drawn(viewer_page.page(view(units), events, *size), *size)
    assert len(lines) <= size[1]
    assert all(len(line) <= size[0] for line in lines)
    assert any("Ctrl-C" in line for line in lines)
    assert any("[red]" in line or "…" in line for line in lines)


def test_a_unit_at_work_is_shown_although_there_are_many() -> None:
    lines = drawn(viewer_page.page(view(40), [], 80, 24), 80, 24)
    assert any("U1/1" in line and "DISPATCHED" in line for line in lines)
    assert any("more work units" in line for line in lines)


@pytest.mark.spec("RP-02")
@pytest.mark.parametrize("size", [(80, 24), (60, 15), (200, 8)])
def test_what_an_agent_does_is_on_the_page(size: tuple[int, int]) -> None:
    looked = view(5)
    where = Situation(looked.now_us, 1, 1, doing={"m-1": "Bash: make " + "test " * 60})
    lines = drawn(viewer_page.page(looked, ["an event"] * 60, *size, where=where), *size)
    assert len(lines) <= size[1]
    assert any("Ctrl-C" in line for line in lines)
    if size[1] > 8:
        assert any(line.startswith("  U1/1  Bash: make test") for line in lines)


def test_money_and_a_limit_are_on_the_page() -> None:
    looked = view(1)
    assert looked.mission.settings is not None
    settings = replace(looked.mission.settings, budgets=Budgets(run=Budget(usd=5)))
    limits = {"a": Limit(looked.now_us + 3_600_000_000, "usage limit of a")}
    spent = Spending(Usage(3, 10, 0, 10, 1_200_000))
    mission = replace(looked.mission, settings=settings, limits=limits, spent=spent)
    lines = drawn(viewer_page.page(replace(looked, mission=mission), [], 120, 24), 120, 24)
    assert lines[0].endswith("· $1.20 of $5.00")
    assert any(line.startswith("Orders to a wait until 2025-10-09 ") for line in lines)


def test_a_narrow_screen_shows_the_state_too() -> None:
    looked = view(1)
    assert looked.mission.plan is not None
    plan = replace(looked.mission.plan, feature_name="OPERATION THREE BRASS BUTTONS AND A HAT")
    named = replace(looked, mission=replace(looked.mission, plan=plan))
    page = " ".join(drawn(viewer_page.page(named, [], 40, 24), 40, 24))
    assert "· running · 0 of 1 sprints done · 12 min" in " ".join(page.split())


@pytest.mark.spec("SD-01")
def test_draining_names_the_sprints_and_the_keys() -> None:
    looked = view(5)
    stopped = step(decide, looked.mission, h.CommandGiven(h.Stop()), looked.now_us).mission
    looked = View(stopped, EMPTY, looked.holder, 1, looked.now_us)
    assert viewer_page.footer(looked) == (
        "Draining: U1/1 (12 min so far). s: stop them now   Ctrl-C or q: leave"
    )


@pytest.mark.spec("SD-01")
def test_the_question_before_a_stop_names_the_agents_and_the_answers() -> None:
    looked = view(2)
    assert viewer_page.footer(looked, StopQuestion.DRAIN) == (
        "Drain U1/1 (12 min so far)? y: yes   any other key: no   s again: stop them now"
    )
    assert viewer_page.footer(looked, StopQuestion.NOW).startswith(
        "Stop U1/1 (12 min so far) now, in the middle of the work? y: yes"
    )
    idle = replace(looked, mission=replace(looked.mission, runs={}))
    assert viewer_page.footer(idle, StopQuestion.DRAIN).startswith(
        "Stop the run? No agent is at work."
    )


PROGRAM = """
import sys
from topkick.cli.viewer import viewer as keys
with keys.listening() as keyboard:
    print("ready", flush=True)
    got = []
    while not got:
        got = keyboard.read(5)
    print(repr(got), flush=True)
    if "x" in got:
        raise RuntimeError("a bug")
"""


@pytest.mark.parametrize(
    ("press", "number", "heard"),
    [
        (b"\x03", None, "'\\x03'"),
        (b"d", None, "'d'"),
        (b"x", None, "'x'"),
        (b"", signal.SIGTERM, "'leave'"),
        (b"", signal.SIGHUP, "'leave'"),
        (b"", signal.SIGINT, "'\\x03'"),
    ],
)
def test_the_terminal_is_put_back(press: bytes, number: int | None, heard: str) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL
    )
    try:
        _read_until(ours, b"ready")
        assert not termios.tcgetattr(theirs)[3] & termios.ECHO
        if press:
            os.write(ours, press)
        if number is not None:
            process.send_signal(number)
        assert heard.encode() in _read_until(ours, b"]")
        process.wait(20)
        assert termios.tcgetattr(theirs) == before
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def _read_until(fd: int, wanted: bytes) -> bytes:
    data, ends_at_s = b"", time.monotonic() + PATIENCE_S
    while wanted not in data:
        left_s = ends_at_s - time.monotonic()
        assert left_s > 0, data
        if select.select([fd], [], [], left_s)[0]:
            data += os.read(fd, 4096)
    return data
