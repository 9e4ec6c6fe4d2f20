"""Find the sprints of a plan: the first rule that finds any wins (PL-11)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from topkick.engine.errors import PlanError
from topkick.plan_format.criteria.criteria import has_box
from topkick.plan_format.model import PlanFinding, SprintPlan
from topkick.plan_format.structure import Heading, ItemList, Paragraph, Quote, Section
from topkick.plan_format.units.headings import (
    Label,
    WorkHeading,
    label_of,
    mention,
    numbered_heading,
    short_sprint_heading,
    sprint_heading,
    work_heading,
)
from topkick.plan_format.units.sprint_tables import table_sprints
from topkick.plan_format.units.sprints import SprintReading, read_sprint, with_criteria

MAX_SPRINTS = 10_000
_SET_ASIDE = re.compile(
    r"^\W*(?:archived?|superseded|obsolete|examples?|samples?)\b", re.IGNORECASE
)

Marks = dict[int, WorkHeading]


@dataclass(frozen=True, slots=True)
class FoundSprint:
    """A sprint, the headings above it (nearest first), and the sections it covers."""

    reading: SprintReading
    above: tuple[Heading, ...]
    first: int
    behind: int
    level: int = 2

    @property
    def plan(self) -> SprintPlan:
        return self.reading.plan


@dataclass(frozen=True, slots=True)
class Detection:
    """The sprints of a plan; `grouped` says that the headings above them are numbered work too
    (phases).
    """

    sprints: tuple[FoundSprint, ...]
    findings: tuple[PlanFinding, ...]
    rule: str
    family: str = "sprint"
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class PlanText:
    """The plan as the rules see it."""

    parts: Sequence[Section]
    lines: Sequence[str]
    root: str = ""


def find_sprints(text: PlanText) -> Detection:
    for rule in RULES:
        found = rule(text)
        if found is not None and found.sprints:
            return _with_far_criteria(text, found)
    raise PlanError(1, "it defines no sprint. Write a heading such as '### Sprint 1: Name'.")


# --- the rules -------------------------------------------------------------------------------


def by_sprint_headings(text: PlanText) -> Detection | None:
    """Find headings such as `### Sprint 3: Name`, levels 2 to 4."""
    marks = _marked(text, sprint_heading)
    return _detected(text, marks, "headings that say Sprint or Sortie") if marks else None


def by_short_headings(text: PlanText) -> Detection | None:
    """Find headings such as `#### S1.2 – Name`."""
    marks = _marked(text, short_sprint_heading)
    return _detected(text, marks, "headings such as S1.2") if len(marks) > 1 else None


def by_tables(text: PlanText) -> Detection | None:
    """Find tables with a Sprint column and a name."""
    found: list[FoundSprint] = []
    for at, part in enumerate(text.parts):
        for reading in table_sprints(part, text.lines):
            above = tuple(reversed([*part.parents, *([part.heading] if part.heading else [])]))
            found.append(FoundSprint(reading, above, at, at))
    _refuse_many([one.plan.line for one in found])
    return Detection(tuple(found), (), "a table with a Sprint column") if found else None


def by_tasks(text: PlanText) -> Detection | None:
    """Find `### Task N.M:` grouped by N, if no phases contain all of them."""
    marks = _marked(text, _numbered_task)
    held = {
        n
        for outer in _families(text).values()
        for at in outer
        for n in range(at + 1, _end(text.parts, at))
    }
    if not marks or set(marks) <= held:
        return None
    groups: dict[str, list[int]] = {}
    for at, heading in marks.items():
        groups.setdefault(heading.id.split(".")[0], []).append(at)
    found = tuple(_task_group(text, number, at) for number, at in groups.items())
    return Detection(found, (), "headings Task N.M, grouped by N", family="task")


def by_work_headings(text: PlanText) -> Detection | None:
    """Find Phase, Stage, Week, Day, Milestone …: the family that covers most of the plan."""
    families = _families(text)
    if not families:
        return None
    word = max(families, key=lambda word: _owned(text, families[word]))
    marks = families[word]
    inner = _running_on(text, marks, families)
    if inner is not None:
        rule = (
            f"headings that say {inner[0].capitalize()}, in sections that say {word.capitalize()}"
        )
        return replace(_detected(text, inner[1], rule), family=inner[0], grouped=True)
    return replace(_detected(text, marks, f"headings that say {word.capitalize()}"), family=word)


def by_checklists(text: PlanText) -> Detection | None:
    """Find headings with checkboxes below them."""
    marks = {
        at: WorkHeading("list", str(number), part.title)
        for number, (at, part) in enumerate(_with_boxes(text), start=1)
    }
    return (
        replace(_detected(text, marks, "headings with checkboxes below them"), family="list")
        if marks
        else None
    )


def by_numbered_headings(text: PlanText) -> Detection | None:
    """Find `### 2. Name`, if at least two of one level contain a list or a fence."""
    marks = _marked(text, numbered_heading)
    levels: dict[int, Marks] = {}
    for at, heading in marks.items():
        if _extent_has_work(text, at, marks):
            levels.setdefault(text.parts[at].level, {})[at] = heading
    best = max(levels.values(), key=lambda found: _owned(text, found), default={})
    distinct = {heading.id for heading in best.values()}
    if len(best) < 2 or len(distinct) < len(best):
        return None
    return replace(_detected(text, best, "numbered headings"), family="number")


Rule = Callable[[PlanText], Detection | None]
RULES: tuple[Rule, ...] = (
    by_sprint_headings,
    by_short_headings,
    by_tables,
    by_tasks,
    by_work_headings,
    by_checklists,
    by_numbered_headings,
)


# --- shared parts of the rules ---------------------------------------------------------------


def _marked(text: PlanText, reads: Callable[[str], WorkHeading | None]) -> Marks:
    return {
        at: heading
        for at, part in enumerate(text.parts)
        if 2 <= part.level <= 4
        and not any(_SET_ASIDE.match(above.text) for above in part.parents)
        and (heading := reads(part.title))
    }


def _numbered_task(title: str) -> WorkHeading | None:
    heading = work_heading(title)
    is_task = heading is not None and heading.word == "task" and re.match(r"\d+\.\d+$", heading.id)
    return heading if is_task else None


def _families(text: PlanText) -> dict[str, Marks]:
    """Return work headings by their word; if ids repeat, the level that covers the most counts."""
    found: dict[str, Marks] = {}
    for at, heading in (_marked(text, work_heading) or _marked(text, _loose_heading)).items():
        if not (heading.word == "task" and "." in heading.id):
            found.setdefault(heading.word, {})[at] = heading
    families = {word: _one_level(text, marks) for word, marks in found.items()}
    return {w: m for w, m in families.items() if any(_extent_has_work(text, a, m) for a in m)}


def _loose_heading(title: str) -> WorkHeading | None:
    """Match `Phase 0 plan: Name`: words between the id and the colon."""
    said = mention(title)
    if said is None:
        return None
    name = re.match(r"^[^:：]{1,40}[:：]\s*(\S.*)$", said[2])
    return WorkHeading(said[0], said[1], name[1]) if name else None


def _one_level(text: PlanText, marks: Marks) -> Marks:
    if len({heading.id for heading in marks.values()}) == len(marks):
        return marks
    levels: dict[int, Marks] = {}
    for at, heading in marks.items():
        levels.setdefault(text.parts[at].level, {})[at] = heading
    return max(levels.values(), key=lambda found: _owned(text, found))


def _running_on(
    text: PlanText, outer: Marks, families: Mapping[str, Marks]
) -> tuple[str, Marks] | None:
    """Return inner headings that are numbered through all phases: those are the sprints."""
    holds = {n: at for at in outer for n in range(at + 1, _end(text.parts, at))}
    for word, marks in families.items():
        inside = [holds.get(at) for at in marks]
        groups = {at for at in inside if at is not None}
        plain = all(heading.id.isdecimal() for heading in marks.values())
        distinct = len({heading.id for heading in marks.values()}) == len(marks)
        if plain and distinct and None not in inside and len(groups) > 1 and groups == set(outer):
            return word, marks
    return None


def _owned(text: PlanText, marks: Marks) -> int:
    return sum(
        text.parts[_behind(text.parts, at, marks) - 1].end - _line(text.parts[at]) for at in marks
    )


def _extent_has_work(text: PlanText, at: int, marks: Mapping[int, WorkHeading]) -> bool:
    """Return whether there is a list, a fence or a table: a heading with one sentence is an
    outline.
    """
    extent = text.parts[at : _behind(text.parts, at, marks)]
    return any(part.blocks for part in extent) and (
        len(extent) > 1 or any(not isinstance(b, Paragraph | Quote) for b in extent[0].blocks)
    )


def _with_boxes(text: PlanText) -> Iterator[tuple[int, Section]]:
    for at, part in enumerate(text.parts):
        lists = (block for block in part.blocks if isinstance(block, ItemList))
        boxes = any(has_box(item.text) for found in lists for item in found.items)
        if part.level >= 2 and boxes and label_of(part.title) is not Label.EXIT:
            yield at, part


def _detected(text: PlanText, marks: Marks, rule: str) -> Detection:
    found: list[FoundSprint] = []
    findings: list[PlanFinding] = []
    _refuse_many([_line(text.parts[at]) for at in marks])
    for at, above in _with_headings_above(text.parts, marks):
        behind = _behind(text.parts, at, marks)
        if behind in marks and text.parts[behind].level > text.parts[at].level:
            told = "This heading groups the sprints below it and is not a sprint itself."
            findings.append(PlanFinding(_line(text.parts[at]), told))
            continue
        one = _found(text, marks[at], at, behind, above)
        findings.extend(one.reading.findings)
        found.append(one)
    return Detection(tuple(found), tuple(findings), rule)


def _found(
    text: PlanText, heading: WorkHeading, at: int, behind: int, above: tuple[Heading, ...]
) -> FoundSprint:
    parts = text.parts[at:behind]
    body = "\n".join(text.lines[_line(parts[0]) - 1 : parts[-1].end - 1]).rstrip("\n")
    reading = read_sprint(heading, parts, body, text.root)
    return FoundSprint(reading, above, at, behind, parts[0].level)


def _task_group(text: PlanText, number: str, at: Sequence[int]) -> FoundSprint:
    """Return all tasks N.1, N.2 … as one sprint, named after the section of the first."""
    first = text.parts[at[0]]
    above = tuple(reversed(first.parents))
    name = next((h.text for h in first.parents if h.level > 1), f"Tasks {number}")
    behind = _end(text.parts, at[-1])
    found = _found(text, WorkHeading("task", number, name), at[0], behind, above)
    tasks = tuple(text.parts[n].title for n in at)
    plan = replace(found.reading.plan, tasks=tasks)
    return replace(found, reading=replace(found.reading, plan=plan))


def _with_far_criteria(text: PlanText, found: Detection) -> Detection:
    """Add criteria from sections such as `### Sprint 1 Success`, away from the sprint."""
    inside = {n for one in found.sprints for n in range(one.first, one.behind)}
    by_id: dict[str, list[int]] = {}
    for number, one in enumerate(found.sprints):
        by_id.setdefault(one.plan.id, []).append(number)
    sprints = list(found.sprints)
    for at, part in enumerate(text.parts):
        said = mention(part.title) if part.heading and at not in inside else None
        if said is None or said[0] != found.family or label_of(said[2]) is not Label.EXIT:
            continue
        for number in by_id.get(said[1], [])[:1]:
            one = sprints[number]
            extent = text.parts[at : _end(text.parts, at)]
            reading = with_criteria(one.reading, extent, text.root)
            sprints[number] = replace(one, reading=reading)
    return replace(found, sprints=tuple(sprints))


def _with_headings_above(
    parts: Sequence[Section], sprints: Mapping[int, WorkHeading]
) -> Iterator[tuple[int, tuple[Heading, ...]]]:
    """Yield headings; the last one of the same level counts as above: `## Parser`, then `## Sprint
    1`.
    """
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


def _end(parts: Sequence[Section], at: int) -> int:
    level = parts[at].level
    return next((n for n in range(at + 1, len(parts)) if parts[n].level <= level), len(parts))


def _behind(parts: Sequence[Section], at: int, sprints: Mapping[int, WorkHeading]) -> int:
    level = parts[at].level
    number = at + 1
    while number < len(parts) and number not in sprints:
        part = parts[number]
        own_label = part.level == level >= 3 and label_of(part.title) is not None
        if part.level <= level and not own_label:
            break
        number += 1
    return number


def _line(part: Section) -> int:
    return part.heading.line if part.heading else 1


def _refuse_many(lines: Sequence[int]) -> None:
    if len(lines) > MAX_SPRINTS:
        raise PlanError(lines[MAX_SPRINTS], f"it has more than {MAX_SPRINTS} sprints; split it.")
