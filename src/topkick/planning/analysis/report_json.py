"""An analysis as values for programs."""

from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.model import (
    Analysis,
    Bridge,
    Pace,
    PlanIssue,
    PlanQuestion,
    Point,
    Position,
    Statement,
)

Json = dict[str, object]


def as_json(analysis: Analysis) -> Json:
    found = analysis.completeness
    return {
        "max_turns": analysis.max_turns,
        "point_a": _point(found.start),
        "point_b": _point(found.end),
        "requirements": found.document,
        "coverage": [
            {"text": one.text, "line": one.line, "mentioned_by": _pairs(one.mentioned_by)}
            for one in found.coverage
        ],
        "dead_ends": [
            {"sprint": _pair(one.sprint), "line": one.line, "paths": list(one.paths)}
            for one in found.dead_ends
        ],
        "bridges": [_bridge(one) for one in found.bridges],
        "questions": [question_json(one) for one in found.questions],
        "graph": _graph(analysis),
        "order": [_position(one) for one in analysis.order.positions],
        "issues": [_issue(one) for one in analysis.issues],
    }


def question_json(one: PlanQuestion) -> Json:
    return {
        "text": one.text,
        "line": one.line,
        "type": one.type.value,
        "sprint": _pair(one.sprint) if one.sprint else None,
        "blocks": _pairs(one.blocks),
        "blocking": one.blocking,
        "advice": one.advice,
    }


def _point(point: Point) -> Json:
    return {
        "clear": point.clear,
        "documented": [_statement(one) for one in point.documented],
        "mentioned": [_statement(one) for one in point.mentioned],
        "doubts": list(point.doubts),
        "unclear": list(point.unclear),
    }


def _statement(one: Statement) -> Json:
    return {"text": one.text, "line": one.line, "under": one.under}


def _bridge(one: Bridge) -> Json:
    return {
        "sprint": _pair(one.sprint),
        "line": one.line,
        "path": one.path,
        "produced_by": _pair(one.produced_by) if one.produced_by else None,
    }


def _graph(analysis: Analysis) -> Json:
    shape = analysis.shape
    return {
        "critical_path": _pairs(shape.critical),
        "bottlenecks": [
            {"sprint": _pair(one.sprint), "blocks": _pairs(one.blocks), "reason": one.reason}
            for one in shape.bottlenecks
        ],
        "current": _pace(shape.current),
        "maximum": _pace(shape.maximum),
        "missed": [{"unit": one.where, "sprints": list(one.members)} for one in shape.missed],
        "layers": [{"unit": m.unit, "was": m.was, "now": m.now} for m in shape.layers],
        "mermaid": shape.drawing,
    }


def _pace(pace: Pace) -> Json:
    return {"agents": pace.agents, "rounds": pace.rounds}


def _position(one: Position) -> Json:
    return {
        **_pair(one.sprint),
        "priority": round(one.ranked.score.total, 4),
        "now": one.now,
        "best": one.best,
    }


def _issue(one: PlanIssue) -> Json:
    return {
        "pass": one.pass_.value,
        "severity": one.severity.value,
        "type": one.type,
        "title": one.title,
        "where": one.where,
        "line": one.line,
        "problem": one.problem,
        "impact": one.impact,
        "advice": one.advice,
    }


def _pairs(pairs: tuple[Pair, ...]) -> list[Json]:
    return [_pair(pair) for pair in pairs]


def _pair(pair: Pair) -> Json:
    return {"unit": pair[0], "id": pair[1]}
