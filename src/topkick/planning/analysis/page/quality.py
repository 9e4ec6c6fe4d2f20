"""Pass 2 of the report: whether each sprint is atomic, can be checked, and fits an agent."""

from collections.abc import Iterator, Sequence

from topkick.planning.analysis.model import Analysis
from topkick.planning.analysis.page.words import bullets, mark, said
from topkick.planning.refinement.fitness import (
    ATOMICITY,
    TESTABILITY,
    Assessment,
    Fitness,
    FitnessCheck,
)
from topkick.text.markdown import table

ROWS = 1_000
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


def lines(analysis: Analysis) -> Iterator[str]:
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
    shown = analysis.assessments[:ROWS]
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
        for one in found[:ROWS]
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
