"""Assess whether a sprint fits an agent and can be checked: atomicity, testability, size
(EV-01).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from topkick.core.plan import SprintPlan, SprintType
from topkick.core.sprint_names import names_in
from topkick.core.sprint_traits import Size, is_vague, size_of, stated_turns
from topkick.plans.document import Reading
from topkick.plans.findings import shortened
from topkick.plans.references import names_sprint
from topkick.plans.refining.artifacts import Task, clusters, tasks_of, uncovered
from topkick.plans.sprints import SprintReading

OVERSIZED_FROM = 0.80  # share of the turns that an agent has
UNDERSIZED_BELOW = 0.15


class Check(StrEnum):
    """A property that is assessed; the first four are atomicity, then testability, then size."""

    CONCERN = "single concern"
    ARTIFACT = "clear artifact"
    SCOPE = "bounded scope"
    INPUTS = "explicit inputs and outputs"
    VERIFIABLE = "machine-verifiable"
    MEASURABLE = "no vague language"
    COVERAGE = "coverage of the tasks"
    SIZE = "fits the context"


ATOMICITY = (Check.CONCERN, Check.ARTIFACT, Check.SCOPE, Check.INPUTS)
TESTABILITY = (Check.VERIFIABLE, Check.MEASURABLE, Check.COVERAGE)


class Fitness(StrEnum):
    OVERSIZED = "Oversized"
    RIGHT = "Right-sized"
    UNDERSIZED = "Undersized"


@dataclass(frozen=True, slots=True)
class Issue:
    """A problem; `line` is where to look, `advice` how to fix it."""

    check: Check
    line: int
    problem: str
    advice: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """An assessment; `turns` is the sprint's own estimate, else that of its `size`."""

    unit: str
    id: str
    name: str
    line: int
    size: Size
    turns: int
    fitness: Fitness
    issues: tuple[Issue, ...]

    def passes(self, check: Check) -> bool:
        return all(issue.check is not check for issue in self.issues)


def assessed(reading: Reading, max_turns: int) -> tuple[Assessment, ...]:
    return tuple(
        assess(reading, unit.name, sprint, max_turns)
        for unit in reading.plan.units
        for sprint in unit.sprints
    )


def assess(reading: Reading, unit: str, sprint: SprintPlan, max_turns: int) -> Assessment:
    size = size_of(reading.plan, sprint)
    turns = stated_turns(sprint) or size.turns
    by_people = sprint.effective_type is SprintType.MANUAL  # people's turns are not counted
    fitness = Fitness.RIGHT if by_people else fitness_of(turns, max_turns)
    said = reading.sprints[unit, sprint.id]
    issues = (
        *_atomicity(sprint, said, fitness, turns),
        *_testability(sprint),
        *_size(fitness, turns),
    )
    placed = tuple(replace(issue, line=issue.line or sprint.line) for issue in issues)
    return Assessment(unit, sprint.id, sprint.name, sprint.line, size, turns, fitness, placed)


def fitness_of(turns: int, max_turns: int) -> Fitness:
    if turns > max_turns * OVERSIZED_FROM:
        return Fitness.OVERSIZED
    return Fitness.UNDERSIZED if turns < max_turns * UNDERSIZED_BELOW else Fitness.RIGHT


# --- atomicity -------------------------------------------------------------------------------

_EARLIER = re.compile(
    r"\b(?:previous|prior|earlier|preceding|existing) (?:work|steps?|stages?|changes|tasks?)\b",
    re.IGNORECASE,
)
_NOTHING_NAMED = re.compile(
    r"\b(?:make (?:it|things|everything) work|update (?:things|stuff|everything)"
    r"|misc(?:ellaneous)?|various (?:fixes|improvements|updates)|clean(?:ing)? ?up|and so on"
    r"|etc)\b",
    re.IGNORECASE,
)


def _atomicity(
    sprint: SprintPlan, said: SprintReading, fitness: Fitness, turns: int
) -> Iterator[Issue]:
    tasks = tasks_of(sprint)
    concerns = clusters(tasks)
    if len(concerns) > 1:
        named = " and ".join(sorted(concern.name for concern in concerns)[:4])
        told = f"Its tasks are about {named}, which have nothing in common."
        yield Issue(Check.CONCERN, 0, told, "Split it by concern.")
    if problem := _no_artifact(sprint, tasks):
        yield Issue(Check.ARTIFACT, 0, problem, "Name the files or functions that it makes.")
    if fitness is Fitness.OVERSIZED:
        told = f"It takes about {turns} turns."
        yield Issue(Check.SCOPE, 0, told, "Split it.")
    yield from _inputs(sprint, said)


def _no_artifact(sprint: SprintPlan, tasks: tuple[Task, ...]) -> str:
    if sprint.effective_type is SprintType.MANUAL or sprint.checks:
        return ""
    if any(task.names.all for task in tasks) or names_in(sprint.text).all:
        return ""
    vague = next((t.text for t in tasks if _NOTHING_NAMED.search(t.text)), "")
    return (
        f'"{shortened(vague, 60)}" names nothing.' if vague else "It names no file and no function."
    )


def _inputs(sprint: SprintPlan, said: SprintReading) -> Iterator[Issue]:
    for remark in said.depends:
        vague = _EARLIER.search(remark.text)
        if vague and not names_sprint(remark.text) and not names_in(remark.text).all:
            told = f'"{vague[0]}" does not say which.'
            yield Issue(Check.INPUTS, remark.line, told, "Name the sprint or the file.")
            return
    if not sprint.exit and sprint.effective_type is not SprintType.MANUAL:
        yield Issue(Check.INPUTS, 0, "It has no exit criteria.", "Say what must hold at its end.")


# --- testability -----------------------------------------------------------------------------


def _testability(sprint: SprintPlan) -> Iterator[Issue]:
    if sprint.effective_type is SprintType.MANUAL:
        return
    if not sprint.checks:
        told = "No exit criterion of it can be checked by a machine."
        yield Issue(Check.VERIFIABLE, 0, told, "Add a command, or a file that must exist.")
    for criterion in sprint.exit:
        if criterion.command is None and is_vague(criterion.text):
            told = f'"{shortened(criterion.text)}" measures nothing.'
            advice = "Say which command shows it."
            yield Issue(Check.MEASURABLE, criterion.line, told, advice)
    missed = uncovered(sprint)
    if missed and sprint.exit:
        told = f"No exit criterion speaks of: {shortened(missed[0].text)}"
        more = f" (and {len(missed) - 1} more)" if len(missed) > 1 else ""
        yield Issue(Check.COVERAGE, 0, told + more, "Add a criterion for each.")


def _size(fitness: Fitness, turns: int) -> Iterator[Issue]:
    if fitness is Fitness.OVERSIZED:
        yield Issue(Check.SIZE, 0, f"It takes about {turns} turns.", "Split it in two.")
    if fitness is Fitness.UNDERSIZED:
        told = f"It takes about {turns} turns."
        yield Issue(Check.SIZE, 0, told, "Merge it with the next one.")
