"""Decide when a checkpoint of the plan is due and which units it holds (CK-14), from a mission."""

from collections.abc import Iterator

from topkick.plan_format.model import CheckpointPlan
from topkick.sprint.gates.model import Covered, Gate, GateKind, GateVerdict
from topkick.sprint.model import Mission, Unit
from topkick.sprint.transitions import UnitState

JUDGED = frozenset({GateVerdict.PASSED, GateVerdict.WARNED, GateVerdict.BLOCKED})
"""Verdicts with a report, so that the same id cannot be judged again."""


def planned(mission: Mission) -> tuple[CheckpointPlan, ...]:
    return mission.plan.checkpoints if mission.plan is not None else ()


def holding(mission: Mission, unit: Unit) -> tuple[CheckpointPlan, ...]:
    """Return the checkpoints that must let this unit begin and have not yet."""
    return tuple(c for c in planned(mission) if unit.name in c.holds and not _is_passed(mission, c))


def open_gate(mission: Mission, checkpoint: CheckpointPlan) -> Gate | None:
    return next((g for g in mission.gates.values() if _is_of(g, checkpoint)), None)


def due_checkpoint(mission: Mission) -> Gate | None:
    """Return a gate for a checkpoint whose units are done and for which a unit waits."""
    for one in planned(mission):
        if open_gate(mission, one) is not None or _is_passed(mission, one):
            continue
        if _is_awaited(mission, one) and all(_is_done(u) for u in behind(mission, one)):
            return _gate_of(mission, one)
    return None


def behind(mission: Mission, checkpoint: CheckpointPlan) -> Iterator[Unit]:
    """Yield the units whose work is judged, and the units that revise it."""
    for unit in mission.units.values():
        if unit.name in checkpoint.after or unit.plan.revises == checkpoint.id:
            yield unit


def _gate_of(mission: Mission, checkpoint: CheckpointPlan) -> Gate:
    past = [g for g in mission.past_gates if _is_of(g, checkpoint)]
    judged = 1 + sum(g.verdict in JUDGED for g in past)
    in_round = checkpoint.in_round(judged)
    units = behind(mission, checkpoint)
    return Gate(
        id=f"G{mission.gates_opened + 1}",
        kind=GateKind.CHECKPOINT,
        phase=checkpoint.place,
        covers=tuple(
            Covered(u.name, len(u.sprints), u.plan.directory, handle=u.handle) for u in units
        ),
        commands=(in_round.command,),
        bases=mission.gated_at,
        checkpoint=checkpoint,
        round=judged,
    )


def _is_awaited(mission: Mission, checkpoint: CheckpointPlan) -> bool:
    only = mission.settings.only if mission.settings is not None else ()
    held = (mission.units[name] for name in checkpoint.holds if not only or name in only)
    return any(unit.state is UnitState.NOT_STARTED for unit in held)


def _is_done(unit: Unit) -> bool:
    return unit.state is UnitState.COMPLETED


def _is_passed(mission: Mission, checkpoint: CheckpointPlan) -> bool:
    return any(g.passed and _is_of(g, checkpoint) for g in mission.past_gates)


def _is_of(gate: Gate, checkpoint: CheckpointPlan) -> bool:
    return gate.checkpoint is not None and gate.checkpoint.id == checkpoint.id
