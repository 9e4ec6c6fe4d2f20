"""Improve a plan so that its sprints fit an agent and can be checked: split, merge, sharpen
(EV-02).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from topkick.engine.errors import PlanError
from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import PlanFinding, SprintPlan, SprintType, UnitPlan
from topkick.plan_format.order.references import names_sprint
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.units.headings import FAMILIES, SPRINT_WORDS, Label
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.artifacts import clusters, tasks_of
from topkick.planning.refinement.fitness import (
    OVERSIZED_FROM,
    Assessment,
    Fitness,
    assess,
    assessed,
)
from topkick.planning.refinement.priorities import PRIORITY_LINE
from topkick.planning.refinement.proposed_criteria import Sharpened, sharpened
from topkick.planning.refinement.source import (
    Anatomy,
    EditedText,
    LabelledPart,
    anatomy,
    cell_at,
    core_of,
    refusal,
)
from topkick.planning.refinement.split import (
    Split,
    by_concern,
    cannot_split,
    continued,
    forget_estimate,
    halved,
    renumbered_items,
    second_half,
    take_out,
)
from topkick.planning.refinement.sprint_ids import Renumbering, numbered, with_id

ROUNDS = 12
Read = Callable[[str], PlanReading]


# --- merging a small sprint into the next ------------------------------------------------------
# Its tasks and criteria come first.

_MOVED = (Label.ENTRY, Label.TASKS, Label.EXIT)
_LEFT = (Label.PRIORITY, Label.TURNS)


def cannot_merge(
    draft: EditedText, small: SprintPlan, body: Anatomy, other: SprintPlan, into: Anatomy
) -> str:
    """Return why no program should merge them, or an empty text."""
    if {small.effective_type, other.effective_type} != {SprintType.CODE}:
        return "only sprints of code are merged"
    if any(part.label not in (*_MOVED, *_LEFT) for part in body.parts) or _has_prose(draft, body):
        return "it has more than tasks and criteria"
    for side, plan in ((body, small), (into, other)):
        if any(not _is_one_list(side, label) for label in _MOVED):
            return "tasks and criteria are not one list each"
        tasks = side.part(Label.TASKS)
        if tasks is None or len(tasks.items) != len(plan.tasks) or side.part(Label.EXIT) is None:
            return "tasks and criteria are not one list each"
    return ""


def _has_prose(draft: EditedText, body: Anatomy) -> bool:
    lines = (draft[line] for line in range(body.span[0] + 1, body.head_behind))
    return any(line.strip() and not PRIORITY_LINE.match(line) for line in lines)


def _is_one_list(body: Anatomy, label: Label) -> bool:
    part = body.part(label)
    return part is None or (body.count(label) == 1 and part.plain and bool(part.items))


def merge(draft: EditedText, body: Anatomy, into: Anatomy, id_: str) -> None:
    """Move the items of `body` to `into`, which has that id now, and delete the lines of `body`."""
    forget_estimate(draft, into)
    for label in _MOVED:
        given, taken = body.part(label), into.part(label)
        if given is None:
            continue
        lines = _lines(draft, given)
        if taken is None:
            draft.insert_behind(into.head_behind - 1, ["**Entry criteria**:", *lines, ""])
            continue
        if label is Label.ENTRY:
            _drop_references(draft, taken, id_)
        draft.insert_behind(taken.items[0][0] - 1, lines)
        if label is Label.TASKS:
            _count_on(draft, taken, len(given.items))
    draft.remove(range(*body.span))


def _drop_references(draft: EditedText, part: LabelledPart, id_: str) -> None:
    """Remove references to the merged sprint, which is now the sprint itself."""
    itself = re.compile(rf"(?<![\w.-]){re.escape(id_)}(?![\w.-])")
    for item in part.items:
        if names_sprint(draft[item[0]]) and itself.search(draft[item[0]]):
            draft.remove(range(*item))


def _count_on(draft: EditedText, part: LabelledPart, before: int) -> None:
    for n, (line, _) in enumerate(part.items, start=before + 1):
        draft[line] = renumbered_items([draft[line]], n)[0]


def _lines(draft: EditedText, part: LabelledPart) -> list[str]:
    lines = [draft[line] for item in part.items for line in range(*item)]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


_WORD = re.compile(
    rf"(?i:{'|'.join((*SPRINT_WORDS, *(re.escape(w) for family in FAMILIES for w in family)))})"
)
_COUNTS = ("sprints", "sorties", "sprint count", "sortie count", "# sprints", "# sorties")


@dataclass(frozen=True, slots=True)
class Reshaped:
    text: str
    splits: int = 0
    merges: int = 0
    left: tuple[PlanFinding, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.splits or self.merges)


@dataclass(slots=True)
class _Shape:
    """The changes of this round; a sprint takes part in at most one."""

    bodies: Mapping[Pair, Anatomy]
    splits: dict[Pair, Split] = field(default_factory=dict)
    into: dict[Pair, Pair] = field(default_factory=dict)
    left: list[PlanFinding] = field(default_factory=list)

    def is_free(self, pair: Pair) -> bool:
        return pair not in self.splits and pair not in {*self.into, *self.into.values()}


def reshaped(text: str, reading: PlanReading, max_turns: int) -> Reshaped:
    """Do one round; a half may have to be split again."""
    if refusal(reading):
        return Reshaped(text)
    draft = EditedText.of(text)
    shape = _shape(draft, reading, max_turns)
    ids = numbered(reading.plan.units, dict.fromkeys(shape.splits, 2), shape.into)
    if ids is None or not (shape.splits or shape.into):
        return Reshaped(text, left=tuple(shape.left))
    renumbering = Renumbering(reading, ids.references(), ids.headings())
    renumbering.apply(draft, len(draft.lines))
    for pair, split in shape.splits.items():
        _split(draft, shape.bodies[pair], split, ids.of[pair])
    for small, other in shape.into.items():
        merge(draft, shape.bodies[small], shape.bodies[other], ids.of[other][0])
    _count(draft, reading, shape)
    left = (*shape.left, *renumbering.findings)
    return Reshaped(draft.text(), len(shape.splits), len(shape.into), left)


# --- decisions -------------------------------------------------------------------------------


def _shape(draft: EditedText, reading: PlanReading, max_turns: int) -> _Shape:
    spans = {pair: (said.first, said.behind) for pair, said in reading.sprints.items()}
    bodies = {pair: anatomy(draft, core_of(draft, span)) for pair, span in spans.items()}
    shape = _Shape(bodies)
    for unit in reading.plan.units:
        for n, sprint in enumerate(unit.sprints):
            found = assess(reading, unit.name, sprint, max_turns)
            if found.fitness is Fitness.UNDERSIZED:
                _look_at_small(draft, reading, shape, unit, n, max_turns)
            else:
                _look_at_large(shape, unit, sprint, found.turns, found.fitness)
    return shape


def _look_at_large(
    shape: _Shape, unit: UnitPlan, sprint: SprintPlan, turns: int, fitness: Fitness
) -> None:
    concerns = clusters(tasks_of(sprint))
    pair = (unit.name, sprint.id)
    body = shape.bodies[pair]
    if (len(concerns) < 2 and fitness is not Fitness.OVERSIZED) or not shape.is_free(pair):
        return
    why = cannot_split(sprint, body)
    split = None
    if not why and len(concerns) > 1:
        split = by_concern(sprint, body, concerns)
        why = "" if split else "the tasks of its concerns are mixed"
    elif not why:
        split = halved(sprint, body)
    if split is not None:
        shape.splits[pair] = split
    else:
        what = f"takes about {turns} turns" if fitness is Fitness.OVERSIZED else "has two concerns"
        told = f"Sprint {sprint.id} {what}. Split it by hand, because {why}."
        shape.left.append(PlanFinding(sprint.line, told))


def _look_at_small(
    draft: EditedText, reading: PlanReading, shape: _Shape, unit: UnitPlan, n: int, max_turns: int
) -> None:
    small = unit.sprints[n]
    pair = (unit.name, small.id)
    why = "it is the last of its unit"
    if n + 1 < len(unit.sprints):
        other = unit.sprints[n + 1]
        into = (unit.name, other.id)
        if not (shape.is_free(pair) and shape.is_free(into)):
            return
        sizes = [assess(reading, unit.name, sprint, max_turns).turns for sprint in (small, other)]
        why = cannot_merge(draft, small, shape.bodies[pair], other, shape.bodies[into])
        if not why and sum(sizes) > max_turns * OVERSIZED_FROM:
            why = "together with the next sprint it would be too large"
        if not why:
            shape.into[pair] = into
            return
    told = f"Sprint {small.id} is very small. Merge it by hand if you want, because {why}."
    shape.left.append(PlanFinding(small.line, told))


# --- execution -------------------------------------------------------------------------------


def _split(draft: EditedText, body: Anatomy, split: Split, ids: tuple[str, ...]) -> None:
    first = body.span[0]
    word = _WORD.search(draft[first])
    heading = with_id(draft[first], ids[0], ids[1], word.end() if word else 0)
    lines = second_half(draft, body, split, ids[0], continued(heading), _called(draft[first]))
    take_out(draft, body, split)
    draft.insert_behind(body.span[1] - 1, lines)


def _called(heading: str) -> str:
    """Return the plan's word for a sprint, as it is written."""
    word = _WORD.search(heading)
    return word[0] if word else "Sprint"


