"""Turn the findings of the three passes into issues, each with advice."""

from collections.abc import Iterator, Mapping, Sequence

from topkick.plans.analysis.model import (
    Completeness,
    Issue,
    OpenQuestion,
    Order,
    Pass,
    Severity,
    Shape,
)
from topkick.plans.analysis.verdicts import BY_CHECK, BY_FITNESS, BY_ORDER, RULES, Kind
from topkick.plans.document import Reading
from topkick.plans.refining.assessment import Assessment, Check, Fitness
from topkick.plans.waiting import Pair

LONGEST = 160
_SEVERITIES = tuple(Severity)
_PASSES = tuple(Pass)
Labels = Mapping[Pair, str]


def issues_of(
    reading: Reading,
    labels: Labels,
    completeness: Completeness,
    assessments: Sequence[Assessment],
    shape: Shape,
    order: Order,
) -> tuple[Issue, ...]:
    """Return the issues, most severe first, then in the order of passes and plan."""
    found = [
        *_completeness(completeness, labels),
        *_quality(reading, assessments, labels),
        *_order(order, labels),
        *_shape(shape),
    ]
    return tuple(
        sorted(
            found,
            key=lambda i: (_SEVERITIES.index(i.severity), _PASSES.index(i.pass_), i.line),
        )
    )


def _issue(kind: Kind, title: str, where: str, line: int, problem: str, advice: str) -> Issue:
    rule = RULES[kind]
    title = title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"
    return Issue(
        rule.pass_, rule.severity, kind.value, title, where, line, problem, rule.impact, advice
    )


def _completeness(found: Completeness, labels: Labels) -> Iterator[Issue]:
    yield from (_question(question, labels) for question in found.questions)
    yield from _bridges(found, labels)
    for text in found.start.unclear:
        advice = "Add a section 'Starting State' with what exists and what is assumed."
        yield _issue(Kind.UNCLEAR_START, f"Point A is unclear: {text}", "The plan", 0, text, advice)
    for text in found.end.unclear:
        advice = "Say in 'Success Criteria' what can be seen or run when the plan is done."
        yield _issue(Kind.UNCLEAR_END, f"Point B is unclear: {text}", "The plan", 0, text, advice)
    yield from _gaps(found)
    for end in found.dead_ends:
        shown = ", ".join(end.paths[:5])
        told = f"No later sprint and no goal names what it makes: {shown}"
        advice = "Say who uses it, or leave it out."
        where = labels[end.sprint]
        yield _issue(
            Kind.DEAD_END, f"Nothing else names {shown} of {where}", where, end.line, told, advice
        )


def _question(question: OpenQuestion, labels: Labels) -> Issue:
    kind = Kind.BLOCKING_QUESTION if question.blocking else Kind.OPEN_QUESTION
    where = labels[question.sprint] if question.sprint else "The plan"
    blocked = ", ".join(labels[pair] for pair in question.blocks[:6])
    more = f" and {len(question.blocks) - 6} more" if len(question.blocks) > 6 else ""
    told = f"It is open: {question.text}" + (f" (waiting: {blocked}{more})" if blocked else "")
    return _issue(kind, f"Open: {question.text}", where, question.line, told, question.advice)


def _bridges(found: Completeness, labels: Labels) -> Iterator[Issue]:
    for bridge in found.bridges:
        where = labels[bridge.sprint]
        if bridge.produced_by is None:
            title = f"{where} needs {bridge.path}"
            told = f'"{bridge.said}" needs it; it does not exist and no sprint before makes it.'
            advice = "Add the sprint or task that makes it, or correct the path."
            yield _issue(Kind.MISSING_BRIDGE, title, where, bridge.line, told, advice)
        else:
            maker = labels[bridge.produced_by]
            title = f"{where} needs {bridge.path} of {maker}"
            told = f'"{bridge.said}" needs it, and {maker} is not sure to be done before.'
            advice = f"Let it wait for {maker}, or move the one before the other."
            yield _issue(Kind.NOT_IN_ORDER, title, where, bridge.line, told, advice)


def _gaps(found: Completeness) -> Iterator[Issue]:
    for one in found.coverage:
        if one.mentioned_by:
            continue
        in_document = bool(found.document)
        kind = Kind.UNCOVERED if in_document and one.explicit else Kind.GOAL_UNCOVERED
        where = f"{found.document}:{one.line}" if in_document else f"Line {one.line}"
        told = f"No sprint speaks of it in its own words: {one.text}"
        advice = "Add a task for it, or use the same words where it is done."
        yield _issue(kind, f"Not mentioned: {one.text}", where, 0, told, advice)


def _quality(
    reading: Reading, assessments: Sequence[Assessment], labels: Labels
) -> Iterator[Issue]:
    sprints = [sprint for unit in reading.plan.units for sprint in unit.sprints]
    if not any(sprint.checks for sprint in sprints):
        told = "No exit criterion of any sprint can be checked by a machine."
        advice = "Run topkick plan evaluate, or add a command to each sprint's exit criteria."
        yield _issue(Kind.NO_CHECK, "Nothing can be checked", "The plan", 0, told, advice)
    for one in assessments:
        where = labels[one.unit, one.id]
        for issue in one.issues:
            if issue.check is Check.SCOPE:
                continue  # reported with the size
            kind = _kind(issue.check, one.fitness)
            title = f"{where}: {kind.value.lower()}"
            yield _issue(kind, title, where, issue.line, issue.problem, issue.advice)


def _kind(check: Check, fitness: Fitness) -> Kind:
    return BY_FITNESS[fitness] if check is Check.SIZE else BY_CHECK[check]


def _order(order: Order, labels: Labels) -> Iterator[Issue]:
    seen: set[Pair] = set()
    for check in order.checks:
        for position in check.late:
            if position.sprint in seen:
                continue
            seen.add(position.sprint)
            where = labels[position.sprint]
            title = f"{where} could move from position {position.now} to {position.best}"
            told = f"{position.ranked.score.reason().capitalize()}; nothing keeps it so late."
            kind = BY_ORDER[check.rule]
            advice = "topkick plan prioritize moves it."
            yield _issue(kind, title, where, position.ranked.line, told, advice)


def _shape(shape: Shape) -> Iterator[Issue]:
    for cluster in shape.missed:
        told = f"{' and '.join(cluster.members)} do not need each other; a unit runs them in turn."
        advice = "Put them into separate work units."
        title = f"{', '.join(cluster.members)} could run in parallel"
        yield _issue(Kind.SERIAL, title, cluster.where, 0, told, advice)
    for move in shape.layers:
        title = f"{move.unit} could start in layer {move.now} instead of {move.was}"
        told = "Nothing that it states it needs is in a later layer."
        advice = "topkick plan prioritize changes the layer."
        yield _issue(Kind.LAYER_LATE, title, move.unit, move.line, told, advice)
