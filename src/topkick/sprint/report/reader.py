"""Read the account and the mission together: every sprint with its results, and every criterion
with its proof.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from topkick.engine.agents.program import NO_USAGE, Usage
from topkick.plan_format.model import Criterion, SprintType
from topkick.sprint import status
from topkick.sprint.gates.fold import CHECKED_BY
from topkick.sprint.gates.model import GateKind
from topkick.sprint.model import Mission, Overall, Proof, Sprint, Unit, Verdict
from topkick.sprint.report.account import Account
from topkick.sprint.report.records import (
    Attempt,
    GateLedger,
    Ran,
    RecordedLook,
    SprintLedger,
    traits_in,
)
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views import spending
from topkick.sprint.views.spending import WEIGHTS
from topkick.text import intervals
from topkick.text.format import counted
from topkick.text.intervals import Span

# --- the proof of each criterion -----------------------------------------------------------


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


# --- the sprints of a run ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SprintReport:
    """A sprint with its records. `worked_us` is the time of its agents and of checks on their work,
    `waited_us` the time that it waited for a condition. `settled` is the gate that decided about
    its held criteria.
    """

    handle: str
    unit: Unit
    sprint: Sprint
    ledger: SprintLedger
    worked_us: int
    waited_us: int
    settled: GateLedger | None

    @property
    def is_done(self) -> bool:
        return self.sprint.state is SprintState.COMPLETED

    @property
    def is_code(self) -> bool:
        return self.sprint.plan.effective_type is SprintType.CODE

    @property
    def proof(self) -> Proof | None:
        return self.sprint.proof if self.is_done else None

    @property
    def attempts(self) -> list[Attempt]:
        return self.ledger.attempts

    @property
    def judged(self) -> list[Attempt]:
        """Return the orders that got a verdict: not those that were killed, lost, or
        met trouble.
        """
        return [a for a in self.attempts if a.verdict is not None]

    @property
    def is_first_try(self) -> bool:
        """Return whether the only judged order completed the sprint, without a person's help."""
        judged = self.judged
        return self.is_done and len(judged) == 1 and judged[0].verdict is Verdict.SUCCESS

    @property
    def criteria(self) -> tuple[CriterionReport, ...]:
        return criteria_of(self.sprint, self.ledger, self.settled)

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c for a in self.attempts for c in a.commits))

    @property
    def usage(self) -> Usage:
        return total_usage(self.attempts)

    @property
    def relative_cost(self) -> int:
        return relative_cost(self.attempts)


@dataclass(frozen=True, slots=True)
class ReportReading:
    """The whole run. `sprints` are in the plan's order, `done` in the order of their completion."""

    account: Account
    mission: Mission
    overall: Overall
    sprints: tuple[SprintReport, ...]
    done: tuple[SprintReport, ...]

    @property
    def at_us(self) -> int:
        """Return the time of the report: that of the last record that a report depends on, not the
        clock's.
        """
        return self.account.marked_at_us

    @property
    def started_at_us(self) -> int:
        """Return the time of the first order, or of the first wait for a condition."""
        begun = [r.ledger.began_at_us for r in self.sprints if r.ledger.began_seq]
        return min(begun, default=0)

    @property
    def ended_at_us(self) -> int:
        """Return when the last unit was completed; until then, the time of the report."""
        if self.overall is Overall.COMPLETED:
            return max(u.moved_at_us for u in self.mission.units.values())
        return self.at_us

    @property
    def max_retries(self) -> int:
        return self.mission.settings.max_retries if self.mission.settings is not None else 0

    @property
    def pauses(self) -> list[Span]:
        return [p.span for p in self.account.pauses]


@dataclass(frozen=True, slots=True)
class UnitReport:
    """The reports of a unit's sprints, and what they were read from."""

    unit: Unit
    sprints: tuple[SprintReport, ...]
    spans: tuple[int, ...]

    def is_of(self, unit: Unit) -> bool:
        """Return whether the report is still current: the unit is the same frozen object, and its
        ledgers have not grown.
        """
        return self.unit is unit and self.spans == spans_of(self.sprints)


Kept = dict[str, UnitReport]


def spans_of(sprints: Iterable[SprintReport]) -> tuple[int, ...]:
    """Return how many attempts, checks and waits are recorded."""
    ledgers = [one.ledger for one in sprints]
    checks = (len(x.attempts[-1].checks) if x.attempts else 0 for x in ledgers)
    return (*(len(x.attempts) + len(x.waits) for x in ledgers), *checks)