def _count(draft: EditedText, reading: PlanReading, shape: _Shape) -> None:
    """Update the numbers of sprints in the table of units, where they were right."""
    for unit in reading.plan.units:
        more = sum(pair[0] == unit.name for pair in shape.splits)
        more -= sum(pair[0] == unit.name for pair in shape.into)
        cell = cell_at(draft, unit.line, _COUNTS) if more else None
        if cell is None:
            continue
        row = draft[unit.line]
        said = row[cell[0] : cell[1]]
        if said.strip() == str(len(unit.sprints)):
            new = said.replace(said.strip(), str(len(unit.sprints) + more)).ljust(len(said))
            draft[unit.line] = row[: cell[0]] + new + row[cell[1] :]


# --- the whole evaluation ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The plan before and after; `left` is what only a person can fix, with the reason."""

    text: str
    before: tuple[Assessment, ...]
    after: tuple[Assessment, ...]
    splits: int = 0
    merges: int = 0
    proposed: int = 0
    sharpened: int = 0
    checked_before: int = 0
    checked_after: int = 0
    left: tuple[PlanFinding, ...] = ()
    refused: str = ""


def evaluated(text: str, read: Read, around: Surroundings, max_turns: int) -> Evaluated:
    """Improve until nothing changes, so that the result is stable under another run."""
    reading = read(text)
    before = assessed(reading, max_turns)
    result = Evaluated(text, before, before, checked_before=_checked(reading))
    left: dict[str, PlanFinding] = {}
    for _ in range(ROUNDS):
        was = result.text
        shaped = reshaped(result.text, reading, max_turns)
        left.update((finding.message, finding) for finding in shaped.left)
        if _holds(reading, shaped.text, read, shaped.splits - shaped.merges):
            result = _with_shape(result, shaped)
            reading = read(result.text)
        sharp = sharpened(result.text, reading, around, max_turns)
        if _holds(reading, sharp.text, read, 0):
            result = _with_criteria(result, sharp)
            reading = read(result.text)
        if result.text == was:
            break
    after = assessed(reading, max_turns)
    return replace(
        result,
        after=after,
        checked_after=_checked(reading),
        left=tuple(left.values()),
        refused=refusal(reading),
    )


