"""Turn the findings of the three passes into issues, each with advice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.plan_format.document import PlanReading
from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.model import (
    Completeness,
    OrderRule,
    Pass,
    PlanIssue,
    PlanOrder,
    PlanQuestion,
    PlanSeverity,
    PlanShape,
)
from topkick.planning.refinement.fitness import Assessment, Fitness, FitnessCheck

# --- severities and consequences of findings ---------------------------------------------------


class VerdictKind(StrEnum):
    BLOCKING_QUESTION = "Blocking open question"
    OPEN_QUESTION = "Open question"
    MISSING_BRIDGE = "Missing bridge"
    NOT_IN_ORDER = "Producer not before its user"
    UNCLEAR_START = "Point A unclear"
    UNCLEAR_END = "Point B unclear"
    UNCOVERED = "Requirement not mentioned"
    GOAL_UNCOVERED = "Goal not mentioned"
    DEAD_END = "Dead end"
    NO_CHECK = "No machine check in the whole plan"
    CONCERN = "Several concerns"
    ARTIFACT = "No clear artifact"
    INPUTS = "Inputs or outputs not explicit"
    UNVERIFIABLE = "Nothing a machine can check"
    VAGUE = "Vague criterion"
    UNTESTED_TASKS = "Tasks without a criterion"
    OVERSIZED = "Oversized"
    UNDERSIZED = "Undersized"
    FOUNDATION_LATE = "Foundation late"
    RISK_LATE = "Risk late"
    BOTTLENECK_LATE = "Bottleneck late"
    SERIAL = "Parallel work in one unit"
    LAYER_LATE = "Layer later than needed"


@dataclass(frozen=True, slots=True)
class Rule:
    pass_: Pass
    severity: PlanSeverity
    impact: str


_A, _B, _C = Pass.COMPLETENESS, Pass.QUALITY, Pass.ORDER
_CRITICAL, _RECOMMENDED, _OPTIONAL = (
    PlanSeverity.CRITICAL,
    PlanSeverity.RECOMMENDED,
    PlanSeverity.OPTIONAL,
)

RULES: Mapping[VerdictKind, Rule] = {
    VerdictKind.BLOCKING_QUESTION: Rule(
        _A, _CRITICAL, "An agent would have to guess the answer, or stop."
    ),
    VerdictKind.MISSING_BRIDGE: Rule(
        _A, _CRITICAL, "The sprint needs something that does not exist."
    ),
    VerdictKind.NOT_IN_ORDER: Rule(
        _A, _RECOMMENDED, "The sprint may begin before another sprint makes what it needs."
    ),
    VerdictKind.OPEN_QUESTION: Rule(
        _A, _RECOMMENDED, "The agent decides it, perhaps not as you would."
    ),
    VerdictKind.UNCLEAR_START: Rule(
        _A, _RECOMMENDED, "Agents have to find out themselves what exists at the start."
    ),
    VerdictKind.UNCLEAR_END: Rule(
        _A, _RECOMMENDED, "The plan does not show how to tell that it is done."
    ),
    VerdictKind.UNCOVERED: Rule(
        _A, _RECOMMENDED, "Agents may leave it out, and no check would notice."
    ),
    VerdictKind.GOAL_UNCOVERED: Rule(
        _A, _OPTIONAL, "Sprints may reach the goal under another name, or not at all."
    ),
    VerdictKind.DEAD_END: Rule(
        _A, _OPTIONAL, "The work may have no use, or the plan does not name its use."
    ),
    VerdictKind.NO_CHECK: Rule(
        _B, _CRITICAL, "topkick can check nothing that agents do; every sprint ends unchecked."
    ),
    VerdictKind.CONCERN: Rule(_B, _RECOMMENDED, "If one part fails, the agent has to redo both."),
    VerdictKind.ARTIFACT: Rule(
        _B, _RECOMMENDED, "No check can look for what the sprint should make."
    ),
    VerdictKind.INPUTS: Rule(_B, _OPTIONAL, "The agent has to search for what it builds on."),
    VerdictKind.UNVERIFIABLE: Rule(
        _B, _RECOMMENDED, "The sprint ends unchecked: topkick has only the agent's word."
    ),
    VerdictKind.VAGUE: Rule(_B, _RECOMMENDED, "The criterion cannot fail, so it proves nothing."),
    VerdictKind.UNTESTED_TASKS: Rule(_B, _OPTIONAL, "A task that is left out may go unnoticed."),
    VerdictKind.OVERSIZED: Rule(_B, _RECOMMENDED, "The agent may run out of turns before the end."),
    VerdictKind.UNDERSIZED: Rule(_B, _OPTIONAL, "Starting an agent costs more than the work."),
    VerdictKind.FOUNDATION_LATE: Rule(
        _C, _RECOMMENDED, "Other sprints begin before the work that they build on."
    ),
    VerdictKind.RISK_LATE: Rule(_C, _RECOMMENDED, "Problems show up when little time is left."),
    VerdictKind.BOTTLENECK_LATE: Rule(
        _C, _RECOMMENDED, "Many sprints wait longer than they have to."
    ),
    VerdictKind.SERIAL: Rule(_C, _OPTIONAL, "The run takes more rounds than it has to."),
    VerdictKind.LAYER_LATE: Rule(_C, _OPTIONAL, "The unit waits for units that it does not need."),
}
BY_CHECK: Mapping[FitnessCheck, VerdictKind] = {
    FitnessCheck.CONCERN: VerdictKind.CONCERN,
    FitnessCheck.ARTIFACT: VerdictKind.ARTIFACT,
    FitnessCheck.INPUTS: VerdictKind.INPUTS,
    FitnessCheck.VERIFIABLE: VerdictKind.UNVERIFIABLE,
    FitnessCheck.MEASURABLE: VerdictKind.VAGUE,
    FitnessCheck.COVERAGE: VerdictKind.UNTESTED_TASKS,
}
BY_FITNESS: Mapping[Fitness, VerdictKind] = {
    Fitness.OVERSIZED: VerdictKind.OVERSIZED,
    Fitness.UNDERSIZED: VerdictKind.UNDERSIZED,
}
BY_ORDER: Mapping[OrderRule, VerdictKind] = {
    OrderRule.FOUNDATION: VerdictKind.FOUNDATION_LATE,
    OrderRule.RISK: VerdictKind.RISK_LATE,
    OrderRule.BOTTLENECK: VerdictKind.BOTTLENECK_LATE,
}


LONGEST = 160
_SEVERITIES = tuple(PlanSeverity)
_PASSES = tuple(Pass)
Labels = Mapping[Pair, str]


def issues_of(
    reading: PlanReading,
    labels: Labels,
    completeness: Completeness,
    assessments: Sequence[Assessment],
    shape: PlanShape,
    order: PlanOrder,
) -> tuple[PlanIssue, ...]:
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


def _issue(
    kind: VerdictKind, title: str, where: str, line: int, problem: str, advice: str
) -> PlanIssue:
    rule = RULES[kind]
    title = title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"
    return PlanIssue(
        rule.pass_, rule.severity, kind.value, title, where, line, problem, rule.impact, advice
    )


def _completeness(found: Completeness, labels: Labels) -> Iterator[PlanIssue]:
    yield from (_question(question, labels) for question in found.questions)
    yield from _bridges(found, labels)
    for text in found.start.unclear:
        advice = "Add a section 'Starting State' with what exists and what is assumed."
        yield _issue(
            VerdictKind.UNCLEAR_START, f"Point A is unclear: {text}", "The plan", 0, text, advice
        )
    for text in found.end.unclear:
        advice = "Say in 'Success Criteria' what can be seen or run when the plan is done."
        yield _issue(
            VerdictKind.UNCLEAR_END, f"Point B is unclear: {text}", "The plan", 0, text, advice
        )
    yield from _gaps(found)
    for end in found.dead_ends:
        shown = ", ".join(end.paths[:5])
        told = f"No later sprint and no goal names what it makes: {shown}"
        advice = "Name the sprint that uses it, or leave it out."
        where = labels[end.sprint]
        yield _issue(
            VerdictKind.DEAD_END,
            f"Nothing else names {shown} of {where}",
            where,
            end.line,
            told,
            advice,
        )


def _question(question: PlanQuestion, labels: Labels) -> PlanIssue:
    kind = VerdictKind.BLOCKING_QUESTION if question.blocking else VerdictKind.OPEN_QUESTION
    where = labels[question.sprint] if question.sprint else "The plan"
    blocked = ", ".join(labels[pair] for pair in question.blocks[:6])
    more = f" and {len(question.blocks) - 6} more" if len(question.blocks) > 6 else ""
    told = f"It is open: {question.text}" + (f" (waiting: {blocked}{more})" if blocked else "")
    return _issue(kind, f"Open: {question.text}", where, question.line, told, question.advice)


def _bridges(found: Completeness, labels: Labels) -> Iterator[PlanIssue]:
    for bridge in found.bridges:
        where = labels[bridge.sprint]
        if bridge.produced_by is None:
            title = f"{where} needs {bridge.path}"
            told = f'"{bridge.said}" needs it; it does not exist, and no earlier sprint makes it.'
            advice = "Add the sprint or task that makes it, or correct the path."
            yield _issue(VerdictKind.MISSING_BRIDGE, title, where, bridge.line, told, advice)
        else:
            maker = labels[bridge.produced_by]
            title = f"{where} needs {bridge.path} of {maker}"
            told = f'"{bridge.said}" needs it, and {maker} may not be done by then.'
            advice = f"Let this sprint wait for {maker}, or move {maker} before it."
            yield _issue(VerdictKind.NOT_IN_ORDER, title, where, bridge.line, told, advice)


def _gaps(found: Completeness) -> Iterator[PlanIssue]:
    for one in found.coverage:
        if one.mentioned_by:
            continue
        in_document = bool(found.document)
        kind = VerdictKind.UNCOVERED if in_document and one.explicit else VerdictKind.GOAL_UNCOVERED
        where = f"{found.document}:{one.line}" if in_document else f"Line {one.line}"
        told = f"No sprint mentions it: {one.text}"
        advice = "Add a task for it, or use the same words in the task that does it."
        yield _issue(kind, f"Not mentioned: {one.text}", where, 0, told, advice)


def _quality(
    reading: PlanReading, assessments: Sequence[Assessment], labels: Labels
) -> Iterator[PlanIssue]:
    sprints = [sprint for unit in reading.plan.units for sprint in unit.sprints]
    if not any(sprint.checks for sprint in sprints):
        told = "No exit criterion of any sprint can be checked by a machine."
        advice = "Run topkick plan evaluate, or add a command to each sprint's exit criteria."
        yield _issue(VerdictKind.NO_CHECK, "Nothing can be checked", "The plan", 0, told, advice)
    for one in assessments:
        where = labels[one.unit, one.id]
        for issue in one.issues:
            if issue.check is FitnessCheck.SCOPE:
                continue  # reported with the size
            kind = _kind(issue.check, one.fitness)
            title = f"{where}: {kind.value.lower()}"
            yield _issue(kind, title, where, issue.line, issue.problem, issue.advice)


def _kind(check: FitnessCheck, fitness: Fitness) -> VerdictKind:
    return BY_FITNESS[fitness] if check is FitnessCheck.SIZE else BY_CHECK[check]


def _order(order: PlanOrder, labels: Labels) -> Iterator[PlanIssue]:
    seen: set[Pair] = set()
    for check in order.checks:
        for position in check.late:
            if position.sprint in seen:
                continue
            seen.add(position.sprint)
            where = labels[position.sprint]
            title = f"{where} could move from position {position.now} to {position.best}"
            told = f"{position.ranked.score.reason().capitalize()}; no dependency keeps it so late."
            kind = BY_ORDER[check.rule]
            advice = "topkick plan prioritize moves it."
            yield _issue(kind, title, where, position.ranked.line, told, advice)


def _shape(shape: PlanShape) -> Iterator[PlanIssue]:
    for cluster in shape.missed:
        told = f"{' and '.join(cluster.members)} do not need each other; a unit runs them in turn."
        advice = "Put them into separate work units."
        title = f"{', '.join(cluster.members)} could run in parallel"
        yield _issue(VerdictKind.SERIAL, title, cluster.where, 0, told, advice)
    for move in shape.layers:
        title = f"{move.unit} could start in layer {move.now} instead of {move.was}"
        told = "None of its stated dependencies is in a later layer."
        advice = "topkick plan prioritize changes the layer."
        yield _issue(VerdictKind.LAYER_LATE, title, move.unit, move.line, told, advice)
