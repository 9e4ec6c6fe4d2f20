"""Carry out a person's commands, or refuse them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from topkick.engine import messages as h
from topkick.engine.refusals import CommandName
from topkick.sprint.gates import policy
from topkick.sprint.model import (
    Mission,
    Outcome,
    Proof,
    Stance,
    Verdict,
    Waiver,
    held_against,
)
from topkick.sprint.obey import refusals, resume, stop
from topkick.sprint.obey.model import FindingUnknown, NoFindings
from topkick.sprint.obey.refusals import refuse
from topkick.sprint.obey.stop import close_look
from topkick.sprint.policy import integration
from topkick.sprint.policy.decisions import sprint_moves, unit_moves
from topkick.sprint.status import handle
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState

# --- accept, reject and waive --------------------------------------------------------------


def accept(mission: Mission, command: h.Accept) -> Sequence[h.Event]:
    """Complete the sprint on a person's word; a BLOCKED unit continues."""
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    acceptable = {SprintState.PARTIAL, SprintState.BACKOFF, SprintState.FATAL}
    if sprint.state not in acceptable:
        return (refuse(unit, sprint, CommandName.ACCEPT),)
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
    """Charge an attempt for a sprint in PARTIAL on a person's word; the reason goes into the next
    order.
    """
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    if sprint.state is not SprintState.PARTIAL:
        return (refuse(unit, sprint, CommandName.REJECT),)
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
    """Waive one finding. When the last one is waived, the sprint is completed by its checks
    (VF-06).
    """
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    outcome = sprint.outcome
    held = held_against(sprint, outcome.findings) if outcome is not None else ()
    if sprint.state is not SprintState.PARTIAL or outcome is None or not held:
        return (h.CommandRefused(NoFindings(handle(unit, sprint))),)
    if command.finding not in {f.id for f in held}:
        known = tuple(f.id for f in held)
        unknown = FindingUnknown(handle(unit, sprint), command.finding, known)
        return (h.CommandRefused(unknown),)
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


# --- all commands --------------------------------------------------------------------------


def obey(mission: Mission, command: h.Command) -> Sequence[h.Event]:
    """Refuse the command with a reason, or carry it out."""
    refusal = refusals.why_not(mission, command)
    if refusal is not None:
        return (h.CommandRefused(refusal),)
    return tuple(_carry_out(mission, command))


def _carry_out(mission: Mission, command: h.Command) -> Iterable[h.Event]:
    match command:
        case h.Start():
            return resume.start(command)
        case h.Resume():
            return resume.resume(mission, command)
        case h.Stop():
            return stop.stop(mission, command)
        case h.KillAll():
            return stop.killall(mission, command)
        case h.Accept():
            return accept(mission, command)
        case h.Reject():
            return reject(mission, command)
        case h.PassGate() | h.RefuseGate():
            return policy.answered(mission, command)
        case h.AcceptBranch():
            return integration.accept_branch(mission, command)
        case h.Waive():
            return waive(mission, command)
        case h.Retry():
            return resume.retry(mission, command)
        case h.BeginBackground():
            return stop.begin_background(mission, command)
        case h.EndBackground(names):
            return stop.end_background(mission, names)
        case h.OverrideCheckpoint() | h.ReviseUpstream() | h.AbortPipeline():
            raise AssertionError("refused, for a plan has no checkpoints of this kind")
        case _:
            assert_never(command)
