"""Find what an edit of the plan would change for a run (LP-05)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from topkick.plan_format.model import Criterion, Plan, SprintPlan, UnitPlan
from topkick.sprint.fold import has_begun
from topkick.sprint.model import Mission, Sprint
from topkick.sprint.transitions import SprintState


class PlanChange(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    KEPT = "kept"  # the run keeps its version


@dataclass(frozen=True, slots=True)
class PlanDifference:
    """One change; `handle` names what is changed, `details` say how."""

    change: PlanChange
    handle: str
    what: str
    line: int = 0
    details: tuple[str, ...] = ()


def difference(mission: Mission, plan: Plan) -> tuple[PlanDifference, ...]:
    """Compare the run's plan with `plan`, sprint by sprint; a sprint is its unit and its id."""
    return tuple(_differences(mission, plan))


def _differences(mission: Mission, plan: Plan) -> Iterator[PlanDifference]:
    planned = {unit.name: unit for unit in plan.units}
    for name, unit in mission.units.items():
        if name not in planned:
            yield from _unit_removed(unit.handle, name, unit.sprints)
            continue
        yield from _unit_changed(unit.handle, unit.plan, planned[name])
        yield from _sprints(unit.handle, unit.sprints, planned[name])
    for name, unit_plan in planned.items():
        if name not in mission.units:
            count = len(unit_plan.sprints)
            sprints = f"{count} sprint{'s' * (count != 1)}"
            yield PlanDifference(PlanChange.ADDED, name, f"work unit, {sprints}", unit_plan.line)
    if mission.plan is not None:
        yield from _whole(mission.plan, plan)


def _unit_removed(handle: str, name: str, sprints: tuple[Sprint, ...]) -> Iterator[PlanDifference]:
    begun = [sprint.id for sprint in sprints if has_begun(sprint)]
    fate = (
        f"ends with what it has begun: {', '.join(begun)}"
        if begun
        else "never began, and is removed"
    )
    yield PlanDifference(PlanChange.REMOVED, handle, f"work unit {name}", details=(fate,))


def _unit_changed(handle: str, old: UnitPlan, new: UnitPlan) -> Iterator[PlanDifference]:
    details = [
        f"{what}: {before} → {after}"
        for what, before, after in (
            ("directory", old.directory, new.directory),
            ("waits for", _names(old.waits_for), _names(new.waits_for)),
            ("layer", str(old.layer), str(new.layer)),
            ("phase", old.phase or "none", new.phase or "none"),
            ("verified by", _names(old.verify), _names(new.verify)),
            ("may import", old.imports or "anything", new.imports or "anything"),
        )
        if before != after
    ]
    if details:
        yield PlanDifference(
            PlanChange.CHANGED, handle, f"work unit {new.name}", new.line, tuple(details)
        )


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"


def _sprints(handle: str, sprints: tuple[Sprint, ...], plan: UnitPlan) -> Iterator[PlanDifference]:
    planned = {sprint.id: sprint for sprint in plan.sprints}
    for sprint in sprints:
        x = f"{handle}/{sprint.id}"
        new = planned.get(sprint.id)
        if new is None:
            fate = "has begun, and stays" if has_begun(sprint) else "has not begun, and is removed"
            yield PlanDifference(PlanChange.REMOVED, x, sprint.plan.name, details=(fate,))
        elif _content(new) != _content(sprint.plan):
            yield _changed(x, sprint, new)
    known = {sprint.id for sprint in sprints}
    for new in plan.sprints:
        if new.id not in known:
            yield PlanDifference(PlanChange.ADDED, f"{handle}/{new.id}", new.name, new.line)


def _changed(x: str, sprint: Sprint, new: SprintPlan) -> PlanDifference:
    if sprint.state is SprintState.COMPLETED:
        fate = "is completed: its record stays as it was done"
        return PlanDifference(PlanChange.KEPT, x, new.name, new.line, (fate,))
    return PlanDifference(PlanChange.CHANGED, x, new.name, new.line, tuple(_how(sprint.plan, new)))


def _how(old: SprintPlan, new: SprintPlan) -> Iterator[str]:
    if old.name != new.name:
        yield f"name: {old.name} → {new.name}"
    if old.type is not new.type:
        yield f"type: {old.type} → {new.type}"
    yield from _criteria("exit", old.exit, new.exit)
    yield from _criteria("entry", old.entry, new.entry)
    if old.waits_for != new.waits_for:
        names = ", ".join(f"{ref.unit}/{ref.sprint}" for ref in new.waits_for)
        yield f"waits for: {names or 'nothing'}"
    if old.dependencies_only != new.dependencies_only:
        yield "a gate runs after it" if new.dependencies_only else "no gate runs after it"
    if old.text != new.text:
        yield "its text, as the agent reads it"


def _criteria(kind: str, old: tuple[Criterion, ...], new: tuple[Criterion, ...]) -> Iterator[str]:
    before, after = {c.text: c.command for c in old}, {c.text: c.command for c in new}
    for text, command in after.items():
        if text not in before:
            yield f"+ {kind} {'check' if command else 'criterion'}: {text}"
        elif before[text] != command:
            yield f"~ {kind} check: {text}"
    yield from (
        f"- {kind} {'check' if c else 'criterion'}: {t}"
        for t, c in before.items()
        if t not in after
    )


def _content(plan: SprintPlan) -> tuple[object, ...]:
    """Return everything except the position."""
    return (
        plan.name,
        plan.type,
        plan.text,
        tuple((c.text, c.command) for c in plan.exit),
        tuple((c.text, c.command) for c in plan.entry),
        plan.fails_if,
        plan.waits_for,
        plan.dependencies_only,
    )


def _whole(old: Plan, new: Plan) -> Iterator[PlanDifference]:
    if old.rules != new.rules:
        yield PlanDifference(PlanChange.CHANGED, "plan", "the rules that are in every order")
    if old.gate != new.gate:
        details = (f"{_names(old.gate)} → {_names(new.gate)}",)
        yield PlanDifference(PlanChange.CHANGED, "plan", "the gate", details=details)
    before, after = (tuple(c.command for c in plan.checkpoints) for plan in (old, new))
    if before != after or [c.place for c in old.checkpoints] != [c.place for c in new.checkpoints]:
        details = (f"{_names(before)} → {_names(after)}",)
        yield PlanDifference(PlanChange.CHANGED, "plan", "the checkpoints", details=details)
    if old.template != new.template:
        yield PlanDifference(PlanChange.CHANGED, "plan", "the template of orders")
