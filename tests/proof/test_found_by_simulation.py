"""Bugs that the simulator found, each as the smallest day that showed it."""

from dataclasses import replace

import pytest

from proof.simulation.campaign import Result, run_schedule
from proof.simulation.schedule import Agent, Part, Schedule, Step, Timed
from rig import SETTINGS, Rig, plan, sprint, unit
from topkick.engine import messages as h
from topkick.plan_format.model import SprintType

CALM = {
    "max_agents": 2,
    "max_retries": 3,
    "max_continuations": 3,
    "max_dispatches": 12,
    "sprint_timeout_s": 1800.0,
    "stop_patience_s": 60.0,
    "stop_grace_s": 2.0,
    "deferred_poll_s": 120.0,
    "accept_unchecked": 1,
    "always": 0,
    "only": 0,
}
MONTH = 4  # of the clock's jumps, thirty days


def _day(*steps: Step, faults: tuple[Timed, ...] = (), commands: tuple[Timed, ...] = (), **more):
    return Schedule(1, (Part("P1", (), steps),), faults, commands, CALM, hours=12.0, **more)


def _holds(day: Schedule) -> Result:
    told: list[str] = []
    result = run_schedule(day, told.append)
    assert result.holds, "\n".join(told[-60:])
    return result


@pytest.mark.spec("K1")
def test_an_agent_alone_past_its_deadline_is_asked_before_it_is_killed():
    hangs = Agent("good", takes_s=9_000.0)
    _holds(_day(Step("1", agents=(hangs,)), faults=(Timed(600.0, "keeper killed"),)))


@pytest.mark.spec("K1")
def test_an_agent_whose_keeper_hangs_past_the_deadline_is_asked_before_it_is_killed():
    busy = Agent("floods", takes_s=9_000.0, launch="keeper deaf")
    _holds(_day(Step("1", agents=(busy,))))


@pytest.mark.spec("Y2")
def test_a_clock_set_back_by_a_month_delays_no_poll():
    waits = Step("1", type="deferred", met_after_s=3_600.0)
    _holds(_day(waits, faults=(Timed(300.0, "clock back", n=MONTH),)))


@pytest.mark.spec("Y2")
def test_a_clock_set_back_by_a_month_delays_no_rest_after_trouble():
    lost = Agent(takes_s=100.0, launch="after claim")
    back = Timed(20.0, "clock back", n=MONTH)
    _holds(_day(Step("1", agents=(lost, lost, lost)), faults=(back,)))


@pytest.mark.spec("Y1")
def test_what_becomes_due_during_a_slow_turn_is_not_slept_through():
    lost = Agent(takes_s=100.0, launch="after claim")
    waits = Step("2", type="deferred", met_after_s=3_600.0)
    for slow_us in (100_000, 2_000_000, 8_000_000):
        _holds(_day(Step("1", agents=(lost,) * 6), waits, slow_us=slow_us))


@pytest.mark.spec("DP-08")
def test_ground_from_before_a_restart_is_not_built_on():
    """With the clock set back, the next supervisor began at the very moment the last one ended."""
    steps = (Step("1", agents=(Agent(takes_s=60.0),)), Step("2", entry="met"))
    faults = (
        Timed(5.0, "clock back", n=MONTH),
        Timed(62.0, "checks cannot run", for_s=40.0),
        Timed(200.0, "crash"),
    )
    _holds(_day(*steps, faults=faults))


@pytest.mark.spec("K6", "D7")
def test_a_full_disk_neither_ends_the_supervisor_nor_launches_what_is_to_be_stopped():
    slow = Agent(takes_s=900.0, launch="slow")
    for at_s in (6.5, 6.8, 7.0, 9.0):
        faults = (Timed(at_s, "disk full", for_s=120.0),)
        commands = (Timed(at_s + 1.0, "killall"),)
        _holds(_day(Step("1", agents=(slow,)), faults=faults, commands=commands, slow_us=400_000))


@pytest.mark.spec("D3")
def test_what_was_seen_at_work_is_not_begun_again_when_a_power_cut_took_its_directory():
    """Some of these cuts take it, the others leave it."""
    for n in (9, 10, 17, 18):
        power_cut = Timed(300.0, "reboot", n=n)
        _holds(_day(Step("1", agents=(Agent(takes_s=900.0),)), faults=(power_cut,)))


@pytest.mark.spec("N5", "C8")
def test_work_finished_before_a_kill_counts_although_no_further_order_is_allowed():
    ended = Agent(takes_s=600.0, at=0.2, launch="told to end")
    day = _day(Step("1", agents=(ended,)))
    result = _holds(replace(day, settings={**CALM, "max_dispatches": 1}))
    assert ("sprint", "BACKOFF", "late finish") in result.edges


@pytest.mark.spec("C8", "ER-04")
def test_a_person_may_have_a_manual_sprint_looked_at_again_and_again():
    """Our own guard stopped everything at the fifth time."""
    rig = Rig()
    rig.start(plan(unit("One", sprint("1", SprintType.MANUAL))))
    for _ in range(SETTINGS.max_continuations + 4):
        rig.attempt("One")
        rig.command(h.Retry("One", "1", "look again"))
