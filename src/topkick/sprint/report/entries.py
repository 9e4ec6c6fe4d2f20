"""Render one sprint of the completion log: its task, what was done, and what proves it."""

from collections.abc import Iterator

from topkick.checks.model import CheckOutcome, Where
from topkick.engine.agents.program import Ending
from topkick.engine.agents.runs import CancelWhy
from topkick.sprint.model import Proof
from topkick.sprint.report.reader import CriterionReport, Proven, SprintReport
from topkick.sprint.report.records import Attempt, PersonRemark, Ran, RecordedLook
from topkick.sprint.status import PROCESS_RUNS, is_proven_by_process
from topkick.sprint.transitions import SprintCause
from topkick.sprint.views import spending
from topkick.sprint.views import wording as words
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

SHORT = 7
COMMITS_SHOWN = 20
REASONS_SHOWN = 3


def entry(one: SprintReport, max_retries: int) -> Iterator[str]:
    yield f"### {mark(one)} Sprint {escape.prose(one.handle)}: {escape.prose(one.sprint.plan.name)}"
    yield f"- **Work Unit**: {escape.prose(one.unit.name)}"
    yield f"- **Status**: {one.sprint.state.value} ({status(one)})"
    yield f"- **Model**: {model(one)}"
    yield f"- **Attempts**: {attempts(one, max_retries)}"
    yield "- **Timing**:"
    yield f"  - Started: {fmt.iso(one.ledger.began_at_us)}"
    yield f"  - Completed: {fmt.iso(one.ledger.completed_at_us)}"
    yield f"  - **Duration: {fmt.duration(one.worked_us)}**{_waited(one)}"
    yield f"  - **Turns used: {turns(one)}**"
    yield f"- **Git commits**: {commits(one)}"
    yield "- **Exit criteria verified**:"
    yield from criteria(one)
    yield from _waived(one)
    if told := spending.used(one.usage):
        yield f"- **Spent**: {told}"
    yield from orders(one)
    yield f"- **Records**: {_records(one)}"
    yield ""
    yield "---"
    yield ""


def mark(one: SprintReport) -> str:
    """Return a check mark only for a sprint that a machine has checked."""
    return "✓" if one.proof is Proof.CHECKED else "○"


def status(one: SprintReport) -> str:
    match one.proof:
        case Proof.CHECKED if is_proven_by_process(one.sprint):
            return PROCESS_RUNS
        case Proof.CHECKED:
            return f"checked{_how_late(one)}"
        case Proof.UNCHECKED if _nobody_ran_anything(one):
            return "unchecked: nothing was run"
        case Proof.UNCHECKED:
            return "unchecked: nothing that was run proves this work"
        case Proof.ACCEPTED:
            return accepted(one)
        case Proof.HELD:
            return "held: a gate has not checked the rest yet"
        case None:
            return "not completed"


def _nobody_ran_anything(one: SprintReport) -> bool:
    look = one.ledger.look
    return look is None or not (*look.results, *look.always)


def _how_late(one: SprintReport) -> str:
    if one.settled is not None:
        return f", at gate {one.settled.gate.id}"
    late = one.ledger.cause in {SprintCause.FOUND_DONE, SprintCause.LATE_FINISH}
    return ", found done after its agent was interrupted" if late else ""


def accepted(one: SprintReport) -> str:
    said = accepted_by(one)
    if said is not None:
        return f"accepted by {words.person(said.by)}: {escape.prose(escape.line(said.why, 300))}"
    if one.settled is not None:
        gate = one.settled
        why = escape.prose(escape.line(gate.accepted, 300))
        return f"accepted with gate {gate.gate.id} by {words.person(gate.by)}: {why}"
    return "accepted"


def accepted_by(one: SprintReport) -> PersonRemark | None:
    found = (w for w in reversed(one.ledger.words) if w.verb == "accept")
    return next(found, None) if one.proof is Proof.ACCEPTED else None


def model(one: SprintReport) -> str:
    if not one.attempts:
        return "none (no agent was asked)"
    last = one.attempts[-1]
    score = str(last.score) if last.score is not None else fmt.NONE
    return f"{words.model(last.tier, last.model)} (complexity score: {score})"


def attempts(one: SprintReport, max_retries: int) -> str:
    if not one.attempts:
        return f"0/{max_retries}"
    told = f"{one.attempts[-1].attempt}/{max_retries}"
    return told if len(one.attempts) == 1 else f"{told} ({len(one.attempts)} orders)"


def _waited(one: SprintReport) -> str:
    return f" (waited for its condition: {fmt.duration(one.waited_us)})" if one.waited_us else ""


def turns(one: SprintReport) -> str:
    """Return the turns used and allowed; both count only orders whose agent reported its turns."""
    told = [a for a in one.attempts if a.usage.turns and not a.is_out]
    if not told:
        return "not reported by the agent" if one.attempts else "none"
    used, most = sum(a.usage.turns for a in told), sum(a.max_turns for a in told)
    return f"{used}/{most} ({fmt.percent(used / most if most else None)} of budget)"


def commits(one: SprintReport) -> str:
    found = one.commits
    shown = ", ".join(escape.prose(c[:SHORT]) for c in found[:COMMITS_SHOWN])
    more = f" and {len(found) - COMMITS_SHOWN} more" if len(found) > COMMITS_SHOWN else ""
    return f"{shown}{more}" or "none"


# --- criteria ------------------------------------------------------------------------------


