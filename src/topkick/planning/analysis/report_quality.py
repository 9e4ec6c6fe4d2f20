"""Passes 1 and 2 of the report: what the plan covers and leaves open, and whether each sprint is
atomic, can be checked, and fits an agent.

The plan is hostile text: `said`, `short` and the lists escape whatever it says.
"""

from collections.abc import Iterable, Iterator, Sequence

from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.model import Analysis, Completeness, PlanIssue, Point
from topkick.planning.refinement.fitness import (
    ATOMICITY,
    TESTABILITY,
    Assessment,
    Fitness,
    FitnessCheck,
)
from topkick.text import escape
from topkick.text.format import counted
from topkick.text.markdown import table

LONGEST = 200
NAMED = 6
LISTED = 40
NONE = "none"


def said(text: str, limit: int = LONGEST) -> str:
    return escape.prose(escape.cut(escape.line(text), limit))


def short(text: str, limit: int = LONGEST) -> str:
    """Shorten a text for a cell of a table."""
    return escape.cut(escape.line(text), limit)


def rows(header: Sequence[str], found: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table, or `None.` if it would have no rows."""
    if found:
        yield from table(header, found)
    else:
        yield "None."


def bullets(texts: Iterable[str], *, most: int = LISTED, nothing: str = NONE) -> Iterator[str]:
    """Yield each text once, as a bullet; texts beyond `most` are only counted."""
    found = list(dict.fromkeys(texts))
    yield from (f"- {text}" for text in found[:most])
    if len(found) > most:
        yield f"- and {len(found) - most} more"
    if not found:
        yield f"- {nothing}"


def titled(issues: Sequence[PlanIssue], nothing: str = NONE) -> Iterator[str]:
    yield from bullets((_title(issue) for issue in issues), nothing=nothing)


def _title(issue: PlanIssue) -> str:
    where = f" (line {issue.line})" if issue.line else ""
    return f"{said(issue.title)}{where}"


def labels(analysis: Analysis, pairs: Sequence[Pair], most: int = NAMED) -> str:
    names = ", ".join(escape.line(analysis.labels[pair], 60) for pair in pairs[:most])
    return names + (f" and {len(pairs) - most} more" if len(pairs) > most else "")


def mark(passes: bool) -> str:
    return "✓" if passes else "✗"


# --- pass 1: completeness ----------------------------------------------------------------------

SHOWN = 12
REQUIREMENTS_SHOWN = 300


def completeness_lines(analysis: Analysis) -> Iterator[str]:
    found = analysis.completeness
    yield "## Pass 1: Completeness Analysis"
    yield ""
    yield from _point("Point A (Current State)", found.start, "nothing about the start")
    yield from _point("Point B (Target State)", found.end, "nothing about the end")
    yield from _coverage(analysis, found)
    yield from _questions(analysis, found)


def _point(title: str, point: Point, nothing: str) -> Iterator[str]:
    yield f"### {title}"
    yield f"Status: {'CLEAR' if point.clear else 'UNCLEAR'}"
    yield ""
    places = list(dict.fromkeys(said(s.under, 80) for s in point.documented))
    count = counted(len(point.documented), "statement")
    yield f"{count}, under: {', '.join(places[:6])}." if places else f"The plan states {nothing}."
    yield ""
    yield "**Findings**:"
    documented = [f"Documented (line {s.line}): {said(s.text)}" for s in point.documented]
    yield from bullets(documented, most=SHOWN, nothing="Documented: nothing")
    if point.mentioned and not point.documented:
        yield from bullets(
            f"Mentioned in passing (line {s.line}): {said(s.text)}" for s in point.mentioned
        )
    if point.doubts or point.unclear:
        yield from bullets(f"Unclear: {said(text)}" for text in (*point.unclear, *point.doubts))
    yield ""


def _coverage(analysis: Analysis, found: Completeness) -> Iterator[str]:
    yield "### Coverage Analysis"
    compared = "" if found.document else " (judged by the plan alone)"
    yield f"Status: {f'COMPLETE{compared}' if found.complete else 'INCOMPLETE'}"
    yield ""
    if found.coverage:
        source = (
            found.document or "the goals in the plan, because there is no requirements document"
        )
        yield (
            f"Compared with {said(source)}. A sprint that mentions a requirement may still not "
            "meet it: only a person can judge whether the work is enough."
        )
    else:
        yield "There is nothing to compare with: no requirements document, and no list of goals."
    yield ""
    mentions = [
        (
            short(one.text, 120),
            labels(analysis, one.mentioned_by) or "—",
            "✓ Mentioned" if one.mentioned_by else "✗ Not found",
        )
        for one in found.coverage[:REQUIREMENTS_SHOWN]
    ]
    yield from rows(("Requirement", "Addressed By", "Coverage"), mentions)
    yield ""
    yield "**Gaps**:"
    yield from bullets(_gaps(analysis, found))
    yield ""


def _gaps(analysis: Analysis, found: Completeness) -> Iterator[str]:
    for one in found.coverage:
        if not one.mentioned_by:
            yield f"Not mentioned by any sprint: {said(one.text, 120)}"
    for bridge in found.bridges:
        who = said(analysis.labels[bridge.sprint], 60)
        if bridge.produced_by is None:
            yield f"Missing bridge: {who} needs {said(bridge.path)}, which nothing before it makes"
        else:
            maker = said(analysis.labels[bridge.produced_by], 60)
            yield f"Not in order: {who} needs {said(bridge.path)}, which {maker} makes"
    for end in found.dead_ends:
        who = said(analysis.labels[end.sprint], 60)
        yield f"Dead end: {who} makes {said(', '.join(end.paths))}, which nothing else names"


def _questions(analysis: Analysis, found: Completeness) -> Iterator[str]:
    yield "### Open Questions"
    yield f"Count: {len(found.questions)}"
    yield ""
    found_rows = []
    for one in found.questions[:REQUIREMENTS_SHOWN]:
        place = analysis.labels[one.sprint] if one.sprint else "The plan"
        impact = f"Blocks {labels(analysis, one.blocks)}" if one.blocks else "No sprint is named"
        if one.blocking:
            impact = f"BLOCKING. {impact}"
        found_rows.append(
            (short(one.text, 120), f"{place}, line {one.line}", one.type.value, impact)
        )
    yield from rows(("Question", "Location", "Type", "Blocking Impact"), found_rows)
    yield ""
    yield "**Recommendations**:"
    yield from bullets(f"Line {one.line}: {one.advice}" for one in found.questions)
    yield ""


# --- pass 2: atomicity and testability ---------------------------------------------------------

SPRINTS_SHOWN = 1_000
_ATOMICITY = (
    "Sprint",
    "Single Concern",
    "Clear Artifact",
    "Bounded Scope",
    "Explicit I/O",
    "Verdict",
)
_TESTABILITY = ("Sprint", "Machine-Verifiable", "No Vague Language", "Full Coverage", "Verdict")
_FITNESS = ("Sprint", "Estimated Turns", "Budget", "Utilization", "Verdict")
_FAILS = {
    FitnessCheck.CONCERN: "Multiple concerns",
    FitnessCheck.ARTIFACT: "No clear artifact",
    FitnessCheck.SCOPE: "Oversized",
    FitnessCheck.INPUTS: "Inputs or outputs not explicit",
    FitnessCheck.VERIFIABLE: "Nothing a machine can check",
    FitnessCheck.MEASURABLE: "Vague criteria",
    FitnessCheck.COVERAGE: "Tasks without a criterion",
}


def quality_lines(analysis: Analysis) -> Iterator[str]:
    yield "## Pass 2: Atomicity & Testability Analysis"
    yield ""
    yield from _checked(analysis, "Atomicity Check", _ATOMICITY, ATOMICITY)
    yield from _checked(analysis, "Testability Check", _TESTABILITY, TESTABILITY)
    yield from _fitness(analysis)


def _checked(
    analysis: Analysis, title: str, header: Sequence[str], checks: Sequence[FitnessCheck]
) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    shown = analysis.assessments[:SPRINTS_SHOWN]
    yield from table(header, [_row(analysis, one, checks) for one in shown])
    yield ""
    issues = [(one, i) for one in analysis.assessments for i in one.issues if i.check in checks]
    yield f"**Issues**: {len(issues)}"
    yield ""
    yield "**Recommendations**:"
    yield from bullets(
        f"{_label(analysis, one)} (line {issue.line}): {said(issue.problem)} — {said(issue.advice)}"
        for one, issue in issues
    )
    yield ""


def _row(analysis: Analysis, one: Assessment, checks: Sequence[FitnessCheck]) -> tuple[str, ...]:
    failing = [check for check in checks if not one.passes(check)]
    told = ", ".join(_fails(one, check) for check in failing)
    verdict = f"FAIL: {told}" if failing else "PASS"
    return (
        analysis.labels[one.unit, one.id],
        *(mark(one.passes(check)) for check in checks),
        verdict,
    )


def _fails(one: Assessment, check: FitnessCheck) -> str:
    return (
        f"{_FAILS[check]} (est. {one.turns} turns)"
        if check is FitnessCheck.SCOPE
        else _FAILS[check]
    )


def _fitness(analysis: Analysis) -> Iterator[str]:
    budget = analysis.max_turns
    found = analysis.assessments
    yield "### Context Fitness Check"
    yield ""
    rows = [
        (
            analysis.labels[one.unit, one.id],
            str(one.turns),
            str(budget),
            f"{one.turns / budget:.0%}",
            one.fitness.value,
        )
        for one in found[:SPRINTS_SHOWN]
    ]
    yield from table(_FITNESS, rows)
    yield ""
    turns = sum(one.turns for one in found)
    yield "**Budget Summary**:"
    yield f"- Total turns across all sprints: {turns}"
    yield f"- Average utilization: {turns / (budget * len(found)):.0%}"
    yield f"- Oversized sprints: {sum(o.fitness is Fitness.OVERSIZED for o in found)}"
    yield f"- Undersized sprints: {sum(o.fitness is Fitness.UNDERSIZED for o in found)}"
    yield ""


def _label(analysis: Analysis, one: Assessment) -> str:
    return said(analysis.labels[one.unit, one.id], 60)
