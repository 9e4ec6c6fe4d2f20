"""Assign each sprint to its work unit, and find what each unit waits for (PL-10)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from topkick.engine.errors import PlanError
from topkick.plan_format.findings import PlanFinding
from topkick.plan_format.model import SprintPlan, UnitPlan
from topkick.plan_format.order.drawings import drawn_edges
from topkick.plan_format.order.references import (
    SprintNames,
    UnitNames,
    code_of_section,
    name_of_section,
)
from topkick.plan_format.order.waits import Pair, PlanWaits, waiting
from topkick.plan_format.text.structure import Heading, Section
from topkick.plan_format.units.detection import Detection, FoundSprint
from topkick.plan_format.units.headings import bare, mention, work_heading
from topkick.plan_format.units.units import (
    LONGEST_PHASE,
    DeclaredUnit,
    Whereabouts,
    declared_units,
    directory_of,
    distinct,
    is_unit_heading,
    known,
    names_of,
    section_number,
    whereabouts_of,
    with_sections,
)

# --- phases ------------------------------------------------------------------------------------
# Find which units a plan builds together, by a column or a heading above them.

_WORDS = frozenset({"phase", "stage", "wave", "batch", "milestone", "iteration"})
_GROUP = re.compile(r"^\W*(?:parallel )?group\s+(?:\d{1,3}|[A-Z])\b", re.IGNORECASE)


def phases_of(units: Sequence[DeclaredUnit], sections: Sequence[Section]) -> Mapping[str, str]:
    """Return the phases; empty if layers are numbered, which say the same."""
    if any(unit.layer is not None for unit in units):
        return {}
    stated = {unit.name: unit.phase for unit in units if unit.phase}
    return stated or _by_headings(units, sections)


def _by_headings(units: Sequence[DeclaredUnit], sections: Sequence[Section]) -> Mapping[str, str]:
    """Use only headings above several units: one above each unit adds nothing."""
    names = UnitNames([unit.name for unit in units])
    lines = {unit.line: unit.name for unit in units}
    found: dict[str, Heading] = {}
    for part in sections:
        if part.heading is None:
            continue
        name = lines.get(part.heading.line) or names.find(part.title)
        above = next((h for h in reversed(part.parents) if _is_phase(h)), None)
        if name is not None and above is not None:
            found.setdefault(name, above)
    held = Counter(heading.line for heading in found.values())
    if not any(count > 1 for count in held.values()):
        return {}
    return {name: bare(heading.text)[:LONGEST_PHASE] for name, heading in found.items()}


def _is_phase(heading: Heading) -> bool:
    named = work_heading(heading.text)
    return (named is not None and named.word in _WORDS) or bool(_GROUP.match(bare(heading.text)))


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
    told = f"sprint {id_} stands in the section of no work unit; put it below '## UNIT'."
    raise PlanError(line, f"{told} {known(names.all)}")


def _by_counts(
    declared: Sequence[DeclaredUnit], found: Sequence[FoundSprint], findings: list[PlanFinding]
) -> Shares | None:
    """Divide by declared counts, if the units have no sections of their own."""
    counts = [unit.sprints or 0 for unit in declared]
    if sum(counts) != len(found):
        told = "No sprint stands in the section of a unit of this table, so it is not used."
        findings.append(PlanFinding(declared[0].line, told))
        return None
    told = "The sprints are given to the units of this table in its order, by its counts."
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
            told = f"'{name}' holds sprints but is no work unit of the table; it is one of its own."
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
            text = f"Sprint {one.plan.id} names another directory than its unit ({directory})."
            findings.append(PlanFinding(one.plan.line, text))
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
                told = f"sprint {one.plan.id} of '{name}' stands in line {first} already"
                raise PlanError(one.plan.line, f"{told}; give it an id of its own.")


def _compare_counts(unit: DeclaredUnit, defined: int, findings: list[PlanFinding]) -> None:
    if not defined:
        told = f"'{unit.name}' has no sprint, so it is left out and nothing waits for it."
        findings.append(PlanFinding(unit.line, told))
    elif unit.sprints not in (None, defined):
        told = f"'{unit.name}' declares {unit.sprints} sprints; {defined} are defined, and count."
        findings.append(PlanFinding(unit.line, told))
