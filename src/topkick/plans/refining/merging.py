"""Merge a small sprint into the one after it: its tasks first, and its criteria."""

import re

from topkick.core.plan import SprintPlan, SprintType
from topkick.plans.labels import Label
from topkick.plans.references import names_sprint
from topkick.plans.refining.anatomy import Anatomy, Part
from topkick.plans.refining.scores import PRIORITY_LINE
from topkick.plans.refining.source import Draft
from topkick.plans.refining.splitting import forget_estimate, renumbered_items

_MOVED = (Label.ENTRY, Label.TASKS, Label.EXIT)
_LEFT = (Label.PRIORITY, Label.TURNS)


def cannot_merge(
    draft: Draft, small: SprintPlan, body: Anatomy, other: SprintPlan, into: Anatomy
) -> str:
    """Return why no program should merge them, or an empty text."""
    if {small.effective_type, other.effective_type} != {SprintType.CODE}:
        return "only sprints of code are merged"
    if any(part.label not in (*_MOVED, *_LEFT) for part in body.parts) or _has_prose(draft, body):
        return "it says more than tasks and criteria"
    for side, plan in ((body, small), (into, other)):
        if any(not _is_one_list(side, label) for label in _MOVED):
            return "tasks and criteria are not one list each"
        tasks = side.part(Label.TASKS)
        if tasks is None or len(tasks.items) != len(plan.tasks) or side.part(Label.EXIT) is None:
            return "tasks and criteria are not one list each"
    return ""


def _has_prose(draft: Draft, body: Anatomy) -> bool:
    lines = (draft[line] for line in range(body.span[0] + 1, body.head_behind))
    return any(line.strip() and not PRIORITY_LINE.match(line) for line in lines)


def _is_one_list(body: Anatomy, label: Label) -> bool:
    part = body.part(label)
    return part is None or (body.count(label) == 1 and part.plain and bool(part.items))


def merge(draft: Draft, body: Anatomy, into: Anatomy, id_: str) -> None:
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


def _drop_references(draft: Draft, part: Part, id_: str) -> None:
    """Remove references to the merged sprint, which is now the sprint itself."""
    itself = re.compile(rf"(?<![\w.-]){re.escape(id_)}(?![\w.-])")
    for item in part.items:
        if names_sprint(draft[item[0]]) and itself.search(draft[item[0]]):
            draft.remove(range(*item))


def _count_on(draft: Draft, part: Part, before: int) -> None:
    for n, (line, _) in enumerate(part.items, start=before + 1):
        draft[line] = renumbered_items([draft[line]], n)[0]


def _lines(draft: Draft, part: Part) -> list[str]:
    lines = [draft[line] for item in part.items for line in range(*item)]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
