"""Split a sprint in two: distribute its tasks and criteria, and write the second half."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from topkick.plan_format.model import Criterion, CriterionKind, SprintPlan
from topkick.plan_format.units.headings import Label
from topkick.planning.refinement.artifacts import NamedTask, TaskCluster, tasks_of
from topkick.planning.refinement.source import Anatomy, EditedText, LabelledPart, item_lead
from topkick.sprint.dispatch.names import names_in

_CONTINUED = re.compile(r", continued(?: \((?P<count>\d+)\))?$")
_NUMBER = re.compile(r"^(?P<before> {0,3})\d{1,9}(?P<mark>[.)])")


@dataclass(frozen=True, slots=True)
class Split:
    """A split; `at` is the first task of the second half, criteria are given by index."""

    at: int
    first: tuple[int, ...]
    second: tuple[int, ...]


def cannot_split(sprint: SprintPlan, body: Anatomy) -> str:
    """Return why no program should split it, or an empty text."""
    tasks = body.part(Label.TASKS)
    if tasks is None or body.count(Label.TASKS) != 1 or len(tasks.items) != len(sprint.tasks):
        return "its tasks are not one list"
    if len(tasks.items) < 2:
        return "it has one task only"
    leaving = body.part(Label.EXIT)
    if leaving and (body.count(Label.EXIT) > 1 or not leaving.plain or not leaving.items):
        return "its exit criteria are not one list"
    if leaving and len(leaving.items) != len([c for c in sprint.exit if c.line >= leaving.first]):
        return "its exit criteria are not one list"
    return ""


def halved(sprint: SprintPlan, body: Anatomy) -> Split:
    """Split at the change of place in the tree nearest to the middle; else in the middle."""
    tasks = tasks_of(sprint)
    middle = len(tasks) // 2
    near = [n for n in (middle, middle + 1, middle - 1) if 0 < n < len(tasks)]
    at = next((n for n in near if _changes(tasks[n - 1], tasks[n])), middle)
    return _split(sprint, body, tasks, at)


def by_concern(sprint: SprintPlan, body: Anatomy, concerns: Sequence[TaskCluster]) -> Split | None:
    """Split by concern, if the tasks of the first concern come before all others."""
    first = concerns[0].tasks
    if first != tuple(range(len(first))):
        return None
    return _split(sprint, body, tasks_of(sprint), len(first))


def _changes(one: NamedTask, other: NamedTask) -> bool:
    places = [{path.rpartition("/")[0] for path in task.names.files} for task in (one, other)]
    return bool(places[0] and places[1] and not places[0] & places[1])


def _split(sprint: SprintPlan, body: Anatomy, tasks: Sequence[NamedTask], at: int) -> Split:
    leaving = body.part(Label.EXIT)
    criteria = [c for c in sprint.exit if leaving and c.line >= leaving.first]
    halves = (
        {n for t in tasks[:at] for n in t.names.all},
        {n for t in tasks[at:] for n in t.names.all},
    )
    first: list[int] = []
    second: list[int] = []
    for n, criterion in enumerate(criteria):
        early, late = (_shares(criterion, names) for names in halves)
        everywhere = criterion.kind is CriterionKind.COMMAND and not (early or late)
        if everywhere or (early and not late):
            first.append(n)
        if everywhere or not (early and not late):
            second.append(n)
    return Split(at, tuple(first), tuple(second))


def _shares(criterion: Criterion, names: set[str]) -> bool:
    said = names_in(f"{criterion.text} {criterion.command or ''}")
    short = {name.rpartition("/")[2] for name in said.all}
    return any(name in said.all or name.rpartition("/")[2] in short for name in names)


def second_half(
    draft: EditedText, body: Anatomy, split: Split, before: str, heading: str, called: str
) -> list[str]:
    """Return the lines of the second half; they are not yet removed from the first."""
    tasks, leaving = body.part(Label.TASKS), body.part(Label.EXIT)
    assert tasks is not None
    lines = ["", heading, "", "**Entry criteria**:", f"- [ ] {called} {before} complete", ""]
    lines += [draft[tasks.first], *_between(draft, tasks)]
    lines += renumbered_items(_items(draft, tasks, range(split.at, len(tasks.items))))
    if leaving and split.second:
        lines += ["", draft[leaving.first], *_between(draft, leaving)]
        lines += _items(draft, leaving, split.second)
    return lines


def take_out(draft: EditedText, body: Anatomy, split: Split) -> None:
    """Remove the second half's lines from the first, and the outdated estimate."""
    forget_estimate(draft, body)
    tasks, leaving = body.part(Label.TASKS), body.part(Label.EXIT)
    assert tasks is not None
    for n in range(split.at, len(tasks.items)):
        draft.remove(range(*tasks.items[n]))
    if leaving:
        gone = [n for n in range(len(leaving.items)) if n not in split.first]
        if len(gone) == len(leaving.items):
            draft.remove(range(leaving.first, leaving.behind))
        else:
            for n in gone:
                draft.remove(range(*leaving.items[n]))


def forget_estimate(draft: EditedText, body: Anatomy) -> None:
    for part in body.parts:
        if part.label is Label.TURNS:
            draft.remove([part.first])


def continued(heading: str) -> str:
    """Return `Name, continued` for `Name`, then `Name, continued (2)`."""
    text = heading.rstrip()
    found = _CONTINUED.search(text)
    if found is None:
        return f"{text}, continued"
    return f"{text[: found.start()]}, continued ({int(found['count'] or 1) + 1})"


def _between(draft: EditedText, part: LabelledPart) -> list[str]:
    """Return the blank lines between a label and its list."""
    return [draft[line] for line in range(part.first + 1, part.items[0][0])]


def _items(draft: EditedText, part: LabelledPart, which: Sequence[int] | range) -> list[str]:
    lines = [draft[line] for n in which for line in range(*part.items[n])]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def renumbered_items(lines: Sequence[str], start: int = 1) -> list[str]:
    """Number a numbered list from `start`; others stay."""
    found: list[str] = []
    for line in lines:
        number = _NUMBER.match(line) if item_lead(line)[0] in line else None
        if number is None:
            found.append(line)
            continue
        found.append(f"{number['before']}{start}{number['mark']}{line[number.end() :]}")
        start += 1
    return found
