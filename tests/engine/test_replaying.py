"""The state at any earlier record, and every decision made again."""

from dataclasses import replace

import pytest

from rig import Rig, plan, sprint, unit
from told_reasons import records_of
from topkick.app.journal.replay import LeftOut, as_of, redecide
from topkick.app.run_view import read_record
from topkick.cli import journal as cli_journal
from topkick.engine import messages as h
from topkick.engine.codec.chain import Record
from topkick.engine.errors import UsageError
from topkick.engine.messages import CODEC
from topkick.engine.messages import questions as q
from topkick.engine.rules import RULES
from topkick.sprint.model import Mission
from topkick.sprint.policy.decide import decide
from topkick.sprint.transitions import SprintState


def a_run() -> Rig:
    """A failure, then success; the second unit waits for the first."""
    rig = Rig()
    rig.start(plan(unit("A", sprint("1")), unit("B", sprint("1"), after=["A"])))
    rig.fail("A")
    rig.attempt("A")
    return rig


def journal() -> list[Record]:
    return records_of(a_run().records)


def rewritten(record: Record, **fields: object) -> Record:
    happening = CODEC.decode(record.kind, record.body)
    kind, body = CODEC.encode(replace(happening, **fields))  # type: ignore[type-var]
    return replace(record, kind=kind, body=body)


def first(records: list[Record], kind: str) -> int:
    return next(n for n, record in enumerate(records) if record.kind == kind)


# --- any moment ----------------------------------------------------------------------------


@pytest.mark.spec("J2", "J5")
def test_a_moment_is_the_fold_of_the_records_up_to_it() -> None:
    rig = a_run()
    happened = [read_record(r) for r in records_of(rig.records)]
    assert as_of(happened).mission == rig.mission
    failed = first(records_of(rig.records), "SprintMoved")
    past = as_of(happened, failed + 1)
    assert (past.at.seq, past.records) == (failed + 1, len(happened))
    assert past.mission.sprint("A", "1").state is SprintState.DISPATCHED
    assert past.now_us == happened[failed].at_us, "the clock has no say"
    assert len(past.happened) == failed + 1, "nothing that came later is in it"


@pytest.mark.parametrize("seq", [-1, 0, 10_000])
def test_a_record_that_is_not_there_says_what_is(seq: int) -> None:
    happened = [read_record(r) for r in journal()]
    with pytest.raises(UsageError, match=f"no record {seq}; .* records 1 to {len(happened)}"):
        as_of(happened, seq)


# --- decided once more ---------------------------------------------------------------------


@pytest.mark.spec("J6", "MS-03")
def test_the_same_facts_lead_to_the_same_decisions() -> None:
    records = journal()
    found = redecide(records)
    assert found.differences == ()
    assert (found.records, found.steps) == (len(records), records[-1].step)
    assert [*cli_journal.told(found)] == [
        f"{len(records)} records, {records[-1].step} steps: every decision agrees with the rules."
    ]


@pytest.mark.spec("J6")
def test_a_decision_that_is_another_one_is_told_once_and_the_rest_goes_on() -> None:
    records = journal()
    at = first(records, "Decided")
    records[at] = rewritten(records[at], rationale="because I say so")
    (difference,) = redecide(records).differences
    assert difference.seq == records[at].seq
    assert "because I say so" in difference.recorded
    assert "score" in difference.decided
    *_, last = cli_journal.told(redecide(records))
    assert last.endswith("1 decision would be different now.")


@pytest.mark.spec("J6")
def test_a_decision_too_few_and_one_too_many_are_told() -> None:
    records = journal()
    at = max(n for n, r in enumerate(records) if r.kind == "Decided")
    short = [*records[:at], *records[at + 1 :]]
    assert any(one.recorded == "(nothing)" for one in redecide(short).differences) or all(
        "Decided" in one.decided for one in redecide(short).differences
    )
    assert redecide(short).differences
    extra = CODEC.encode(h.Decided("A", "1", "Twice", "over"))
    long = [*records, Record(len(records) + 1, records[-1].step, 1, records[-1].at_us, *extra)]
    (more,) = redecide(long).differences
    assert (more.decided, more.seq) == ("(nothing)", len(records) + 1)


@pytest.mark.spec("J6")
def test_rules_that_break_are_a_difference_and_no_traceback() -> None:
    def broken(mission: Mission, question: q.Question) -> tuple[h.Event, ...]:
        assert not isinstance(question, q.WhatOfWork), "never heard of work"
        return tuple(decide(mission, question))

    found = redecide(journal(), lambda _kind: broken)
    assert any("never heard of work" in one.decided for one in found.differences)


@pytest.mark.spec("J6")
def test_what_other_rules_decided_is_left_out_by_name() -> None:
    records = journal()
    woke = first(records, "SupervisorWoke")
    records[woke] = rewritten(records[woke], rules=RULES + 1)
    found = redecide(records)
    assert (found.steps, found.differences) == (0, ())
    assert found.left_out == (LeftOut(1, len(records), RULES + 1),)
    told = [*cli_journal.told(found)]
    assert told[0].startswith(
        f"Records 1 to {len(records)} were not compared: they were decided by"
    )
    assert "nothing was compared" in told[-1]


def test_a_journal_from_before_rules_had_numbers_is_under_the_first() -> None:
    woke = h.SupervisorWoke(1, driven=True)
    assert woke.rules == 0
    assert "rules" not in CODEC.encode(woke)[1]
    records = journal()
    at = first(records, "SupervisorWoke")
    records[at] = rewritten(records[at], rules=0)
    assert redecide(records).left_out == (LeftOut(1, len(records), 1),)
