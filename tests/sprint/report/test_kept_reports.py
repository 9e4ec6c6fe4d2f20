"""A completion log that keeps the reports of units is the same, after each step, as a new one."""

import pytest
from recorded_runs import RUNS

from topkick.engine import messages as h
from topkick.engine.evolve import evolve
from topkick.engine.fold import apply
from topkick.sprint.model import Mission
from topkick.sprint.report.account import Account
from topkick.sprint.report.completion import render_log
from topkick.sprint.report.reader import Kept, read


@pytest.mark.spec("RP-03")
@pytest.mark.parametrize("name", RUNS)
def test_a_completion_log_with_kept_reports_is_the_same(name: str) -> None:
    account, mission = Account(), Mission()
    kept: Kept = {}
    for seq, at_us, happening in RUNS[name]().records:
        if mission.plan is not None and isinstance(happening, h.Fact):  # a step was over
            assert render_log(read(account, mission, kept)) == render_log(read(account, mission))
        account.take(seq, at_us, happening)
        mission = apply(mission, happening, at_us)
    assert render_log(read(account, mission, kept)) == render_log(read(account, mission))
    assert kept


def test_reports_of_units_that_are_the_same_are_kept() -> None:
    recorder = next(iter(RUNS.values()))()
    account = Account()
    for record in recorder.records:
        account.take(*record)
    kept: Kept = {}
    first, second = (read(account, recorder.mission, kept).sprints for _ in range(2))
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_reports_of_what_is_under_way_are_not_kept() -> None:
    """Not even without a run: the time of an agent goes on until its end is on record."""
    recorder = RUNS["clean"]()
    account, mission = Account(), Mission()
    records = iter(recorder.records)
    while not account.orders:
        seq, at_us, happening = next(records)
        account.take(seq, at_us, happening)
        mission = evolve(apply(mission, happening, at_us), driven=False)
    without_run = evolve(mission, runs={})
    kept: Kept = {}
    first = read(account, without_run, kept)
    account.marked_at_us += 5_000_000
    later = read(account, without_run, kept)
    worked = [sum(one.worked_us for one in reading.sprints) for reading in (first, later)]
    assert worked[1] == worked[0] + 5_000_000
