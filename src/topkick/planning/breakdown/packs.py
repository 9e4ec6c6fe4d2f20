"""Split requirements into atomic tasks by the split table, and pack goals into sprints of three to
seven tasks, each with its own check (BD-02, BD-03).
"""

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
from topkick.planning.breakdown.imperatives import unmarked
from topkick.planning.breakdown.language import VERBS, is_order
from topkick.planning.breakdown.model import BreakdownTask, DraftSprint, LineRange, Requirement
from topkick.planning.breakdown.normal_form import shortened
from topkick.planning.project_facts import Surroundings
from topkick.sprint.dispatch.names import PATH

MOST_PIECES = 6
_INTEGRATES = re.compile(
    r"^(?P<verb>create|build|implement|add|write|develop)\s(?P<what>.{3,120}?)\sand\s"
    r"(?P<into>integrate|wire|connect|register|hook)(?:\s(?:it|them))?\s(?P<with>(?:with|into|to|up)\s.{3,})$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:,\s+and\s+|\s+and\s+|;\s+(?:and\s+)?|,\s+then\s+)(?=[A-Za-z-]{3,20}\s)")
_PRONOUN = re.compile(
    r"^\w+\s+(?:it|them|its|their|this|that|these|those|both|each)\b", re.IGNORECASE
)
_CONDITION = re.compile(r"\s(?:when|if|while|once|after|before|unless)\s[^;.]{3,240}$")
_HANGING = re.compile(r"\b(?:that|which|to|must|should|can|will|when|if|so)\s[^,;.]{0,80}$")
_WHOLE = re.compile(r"^(?:make|let|give|provide|ensure|implement)\b", re.IGNORECASE)
_SUPPORTS = re.compile(
    r"^(?P<lead>add support for|support|integrate with|provide support for)\s"
    r"(?P<list>[^():;]{5,200})$",
    re.IGNORECASE,
)
_LIST = re.compile(r",\s+(?:and\s+|or\s+)?|\s+and\s+")
_TEST_PATHS = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__)(?:/|$)|[._-](?:test|spec)\.|Tests?\.\w+$|test_"
)
_SETTINGS = re.compile(r"\.(?:toml|ya?ml|json|ini|cfg|env|lock|plist|gradle)$")
_TYPES = re.compile(
    r"(?:types?|models?|schema|interfaces?|protocols?|errors?)\.\w+$", re.IGNORECASE
)
_KINDS = (("tests", _TEST_PATHS), ("configuration", _SETTINGS), ("types", _TYPES))


def split(requirement: Requirement) -> tuple[BreakdownTask, ...]:
    """Return at least one task; each is complete in itself."""
    pieces = _by_places(requirement.text) or [
        piece for half in _integration(requirement.text) for piece in _conjunction(half)
    ]
    pieces = [one for piece in pieces for one in _supports(piece)]
    if len(pieces) > MOST_PIECES:
        pieces = [requirement.text]
    return tuple(BreakdownTask(_capital(piece), requirement.lines) for piece in pieces)


def _integration(text: str) -> Iterator[str]:
    """Split `Create X and integrate it with Y`."""
    found = _INTEGRATES.match(text)
    if found is None or " and " in found["what"]:
        yield text
        return
    yield f"{found['verb']} {found['what']}"
    yield f"{found['into']} {found['what']} {found['with']}"


def _conjunction(text: str) -> Iterator[str]:
    """Split if both sides are orders of their own; `Install and configure X` is one."""
    begin = 0
    if _WHOLE.match(text):
        yield text
        return
    condition = _CONDITION.search(text)
    told = condition[0] if condition else ""
    for found in _JOINED.finditer(text):
        before, behind = text[begin : found.start()], text[found.end() :]
        if _stands_alone(before) and _stands_alone(behind) and _outside(text, found.start()):
            yield before if _CONDITION.search(before) else f"{before}{told}"
            begin = found.end()
    yield text[begin:]


def _stands_alone(text: str) -> bool:
    words = text.split()
    return len(words) >= 3 and is_order(text) and not _PRONOUN.match(text)


def _outside(text: str, at: int) -> bool:
    """Return whether the position is outside brackets, code, quotations and dependent clauses."""
    head = text[:at]
    closed = head.count("(") == head.count(")") and head.count("`") % 2 == 0
    hanging = _HANGING.search(head)
    return closed and head.count('"') % 2 == 0 and not hanging and ": " not in head


def _supports(text: str) -> Iterator[str]:
    """Split `Add support for A, B and C`, unless they are names of one kind of thing."""
    found = _SUPPORTS.match(text)
    items = [item.strip() for item in _LIST.split(found["list"]) if item.strip()] if found else []
    independent = len(items) > 2 and all(2 <= len(item.split()) <= 5 for item in items)
    if found is None or not independent or any(i.split()[0].lower() in VERBS for i in items):
        yield text
        return
    yield from (f"{found['lead']} {item}" for item in items)


def _by_places(text: str) -> list[str]:
    """Split by directory if files are in several directories, or more than three."""
    paths = list(dict.fromkeys(p for p in PATH.findall(text) if "/" in p and ".." not in p))
    if len(paths) < 2:
        return []
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(path.rpartition("/")[0], []).append(path)
    if len(groups) == 1:
        if len(paths) <= 3:
            return []
        groups = _by_kind(paths)
    if not 1 < len(groups) <= MOST_PIECES:
        return []
    return [f"{text} — this task: {_named(group)}" for group in groups.values()]


def _by_kind(paths: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        kind = next((name for name, pattern in _KINDS if pattern.search(path)), "logic")
        groups.setdefault(kind, []).append(path)
    return groups


def _named(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


def _capital(text: str) -> str:
    text = text.strip().rstrip(" .,;")
    return text[:1].upper() + text[1:]


# --- sprints -----------------------------------------------------------------------------------

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
