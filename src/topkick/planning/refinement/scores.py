"""The priority of a sprint: dependents, foundation, risk and size (PR-01)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import Plan, SprintPlan
from topkick.planning.refinement.graph import SprintGraph
from topkick.sprint.dispatch.traits import Risk, Traits, traits_of

Steps = tuple[tuple[int, int], ...]  # (from this many on, points)

DEPENDENT_WEIGHT = 3
FOUNDATION_WEIGHT = 2
COMPLEXITY_WEIGHT = 0.5
TASK_POINTS: Steps = ((0, 1), (4, 2), (6, 3), (8, 4))
FILE_POINTS: Steps = ((0, 1), (3, 2), (6, 3), (11, 4))
RISK_POINTS = {
    Risk.NONE: 1,
    Risk.SIMPLE: 1,
    Risk.FILES_OR_SYSTEM: 2,
    Risk.ALGORITHM: 2,
    Risk.NEW_TECHNOLOGY: 3,
    Risk.EXTERNAL: 3,
}
LARGE = 2  # the middle of the scale of complexity
_RISK_WORDS = {1: "low risk", 2: "some risk", 3: "high risk"}
# a score must not depend on what an earlier scoring wrote
PRIORITY_LINE = re.compile(
    r"^(?P<lead>(?:[-*]\s+)?\*\*priority(?: score)?(?::\*\*|\*\*\s*:))\s*(?P<score>\d)?.*$",
    re.IGNORECASE | re.MULTILINE,
)
_INTEGRATION = re.compile(
    r"\b(?:integration|end[- ]to[- ]end|e2e|playwright|cypress|smoke)\b", re.IGNORECASE
)
_TESTS = re.compile(
    r"\b(?:pytest|unittest|jest|vitest|mocha|ava|rspec|phpunit|ctest|tox|nox|nextest|playwright"
    r"|cypress|(?:npm|pnpm|yarn|bun|deno|cargo|go|swift|make|just|task|mvn|mvnw|gradle|gradlew"
    r"|dotnet|mix|flutter|dart|sbt|bazel|zig build|xcodebuild|rake|rails)\b[^|;&\n]{0,80}?"
    r"\btest(?:s|:\w+)?|run_tests|test\.sh|tests\.sh)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PriorityScore:
    """A score; `dependents` counts sprints, the parts of the complexity go from 1 to 4."""

    dependents: int
    foundation: int
    risk: int
    tasks: int
    files: int
    verification: int

    @property
    def complexity(self) -> float:
        return (self.tasks + self.files + self.verification) / 3

    @property
    def total(self) -> float:
        return (
            DEPENDENT_WEIGHT * self.dependents
            + FOUNDATION_WEIGHT * self.foundation
            + self.risk
            + COMPLEXITY_WEIGHT * self.complexity
        )

    @property
    def shown(self) -> str:
        return f"{self.total:.1f}"

    def reason(self) -> str:
        """Return the reasons, dominant factor first."""
        return ", ".join(self._reasons())

    def _reasons(self) -> Iterator[str]:
        if self.dependents:
            yield f"holds up {self.dependents} {'others' if self.dependents > 1 else 'other'}"
        else:
            yield "nothing waits for it"
        if self.foundation:
            yield "others build on what it lays"
        if self.risk > 1 or not self.dependents:
            yield _RISK_WORDS[self.risk]
        if self.complexity > LARGE:
            yield "large"


def scores_of(reading: PlanReading, graph: SprintGraph) -> tuple[PriorityScore, ...]:
    """Return a score for each sprint in the order of the graph."""
    by_pair = {(unit.name, s.id): s for unit in reading.plan.units for s in unit.sprints}
    return tuple(
        score_of(reading.plan, by_pair[pair], graph.dependents(n))
        for n, pair in enumerate(graph.order)
    )


def score_of(plan: Plan, sprint: SprintPlan, dependents: int) -> PriorityScore:
    bare = replace(sprint, text=PRIORITY_LINE.sub("", sprint.text))
    return scored(traits_of(plan, bare, dependents), bare)


def scored(traits: Traits, sprint: SprintPlan) -> PriorityScore:
    return PriorityScore(
        dependents=traits.dependents,
        foundation=int(traits.foundation),
        risk=RISK_POINTS[traits.risk],
        tasks=_points(TASK_POINTS, len(sprint.tasks)),
        files=_points(FILE_POINTS, traits.files),
        verification=verification(sprint),
    )


def verification(sprint: SprintPlan) -> int:
    """Return 1 for a checklist only, 2 for a build or other check, 3 for tests, 4 for integration
    tests.
    """
    checks = [c for c in sprint.exit if c.command is not None]
    if not checks:
        return 1
    tests = [c for c in checks if runs_tests(c.command or "")]
    if any(_INTEGRATION.search(f"{c.text}\n{c.command}") for c in tests):
        return 4
    return 3 if tests else 2


def runs_tests(command: str) -> bool:
    return _TESTS.search(command) is not None


def _points(steps: Steps, count: int) -> int:
    return [points for start, points in steps if count >= start][-1]
