"""Decide which unit may begin, what a sprint waits for, and what must be merged first.

A unit begins when every unit that it waits for is COMPLETED, no checkpoint holds it back, and the
commands that verify those units pass (its clearance, GT-01). A sprint may in addition wait for
single sprints of other units (GT-08). `--only` leaves units out on purpose.

With clones, a sprint that is done in its unit's clone is visible to no other unit before it is
merged into the mission's branch. So for a sprint that waits, "done" means merged, and
`to_integrate` says when to merge: when the unit has finished all its sprints, when another unit
waits for one of the finished sprints, or, with gates, when the work concerns all units, as new
dependencies and repairs do. In a shared tree there is nothing to merge.

All functions only read the mission, so the policy, pages and invariants get the same answer.
"""

from collections.abc import Iterator

from topkick.plan_format.model import SprintRef
from topkick.sprint.checkpoint.due import holding
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.sprint.transitions import UnitState
from topkick.sprint.unit_index import index_of


def may_start(mission: Mission, unit: Unit) -> bool:
    """Return whether the unit waits for nothing and was not left out on purpose."""
    if unit.state is not UnitState.NOT_STARTED or is_left_out(mission, unit):
        return False
    if unit.hold or holding(mission, unit):
        return False
    return all(mission.units[n].state is UnitState.COMPLETED for n in unit.plan.waits_for)


def is_left_out(mission: Mission, unit: Unit) -> bool:
    """Return whether --only leaves the unit out; a revision that a person asked for is included
    anyway.
    """
    only = mission.settings.only if mission.settings is not None else ()
    return bool(only) and unit.name not in only and not unit.plan.revises


def needs_clearance(mission: Mission, unit: Unit) -> tuple[str, ...]:
    """Return the commands that must pass before this unit may begin (GT-01)."""
    if unit.cleared:
        return ()
    waited_for = (mission.units[n].plan for n in unit.plan.waits_for)
    return tuple(dict.fromkeys(command for plan in waited_for for command in plan.verify))


def awaited(mission: Mission, sprint: Sprint) -> tuple[SprintRef, ...]:
    """Return sprints of other units that must be completed before this one is dispatched (GT-08).

    A sprint that a later plan no longer has holds no unit up.
    """
    return tuple(r for r in sprint.plan.waits_for if _is_open(mission, r))


def _is_open(mission: Mission, ref: SprintRef) -> bool:
    """Return whether the sprint is not done here; with clones, it must be merged first."""
    unit = mission.units.get(ref.unit)
    if unit is None:
        return False
    done = unit.at if mission.isolation is None else unit.integrated
    return any(s.id == ref.sprint for s in unit.sprints[done:])


def to_integrate(mission: Mission, unit: Unit) -> Sprint | None:
    """Return the last finished sprint whose work should be merged now (GT-06).

    While a conflict waits for the sprint that resolves it, nothing is merged: the same conflict
    would arise again.
    """
    if mission.isolation is None or unit.at <= unit.integrated or _is_merging(unit):
        return None
    waited_for = {r.sprint for r in _awaited_of(mission, unit)}
    fresh = unit.sprints[unit.integrated : unit.at]
    due = unit.current is None or any(s.id in waited_for for s in fresh)
    return unit.sprints[unit.at - 1] if due or _is_for_all(mission, fresh) else None


def _is_merging(unit: Unit) -> bool:
    return unit.current is not None and unit.current.plan.merges


def _is_for_all(mission: Mission, sprints: tuple[Sprint, ...]) -> bool:
    """Return whether gates are on and one of the sprints concerns all units: it brings
    dependencies, or topkick generated it, for example as a repair (GT-07).
    """
    assert mission.settings is not None
    is_gated = mission.settings.gate is not GateMode.OFF
    return is_gated and any(s.plan.dependencies_only or s.plan.generated for s in sprints)


def _awaited_of(mission: Mission, unit: Unit) -> Iterator[SprintRef]:
    for name in index_of(mission).awaiting.get(unit.name, ()):
        other = mission.units[name]
        for sprint in other.sprints[other.at :]:
            yield from (r for r in sprint.plan.waits_for if r.unit == unit.name)


def to_recheck(unit: Unit) -> Sprint | None:
    """Return the FATAL sprint whose checks must run once more because a gate has passed since."""
    sprint = unit.current
    if unit.state is not UnitState.BLOCKED or sprint is None:
        return None
    return sprint if sprint.recheck and sprint.plan.checks else None
