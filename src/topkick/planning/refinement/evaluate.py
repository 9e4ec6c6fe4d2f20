"""Improve a plan so that its sprints fit an agent and can be checked: split, merge, sharpen
(EV-02).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from topkick.engine.errors import PlanError
from topkick.plan_format.document import PlanReading
from topkick.plan_format.findings import PlanFinding
from topkick.plan_format.model import SprintPlan
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.fitness import Assessment, assessed
from topkick.planning.refinement.reshape import Reshaped, reshaped
from topkick.planning.refinement.sharpen import Sharpened, sharpened
from topkick.planning.refinement.source import refusal

ROUNDS = 12
Read = Callable[[str], PlanReading]


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
