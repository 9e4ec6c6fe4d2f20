"""Pack goals into sprints of three to seven tasks, each with its own check (BD-02, BD-03)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.planning.breakdown.artifacts import (
    OwnTest,
    checks_of,
    is_check,
    is_writing,
    mentions,
    own_test,
    slug,
)
from topkick.planning.breakdown.groups import Goal
from topkick.planning.breakdown.model import BreakdownTask, DraftSprint, LineRange
from topkick.planning.breakdown.normal_form import shortened
from topkick.planning.breakdown.wording import unmarked
from topkick.planning.project_facts import Surroundings

FEWEST = 3
MOST = 7
MOST_ACCEPTED = 8
_TESTS = re.compile(r"\btests?\b", re.IGNORECASE)
LONGEST_JOINED = 66
MORE = " and more"


class FileNames:
    """Gives each sprint a unique file name."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def fresh(self, name: str) -> str:
        count = self._taken[name] = self._taken.get(name, 0) + 1
        return name if count == 1 else self.fresh(f"{name}_{count}")


def sprints_of(
    goals: Sequence[Goal], around: Surroundings, names: FileNames
) -> tuple[DraftSprint, ...]:
    return tuple(_sprint(goal, around, names) for goal in _packed(goals))


# --- number of tasks -------------------------------------------------------------------------


def _packed(goals: Sequence[Goal]) -> Iterator[Goal]:
    """Join small neighbouring goals and split large ones; each gets a test as one more task."""
    room = MOST - 1
    waiting: Goal | None = None
    for goal in goals:
        if waiting is not None and _fit(waiting, goal):
            waiting = _joined(waiting, goal)
            continue
        if waiting is not None:
            yield from _parts(waiting, room)
        waiting = goal
    if waiting is not None:
        yield from _parts(waiting, room)


def _fit(one: Goal, other: Goal) -> bool:
    """Return whether two goals fit together: only goals that are too small alone are joined."""
    few = len(one.tasks) + 1 < FEWEST or len(other.tasks) + 1 < FEWEST
    together = len(one.tasks) + len(other.tasks) < MOST
    return few and together and len(one.name) + len(other.name) <= 2 * LONGEST_JOINED


def _joined(one: Goal, other: Goal) -> Goal:
    return replace(
        one,
        name=_both(one.name, other.name),
        tasks=(*one.tasks, *other.tasks),
        accepted=(*one.accepted, *other.accepted),
    )


def _both(one: str, other: str) -> str:
    if one == other or one.endswith(MORE):
        return one
    name = f"{one}; {other}"
    return name if len(name) <= LONGEST_JOINED else f"{shortened(one, LONGEST_JOINED)}{MORE}"


def _parts(goal: Goal, room: int) -> Iterator[Goal]:
    """Split evenly; the criteria of the whole go to the last part."""
    count = -(-len(goal.tasks) // room)
    size, more = divmod(len(goal.tasks), count)
    at = 0
    for number in range(count):
        behind = at + size + (number < more)
        last = number == count - 1
        name = goal.name if count == 1 else f"{shortened(goal.name, 60)} ({number + 1} of {count})"
        yield replace(
            goal, name=name, tasks=goal.tasks[at:behind], accepted=goal.accepted if last else ()
        )
        at = behind


# --- one sprint ------------------------------------------------------------------------------


def _sprint(goal: Goal, around: Surroundings, names: FileNames) -> DraftSprint:
    lines = LineRange(
        min(task.lines.first for task in goal.tasks), max(task.lines.last for task in goal.tasks)
    )
    called = slug(goal.name, "") or slug(goal.tasks[0].text, "") or f"goal_line_{lines.first}"
    name = names.fresh(called)
    tasks = goal.tasks
    if is_writing([task.text for task in tasks]):
        page = f"docs/{name.replace('_', '-')}.md"
        tasks = (
            *tasks,
            BreakdownTask(f"List in `{page}` (a proposal) what was written and where", lines),
        )
        checks = [f"File exists: `{page}`", *checks_of(goal.tasks)]
    else:
        proof = own_test(name, around)
        tasks = (*tasks, _test_task(goal, proof, lines))
        checks = [f"`{proof.command}` passes", f"File exists: `{proof.path}`"]
        checks += [*mentions(goal.tasks, proof), *checks_of(goal.tasks)]
    accepted = [shortened(unmarked(text)) for text in goal.accepted[:MOST_ACCEPTED]]
    return DraftSprint(goal.name, tasks, (*dict.fromkeys(checks), *_safe(accepted)), _size(tasks))


def _test_task(goal: Goal, proof: OwnTest, lines: LineRange) -> BreakdownTask:
    count = len(goal.tasks)
    if all(_TESTS.search(task.text) for task in goal.tasks):
        return BreakdownTask(
            f"Have them run by `{proof.path}` (a proposal), and fail if one fails", lines
        )
    what = "each of the tasks above" if count > 1 else "the task above"
    return BreakdownTask(
        f"Write tests that fail without {what} in `{proof.path}` (a proposal)", lines
    )


def _safe(accepted: Sequence[str]) -> Iterator[str]:
    """Yield the document's criteria; a runnable one is a check too."""
    for text in accepted:
        yield text if is_check(text) else text.rstrip(":")


def _size(tasks: Sequence[BreakdownTask]) -> str:
    if len(tasks) >= FEWEST:
        return ""
    count = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    return f"{count}, because the document asks for nothing more that belongs to this goal"
