"""Record the role of every heading of a plan, so that nothing is dropped silently (PL-18)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.plans.detection import FoundSprint
from topkick.plans.labels import Label, label_of
from topkick.plans.references import UnitNames
from topkick.plans.structure import Section

_LABELS = {
    Label.ENTRY: "entry criteria",
    Label.EXIT: "exit criteria",
    Label.TASKS: "tasks",
    Label.DELIVERABLES: "deliverables",
}


@dataclass(frozen=True, slots=True)
class Outlined:
    """A heading; `used` says that it is part of the work, others are background for agents."""

    line: int
    level: int
    title: str
    role: str
    used: bool = True


def outline(
    parts: Sequence[Section],
    found: Sequence[FoundSprint],
    units: Sequence[str],
    special: Mapping[int, str],
) -> tuple[Outlined, ...]:
    """Return the outline; `special` are lines of headings with a role of their own."""
    names = UnitNames(units)
    owner = {n: one for one in found for n in range(one.first, one.behind)}
    return tuple(_outlined(parts, owner, names, special))


def _outlined(
    parts: Sequence[Section],
    owner: Mapping[int, FoundSprint],
    names: UnitNames,
    special: Mapping[int, str],
) -> Iterator[Outlined]:
    titled = False
    above = (7, "")  # level and role of a special section, shared by its parts
    for number, part in enumerate(parts):
        if part.heading is None:
            continue
        role, used = _role(number, part, owner, names, special)
        if part.heading.line in special:
            above = (part.level, role)
        elif part.level > above[0] and number not in owner:
            role, used = above[1], True
        else:
            above = (7, "")
        if part.level == 1 and not titled and number not in owner:
            role, used, titled = "title", True, True
        yield Outlined(part.heading.line, part.level, part.title, role, used)


def _role(
    number: int,
    part: Section,
    owner: Mapping[int, FoundSprint],
    names: UnitNames,
    special: Mapping[int, str],
) -> tuple[str, bool]:
    assert part.heading is not None
    label = label_of(part.title)
    if one := owner.get(number):
        if number == one.first:
            return f"sprint {one.plan.id}", True
        return (_LABELS.get(label) if label else None) or f"part of sprint {one.plan.id}", True
    if said := special.get(part.heading.line):
        return said, True
    if name := names.find(part.title):
        return f"work unit {name}", True
    if label in (Label.ENTRY, Label.EXIT):
        return "checks for the whole plan", True
    return "background: no work is read from it", False
