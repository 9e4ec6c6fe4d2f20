"""What may begin, and what has to be merged before it: readings of a mission."""

from collections.abc import Iterator

from topkick.core.checkpointing import holding
from topkick.core.gates import GateMode
from topkick.core.mission import Mission, Sprint, Unit
from topkick.core.plan import SprintRef
from topkick.core.transitions import UnitState
from topkick.core.unit_index import index_of


def may_start(mission: Mission, unit: Unit) -> bool:
    """It waits for nothing any more, and nobody left it out on purpose."""
    if unit.state is not UnitState.NOT_STARTED or is_left_out(mission, unit):
        return False
    if unit.hold or holding(mission, unit):
        return False
    return all(mission.units[n].state is UnitState.COMPLETED for n in unit.plan.waits_for)


def is_left_out(mission: Mission, unit: Unit) -> bool:
    """By --only; what a person had revised was asked for all the same."""
    only = mission.settings.only if mission.settings is not None else ()
    return bool(only) and unit.name not in only and not unit.plan.revises


def needs_clearance(mission: Mission, unit: Unit) -> tuple[str, ...]:
    """What the plan has verified before this unit may begin (GT-01)."""
    if unit.cleared:
        return ()
    waited_for = (mission.units[n].plan for n in unit.plan.waits_for)
    return tuple(dict.fromkeys(command for plan in waited_for for command in plan.verify))


def awaited(mission: Mission, sprint: Sprint) -> tuple[SprintRef, ...]:
    """Sprints of other units that must be completed before this one is given out (GT-08).

    One that a later plan no longer has holds nobody up.
    """
    return tuple(r for r in sprint.plan.waits_for if _is_open(mission, r))


def _is_open(mission: Mission, ref: SprintRef) -> bool:
    """With trees of their own, what is done elsewhere is here only once it is merged."""
    unit = mission.units.get(ref.unit)
    if unit is None:
        return False
    done = unit.at if mission.isolation is None else unit.integrated
    return any(s.id == ref.sprint for s in unit.sprints[done:])


def to_integrate(mission: Mission, unit: Unit) -> Sprint | None:
    """The last of the finished sprints whose work should meet that of other units now (GT-06).

    Not while a conflict waits for the sprint that resolves it: the same would be met again.
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
    """What only brings dependencies is built before anything is built on it (GT-07), and so is
    what mends it."""
    assert mission.settings is not None
    is_gated = mission.settings.gate is not GateMode.OFF
    return is_gated and any(s.plan.dependencies_only or s.plan.generated for s in sprints)


def _awaited_of(mission: Mission, unit: Unit) -> Iterator[SprintRef]:
    for name in index_of(mission).awaiting.get(unit.name, ()):
        other = mission.units[name]
        for sprint in other.sprints[other.at :]:
            yield from (r for r in sprint.plan.waits_for if r.unit == unit.name)


def to_recheck(unit: Unit) -> Sprint | None:
    """Return the FATAL sprint whose checks are to run once more, for a gate has passed since."""
    sprint = unit.current
    if unit.state is not UnitState.BLOCKED or sprint is None:
        return None
    return sprint if sprint.recheck and sprint.plan.checks else None