def read(account: Account, mission: Mission, kept: Kept | None = None) -> ReportReading:
    """Read the run. With `kept`, only units that have changed since the last call are
    read again.
    """
    pauses = [p.span for p in account.pauses]
    at_work = {run.unit for run in mission.runs.values()}
    kept = {} if kept is None else kept
    sprints: list[SprintReport] = []
    for name, unit in mission.units.items():
        found = kept.pop(name, None)
        if found is None or name in at_work or not found.is_of(unit):
            found = _of_unit(account, unit, pauses)
        if not any(map(_is_open, found.sprints)):  # the time of a sprint at work still grows
            kept[name] = found
        sprints += found.sprints
    known = {(r.unit.name, r.sprint.id): r for r in sprints}
    done = tuple(known[key] for key in account.completed if key in known and known[key].is_done)
    return ReportReading(account, mission, status.overall(mission), tuple(sprints), done)


def _of_unit(account: Account, unit: Unit, pauses: list[Span]) -> UnitReport:
    found = tuple(_sprint(account, unit, index, pauses) for index in range(len(unit.sprints)))
    return UnitReport(unit, found, spans_of(found))


def _is_open(one: SprintReport) -> bool:
    under_way = (attempt.is_out or attempt.looked_since_us for attempt in one.ledger.attempts)
    return bool(one.ledger.waits_since_us) or any(under_way)


def _sprint(account: Account, unit: Unit, index: int, pauses: list[Span]) -> SprintReport:
    sprint = unit.sprints[index]
    ledger = account.ledgers.get((unit.name, sprint.id)) or SprintLedger(unit.name, sprint.id)
    return SprintReport(
        handle=status.handle(unit, sprint),
        unit=unit,
        sprint=sprint,
        ledger=ledger,
        worked_us=sum(worked_us(a, pauses, account.marked_at_us) for a in ledger.attempts),
        waited_us=intervals.length_us(intervals.without(_waits(account, ledger), pauses)),
        settled=settled_by(account, unit.name, index, ledger),
    )


def settled_by(account: Account, unit: str, index: int, ledger: SprintLedger) -> GateLedger | None:
    """Return the first gate that let the sprint's held criteria pass after the sprint was
    completed.
    """
    if not ledger.completed_seq or not ledger.attempts or not ledger.attempts[-1].held:
        return None
    for gate in account.gates:
        covers = any(c.unit == unit and c.sprints > index for c in gate.gate.covers)
        is_build = gate.gate.kind is GateKind.BUILD
        if is_build and covers and gate.passed and gate.closed_seq > ledger.completed_seq:
            return gate
    return None


def _waits(account: Account, ledger: SprintLedger) -> Iterator[Span]:
    yield from ledger.waits
    if ledger.waits_since_us:
        yield (ledger.waits_since_us, account.marked_at_us)


def worked_us(attempt: Attempt, pauses: list[Span], now_us: int) -> int:
    """Return the time of the agent, from its record or until now, and of the checks
    without pauses.
    """
    if attempt.is_out:
        return max(0, now_us - attempt.at_us)
    checks = list(attempt.checks)
    if attempt.looked_since_us:
        checks.append((attempt.looked_since_us, now_us))
    return attempt.busy_us + intervals.length_us(intervals.without(checks, pauses))


def total_usage(attempts: list[Attempt]) -> Usage:
    """Return the usage of orders that have ended; `topkick status` shows that of agents at work."""
    total = NO_USAGE
    for attempt in attempts:
        if not attempt.is_out:
            total = total.plus(attempt.usage)
    return total


def spent(attempts: list[Attempt]) -> str:
    """Describe the usage, `91 turns, 346k tokens, $1.14`, with the number of orders whose cost is
    not known.
    """
    ended = [a for a in attempts if not a.is_out]
    told = spending.used(total_usage(ended)) or "not reported by the agents"
    silent = sum(a.usage.cost_microusd is None for a in ended)
    unknown = f" ({counted(silent, 'order')} of unknown cost)" if 0 < silent < len(ended) else ""
    return f"{told}{unknown}"


def relative_cost(attempts: list[Attempt]) -> int:
    """Return the relative cost of all orders, including those that failed."""
    return sum(WEIGHTS[a.tier] for a in attempts)


def is_foundation(reading: ReportReading, one: SprintReport) -> bool:
    plan = reading.mission.plan
    return plan is not None and traits_in(plan, one.unit.name, one.sprint.plan).foundation


def is_at_end(mission: Mission) -> bool:
    return bool(mission.units) and all(
        u.state is UnitState.COMPLETED for u in mission.units.values()
    )
