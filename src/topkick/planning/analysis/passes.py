"""The three passes over a plan, in one call (AN-01), and the dependency graph that pass 3 is about:
the longest chain, parallel work, bottlenecks.

The plan itself is never changed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan
from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.artifacts import Artifacts
from topkick.planning.analysis.coverage import coverage_of
from topkick.planning.analysis.issues import issues_of
from topkick.planning.analysis.model import (
    Analysis,
    Completeness,
    Given,
    OrderCheck,
    OrderRule,
    ParallelGroup,
    PlanBottleneck,
    PlanOrder,
    PlanShape,
    Position,
)
from topkick.planning.analysis.passages import Index, body_of
from topkick.planning.analysis.questions import questions_of
from topkick.planning.analysis.rounds import WorkRounds, sequel_of
from topkick.planning.analysis.start_and_end import (
    end_point,
    starting_point,
    with_unknown_inputs,
)
from topkick.planning.refinement.fitness import assessed
from topkick.planning.refinement.graph import SprintGraph, better_layers, graph_of
from topkick.planning.refinement.priorities import (
    Prioritized,
    PriorityScore,
    prioritized,
    scores_of,
)

_WORDS = ("sprint", "phase", "week", "day", "milestone", "stage", "step", "epic", "task")


def analyzed(text: str, reading: PlanReading, given: Given) -> Analysis:
    """Analyse the plan; `text` is what `reading` was read from."""
    graph = graph_of(reading)
    labels = labels_of(reading)
    completeness = _completeness(text, reading, graph, given, labels)
    assessments = assessed(reading, given.max_turns)
    shape = shape_of(reading, graph, scores_of(reading, graph), labels)
    order = order_of(prioritized(text, reading), graph, shape.bottlenecks)
    return Analysis(
        reading.title,
        given.max_turns,
        labels,
        completeness,
        assessments,
        shape,
        order,
        issues_of(reading, labels, completeness, assessments, shape, order),
    )


def labels_of(reading: PlanReading) -> Mapping[Pair, str]:
    """Return labels such as `Sprint 3`, or `Sprint U2/3` if several units count from 1."""
    word = (reading.family if reading.family in _WORDS else "sprint").capitalize()
    ids = [id_ for _, id_ in reading.sprints]
    shared = len({*ids}) < len(ids)
    return {
        (unit.name, sprint.id): f"{word} U{n}/{sprint.id}" if shared else f"{word} {sprint.id}"
        for n, unit in enumerate(reading.plan.units, start=1)
        for sprint in unit.sprints
    }


def _completeness(
    text: str, reading: PlanReading, graph: SprintGraph, given: Given, labels: Mapping[Pair, str]
) -> Completeness:
    body = body_of(text, reading)
    sequel = sequel_of(reading, graph)
    index = Index.of(_whole(sprint) for sprint in sequel.sprints)
    artifacts = Artifacts.of(body, reading, graph, sequel)
    bridges = artifacts.bridges(given.existing)
    first = [graph.order[n] for n in sequel.first]
    names = [labels[pair] for pair in graph.order]
    start = with_unknown_inputs(starting_point(body, sequel, names), bridges, first)
    end = end_point(body, sequel, names)
    goals = [statement for statement in end.documented if statement.listed]
    return Completeness(
        start,
        end,
        given.document,
        coverage_of(given, goals, index, graph.order),
        artifacts.dead_ends(index, end.documented, given.existing),
        bridges,
        questions_of(body, reading, graph),
    )


def _whole(sprint: SprintPlan) -> str:
    """Return all the text of a sprint; a table row has only its tasks and criteria."""
    criteria = (criterion.text for criterion in (*sprint.entry, *sprint.exit))
    return "\n".join((sprint.name, sprint.text, *sprint.tasks, *criteria))


# --- the dependency graph in Mermaid -----------------------------------------------------------
# Labels cannot break out of it.

SPRINTS_DRAWN = 120
UNITS_DRAWN = 200
EDGES_DRAWN = 400
LONGEST_LABEL = 60
# everything except letters, digits and marks that mean nothing to Mermaid, Markdown or HTML
_UNSAFE = re.compile(r"[^\w .,/+-]|_")


def drawing_of(reading: PlanReading, rounds: WorkRounds, labels: Mapping[Pair, str]) -> str:
    """Draw sprints in the boxes of their units; only units if there are too many sprints."""
    if sum(len(unit.sprints) for unit in reading.plan.units) > SPRINTS_DRAWN:
        return "\n".join(("graph TD", *_units(reading)))
    return "\n".join(("graph TD", *_sprints(reading, rounds.direct(), labels)))


def label(text: str) -> str:
    said = " ".join(_UNSAFE.sub(" ", text[: 4 * LONGEST_LABEL]).split())
    return said[:LONGEST_LABEL].rstrip() or "unnamed"


def _sprints(
    reading: PlanReading, needs: Sequence[Sequence[int]], labels: Mapping[Pair, str]
) -> Iterator[str]:
    at = 0
    boxes = len(reading.plan.units) > 1
    for number, unit in enumerate(reading.plan.units):
        if boxes:
            yield f'  subgraph u{number}["{label(unit.name)}"]'
        for sprint in unit.sprints:
            name = f"{labels[unit.name, sprint.id]} - {sprint.name}"
            yield f'  {"  " if boxes else ""}s{at}["{label(name)}"]'
            at += 1
        if boxes:
            yield "  end"
    edges = [(one, n) for n, found in enumerate(needs) for one in sorted(found)]
    yield from (f"  s{one} --> s{n}" for one, n in _drawn(edges))


def _units(reading: PlanReading) -> Iterator[str]:
    units = reading.plan.units[:UNITS_DRAWN]
    at = {unit.name: n for n, unit in enumerate(units)}
    for n, unit in enumerate(units):
        count = len(unit.sprints)
        yield f'  u{n}["{label(unit.name)}, {count} {"sprint" if count == 1 else "sprints"}"]'
    edges = [(at[name], n) for n, unit in enumerate(units) for name in unit.waits_for if name in at]
    yield from (f"  u{one} --> u{n}" for one, n in _drawn(edges))


def _drawn(edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop edges that other edges imply with one step between."""
    before: dict[int, set[int]] = {}
    for one, n in edges:
        before.setdefault(n, set()).add(one)
    kept = [
        (one, n)
        for one, n in edges
        if not any(one in before.get(other, ()) for other in before[n] if other != one)
    ]
    return kept[:EDGES_DRAWN]


