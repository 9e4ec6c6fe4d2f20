"""Say for each exit criterion of a sprint what proves that it holds."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.plan_format.model import Criterion
from topkick.sprint.gates.fold import CHECKED_BY
from topkick.sprint.model import Sprint
from topkick.sprint.report.records import GateLedger, Ran, RecordedLook, SprintLedger


class Proven(StrEnum):
    """The proof of a criterion. Only CHECKED means that a machine verified it."""

    CHECKED = "checked"
    HELD = "held"
    ACCEPTED = "accepted with its gate"
    FAILED = "failed"
    NOT_RUN = "not run"
    HUMAN = "no machine can check it"


@dataclass(frozen=True, slots=True)
class CriterionReport:
    """An exit criterion with its proof. `seq` is the record that shows it; `before` says that it
    held before the first order.
    """

    text: str
    command: str | None
    proven: Proven
    seq: int = 0
    ran: Ran | None = None
    gate: str = ""
    before: bool = False


def criteria_of(
    sprint: Sprint, ledger: SprintLedger, settled: GateLedger | None
) -> tuple[CriterionReport, ...]:
    """Return the exit criteria with their proofs. `settled` is the gate that let the sprint's held
    criteria pass, if any.
    """
    return tuple(_one(c, sprint, ledger, settled) for c in sprint.plan.exit)


def is_full(criteria: tuple[CriterionReport, ...]) -> bool:
    """Return whether a machine has checked every criterion; only that is called fully verified."""
    return bool(criteria) and all(c.proven is Proven.CHECKED for c in criteria)


def _one(
    criterion: Criterion, sprint: Sprint, ledger: SprintLedger, settled: GateLedger | None
) -> CriterionReport:
    command = criterion.command
    if command is None:
        return CriterionReport(criterion.text, None, Proven.HUMAN)
    before = command in sprint.passing_at_first
    if command in _held(ledger):
        return _at_gate(criterion, settled, before=before)
    ran = _ran(ledger.look, command)
    if ran is None:
        return CriterionReport(criterion.text, command, Proven.NOT_RUN, before=before)
    assert ledger.look is not None
    proven = Proven.CHECKED if ran.passed else Proven.FAILED
    return CriterionReport(criterion.text, command, proven, ledger.look.seq, ran, before=before)


def _held(ledger: SprintLedger) -> tuple[str, ...]:
    return ledger.attempts[-1].held if ledger.attempts else ()


def _at_gate(criterion: Criterion, settled: GateLedger | None, *, before: bool) -> CriterionReport:
    if settled is None:
        return CriterionReport(criterion.text, criterion.command, Proven.HELD, before=before)
    proven = Proven.ACCEPTED if settled.accepted else Proven.NOT_RUN
    proven = Proven.CHECKED if settled.verdict in CHECKED_BY else proven
    gate = settled.gate.id
    return CriterionReport(
        criterion.text, criterion.command, proven, settled.closed_seq, None, gate, before
    )


def _ran(look: RecordedLook | None, command: str) -> Ran | None:
    results = look.results if look is not None else ()
    return next((r for r in results if r.command == command), None)
