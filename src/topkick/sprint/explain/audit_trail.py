"""Build the chain of facts and rules that led to the state of a sprint or a unit,
record by record.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from topkick.engine import messages as h
from topkick.engine.agents.runs import Stage
from topkick.engine.fold import apply
from topkick.engine.views import refusal_lines
from topkick.sprint.blockers.model import ENDED_BY, rule_of
from topkick.sprint.explain import record_lines
from topkick.sprint.explain.record_lines import (
    Said,
    decided,
    of_sprint_move,
    of_unit_move,
    reopened,
)
from topkick.sprint.gates import views as gates
from topkick.sprint.gates.model import Gate
from topkick.sprint.model import Mission
from topkick.sprint.views import blocker_lines
from topkick.text import escape
from topkick.text import format as fmt

Numbered = tuple[int, int, h.Happening]
TOLD_ALONE = (h.AgentExited, h.WorkChecked)
"""Facts about an order that get a line even if no event of the chain follows."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One record of the chain. The first record of a step is the fact that led to the others."""

    seq: int
    at_us: int
    rule: str
    what: str
    is_fact: bool = False


def of_sprint(happened: Iterable[Numbered], unit: str, sprint: str) -> tuple[AuditRecord, ...]:
    """Return the chain of a sprint, oldest record first."""
    return tuple(_Chain(unit, sprint).links(happened))


def of_unit(happened: Iterable[Numbered], unit: str) -> tuple[AuditRecord, ...]:
    """Return the chain of a unit: its own moves, and the result of each of its sprints."""
    return tuple(_Chain(unit, "").links(happened))


