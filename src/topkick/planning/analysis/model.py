"""The results of an analysis (AN-01): the three passes, and their issues."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from topkick.plan_format.order.waits import Pair
from topkick.planning.breakdown.model import Requirement
from topkick.planning.refinement.fitness import Assessment
from topkick.planning.refinement.graph import LayerMove
from topkick.planning.refinement.priorities import Ranked


@dataclass(frozen=True, slots=True)
class Given:
    """Facts from outside the plan.

    `existing` are the project's files, relative to the plan's directory; `document` is the name of
    the requirements document, if there is one.
    """

    max_turns: int = 50
    existing: frozenset[str] = frozenset()
    requirements: tuple[Requirement, ...] = ()
    document: str = ""


# --- pass 1: completeness --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the plan, and its heading; `listed` if it is a list item."""

    text: str
    line: int
    under: str
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """The beginning or the end of a plan; it is clear if `unclear` is empty.

    `mentioned` are sentences that mention it in passing, `doubts` are weaknesses but not gaps.
    """

    documented: tuple[Statement, ...]
    mentioned: tuple[Statement, ...] = ()
    doubts: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()

    @property
    def clear(self) -> bool:
        return not self.unclear


@dataclass(frozen=True, slots=True)
class Coverage:
    """A requirement or a goal of the plan, and the sprints that mention it."""

    text: str
    line: int
    mentioned_by: tuple[Pair, ...]
    explicit: bool = True


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """Paths that a sprint produces and no later sprint names."""

    sprint: Pair
    line: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bridge:
    """A path that a sprint needs and no earlier sprint produces.

    `produced_by` is a sprint that produces it but may not come first.
    """

    sprint: Pair
    line: int
    path: str
    said: str
    produced_by: Pair | None = None


class QuestionType(StrEnum):
    DECISION = "Technical decision"
    REQUIREMENT = "Requirement clarification"
    EXTERNAL = "External dependency"


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """An open question; `sprint` is where it is asked, `blocks` are all sprints that need the
    answer.

    It is `blocking` if an agent cannot begin without the answer.
    """

    text: str
    line: int
    type: QuestionType
    sprint: Pair | None
    blocks: tuple[Pair, ...]
    blocking: bool
    advice: str


@dataclass(frozen=True, slots=True)
class Completeness:
    start: Point
    end: Point
    document: str
    coverage: tuple[Coverage, ...]
    dead_ends: tuple[DeadEnd, ...]
    bridges: tuple[Bridge, ...]
    questions: tuple[PlanQuestion, ...]

    @property
    def complete(self) -> bool:
        gaps = [c for c in self.coverage if c.explicit and not c.mentioned_by]
        return not gaps and not any(b.produced_by is None for b in self.bridges)


# --- pass 3: order and parallelism -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ParallelGroup:
    """Sprints or units that may run at the same time; `where` they are."""

    where: str
    members: tuple[str, ...]
    of_units: bool = False


@dataclass(frozen=True, slots=True)
class PlanBottleneck:
    sprint: Pair
    blocks: tuple[Pair, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Pace:
    """The maximum number of agents and the rounds, if every sprint takes one round."""

    agents: int
    rounds: int


@dataclass(frozen=True, slots=True)
class PlanShape:
    """The dependency graph; `current` runs each unit in its order, `maximum` only as needed."""

    critical: tuple[Pair, ...]
    clusters: tuple[ParallelGroup, ...]
    bottlenecks: tuple[PlanBottleneck, ...]
    current: Pace
    maximum: Pace
    missed: tuple[ParallelGroup, ...]
    layers: tuple[LayerMove, ...]
    drawing: str


@dataclass(frozen=True, slots=True)
class Position:
    """A sprint's place now and in the best order, counted over the whole plan."""

    ranked: Ranked
    now: int
    best: int

    @property
    def sprint(self) -> Pair:
        return self.ranked.unit, self.ranked.was


class OrderRule(StrEnum):
    FOUNDATION = "Foundation-first"
    RISK = "Risk-early"
    BOTTLENECK = "Bottleneck-early"


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """A check of the order; `late` are sprints that could come earlier, `looked_at` is how many
    were checked.
    """

    rule: OrderRule
    looked_at: int
    late: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class PlanOrder:
    """The order; in each pair of `overtakes` the second would come before the first."""

    positions: tuple[Position, ...]
    checks: tuple[OrderCheck, ...]
    overtakes: tuple[tuple[Position, Position], ...]
    refused: str = ""


# --- the whole analysis ----------------------------------------------------------------------


class PlanSeverity(StrEnum):
    CRITICAL = "Critical"
    RECOMMENDED = "Recommended"
    OPTIONAL = "Optional"


class Pass(StrEnum):
    COMPLETENESS = "Completeness"
    QUALITY = "Atomicity & Testability"
    ORDER = "Priority & Parallelism"


@dataclass(frozen=True, slots=True)
class PlanIssue:
    """One issue; `where` names the sprint, `line` is its place in the plan."""

    pass_: Pass
    severity: PlanSeverity
    type: str
    title: str
    where: str
    line: int
    problem: str
    impact: str
    advice: str


@dataclass(frozen=True, slots=True)
class Analysis:
    title: str
    max_turns: int
    labels: Mapping[Pair, str]
    completeness: Completeness
    assessments: tuple[Assessment, ...]
    shape: PlanShape
    order: PlanOrder
    issues: tuple[PlanIssue, ...]

    def of(self, pass_: Pass, severity: PlanSeverity | None = None) -> tuple[PlanIssue, ...]:
        return tuple(
            one for one in self.issues if one.pass_ is pass_ and severity in (None, one.severity)
        )

    def with_severity(self, severity: PlanSeverity) -> tuple[PlanIssue, ...]:
        return tuple(one for one in self.issues if one.severity is severity)

    @property
    def blocking(self) -> tuple[PlanQuestion, ...]:
        return tuple(q for q in self.completeness.questions if q.blocking)
