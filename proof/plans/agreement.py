"""Compare a plan that was read with the draft it was written from."""

from collections.abc import Iterator

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan, UnitPlan
from topkick.planning.breakdown.model import BreakdownDraft, DraftSprint, DraftUnit
from topkick.planning.breakdown.writer import cited, entry_of


def differences(draft: BreakdownDraft, reading: PlanReading) -> tuple[str, ...]:
    """Return the differences in words; empty if there are none."""
    return tuple(_differences(draft, reading))


def _differences(draft: BreakdownDraft, reading: PlanReading) -> Iterator[str]:
    plan = reading.plan
    yield from _differs("the name", draft.name, plan.title)
    names = [unit.name for unit in draft.units], [unit.name for unit in plan.units]
    yield from _differs("the units", *names)
    if names[0] == names[1]:
        for wanted, found in zip(draft.units, plan.units, strict=True):
            yield from _unit(wanted, found, draft.document)


def _unit(wanted: DraftUnit, found: UnitPlan, document: str) -> Iterator[str]:
    of = f"of '{wanted.name}'"
    yield from _differs(f"the directory {of}", wanted.directory, found.directory)
    yield from _differs(f"the layer {of}", wanted.layer, found.layer)
    yield from _differs(f"the dependencies {of}", set(wanted.needs), set(found.waits_for))
    ids = [str(n) for n, _ in enumerate(wanted.sprints, start=1)]
    read = [sprint.id for sprint in found.sprints]
    yield from _differs(f"the sprints {of}", ids, read)
    if ids == read:
        for number, (one, other) in enumerate(
            zip(wanted.sprints, found.sprints, strict=True), start=1
        ):
            yield from _sprint(one, other, entry_of(wanted, number), document, of)


def _sprint(
    wanted: DraftSprint, found: SprintPlan, entry: str, document: str, of: str
) -> Iterator[str]:
    of = f"of sprint {found.id} {of}"
    tasks = [cited(task, document) for task in wanted.tasks]
    yield from _differs(f"the name {of}", wanted.name, found.name)
    yield from _differs(f"the tasks {of}", tasks, list(found.tasks))
    yield from _differs(f"the entry criteria {of}", [entry], [c.text for c in found.entry])
    yield from _differs(f"the exit criteria {of}", [*wanted.exit], [c.text for c in found.exit])


def _differs(what: str, wanted: object, found: object) -> Iterator[str]:
    if wanted != found:
        yield f"{what}: written {str(wanted)[:160]!r}, read {str(found)[:160]!r}"