@dataclass(slots=True)
class _Chain:
    """Walk through the records, with the mission as it was at each of them."""

    unit: str
    sprint: str
    mission: Mission = field(default_factory=Mission)
    fact: tuple[int, int, h.Fact] | None = None
    runs: dict[str, tuple[str, str]] = field(default_factory=dict)
    order: h.RunDispatched | None = None
    judged: h.SprintJudged | None = None
    trouble: h.TroubleMet | None = None

    def links(self, happened: Iterable[Numbered]) -> Iterator[AuditRecord]:
        for seq, at_us, happening in happened:
            before = self.mission
            self.mission = apply(before, happening, at_us)
            if isinstance(happening, h.Fact):
                self.fact = (seq, at_us, happening)
                self.order, self.judged, self.trouble = None, None, None
                if self._is_telling(happening):
                    yield from self._lead()
                continue
            said = self._event(before, happening)
            if said is not None:
                yield from self._lead()
                yield AuditRecord(seq, at_us, *said)

    def _lead(self) -> Iterator[AuditRecord]:
        """Yield the fact of this step once, before the first record that followed from it."""
        if self.fact is None:
            return
        seq, at_us, fact = self.fact
        self.fact = None
        if not isinstance(fact, h.AgentActive):  # the move that follows says the same
            rule, what = record_lines.tell(fact)
            yield AuditRecord(seq, at_us, rule, f"{self._whose(fact)}{what}", is_fact=True)

    def _whose(self, fact: h.Fact) -> str:
        """Name the sprint of a fact that is about another order, since that order's result led to
        this one's moves.
        """
        unit, sprint = self.runs.get(getattr(fact, "run_id", ""), ("", ""))
        known = self.mission.units.get(unit)
        if known is None or (unit, sprint) == (self.unit, self.sprint):
            return ""
        return f"{escape.line(f'{known.handle}/{sprint}')}: "

    def _is_telling(self, fact: h.Fact) -> bool:
        if isinstance(fact, TOLD_ALONE):
            return self._is_mine(fact.run_id)
        match fact:
            case h.CommandGiven(h.Accept() | h.Reject() | h.Retry() | h.Waive() as command):
                return (command.unit, command.sprint) == (self.unit, self.sprint)
            case _:
                return False

    # --- events ---

    def _event(self, before: Mission, event: h.Happening) -> Said | None:
        match event:
            case h.UnitMoved(unit) if unit == self.unit:
                return of_unit_move(event) if self._concerns_now(before) else None
            case h.SprintMoved(unit, sprint) if unit == self.unit:
                return self._moved(event) if sprint == self.sprint or not self.sprint else None
            case h.UnitHeld(unit, hold) if unit == self.unit and not self.sprint:
                first = escape.line(blocker_lines.told(hold), 200)
                return "GT-01", f"may not begin: {first}" if hold else "may be tried again"
            case h.UnitIntegrated(unit, sprints, tip) if unit == self.unit:
                return self._integrated(before, sprints, tip)
            case h.UnitAdded(plan) if plan.name == self.unit and not self.sprint:
                return "RP-06", "topkick added this unit to resolve open needs"
            case h.SprintAdded(unit, plan) if unit == self.unit and self.sprint in {"", plan.id}:
                rule = "GT-03" if plan.repair else "GT-06"
                name = f"{escape.line(plan.id)}, {escape.line(plan.name, 80)}"
                return rule, f"topkick added a sprint: {name}"
            case h.GateOpened() | h.GateJudged() | h.GateClosed() | h.GateDropped():
                return self._gate(before, event)
            case h.CommandRefused(refusal) if self._is_asked():
                return "SD-05", refusal_lines.line(refusal)
            case _:
                return self._of_run(event) or (self._of_sprint(event) if self.sprint else None)

    def _concerns_now(self, before: Mission) -> bool:
        """Return whether a move of the unit belongs to this chain: it is the unit's own chain, or
        that of its current sprint.
        """
        now = before.units[self.unit].current
        return not self.sprint or (now is not None and now.id == self.sprint)

    def _is_asked(self) -> bool:
        """Return whether the chain has just shown the fact of this step, and is that of
        a sprint.
        """
        return self.fact is None and bool(self.sprint)

    def _moved(self, event: h.SprintMoved) -> Said | None:
        moved = of_sprint_move(self.mission, event, self.order, self.judged, self.trouble)
        if self.sprint or moved is None:
            return moved
        rule, what = moved
        is_news = event.now.value in {"COMPLETED", "FATAL", "PARTIAL", "BACKOFF"}
        return (rule, f"Sprint {escape.line(event.sprint)}: {what}") if is_news else None

    def _of_run(self, event: h.Happening) -> Said | None:
        match event:
            case h.RunOpened(run_id, unit, sprint, stage):
                self.runs[run_id] = (unit, sprint)
                return self._opened(unit, sprint, stage)
            case h.RunDispatched():
                self.order = event
                return None
            case h.SprintJudged(unit) if unit == self.unit:
                self.judged = event  # shown with the move that follows from it
                return None
            case h.TroubleMet(unit) if unit == self.unit:
                self.trouble = event
                return None
            case h.RunCancelled(run_id, why) if self._is_mine(run_id):
                return ENDED_BY[why], f"topkick ends its agent: {why}"
            case h.RunClosed(run_id, why, True) if self._is_mine(run_id):
                return "SD-02", f"checked: {escape.line(why, 120)}"
            case h.RunClosed(run_id, why, withdrawn=True) if self._is_mine(run_id):
                return "LP-02", f"not dispatched: {escape.line(why, 120)}"
            case _:
                return None

    def _is_mine(self, run_id: str) -> bool:
        return bool(self.sprint) and self.runs.get(run_id) == (self.unit, self.sprint)

    def _opened(self, unit: str, sprint: str, stage: Stage) -> Said | None:
        if (unit, sprint) != (self.unit, self.sprint):
            return None
        words = {
            Stage.CHECKING: ("SD-02", "earlier work is checked before any order"),
            Stage.WAITING: ("ER-02", "it waits for its condition"),
            Stage.INTEGRATING: ("GT-06", "its work is merged next"),
        }
        return words.get(stage)

    def _of_sprint(self, event: h.Happening) -> Said | None:
        unit, sprint = getattr(event, "unit", None), getattr(event, "sprint", None)
        if isinstance(event, h.LimitMet | h.AgentDown):
            return self._of_agent(event)
        if (unit, sprint) != (self.unit, self.sprint):
            return None
        match event:
            case h.HoldPlaced(blocker=hold):
                return rule_of(hold), f"held: {escape.line(blocker_lines.told(hold), 200)}"
            case h.HoldLifted():
                return "DP-08", "no longer held: it is tried again"
            case h.SprintReopened():
                return reopened(event)
            case h.FindingWaived(waiver=waiver):
                return (
                    "VF-06",
                    f"finding {escape.line(waiver.finding, 40)} no longer counts against it",
                )
            case h.Decided():
                return decided(event)
            case _:
                return None

    def _of_agent(self, event: h.LimitMet | h.AgentDown) -> Said | None:
        """Describe a limit or an unusable agent if this sprint's order met it."""
        if self.fact is not None:
            return None
        if isinstance(event, h.AgentDown):
            return "DP-09", f"the agent cannot be used: {escape.line(event.blocker.why, 160)}"
        until = fmt.iso(event.until_us)
        account = escape.line(event.account, 40)
        return "DP-09", f"all orders to {account} wait until {until}"

    # --- merges and gates ---

    def _integrated(self, before: Mission, sprints: int, tip: str) -> Said | None:
        unit = before.units[self.unit]
        at = next((n for n, s in enumerate(unit.sprints) if s.id == self.sprint), None)
        if self.sprint and (at is None or not unit.integrated <= at < sprints):
            return None
        what = f"sprints 1 to {sprints} are" if not self.sprint else "its work is"
        return "GT-06", f"{what} on the mission's branch, at {escape.line(tip[:12])}"

    def _gate(self, before: Mission, event: h.Happening) -> Said | None:
        gate_id = event.gate.id if isinstance(event, h.GateOpened) else _gate_id(event)
        gate = self.mission.gates.get(gate_id) or gates.find(self.mission, gate_id)
        if gate is None:  # dropped
            gate = before.gates.get(gate_id)
        if gate is None or not self._is_about(before, gate):
            return None
        match event:
            case h.GateOpened():
                begins = f"{gates.title(gate)} begins"
                if gate.task:
                    return "CK-14", f"{begins}: a judge checks the work of the units"
                return "GT-02", f"{begins}: the work of the units is built and tested"
            case h.GateJudged():
                return "GT-03", f"gate {gate_id}: {gates.found(gate)}"
            case h.GateClosed(accepted=accepted, passed=passed):
                by = f" by a person: {escape.line(accepted, 120)}" if accepted else ""
                return (
                    "GT-02",
                    f"gate {gate_id} {'lets it pass' if passed else 'does not pass'}{by}",
                )
            case _:
                return "GT-02", f"gate {gate_id} is dropped: the work has changed since"

    def _is_about(self, before: Mission, gate: Gate) -> bool:
        """Return whether the gate covers this unit or sprint; work that passed an earlier gate does
        not count.
        """
        if gate.clears:
            return not self.sprint and gate.clears == self.unit
        if gate.checkpoint is not None and self.unit in gate.checkpoint.holds:
            return not self.sprint
        covered = next((c for c in gate.covers if c.unit == self.unit), None)
        unit = before.units.get(self.unit)
        if covered is None or unit is None:
            return False
        ids = [s.id for s in unit.sprints[unit.gated : covered.sprints]]
        return not self.sprint or self.sprint in ids


def _gate_id(event: h.Happening) -> str:
    assert isinstance(event, h.GateJudged | h.GateClosed | h.GateDropped)
    return event.gate_id
