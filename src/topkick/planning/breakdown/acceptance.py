"""Decide whether an agent's version of a draft may replace it (BD-05)."""

import re
from collections.abc import Iterator

from topkick.engine.errors import PlanError
from topkick.plan_format.document import PlanReading, read
from topkick.planning.breakdown.model import BreakdownDraft
from topkick.planning.breakdown.normal_form import citation
from topkick.planning.refinement.fitness import assessed

MAX_TURNS = 50
MOST_REASONS = 12
_OPENS = re.compile(r"^(?P<mark>`{3,}|~{3,})(?:markdown|md)?\s*$")


def plan_in(answer: str) -> str:
    """Return the last fenced block of an answer that contains a plan; else all of it."""
    lines = answer.replace("\r\n", "\n").split("\n")
    title = max((n for n, line in enumerate(lines) if line.startswith("# ")), default=None)
    if title is None:
        return ""
    opened = next((n for n in range(title - 1, -1, -1) if _OPENS.match(lines[n])), None)
    if opened is None or any(line.strip() for line in lines[opened + 1 : title]):
        return "\n".join(lines[title:]).strip() + "\n"
    mark = lines[opened].rstrip()[:3]
    closed = (n for n in range(len(lines) - 1, title, -1) if lines[n].startswith(mark))
    return "\n".join(lines[title : next(closed, len(lines))]).strip() + "\n"


def objections(text: str, draft: BreakdownDraft) -> tuple[str, ...]:
    """Return why the text cannot replace the draft; empty if it can."""
    try:
        reading = read(text, default_name=draft.name)
    except PlanError as error:
        return (str(error),)
    return tuple(_objections(text, reading, draft))[:MOST_REASONS]


def _objections(text: str, reading: PlanReading, draft: BreakdownDraft) -> Iterator[str]:
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            if not sprint.checks:
                yield f"Sprint {sprint.id} of '{unit.name}' has no check that a machine can run."
    source = citation(draft.document)
    for task in _lost(text, draft):
        yield f"Nothing cites {source}:{task}, and nothing says why it is left out."
    for one in assessed(reading, MAX_TURNS):
        for issue in one.issues:
            yield f"Sprint {one.id} of '{one.unit}', {issue.check}: {issue.problem}"


def _lost(text: str, draft: BreakdownDraft) -> Iterator[str]:
    """Yield places that the draft cites and the text does not cite any more."""
    stem = re.escape(citation(draft.document))
    cited = {int(found[1]) for found in re.finditer(rf"{stem}(?:\.\w{{1,8}})?:(\d{{1,7}})", text)}
    places = {task.lines for unit in draft.units for s in unit.sprints for task in s.tasks[:-1]}
    for lines in sorted(places):
        if not any(lines.first <= line <= lines.last for line in cited):
            yield str(lines)
