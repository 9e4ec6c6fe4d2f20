"""Accept, reject and waive: what only a person can decide about a sprint."""

from collections.abc import Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core.mission import Mission, Outcome, Proof, Sprint, Stance, Unit, Verdict, Waiver
from topkick.core.transitions import SprintCause, SprintState, UnitCause, UnitState
from topkick.core.verdict import held_against
from topkick.policies.sprint.ending import close_look
from topkick.policies.sprint.events import sprint_moves, unit_moves
from topkick.policies.sprint.refusals import refuse


def accept(mission: Mission, command: h.Accept) -> Sequence[h.Event]:
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    acceptable = {SprintState.PARTIAL, SprintState.BACKOFF, SprintState.FATAL}
    if sprint.state not in acceptable:
        return (refuse(unit, sprint, "accept"),)
    outcome = Outcome(Verdict.SUCCESS, (f"accepted: {command.why}",))
    events: list[h.Event] = [*close_look(mission, unit)]
    events.append(h.SprintJudged(unit.name, sprint.id, outcome, proof=Proof.ACCEPTED))
    events.append(sprint_moves(unit.name, sprint, SprintCause.ACCEPTED, command.why))
    if unit.state is UnitState.BLOCKED:
        events.append(unit_moves(unit, UnitCause.RESUME))
        if mission.stance is Stance.STOPPING:
            events.append(unit_moves(replace(unit, state=UnitState.RUNNING), UnitCause.STOP))
    events.append(
        h.Decided(
            unit.name, sprint.id, "Accepted by a person", command.why, kind=h.DecisionKind.EVENT
        )
    )
    return events


def reject(mission: Mission, command: h.Reject) -> Sequence[h.Event]:
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    if sprint.state is not SprintState.PARTIAL:
        return (refuse(unit, sprint, "reject"),)
    why = f"rejected by a person: {command.why}"
    outcome = Outcome(Verdict.FAILURE, (why,))
    return (
        *close_look(mission, unit),
        h.SprintJudged(unit.name, sprint.id, outcome, charged=True, fingerprint=why),
        sprint_moves(unit.name, sprint, SprintCause.REJECTED, command.why),
        h.Decided(
            unit.name, sprint.id, "Rejected by a person", command.why, kind=h.DecisionKind.EVENT
        ),
    )


def waive(mission: Mission, command: h.Waive) -> Sequence[h.Event]:
    """The last finding that is waived lets the checks speak (VF-06)."""
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    outcome = sprint.outcome
    held = held_against(sprint, outcome.findings) if outcome is not None else ()
    if sprint.state is not SprintState.PARTIAL or outcome is None or not held:
        return (h.CommandRefused(_nothing_to_waive(unit, sprint)),)
    if command.finding not in {f.id for f in held}:
        known = ", ".join(f.id for f in held)
        return (h.CommandRefused(f"there is no open finding {command.finding}; open: {known}"),)
    waiver = Waiver(command.finding, command.why, command.by)
    waived = h.FindingWaived(unit.name, sprint.id, waiver)
    told = next(f.what for f in held if f.id == command.finding)
    decided = h.Decided(unit.name, sprint.id, "Waived by a person", f"{told}: {command.why}")
    if outcome.but_for is None or len(held) > 1:
        return (waived, decided)
    settled = replace(outcome, verdict=Verdict.SUCCESS, reasons=())
    return (
        *close_look(mission, unit),
        waived,
        decided,
        h.SprintJudged(unit.name, sprint.id, settled, proof=outcome.but_for),
        sprint_moves(unit.name, sprint, SprintCause.ACCEPTED, f"waived: {command.why}"),
    )


def _nothing_to_waive(unit: Unit, sprint: Sprint) -> str:
    return f"{unit.handle}/{sprint.id} rests on no finding; `topkick explain` says what it rests on"
