"""`plan show --explain`: show for each line of the plan how it was read, and by which rule."""

from collections.abc import Iterator

from topkick.plan_format.criteria.criteria import form_of
from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import Criterion
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.text import escape

Line = tuple[int, str]


def explained(mission: Mission, reading: PlanReading) -> list[str]:
    lines = sorted(_lines(mission, reading), key=lambda line: line[0])
    wide = max((len(str(number)) for number, _ in lines), default=1)
    return [
        f"Work units: {escape.line(reading.rule)} (PL-10)",
        f"Sprints: {escape.line(reading.sprint_rule)} (PL-11)",
        "",
        *(f"line {number:>{wide}}  {text}" for number, text in lines),
    ]


def _lines(mission: Mission, reading: PlanReading) -> Iterator[Line]:
    for outlined in reading.outline:
        title = escape.line(outlined.title, 70)
        yield outlined.line, f"{'#' * outlined.level} {title} → {escape.line(outlined.role, 80)}"
    for unit in mission.units.values():
        yield from _unit(mission, unit)
        for sprint in unit.sprints:
            yield from _sprint(unit, sprint, reading)
    yield from _gates(mission, reading)
    if reading.template.text:
        yield reading.template.line, "  the template of every order (PL-14)"
    for finding in reading.findings:
        yield finding.line, f"  noticed: {escape.line(finding.message, 160)}"
    for danger in reading.notes.dangers:
        yield danger.line, f"  never run by topkick: {escape.line(danger.message, 120)}"


def _unit(mission: Mission, unit: Unit) -> Iterator[Line]:
    waits = ", ".join(mission.units[n].handle for n in unit.plan.waits_for if n in mission.units)
    layer = f", layer {unit.plan.layer}" if unit.plan.layer is not None else ""
    layer = layer or (f", {escape.line(unit.plan.phase, 40)}" if unit.plan.phase else "")
    told = f"{unit.handle} {escape.line(unit.name, 50)} in {escape.line(unit.plan.directory, 50)}"
    yield unit.plan.line, f"  work unit {told}{layer}, waits for {waits or 'nothing'} (PL-12)"


def _gates(mission: Mission, reading: PlanReading) -> Iterator[Line]:
    for one in (one for given in reading.gates.given.values() for one in given):
        command = escape.line(one.command, 120)
        if one.unit:
            handle = mission.units[one.unit].handle
            yield one.line, f"  verifies {handle} before others build on it: {command} (GT-01)"
        else:
            yield one.line, f"  builds and tests everything together: {command} (GT-02)"
    for checkpoint in reading.plan.checkpoints:
        names = ", ".join(mission.units[name].handle for name in checkpoint.holds)
        yield checkpoint.line, f"  {checkpoint.id} is judged before {names} may begin (CK-14)"


def _sprint(unit: Unit, sprint: Sprint, reading: PlanReading) -> Iterator[Line]:
    plan = sprint.plan
    read = reading.sprints[unit.name, sprint.id]
    x = f"{unit.handle}/{escape.line(sprint.id)}"
    kind = plan.effective_type.value
    yield plan.line, f"  {x}: type {kind}, {len(plan.tasks)} tasks (PL-16)"
    if plan.dependencies_only:
        yield plan.line, f"  {x} is about dependencies alone: a gate runs after it (GT-07)"
    for remark in read.depends:
        yield remark.line, f"  {x} depends: {escape.line(remark.text, 100)}"
    for ref in plan.waits_for:
        yield (
            plan.line,
            f"  {x} waits for {escape.line(ref.unit)}/{escape.line(ref.sprint)} (GT-08)",
        )
    for criterion in plan.entry:
        yield criterion.line, f"  {x} entry {_criterion(criterion)}"
    for criterion in plan.exit:
        yield criterion.line, f"  {x} exit {_criterion(criterion)}"


def _criterion(criterion: Criterion) -> str:
    text = escape.line(criterion.text, 70)
    if criterion.command is not None:
        form = form_of(criterion.text)
        how = f" ({form})" if form else ""
        return f"check{how}: {text} → {escape.line(criterion.command, 120)}"
    if criterion.named:
        return f"not understood, so for people: {text}"
    return f"{criterion.kind.value}, for people: {text}"
