"""Break a directory of requirements documents down and judge the plans by independent rules.

Scope, origin of tasks and names in criteria are found here once more, by simpler means than the
generator's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from proof.plans.agreement import differences
from topkick.engine.errors import UsageError
from topkick.plan_format import document
from topkick.plan_format.model import SprintPlan
from topkick.planning.breakdown.draft import Breakdown, break_down

FEWEST, MOST = 3, 7
_OUT = re.compile(
    r"out[- ]of[- ]scope|non-?goals|not in scope|future (?:work|considerations|enhancements)"
    r"|won't|明确不做|坚决不做|当前阶段不做|fora do escopo|fuera de alcance",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_SOURCE = re.compile(r"\(([^()]+):(\d+)(?:-(\d+))?\)$")
_NAMED = re.compile(r"[\w.-]+(?:/[\w.-]+)+|\w*Tests?\b|test_\w+")
_EVERYDAY = re.compile(r"\b(?:README|CHANGELOG|LICENSE)\b")


@dataclass(frozen=True, slots=True)
class Judged:
    """The result; `checked` is the share of sprints with a check of their own work."""

    name: str
    requirements: int = 0
    tasks: int = 0
    units: int = 0
    sprints: int = 0
    checked: float = 0.0
    violations: tuple[str, ...] = ()
    refused: str = ""


def judge_all(place: Path) -> list[Judged]:
    return [judge(path) for path in sorted(place.glob("*.md"))]


def judge(path: Path) -> Judged:
    text = path.read_text("utf-8", "replace")
    try:
        found = break_down(text, document="REQUIREMENTS.md", name=path.stem)
    except UsageError as error:
        return Judged(path.name, refused=str(error).split("\n", 1)[0])
    sprints = _sprints(found)
    own = [any(_is_own(sprint, c.text) for c in sprint.exit if c.command) for sprint in sprints]
    return Judged(
        path.name,
        len(found.requirements),
        found.draft.tasks,
        len(found.draft.units),
        len(sprints),
        sum(own) / len(own),
        tuple(_violations(found, sprints, text.replace("\r\n", "\n").split("\n"))),
    )


def _sprints(found: Breakdown) -> list[SprintPlan]:
    plan = document.read(found.text, default_name="x").plan
    return [sprint for unit in plan.units for sprint in unit.sprints]


def _violations(
    found: Breakdown, sprints: Sequence[SprintPlan], lines: Sequence[str]
) -> Iterator[str]:
    yield from differences(found.draft, document.read(found.text, default_name="x"))
    shut = _out_of_scope(lines)
    fenced = _fenced(lines)
    for sprint in sprints:
        called = f"Sprint {sprint.id} ({sprint.name[:40]})"
        if not any(_is_own(sprint, c.text) for c in sprint.exit if c.command):
            yield f"{called}: no check names its own work"
        if not FEWEST <= len(sprint.tasks) <= MOST and "**Size**:" not in sprint.text:
            yield f"{called}: {len(sprint.tasks)} tasks, and no reason"
        for task in sprint.tasks:
            yield from (
                f"{called}: {why}: {task[:80]}" for why in _wrong(task, lines, shut, fenced)
            )


def _wrong(task: str, lines: Sequence[str], shut: set[int], fenced: set[int]) -> Iterator[str]:
    source = _SOURCE.search(task)
    if source is None:
        yield "no source"
        return
    at = int(source[2])
    if not 1 <= at <= len(lines) or not lines[at - 1].strip():
        yield f"line {at} says nothing"
    if at in shut:
        yield "out of scope"
    if at in fenced:
        yield "from a code fence"
    if len(task[: source.start()].split()) < 2 and task.isascii():
        yield "no order"


def _is_own(sprint: SprintPlan, criterion: str) -> bool:
    """Return whether the criterion names a file or test that a task of the sprint names too."""
    tasks = "\n".join(sprint.tasks)
    named = (name for name in _NAMED.findall(criterion) if not _EVERYDAY.search(name))
    return any(name in tasks for name in named)


def _out_of_scope(lines: Sequence[str]) -> set[int]:
    """Return the lines below a heading that says so, until one of its level or above."""
    found: set[int] = set()
    level, fence = 0, False
    for number, line in enumerate(lines, start=1):
        fence = fence != line.lstrip().startswith("```")
        heading = _HEADING.match(line) if not fence else None
        if heading:
            deep = len(heading[1])
            level = level if level and deep > level else deep if _OUT.search(heading[2]) else 0
        if level:
            found.add(number)
    return found


def _fenced(lines: Sequence[str]) -> set[int]:
    found: set[int] = set()
    fence = False
    for number, line in enumerate(lines, start=1):
        mark = line.lstrip().startswith("```")
        if fence or mark:
            found.add(number)
        fence = fence != mark
    return found
