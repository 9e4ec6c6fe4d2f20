"""Assign each sprint to its work unit, and find what each unit waits for (PL-10)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from topkick.engine.errors import PlanError
from topkick.plan_format.model import PlanFinding, SprintPlan, UnitPlan
from topkick.plan_format.order.references import (
    SprintNames,
    UnitNames,
    code_of_section,
    name_of_section,
    wanted,
)
from topkick.plan_format.order.waits import Pair, PlanWaits, waiting
from topkick.plan_format.structure import Fence, Heading, Section
from topkick.plan_format.units.detection import Detection, FoundSprint
from topkick.plan_format.units.headings import mention, work_heading
from topkick.plan_format.units.units import (
    DeclaredUnit,
    Whereabouts,
    declared_units,
    directory_of,
    distinct,
    is_unit_heading,
    known,
    names_of,
    phases_of,
    section_number,
    whereabouts_of,
    with_sections,
)

Shares = dict[str, list[FoundSprint]]


@dataclass(frozen=True, slots=True)
class Assembly:
    """The assembled units. `after` are the stated pairs of sprints; `written` are the directories
    as written.

    `verify` are the cells of a table of units that say how to verify each; `stated` are the units
    that say what they wait for, even if that is nothing.
    """

    units: tuple[UnitPlan, ...]
    findings: tuple[PlanFinding, ...]
    rule: str
    after: tuple[tuple[Pair, Pair], ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    verify: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Division:
    declared: tuple[DeclaredUnit, ...]
    shares: Shares
    rule: str
    chained: bool = False


def assemble(
    title: str, parts: Sequence[Section], found: Detection, name: str, root: str = ""
) -> Assembly:
    """Divide the plan into work units: by a table, else by sections, else as one."""
    inside = {n for one in found.sprints for n in range(one.first, one.behind)}
    outside = [part for n, part in enumerate(parts) if n not in inside]
    findings: list[PlanFinding] = []
    division = (
        _by_table(declared_units(outside), found.sprints, findings)
        or _by_unit_headings(found.sprints)
        or _by_sections(found)
        or _one_unit(title, found.sprints)
    )
    declared = with_sections(division.declared, outside)
    _refuse_same_ids(division.shares)
    ids = {n: [s.plan.id for s in share] for n, share in division.shares.items()}
    sprints = SprintNames(ids, found.family)
    drawn = drawn_edges(outside, names_of(declared), sprints, findings)
    waits = waiting(declared, division.shares, drawn, sprints, chained=division.chained)
    findings.extend(waits.findings)
    place = whereabouts_of(declared, root, root.rstrip("/").rpartition("/")[2] or name)
    units = _build(declared, waits, findings, place)
    if not division.chained:
        units = _with_phases(units, phases_of(declared, outside))
    written = {unit.name: unit.directory for unit in declared}
    verify = {unit.name: unit.verify for unit in declared}
    stated = frozenset(u.name for u in declared if u.dependencies.strip() or u.name in drawn)
    return Assembly(units, tuple(findings), division.rule, waits.after, written, verify, stated)


# --- rules that assign sprints to units --------------------------------------------------------


def _by_table(
    declared: Sequence[DeclaredUnit], found: Sequence[FoundSprint], findings: list[PlanFinding]
) -> _Division | None:
    if not declared:
        return None
    rule = f"the table at line {declared[0].line}"
    if len(declared) == 1:
        return _Division(tuple(declared), {declared[0].name: list(found)}, rule)
    names = UnitNames([unit.name for unit in declared])
    shares: Shares = {unit.name: [] for unit in declared}
    homeless: list[FoundSprint] = []
    for one in found:
        called = [one.reading.unit] if one.reading.unit else [h.text for h in one.above]
        home = next((name for text in called if (name := names.find(text))), None)
        (shares[home] if home else homeless).append(one)
    if not homeless:
        return _Division(tuple(declared), shares, rule)
    if len(homeless) == len(found):
        by_counts = _by_counts(declared, found, findings)
        return _Division(tuple(declared), by_counts, rule) if by_counts else None
    if all(shares.values()):
        return _with_homeless(declared, shares, homeless, rule, findings)
    if _by_unit_headings(found):
        return None
    line, id_ = homeless[0].plan.line, homeless[0].plan.id
    told = f"sprint {id_} is not in a work unit's section; move it below the unit's heading."
    raise PlanError(line, f"{told} {known(names.all)}")


def _by_counts(
    declared: Sequence[DeclaredUnit], found: Sequence[FoundSprint], findings: list[PlanFinding]
) -> Shares | None:
    """Divide by declared counts, if the units have no sections of their own."""
    counts = [unit.sprints or 0 for unit in declared]
    if sum(counts) != len(found):
        told = "No sprint is in the section of a unit of this table, so topkick does not use it."
        findings.append(PlanFinding(declared[0].line, told))
        return None
    told = "topkick divides the sprints among the units of this table by its order and counts."
    findings.append(PlanFinding(declared[0].line, told))
    shares: Shares = {}
    at = 0
    for unit, count in zip(declared, counts, strict=True):
        shares[unit.name] = list(found[at : at + count])
        at += count
    return shares


def _with_homeless(
    declared: Sequence[DeclaredUnit],
    shares: Shares,
    homeless: Sequence[FoundSprint],
    rule: str,
    findings: list[PlanFinding],
) -> _Division:
    """Make units of their own for sprints in sections that the table does not name."""
    extra: dict[str, DeclaredUnit] = {}
    for one in homeless:
        heading = next((h for h in one.above if h.level > 1), None)
        name = name_of_section(heading.text) if heading else "Other sprints"
        line = heading.line if heading else one.plan.line
        if name not in shares:
            told = f"'{name}' holds sprints but is not in the table; topkick makes it a work unit."
            findings.append(PlanFinding(line, told))
            extra[name] = DeclaredUnit(name, line)
        shares.setdefault(name, []).append(one)
    return _Division((*declared, *extra.values()), shares, rule)


def _by_unit_headings(found: Sequence[FoundSprint]) -> _Division | None:
    """Divide by headings such as `### WORK UNIT 2: Name`, at any level above the sprints."""
    groups: dict[Heading, list[FoundSprint]] = {}
    for one in found:
        heading = next((h for h in one.above if is_unit_heading(h.text)), None)
        if heading is None:
            return None
        groups.setdefault(heading, []).append(one)
    return _division(groups, "the headings of work units")


def _by_sections(found: Detection) -> _Division | None:
    if found.family == "task":
        return None  # the tasks were grouped by these sections
    groups: dict[Heading, list[FoundSprint]] = {}
    for one in found.sprints:
        section = _section_of(one, found)
        if section is None:
            return None
        groups.setdefault(section, []).append(one)
    if len(groups) < 2:
        return None
    chained = found.grouped or all(work_heading(heading.text) for heading in groups)
    return _division(groups, "the sections that hold sprints", chained=chained)


def _section_of(one: FoundSprint, found: Detection) -> Heading | None:
    """Return the level-2 section above a sprint, or the phase if steps are numbered through
    phases.
    """
    if found.grouped:
        return next((h for h in one.above if work_heading(h.text)), None)
    section = next((h for h in one.above if h.level == 2), None)
    if section is None or one.plan.line <= section.line or _about_sprints(section.text):
        return None
    # `## Parser`, then `## Sprint 1` is a unit and its sprint; a phase is never inside a section of
    # its own level
    return section if found.family == "sprint" or section.level < one.level else None


def _about_sprints(title: str) -> bool:
    words = title.lower().split()
    return any(word.rstrip("s:") in ("sprint", "sortie") for word in words) and not mention(title)


def _division(
    groups: Mapping[Heading, list[FoundSprint]], rule: str, *, chained: bool = False
) -> _Division:
    declared = distinct(
        [
            DeclaredUnit(
                name_of_section(h.text),
                h.line,
                section=section_number(h.text),
                code=code_of_section(h.text),
            )
            for h in groups
        ]
    )
    shares = {u.name: s for u, s in zip(declared, groups.values(), strict=True)}
    return _Division(declared, shares, rule, chained)


def _one_unit(title: str, found: Sequence[FoundSprint]) -> _Division:
    declared = (DeclaredUnit(title, found[0].plan.line),)
    return _Division(declared, {title: list(found)}, "no table and no sections: one unit")


# --- building the units ------------------------------------------------------------------------


def _build(
    declared: Sequence[DeclaredUnit],
    waits: PlanWaits,
    findings: list[PlanFinding],
    place: Whereabouts,
) -> tuple[UnitPlan, ...]:
    units: list[UnitPlan] = []
    for unit in declared:
        sprints = waits.ordered[unit.name]
        _compare_counts(unit, len(sprints), findings)
        if sprints:
            units.append(_unit(unit, sprints, waits, findings, place))
    return tuple(units)


def _unit(
    unit: DeclaredUnit,
    sprints: Sequence[FoundSprint],
    waits: PlanWaits,
    findings: list[PlanFinding],
    place: Whereabouts,
) -> UnitPlan:
    stated = next((one.reading.directory for one in sprints if one.reading.directory), "")
    directory, told = directory_of(unit.directory or stated, unit.line, place)
    findings.extend(told)
    for one in sprints:
        if one.reading.directory and directory_of(one.reading.directory, 0, place)[0] != directory:
            text = f"Sprint {one.plan.id} names another directory than its unit"
            findings.append(PlanFinding(one.plan.line, f"{text}; topkick uses {directory}."))
    plans = tuple(_with_waits(unit.name, one.plan, waits) for one in sprints)
    needs = waits.units[unit.name]
    return UnitPlan(unit.name, directory, unit.layer, needs, plans, unit.line, section=unit.section)


def _with_waits(unit: str, sprint: SprintPlan, waits: PlanWaits) -> SprintPlan:
    found = waits.sprints.get((unit, sprint.id))
    return replace(sprint, waits_for=found) if found else sprint


def _with_phases(units: Sequence[UnitPlan], phases: Mapping[str, str]) -> tuple[UnitPlan, ...]:
    return tuple(replace(unit, phase=phases.get(unit.name, "")) for unit in units)


def _refuse_same_ids(shares: Shares) -> None:
    for name, sprints in shares.items():
        seen: dict[str, int] = {}
        for one in sprints:
            first = seen.setdefault(one.plan.id, one.plan.line)
            if first != one.plan.line:
                told = f"sprint {one.plan.id} of '{name}' is in line {first} already"
                raise PlanError(one.plan.line, f"{told}; give this one another id.")


def _compare_counts(unit: DeclaredUnit, defined: int, findings: list[PlanFinding]) -> None:
    if not defined:
        told = f"'{unit.name}' has no sprint, so topkick leaves it out and nothing waits for it."
        findings.append(PlanFinding(unit.line, told))
    elif unit.sprints not in (None, defined):
        told = f"'{unit.name}' declares {unit.sprints} sprints but defines {defined}"
        findings.append(PlanFinding(unit.line, f"{told}; topkick uses the {defined}."))


# --- drawings ----------------------------------------------------------------------------------

_DRAWN = re.compile(r"[─│└┌┐┘├┤▼▶→]|-->|==>")
_TITLE = re.compile(r"\b(?:depend\w*|graph|order|structure|parallel\w*|layers?)\b", re.IGNORECASE)
_ARROW = re.compile(r"\s*(?:-+(?:\|[^|]{0,60}\|)?>|=+>|→|⟶|──+[>▶►]|─+→)\s*(?:\|[^|]{0,60}\|\s*)?")
_NODE = re.compile(r"^(?P<id>[\w.-]+)\s*(?:\[+|\(+|\{+)[\"/\\]?(?P<label>[^\]\)\}\"]{1,120})")
_DEPENDS = re.compile(
    r"^(?P<unit>.{1,120}?)\s+\(.{0,60}?depends on:?\s+(?P<list>[^)]{1,400})\)$", re.IGNORECASE
)


def drawn_edges(
    sections: Sequence[Section], units: UnitNames, sprints: SprintNames, findings: list[PlanFinding]
) -> dict[str, tuple[str, ...]]:
    """Return what each unit waits for by the drawings; only lines whose every node is a unit
    count.
    """
    found: dict[str, dict[str, None]] = {}
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Fence) and (
                block.language == "mermaid" or _TITLE.search(section.title)
            ):
                edges = list(_edges(block, units, sprints))
                for unit, needed in edges:
                    found.setdefault(unit, {})[needed] = None
                if not edges and len(units.all) > 1 and _DRAWN.search(block.content):
                    told = "topkick does not understand this drawing and ignores it."
                    findings.append(PlanFinding(block.line, told))
    return {unit: tuple(needed) for unit, needed in found.items()}


def _edges(fence: Fence, units: UnitNames, sprints: SprintNames) -> Iterator[tuple[str, str]]:
    labels: dict[str, str] = {}
    for line in fence.content.split("\n"):
        text = line.strip().rstrip(";")
        if not text or len(text) > 400:
            continue
        if said := _DEPENDS.match(text):
            yield from _said(said["unit"], said["list"], units, sprints)
            continue
        sides = [side.strip() for side in _ARROW.split(text)]
        nodes = [_units(side, units, labels) for side in sides]
        if len(nodes) > 1 and all(nodes):
            for before, after in pairwise(nodes):
                yield from ((later, first) for later in after for first in before if later != first)


def _said(
    called: str, text: str, units: UnitNames, sprints: SprintNames
) -> Iterator[tuple[str, str]]:
    if unit := units.find(called):
        for needed in wanted(text, unit, units, (), sprints).units:
            yield unit, needed


def _units(side: str, units: UnitNames, labels: dict[str, str]) -> list[str]:
    """Return the units on one side of an arrow; `A[Label]` defines the label of A."""
    found: list[str] = []
    for piece in re.split(r"\s*[&,+]\s*", side.strip("{}[]() ")):
        node = _NODE.match(piece)
        if node:
            labels[node["id"]] = node["label"]
        called = labels.get(piece.strip(), node["label"] if node else piece)
        name = units.find(called.strip())
        if name is None:
            return []
        found.append(name)
    return found
