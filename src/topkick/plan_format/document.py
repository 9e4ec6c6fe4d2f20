"""Read a plan: a person's document becomes the model, with findings.

A plan is hostile text. Everything here takes time linear in its size, under hard caps, and ends in
a reading or in a `PlanError` that names the line. `lint` lists what to look at before tokens are
spent on the plan.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from topkick.engine.errors import PlanError
from topkick.plan_format.front_matter import front_matter, hashed
from topkick.plan_format.model import (
    Criterion,
    Plan,
    PlanFinding,
    SprintPlan,
    SprintType,
    UnitPlan,
    shortened,
)
from topkick.plan_format.notes import (
    Notes,
    PlanTemplate,
    allowed_imports,
    imports_lines,
    notes_of,
    template_of,
)
from topkick.plan_format.order.assembly import Assembly, assemble
from topkick.plan_format.order.checkpoints import checkpoints_of
from topkick.plan_format.order.gates import Gates, gates_of
from topkick.plan_format.order.references import UnitNames
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.structure import Section, sections
from topkick.plan_format.units.detection import Detection, FoundSprint, PlanText, find_sprints
from topkick.plan_format.units.headings import Label, label_of
from topkick.plan_format.units.kinds import is_about_dependencies
from topkick.plan_format.units.sprints import SprintReading
from topkick.text.markdown import without_front_matter

# --- the role of every heading -----------------------------------------------------------------
# It is recorded, so that nothing is dropped silently (PL-18).

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


__all__ = ["PlanError", "PlanFinding", "PlanReading", "read"]

MAX_BYTES = 8 * 1024 * 1024
MAX_LINES = 200_000
MAX_BARS = 400_000  # limits the size of tables

_TITLE_PREFIX = re.compile(
    r"^(?:(?:agent|master|final|consolidated) )?(?:execution[ _]plan|sprint plan|mission plan)"
    r"(?:\.md)?\s*[:—–-]+\s*",
    re.IGNORECASE,
)
_TITLE_SUFFIX = re.compile(
    r"\s(?:[:—–-]+\s*)?(?:(?:final |strategic )?execution[ _]plan|sprint plan)(?:\.md)?$",
    re.IGNORECASE,
)
_RULES = re.compile(r"^(?:\W|\d)*(?:project |global |general )?rules$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlanReading:
    """The plan, and how it was understood: by which rules, from which lines, with what left over.

    `title` is the heading as written; `sprints` holds for each (unit, id) what the model does not
    need; `after` are the stated pairs of sprints, (before, after). `family` is the word that its
    headings use for a sprint; `stated` are the units that say what they wait for.
    """

    plan: Plan
    findings: tuple[PlanFinding, ...] = ()
    rule: str = ""
    sprint_rule: str = ""
    title: str = ""
    sprints: Mapping[Pair, SprintReading] = field(default_factory=dict)
    after: tuple[tuple[Pair, Pair], ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    template: PlanTemplate = field(default_factory=PlanTemplate)
    notes: Notes = field(default_factory=Notes)
    outline: tuple[Outlined, ...] = ()
    gates: Gates = field(default_factory=Gates)
    family: str = "sprint"
    stated: frozenset[str] = frozenset()


def read(text: str, *, default_name: str, root: str = "") -> PlanReading:
    """Read the plan in `text`; `default_name` names it if it has no title, `root` is where it
    is.
    """
    _refuse_giants(text)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    front = front_matter(lines)
    # Markdown ends a line at a lone \r too; editors and our line numbers do not
    body = "\n".join(without_front_matter(lines)).replace("\r", " ")
    parts = sections(body)
    heading = _heading(parts)
    title = _title(heading) or default_name
    found = find_sprints(PlanText(parts, lines, root))
    assembly = assemble(title, parts, found, default_name, root)
    inside = {n for one in found.sprints for n in range(one.first, one.behind)}
    notes = notes_of(parts, inside, lines, root)
    template = template_of(parts)
    gates = gates_of(parts, inside, assembly.units, assembly.verify, root, template.heading)
    checkpoints = checkpoints_of(parts, assembly.units, template.heading)
    plan = Plan(
        title,
        hashed(front, lines),
        feature_name=front.feature_name,
        rules=_rules(parts, lines),
        template=template.text,
        units=_completed(assembly.units, parts, notes, gates),
        files=notes.files,
        gate=gates.of(""),
        checkpoints=checkpoints.planned,
    )
    noticed = [*found.findings, *assembly.findings, *gates.findings, *checkpoints.findings]
    every = [*noticed, *notes.conflicts, *notes.questions]
    return PlanReading(
        plan,
        tuple(sorted(every, key=lambda finding: finding.line)),
        assembly.rule,
        found.rule,
        heading or default_name,
        _readings(parts, assembly, found),
        assembly.after,
        assembly.written,
        template,
        notes,
        _outline(parts, found, assembly, template),
        gates,
        found.family,
        assembly.stated,
    )


def _outline(
    parts: Sequence[Section], found: Detection, assembly: Assembly, template: PlanTemplate
) -> tuple[Outlined, ...]:
    special: dict[int, str] = {}
    imports = imports_lines(parts)
    for part in parts:
        if part.heading and template.text and part.title == template.heading:
            special[part.heading.line] = "the template of every prompt"
        elif part.heading and _RULES.match(part.title):
            special[part.heading.line] = "rules that are in every prompt"
        elif part.heading and part.heading.line in imports:
            special[part.heading.line] = "what each unit may import"
    return outline(parts, found.sprints, [unit.name for unit in assembly.units], special)


def _completed(
    units: Sequence[UnitPlan], parts: Sequence[Section], notes: Notes, gates: Gates
) -> tuple[UnitPlan, ...]:
    """Return units with their allowed imports, their verification and every sprint's checks."""
    imports = allowed_imports(parts, [unit.name for unit in units])
    return tuple(
        replace(
            unit,
            imports=imports.get(unit.name, ""),
            sprints=tuple(
                replace(
                    _with_each(sprint, notes),
                    dependencies_only=not n and is_about_dependencies(sprint),
                )
                for n, sprint in enumerate(unit.sprints)
            ),
            verify=gates.of(unit.name),
        )
        for unit in units
    )


