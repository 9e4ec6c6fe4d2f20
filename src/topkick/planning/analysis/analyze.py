"""The three passes over a plan, in one call (AN-01). The plan itself is never changed."""

from collections.abc import Mapping

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan
from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.artifacts import Artifacts
from topkick.planning.analysis.issues import issues_of
from topkick.planning.analysis.model import Analysis, Completeness, Given
from topkick.planning.analysis.passages import body_of
from topkick.planning.analysis.points import (
    coverage_of,
    end_point,
    starting_point,
    with_unknown_inputs,
)
from topkick.planning.analysis.questions import questions_of
from topkick.planning.analysis.rounds import sequel_of
from topkick.planning.analysis.shape import order_of, shape_of
from topkick.planning.analysis.vocabulary import Index
from topkick.planning.refinement.fitness import assessed
from topkick.planning.refinement.graph import SprintGraph, graph_of
from topkick.planning.refinement.prioritize import prioritized
from topkick.planning.refinement.scores import scores_of

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
