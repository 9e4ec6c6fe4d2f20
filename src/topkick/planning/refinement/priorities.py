"""Reorder a plan by the priority of its sprints (PR-01, PR-02).

A priority is computed from dependents, foundation, risk and size. Reordering moves blocks and
rewrites numbers, and changes nothing else.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import Plan, PlanFinding, SprintPlan, UnitPlan
from topkick.plan_format.order.waits import Pair
from topkick.planning.refinement.graph import (
    LayerMove,
    SprintGraph,
    apply_layers,
    better_layers,
    graph_of,
)
from topkick.planning.refinement.source import EditedText, Span, core_of, refusal
from topkick.planning.refinement.sprint_ids import Renumbering
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
            yield "is a foundation for others"
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


# --- the best order of a unit's sprints --------------------------------------------------------
# Highest priority first, as far as dependencies allow.


def best_order(graph: SprintGraph, scores: Sequence[PriorityScore], unit: str) -> tuple[int, ...]:
    """Return the order; chains move as a whole, by the score of their first, ties keep their order.

    A first chain that keeps its place stays the first.

    All edges inside a unit lead from an earlier sprint to a later one, so none is ever broken.
    """
    chains = graph.chains[unit]
    home = {n: at for at, chain in enumerate(chains) for n in chain}
    later: dict[int, set[int]] = {at: set() for at in range(len(chains))}
    waiting = [0] * len(chains)
    for n, at in home.items():
        for before in graph.needs[n]:
            other = home.get(before, at)
            if other != at and at not in later[other]:
                later[other].add(at)
                waiting[at] += 1
    ready = [(_rank(graph, scores, chains, at), at) for at, left in enumerate(waiting) if not left]
    heapify(ready)
    order: list[int] = []
    while ready:
        _, at = heappop(ready)
        order.extend(chains[at])
        for other in later[at]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heappush(ready, (_rank(graph, scores, chains, other), other))
    return tuple(order)


def _rank(
    graph: SprintGraph, scores: Sequence[PriorityScore], chains: Sequence[tuple[int, ...]], at: int
) -> float:
    first = chains[at][0]
    return -math.inf if first in graph.kept_first else -scores[first].total


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sprint in its new place; `was` is its former id."""

    unit: str
    id: str
    was: str
    name: str
    score: PriorityScore
    line: int

    @property
    def moved(self) -> bool:
        return self.id != self.was


@dataclass(frozen=True, slots=True)
class Prioritized:
    """The result; `refused` says why nothing can be written, although the scores are valid."""

    text: str
    ranked: tuple[Ranked, ...]
    layers: tuple[LayerMove, ...] = ()
    findings: tuple[PlanFinding, ...] = ()
    refused: str = ""


def prioritized(text: str, reading: PlanReading) -> Prioritized:
    graph = graph_of(reading)
    scores = scores_of(reading, graph)
    new = _new_ids(reading, graph, scores)
    ranked = tuple(_ranked(reading, graph, scores, new))
    if refused := refusal(reading):
        return Prioritized(text, ranked, better_layers(reading), refused=refused)
    draft = EditedText.of(text)
    count = len(draft.lines)
    renumbering = Renumbering(reading, new)
    spans = {pair: (said.first, said.behind) for pair, said in reading.sprints.items()}
    renumbering.apply(draft, count)
    for row in ranked:
        _annotate(draft, spans[row.unit, row.was], f"{row.score.shown} — {row.score.reason()}")
    layers = apply_layers(draft, better_layers(reading))
    moves = tuple(_moves(draft, spans, new, graph))
    return Prioritized(draft.text(moves), ranked, layers, tuple(renumbering.findings))


def _new_ids(
    reading: PlanReading, graph: SprintGraph, scores: Sequence[PriorityScore]
) -> Mapping[Pair, str]:
    """Return new ids: the k-th sprint of a unit gets its k-th id, so `1, 2a, 2b` stays."""
    new: dict[Pair, str] = {}
    for unit in reading.plan.units:
        order = best_order(graph, scores, unit.name)
        for n, sprint in zip(order, _as_they_stand(unit), strict=True):
            new[graph.order[n]] = sprint.id
    return new


def _as_they_stand(unit: UnitPlan) -> list[SprintPlan]:
    return sorted(unit.sprints, key=lambda sprint: sprint.line)


def _ranked(
    reading: PlanReading,
    graph: SprintGraph,
    scores: Sequence[PriorityScore],
    new: Mapping[Pair, str],
) -> Iterator[Ranked]:
    at = {pair: n for n, pair in enumerate(graph.order)}
    old = {(pair[0], id_): pair for pair, id_ in new.items()}
    for unit in reading.plan.units:
        by_id = {sprint.id: sprint for sprint in unit.sprints}
        for sprint in _as_they_stand(unit):
            pair = old[unit.name, sprint.id]
            moved = by_id[pair[1]]
            score = scores[at[pair]]
            yield Ranked(unit.name, sprint.id, pair[1], moved.name, score, moved.line)


def _moves(
    draft: EditedText, spans: Mapping[Pair, Span], new: Mapping[Pair, str], graph: SprintGraph
) -> Iterator[tuple[Span, Span]]:
    """Yield which block moves where: the places of a unit's blocks, filled in the new order."""
    places: dict[str, list[tuple[Span, str]]] = {}
    for unit, id_ in graph.order:
        places.setdefault(unit, []).append((spans[unit, id_], id_))
    slots = {(unit, id_): span for unit, found in places.items() for span, id_ in sorted(found)}
    for pair in graph.order:
        there = slots[pair[0], new[pair]]
        if there != spans[pair]:
            yield core_of(draft, spans[pair]), core_of(draft, there)


def _annotate(draft: EditedText, span: Span, said: str) -> None:
    """Write the score on a line below the heading, or update it.

    A priority in a person's own words (`P0`, `high`) stays, and the score gets another label.
    """
    label = "**Priority**"
    for line in range(span[0] + 1, span[1]):
        if found := PRIORITY_LINE.match(draft[line]):
            if found["score"]:
                draft[line] = f"{found['lead']} {said}"
                return
            label = "**Priority score**"
    above = _heading_end(draft, span[0])
    below = draft[above + 1] if above < len(draft.lines) else ""
    draft.insert_behind(above, ("", f"{label}: {said}", *([""] if below.strip() else [])))


def _heading_end(draft: EditedText, line: int) -> int:
    """Return the heading's last line; an underlined heading takes two."""
    under = draft[line + 1] if line < len(draft.lines) else ""
    underlined = not draft[line].lstrip().startswith("#") and re.match(r"^\s*(?:=+|-+)\s*$", under)
    return line + 1 if underlined else line