def _with_each(sprint: SprintPlan, notes: Notes) -> SprintPlan:
    if sprint.type is not SprintType.CODE or not notes.each:
        return sprint
    own = {criterion.command for criterion in sprint.exit}
    return replace(sprint, exit=(*sprint.exit, *(c for c in notes.each if c.command not in own)))


def _readings(
    parts: Sequence[Section], assembly: Assembly, found: Detection
) -> dict[Pair, SprintReading]:
    by_line = {one.plan.line: _placed(one, parts, found.family) for one in found.sprints}
    return {
        (unit.name, sprint.id): by_line[sprint.line]
        for unit in assembly.units
        for sprint in unit.sprints
    }


def _placed(one: FoundSprint, parts: Sequence[Section], family: str) -> SprintReading:
    """Return the reading with its lines; a table row or a group of tasks has none of its own."""
    if one.behind <= one.first or family == "task":
        return one.reading
    return replace(one.reading, first=one.plan.line, behind=parts[one.behind - 1].end)


def _refuse_giants(text: str) -> None:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise PlanError(1, "it is larger than 8 MiB; split it into several plans.")
    if text.count("\n") >= MAX_LINES:
        raise PlanError(
            MAX_LINES + 1, f"it has more than {MAX_LINES} lines; split it into several plans."
        )
    if text.count("|") > MAX_BARS:
        raise PlanError(
            1, f"its tables have more than {MAX_BARS} cells; split it into several plans."
        )


def _heading(parts: Sequence[Section]) -> str:
    return next((part.title for part in parts if part.level == 1), "").strip()


def _title(heading: str) -> str:
    text = _TITLE_SUFFIX.sub("", _TITLE_PREFIX.sub("", heading.replace("*", "").strip()))
    return text.strip()


def _rules(parts: Sequence[Section], lines: Sequence[str]) -> str:
    """Return the section of rules that hold for every sprint, verbatim."""
    for number, part in enumerate(parts):
        if part.heading and part.level in (2, 3) and _RULES.match(part.title):
            deeper = (n for n in range(number + 1, len(parts)) if parts[n].level <= part.level)
            last = next(deeper, len(parts)) - 1
            text = "\n".join(lines[part.heading.line : parts[last].end - 1])
            return text.strip().removesuffix("---").strip()
    return ""


def lint(reading: PlanReading) -> tuple[PlanFinding, ...]:
    """Return everything noticed, not checkable or not understood, by line."""
    found = [*reading.findings, *_unchecked(reading), *_not_understood(reading)]
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.line))


def _unchecked(reading: PlanReading) -> Iterator[PlanFinding]:
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            if sprint.lacks_check:
                told = f"Sprint {sprint.id} of '{unit.name}' has no check that a machine can run."
                yield PlanFinding(sprint.line, told)


def _not_understood(reading: PlanReading) -> Iterator[PlanFinding]:
    for criterion in not_understood(reading):
        named = shortened(criterion.named)
        told = f"topkick will not run `{named}`: it does not understand what the command must do."
        yield PlanFinding(criterion.line, told)


def not_understood(reading: PlanReading) -> tuple[Criterion, ...]:
    """Return criteria that name a command with words that no form understands."""
    return tuple(
        criterion
        for unit in reading.plan.units
        for sprint in unit.sprints
        for criterion in sprint.exit
        if criterion.named and criterion.command is None
    )
