"""Finds the sprints of a plan and gives each to its work unit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from topkick.core.errors import PlanError
from topkick.core.model import SprintPlan, UnitPlan
from topkick.plans.findings import Finding
from topkick.plans.sprints import (
    SprintHeading,
    SprintReading,
    heading_label,
    read_sprint,
    sprint_heading,
)
from topkick.plans.structure import Heading, Section
from topkick.plans.units import (
    DeclaredUnit,
    UnitNames,
    declared_units,
    directory_of,
    distinct,
    known,
    name_of_section,
    waits,
)

MAX_SPRINTS = 10_000

Shares = dict[str, list["FoundSprint"]]


@dataclass(frozen=True, slots=True)
class FoundSprint:
    """A sprint, the headings above it (nearest first), and the sections it takes up."""

    reading: SprintReading
    above: tuple[Heading, ...]
    first: int
    behind: int

    @property
    def plan(self) -> SprintPlan:
        return self.reading.plan


@dataclass(frozen=True, slots=True)
class Assembly:
    units: tuple[UnitPlan, ...]
    findings: tuple[Finding, ...]
    rule: str


def find_sprints(
    parts: Sequence[Section], lines: Sequence[str]
) -> tuple[list[FoundSprint], list[Finding]]:
    headings = _sprint_headings(parts)
    found: list[FoundSprint] = []
    findings: list[Finding] = []
    for at, above in _with_headings_above(parts, headings):
        behind = _behind(parts, at, headings)
        begin = _line(parts[at])
        if behind in headings and parts[behind].level > parts[at].level:
            told = "This heading groups the sprints below it and is no sprint itself."
            findings.append(Finding(begin, told))
            continue
        text = "\n".join(lines[begin - 1 : parts[behind - 1].end - 1]).rstrip("\n")
        reading = read_sprint(headings[at], parts[at:behind], text)
        findings.extend(reading.findings)
        found.append(FoundSprint(reading, above, at, behind))
    return found, findings


def _sprint_headings(parts: Sequence[Section]) -> dict[int, SprintHeading]:
    headings: dict[int, SprintHeading] = {}
    for number, part in enumerate(parts):
        if 2 <= part.level <= 4 and (heading := sprint_heading(part.title)):
            headings[number] = heading
            if len(headings) > MAX_SPRINTS:
                raise PlanError(_line(part), f"more than {MAX_SPRINTS} sprints; split the plan.")
    if not headings:
        raise PlanError(1, "no sprint is defined. Write a heading such as '### Sprint 1: Name'.")
    return headings


def _with_headings_above(
    parts: Sequence[Section], sprints: Mapping[int, SprintHeading]
) -> Iterator[tuple[int, tuple[Heading, ...]]]:
    """The last heading of the same level counts as above too: `## Parser`, then `## Sprint 1`."""
    stack: list[Heading] = []
    for number, part in enumerate(parts):
        if part.heading is None:
            continue
        if number in sprints:
            stack = [h for h in stack if h.level <= part.level]
            yield number, tuple(reversed(stack))
        else:
            stack = [h for h in stack if h.level < part.level]
            stack.append(part.heading)


def _behind(parts: Sequence[Section], at: int, sprints: Mapping[int, SprintHeading]) -> int:
    level = parts[at].level
    number = at + 1
    while number < len(parts) and number not in sprints:
        part = parts[number]
        own_label = part.level == level >= 3 and heading_label(part.title) is not None
        if part.level <= level and not own_label:
            break
        number += 1
    return number


def _line(part: Section) -> int:
    return part.heading.line if part.heading else 1


def assemble(title: str, parts: Sequence[Section], found: Sequence[FoundSprint]) -> Assembly:
    """Work units by a table, else by sections, else one: the first that fits."""
    inside = {n for one in found for n in range(one.first, one.behind)}
    declared = declared_units([part for n, part in enumerate(parts) if n not in inside])
    findings: list[Finding] = []
    shares = _by_table(declared, found, findings) if declared else None
    if shares is not None:
        rule = f"the table at line {declared[0].line}"
    elif sections := _by_sections(found):
        declared, shares = sections
        rule = "the sections that hold sprints"
    else:
        declared, shares = (DeclaredUnit(title, found[0].plan.line),), {title: list(found)}
        rule = "no table and no sections: one unit"
    units = _build(declared, shares, findings)
    return Assembly(units, tuple(findings), rule)


def _by_table(
    declared: Sequence[DeclaredUnit], found: Sequence[FoundSprint], findings: list[Finding]
) -> Shares | None:
    if len(declared) == 1:
        return {declared[0].name: list(found)}
    names = UnitNames([unit.name for unit in declared])
    shares: Shares = {unit.name: [] for unit in declared}
    homeless: list[FoundSprint] = []
    for one in found:
        called = [one.reading.unit] if one.reading.unit else [h.text for h in one.above]
        home = next((name for text in called if (name := names.find(text))), None)
        (shares[home] if home else homeless).append(one)
    if not homeless:
        return shares
    if len(homeless) < len(found):
        line, id_ = homeless[0].plan.line, homeless[0].plan.id
        told = f"sprint {id_} stands in the section of no work unit; put it below '## UNIT'."
        raise PlanError(line, f"{told} {known(names.all)}")
    return _by_counts(declared, found, findings)


def _by_counts(
    declared: Sequence[DeclaredUnit], found: Sequence[FoundSprint], findings: list[Finding]
) -> Shares | None:
    """Without sections of their own, the declared counts say where one unit ends."""
    counts = [unit.sprints or 0 for unit in declared]
    if sum(counts) != len(found):
        told = "No sprint stands in the section of a unit of this table, so it is not used."
        findings.append(Finding(declared[0].line, told))
        return None
    told = "The sprints are given to the units of this table in its order, by its counts."
    findings.append(Finding(declared[0].line, told))
    shares: Shares = {}
    at = 0
    for unit, count in zip(declared, counts, strict=True):
        shares[unit.name] = list(found[at : at + count])
        at += count
    return shares


def _by_sections(found: Sequence[FoundSprint]) -> tuple[tuple[DeclaredUnit, ...], Shares] | None:
    groups: dict[Heading, list[FoundSprint]] = {}
    for one in found:
        section = next((h for h in one.above if h.level == 2), None)
        if section is None or one.reading.plan.line <= section.line:
            return None
        groups.setdefault(section, []).append(one)
    if len(groups) < 2:
        return None
    declared = distinct([DeclaredUnit(name_of_section(h.text), h.line) for h in groups])
    return declared, {u.name: s for u, s in zip(declared, groups.values(), strict=True)}


def _build(
    declared: Sequence[DeclaredUnit], shares: Shares, findings: list[Finding]
) -> tuple[UnitPlan, ...]:
    needs, contradictions = waits(declared)
    findings.extend(contradictions)
    needs = _without_empty(needs, shares)
    units: list[UnitPlan] = []
    for unit in declared:
        sprints = shares[unit.name]
        _compare_counts(unit, len(sprints), findings)
        if sprints:
            units.append(_unit(unit, sprints, needs[unit.name], findings))
    return tuple(units)


def _unit(
    unit: DeclaredUnit,
    sprints: Sequence[FoundSprint],
    needs: tuple[str, ...],
    findings: list[Finding],
) -> UnitPlan:
    _refuse_same_ids(unit, sprints)
    stated = next((one.reading.directory for one in sprints if one.reading.directory), "")
    directory, told = directory_of(unit.directory or stated, unit.line)
    findings.extend(told)
    for one in sprints:
        if one.reading.directory and directory_of(one.reading.directory, 0)[0] != directory:
            text = f"Sprint {one.plan.id} names another directory than its unit ({directory})."
            findings.append(Finding(one.plan.line, text))
    plans = tuple(one.plan for one in sprints)
    return UnitPlan(unit.name, directory, unit.layer, needs, plans, unit.line)


def _refuse_same_ids(unit: DeclaredUnit, sprints: Sequence[FoundSprint]) -> None:
    seen: dict[str, int] = {}
    for one in sprints:
        first = seen.setdefault(one.plan.id, one.plan.line)
        if first != one.plan.line:
            told = f"sprint {one.plan.id} of '{unit.name}' stands in line {first} already"
            raise PlanError(one.plan.line, f"{told}; give it an id of its own.")


def _compare_counts(unit: DeclaredUnit, defined: int, findings: list[Finding]) -> None:
    if not defined:
        told = f"'{unit.name}' has no sprint, so it is left out and nothing waits for it."
        findings.append(Finding(unit.line, told))
    elif unit.sprints not in (None, defined):
        told = f"'{unit.name}' declares {unit.sprints} sprints; {defined} are defined, and count."
        findings.append(Finding(unit.line, told))


def _without_empty(
    needs: Mapping[str, tuple[str, ...]], shares: Shares
) -> dict[str, tuple[str, ...]]:
    """Whoever waits for a unit without sprints waits for what that one waits for."""
    found: dict[str, tuple[str, ...]] = {}
    for name in TopologicalSorter(needs).static_order():
        reach = (n for other in needs[name] for n in ([other] if shares[other] else found[other]))
        found[name] = tuple(dict.fromkeys(reach))
    return found