def criteria(one: SprintReport) -> Iterator[str]:
    rows = one.criteria
    if not rows:
        yield "  - (the plan names none)"
    for row in rows:
        text = escape.prose(escape.line(row.text, 300))
        yield f"  - {sign(row)} {text}: {how(row)}{_place(one, row)}"
    look = one.ledger.look
    if look is not None:
        for ran in look.always:
            yield f"  - {'✓' if ran.passed else '✗'} Always: {_ran(ran)} (record {look.seq})"


def sign(row: CriterionReport) -> str:
    match row.proven:
        case Proven.CHECKED:
            return "✓"
        case Proven.FAILED | Proven.NOT_RUN:
            return "✗"
        case Proven.HELD | Proven.ACCEPTED | Proven.HUMAN:
            return "○"


def how(row: CriterionReport) -> str:
    by = f" ({words.records(row.seq)})" if row.seq else ""
    match row.proven:
        case Proven.CHECKED if row.gate:
            return f"passed at gate {row.gate}{by}"
        case Proven.CHECKED | Proven.FAILED if row.ran is not None:
            held = ", and did before the first order" if row.before and row.ran.passed else ""
            return f"{_ran(row.ran, named=row.ran.command in row.text)}{held}{by}"
        case Proven.ACCEPTED:
            return f"not run; gate {row.gate} was accepted by a person{by}"
        case Proven.NOT_RUN if row.gate:
            return f"gate {row.gate} did not check it{by}"
        case Proven.NOT_RUN:
            return "it was not run"
        case Proven.HELD:
            return "held: its gate has not run it yet"
        case _:
            return "no machine can check it"


def _ran(ran: Ran, *, named: bool = False) -> str:
    """Describe the result of a command; leave out the command itself if the criterion has `named`
    it.
    """
    told = "" if named or ran.criterion else f"{words.code(ran.command)} "
    if ran.said:
        return ran.said
    match ran.outcome:
        case CheckOutcome.PASSED if ran.counts is not None and ran.counts.ran:
            return f"{told}passed, {counted(ran.counts.ran, 'test')}"
        case CheckOutcome.PASSED:
            return f"{told}passed"
        case CheckOutcome.FAILED:
            return f"{told}ended with {ran.code}"
        case CheckOutcome.RAN_NOTHING:
            return f"{told}ran no test"
        case CheckOutcome.TIMED_OUT:
            return f"{told}did not end in time"
        case CheckOutcome.CANNOT_RUN:
            return f"{told}cannot run here"


def _place(one: SprintReport, row: CriterionReport) -> str:
    is_in_place = in_place(one) and row.ran is not None
    return ", where the work was done and not at its commit" if is_in_place else ""


def in_place(one: SprintReport) -> bool:
    """Return whether a code sprint was checked in its tree and not at its commit, although there is
    git.
    """
    look: RecordedLook | None = one.ledger.look
    return look is not None and look.where is Where.PLACE and look.has_git and one.is_code


def _waived(one: SprintReport) -> Iterator[str]:
    if one.ledger.waived:
        yield "- **Findings waived**:"
    for item in one.ledger.waived:
        what = escape.prose(escape.line(item.what, 200)) or item.waiver.finding
        why = escape.prose(escape.line(item.waiver.why, 300))
        by = words.person(item.waiver.by)
        yield f"  - {what} ({item.waiver.finding}), by {by}: {why} (record {item.seq})"


# --- orders --------------------------------------------------------------------------------


def orders(one: SprintReport) -> Iterator[str]:
    """Yield all orders of the sprint, if there was more than one."""
    if len(one.attempts) < 2:
        return
    yield "- **Orders**:"
    for attempt in one.attempts:
        yield f"  - {order(attempt)}"


def order(attempt: Attempt) -> str:
    told = spending.used(attempt.usage) if not attempt.is_out else ""
    spent = f"; {told}" if told else ""
    seqs = words.records(attempt.seq, attempt.exited_seq, attempt.judged_seq)
    what = words.model(attempt.tier, attempt.model)
    at = fmt.iso(attempt.at_us)
    return f"Order {attempt.number}: {what}, {at}: {outcome(attempt)}{spent} ({seqs})"


def outcome(attempt: Attempt) -> str:
    """Describe how an order was judged, and why."""
    if attempt.verdict is not None:
        charged = ", charged" if attempt.charged else ""
        why = "; ".join(escape.line(r, 200) for r in attempt.reasons[:REASONS_SHOWN])
        reasons = f": {escape.prose(why)}" if why else ""
        return f"{attempt.verdict.value}{charged}{_met(attempt)}{reasons}"
    if attempt.trouble:
        return f"not charged: {escape.prose(escape.line(attempt.trouble, 200))}"
    if attempt.is_out:
        return "at work"
    if attempt.cancel in {CancelWhy.KILLALL, CancelWhy.STOP_FORCED}:
        return f"ended by a person ({attempt.cancel.value}); not charged"
    if attempt.ending is Ending.LOST:
        return "lost; not charged"
    return "not judged"


def _met(attempt: Attempt) -> str:
    count = len(attempt.newly_met)
    return f", {count} newly met" if count else ""


def _records(one: SprintReport) -> str:
    ledger = one.ledger
    parts = [f"first order {ledger.began_seq}" if ledger.attempts else ""]
    parts += [f"waits since {ledger.began_seq}" if ledger.waits and not ledger.attempts else ""]
    judged = [a.judged_seq for a in ledger.attempts if a.judged_seq]
    parts += [f"judged {', '.join(map(str, judged))}" if judged else ""]
    said = accepted_by(one)
    parts += [f"accepted {said.seq}" if said is not None else ""]
    parts += [f"completed {ledger.completed_seq}" if ledger.completed_seq else ""]
    parts += [f"gate {one.settled.closed_seq}" if one.settled is not None else ""]
    return "; ".join(part for part in parts if part) or "none"