# --- comparison with the best order ------------------------------------------------------------
# Find which sprints move, and by which rule (AN-01).

HIGH_RISK = 3
OVERTAKES = 20


def order_of(
    prioritized: Prioritized, graph: SprintGraph, bottlenecks: Sequence[PlanBottleneck]
) -> PlanOrder:
    now = {pair: n for n, pair in enumerate(graph.order, start=1)}
    ranked = prioritized.ranked
    found = [Position(row, now[row.unit, row.was], best) for best, row in enumerate(ranked, 1)]
    positions = tuple(sorted(found, key=lambda position: position.now))
    checks = tuple(_checks(positions, {b.sprint for b in bottlenecks}))
    return PlanOrder(positions, checks, tuple(_overtakes(positions)), prioritized.refused)


def _checks(
    positions: Sequence[Position], bottlenecks: set[tuple[str, str]]
) -> Iterator[OrderCheck]:
    about = {
        OrderRule.FOUNDATION: [p for p in positions if p.ranked.score.foundation],
        OrderRule.RISK: [p for p in positions if p.ranked.score.risk >= HIGH_RISK],
        OrderRule.BOTTLENECK: [p for p in positions if p.sprint in bottlenecks],
    }
    for rule, found in about.items():
        yield OrderCheck(rule, len(found), tuple(p for p in found if p.best < p.now))


def _overtakes(positions: Sequence[Position]) -> Iterator[tuple[Position, Position]]:
    """Yield neighbouring sprints of a unit that would swap places."""
    count = 0
    for one, other in pairwise(positions):
        lower = one.ranked.score.total < other.ranked.score.total
        if lower and other.best < one.best and one.sprint[0] == other.sprint[0]:
            yield one, other
            count += 1
            if count >= OVERTAKES:
                return


BLOCKED_BY_NARROW = 2  # this many sprints wait directly for a bottleneck
BOTTLENECKS = 5
MEMBERS = 12
CLUSTERS = 40


def shape_of(
    reading: PlanReading,
    graph: SprintGraph,
    scores: Sequence[PriorityScore],
    labels: Mapping[Pair, str],
) -> PlanShape:
    loose = WorkRounds.of(graph, in_order=False)
    strict = WorkRounds.of(graph, in_order=True)
    apart = tuple(_apart(graph, loose, labels))
    return PlanShape(
        critical=tuple(graph.order[n] for n in loose.longest()),
        clusters=(*_together(reading, strict), *apart),
        bottlenecks=tuple(_bottlenecks(graph, loose, scores)),
        current=strict.pace(),
        maximum=loose.pace(),
        missed=apart,
        layers=better_layers(reading),
        drawing=drawing_of(reading, loose, labels),
    )


def _together(reading: PlanReading, strict: WorkRounds) -> Iterator[ParallelGroup]:
    """Yield units that begin in the same round."""
    begins: dict[int, list[str]] = {}
    at = 0
    for unit in reading.plan.units:
        begins.setdefault(strict.at[at], []).append(unit.name)
        at += len(unit.sprints)
    for first in sorted(begins):
        if len(begins[first]) > 1:
            members = tuple(begins[first][:MEMBERS])
            yield ParallelGroup(f"From round {first + 1} on", members, of_units=True)


def _apart(
    graph: SprintGraph, loose: WorkRounds, labels: Mapping[Pair, str]
) -> Iterator[ParallelGroup]:
    """Yield sprints of one unit that could run in one round, as neither needs the other."""
    groups: dict[tuple[str, int], list[str]] = {}
    for n, pair in enumerate(graph.order):
        groups.setdefault((pair[0], loose.at[n]), []).append(labels[pair])
    found = [(unit, members) for (unit, _), members in groups.items() if len(members) > 1]
    for unit, members in found[:CLUSTERS]:
        yield ParallelGroup(unit, tuple(members[:MEMBERS]))


def _bottlenecks(
    graph: SprintGraph, loose: WorkRounds, scores: Sequence[PriorityScore]
) -> Iterator[PlanBottleneck]:
    narrow = [n for n, count in enumerate(loose.waiters()) if count >= BLOCKED_BY_NARROW]
    narrow.sort(key=lambda n: (-graph.dependents(n), n))
    for n in narrow[:BOTTLENECKS]:
        blocks = tuple(graph.order[one] for one in graph.held_up(n))
        yield PlanBottleneck(graph.order[n], blocks, scores[n].reason())