def _holds(old: PlanReading, text: str, read: Read, more: int) -> bool:
    """Return whether the plan is still the same to a reader: no sprint, task or check was lost."""
    try:
        new = read(text)
    except PlanError:
        return False
    units = [[unit.name for unit in reading.plan.units] for reading in (old, new)]
    counts = [len(_sprints(reading)) for reading in (old, new)]
    tasks = [sum(len(s.tasks) for s in _sprints(reading)) for reading in (old, new)]
    return units[0] == units[1] and counts[0] + more == counts[1] and tasks[0] == tasks[1]


def _sprints(reading: PlanReading) -> list[SprintPlan]:
    return [sprint for unit in reading.plan.units for sprint in unit.sprints]


def _with_shape(result: Evaluated, shaped: Reshaped) -> Evaluated:
    return replace(
        result,
        text=shaped.text,
        splits=result.splits + shaped.splits,
        merges=result.merges + shaped.merges,
    )


def _with_criteria(result: Evaluated, sharp: Sharpened) -> Evaluated:
    return replace(
        result,
        text=sharp.text,
        proposed=result.proposed + sharp.proposed,
        sharpened=result.sharpened + sharp.sharpened,
    )


def _checked(reading: PlanReading) -> int:
    return sum(bool(sprint.checks) for sprint in _sprints(reading))
