"""Whether a sprint fits an agent and can be checked: atomicity, testability, size (EV-01)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from topkick.core.model import Criterion, Plan, SprintPlan, SprintType
from topkick.core.sprint_names import CODE, PATH, Names, names_in, said_by
from topkick.core.sprint_traits import Criteria, Size, criteria_of, size_of, vague_words
from topkick.plans.document import Reading
from topkick.plans.sprints import SprintReading

OVERSIZED_FROM = 0.80  # of the turns an agent has
UNDERSIZED_BELOW = 0.15


class Check(StrEnum):
    """What is looked at; the first four are atomicity, then testability, then size."""

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
    """`line` is where to look, `advice` what would mend it."""

    check: Check
    line: int
    problem: str
    advice: str


@dataclass(frozen=True, slots=True)
class Assessment:
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
        assess(reading.plan, unit.name, sprint, reading.sprints[unit.name, sprint.id], max_turns)
        for unit in reading.plan.units
        for sprint in unit.sprints
    )
