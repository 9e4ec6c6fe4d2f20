"""Refused commands: closed unions of values, each with words and commands that can be pasted."""

import shlex
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import get_args

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.app.send_command import LOST_COMMAND, CommandReply, _reply
from topkick.cli.main import cli
from topkick.engine import messages as h
from topkick.engine.codec.chain import Record
from topkick.engine.journal import CommandOutcome, QueueAnswer
from topkick.engine.loop import CODEC, FromAnotherVersion, _answer, replay
from topkick.engine.refusals import CommandName, CommandUnfit
from topkick.engine.views import refusal_lines
from topkick.sprint.blockers.holds import BudgetSpent, DispatchesUsed
from topkick.sprint.obey.model import (
    BackgroundExists,
    FindingUnknown,
    GateNotAsking,
    GateUnitNeeded,
    LimitBelowUse,
    LimitName,
    NamedKind,
    NameUnknown,
    NoBranch,
    NoFindings,
    NoRun,
    OrderHeld,
    PipelineOnly,
    RunExists,
    RunNotAtWork,
    SprintUnready,
    StillStopping,
    UnitNotRunning,
)
from topkick.sprint.transitions import SprintState, UnitState
from topkick.team.pipeline.refusals import NotUpstream, ReasonMissing, SessionOver, TaskNotWaiting

SPENT = BudgetSpent("the budget of the run: $11.50 of $10.00 is spent")
EACH: tuple[h.Refusal, ...] = (
    *(CommandUnfit("kanban", asked, "topkick kanban run B.md") for asked in CommandName),
    RunExists(),
    NoRun(),
    StillStopping(("U1", "U2")),
    OrderHeld(CommandName.RESUME, "", SPENT),
    OrderHeld(CommandName.RETRY, "U1/1", SPENT),
    OrderHeld(CommandName.RETRY, "U1/1", DispatchesUsed(12)),
    *(LimitBelowUse("U1/1", limit, 3, 2) for limit in LimitName),
    PipelineOnly(CommandName.OVERRIDE),
    *(NameUnknown(kind, ("one", "two")) for kind in NamedKind),
    RunNotAtWork("m-7"),
    BackgroundExists("server"),
    NoBranch(),
    NoFindings("U1/1"),
    FindingUnknown("U1/1", "f7b28e6", ("fb78e81", "fa28405")),
    *(
        SprintUnready(asked, "U1/1", state)
        for asked in (CommandName.ACCEPT, CommandName.REJECT, CommandName.RETRY)
        for state in SprintState
    ),
    GateNotAsking(CommandName.ACCEPT, "G7", ("G1",)),
    GateNotAsking(CommandName.REJECT, "G7", ()),
    GateUnitNeeded("G1", ("U1", "U2")),
    UnitNotRunning("G1", "U1", UnitState.STOPPED),
    ReasonMissing(CommandName.OVERRIDE, "a session", "CHECKPOINT-001"),
    ReasonMissing(CommandName.APPROVE, "notes", "QUALITY-001"),
    ReasonMissing(CommandName.REVISE, "notes", "CHECKPOINT-001", "DRAFT-001"),
    ReasonMissing(CommandName.ABORT, "notes"),
    TaskNotWaiting("notes", "CHECKPOINT-001"),
    TaskNotWaiting("notes", "CHECKPOINT-001", "CHECKPOINT-002"),
    NotUpstream("notes", "CHECKPOINT-001", "DRAFT-004", ("DRAFT-001",)),
    SessionOver("notes"),
)


def test_every_kind_of_refusal_is_tried_here() -> None:
    assert {type(one) for one in EACH} == set(get_args(h.Refusal))


@pytest.mark.spec("SD-05")
@pytest.mark.parametrize("refusal", EACH, ids=repr)
def test_each_says_what_to_type_next_as_a_complete_command(refusal: h.Refusal) -> None:
    found = refusal_lines.offers(refusal)
    assert [o.intent for o in found] == sorted(o.intent for o in found)
    first, *others = refusal_lines.page(refusal).splitlines()
    assert first.endswith(".")
    assert first[0] == first[0].upper()
    assert others[0] == f"Next: {found[0].command}"
    assert [line.strip() for line in others[1:]] == [o.command for o in found[1:]]
    for offer in found:
        parse(cli, shlex.split(offer.command)[1:])


def parse(group: click.Command, words: Sequence[str]) -> None:
    """Parse as the command line does, and run nothing."""
    with group.make_context(group.name, [*words]) as context:
        if isinstance(group, click.Group):
            _, command, left = group.resolve_command(
                context, [*context._protected_args, *context.args]
            )
            assert command is not None
            parse(command, left)


@pytest.mark.spec("SD-05")
@pytest.mark.parametrize("refusal", EACH, ids=repr)
def test_no_word_of_others_steers_a_terminal(refusal: h.Refusal) -> None:
    texts = [f.name for f in fields(refusal) if type(getattr(refusal, f.name)) is str]
    evil = {name: f"{getattr(refusal, name)}\x1b[2J\u202e\n" for name in texts}
    line = refusal_lines.line(replace(refusal, **evil))  # type: ignore[type-var]
    assert line.startswith("refused: ")
    assert not {"\x1b", "\u202e", "\n"} & {*line}


# --- in the journal and in the queue -------------------------------------------------------


@given(st.from_type(h.Refusal))  # type: ignore[arg-type]
def test_a_refusal_comes_back_from_the_journal_and_the_queue_as_it_was(refusal: h.Refusal) -> None:
    event = h.CommandRefused(refusal)
    assert CODEC.decode(*CODEC.encode(event)) == event
    answer = _answer([event])
    assert answer.outcome is CommandOutcome.REFUSED
    assert _reply(1, answer) == CommandReply(False, refusal_lines.page(refusal), 1)


@pytest.mark.spec("SD-05")
def test_an_answer_is_a_value_and_no_sentence() -> None:
    assert _answer([]) == QueueAnswer(CommandOutcome.ACCEPTED)
    assert _reply(3, QueueAnswer(CommandOutcome.ACCEPTED)) == CommandReply(True, "", 3)
    assert _reply(3, QueueAnswer(CommandOutcome.LOST)) == CommandReply(False, LOST_COMMAND, 3)


@pytest.mark.spec("J2")
def test_a_refusal_recorded_as_a_sentence_is_refused_in_plain_words() -> None:
    old = Record(1, 1, 1, 1, "CommandRefused", '{"why":"there is no run here"}')
    with pytest.raises(FromAnotherVersion, match="written by another version of topkick"):
        replay([old])
