"""Apply a person's edit of the plan to a mission under way (LP-05)."""

from collections.abc import Mapping

from topkick.core.evolve import evolve
from topkick.core.mission import Claimed, Sprint, Unit
from topkick.core.plan import Plan, SprintPlan, UnitPlan
from topkick.core.transitions import SprintState, UnitState


def new_unit(number: int, plan: UnitPlan, claims: tuple[Claimed, ...] = ()) -> Unit:
    said = {c.sprint: c for c in claims if c.unit == plan.name}
    sprints = tuple(Sprint(p, claim=said.get(p.id)) for p in plan.sprints)
    return Unit(handle=f"U{number}", plan=plan, sprints=sprints)


def revise(now: Mapping[str, Unit], plan: Plan) -> Mapping[str, Unit]:
    """Return the revised units; a sprint is identified by its unit and its heading's id, and begun
    ones stay.
    """
    planned = {p.name for p in plan.units} | {n for n, u in now.items() if u.plan.reconciles}
    units = {n: u if n in planned else _removed(u) for n, u in now.items()}
    units = {n: u for n, u in units.items() if n in planned or u.sprints}
    number = max((int(u.handle[1:]) for u in now.values()), default=0)
    for unit_plan in plan.units:
        if unit_plan.name in units:
            units[unit_plan.name] = _revised(units[unit_plan.name], unit_plan)
        else:
            number += 1
            units[unit_plan.name] = new_unit(number, unit_plan)
    return units


def _removed(unit: Unit) -> Unit:
    """Return a unit that is no longer planned with only the sprints it has begun."""
    begun = tuple(s.plan for s in unit.sprints if _stays(s))
    return _revised(unit, evolve(unit.plan, sprints=begun))


def has_begun(sprint: Sprint) -> bool:
    return sprint.state is not SprintState.PENDING or sprint.dispatches > 0


def _stays(sprint: Sprint) -> bool:
    return has_begun(sprint) or sprint.plan.generated


def _revised(unit: Unit, plan: UnitPlan) -> Unit:
    """Keep begun sprints in their place; drop removed ones that have not begun."""
    planned = {p.id: p for p in plan.sprints}
    kept = [_replanned(s, planned.get(s.id, s.plan)) for s in unit.sprints if _stays(s)]
    if unit.state is UnitState.COMPLETED:
        return evolve(unit, plan=evolve(plan, sprints=tuple(s.plan for s in kept)))
    known = {s.id for s in kept}
    claims = {s.id: s.claim for s in unit.sprints}
    fresh = (Sprint(p, claim=claims.get(p.id)) for p in plan.sprints if p.id not in known)
    sprints = (*kept, *fresh)
    at = next((n for n, s in enumerate(sprints) if not _done(s)), len(sprints))
    return evolve(unit, plan=plan, sprints=sprints, at=at)


def _replanned(sprint: Sprint, plan: SprintPlan) -> Sprint:
    """Replace the plan of a sprint; a finished one keeps its text, a dispatched one its type."""
    out = sprint.state in {SprintState.DISPATCHED, SprintState.RUNNING}
    if _done(sprint) or (out and plan.effective_type is not sprint.plan.effective_type):
        return sprint
    return evolve(sprint, plan=plan)


def _done(sprint: Sprint) -> bool:
    return sprint.state is SprintState.COMPLETED
