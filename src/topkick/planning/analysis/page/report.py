"""ANALYSIS_REPORT.md: the three passes, the summary, and every finding in detail (AN-02)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from topkick.planning.analysis.model import Analysis, Pass, PlanIssue, PlanSeverity
from topkick.planning.analysis.page import completeness, order, quality
from topkick.planning.analysis.page.words import said, titled
from topkick.text.markdown import table

DETAILS = 300
_LINE = "---"
_NOTE = (
    "**Note**: The `analyze` command produces a diagnostic report only. It does NOT modify the "
    "plan. To apply fixes, run `evaluate` and/or `prioritize`, or `refine` for both."
)


@dataclass(frozen=True, slots=True)
class ReportHeading:
    """The head of the report; `generated` is the only part that depends on the clock."""

    generated: str
    plan: str


def report(analysis: Analysis, heading: ReportHeading) -> str:
    parts = (
        _head(analysis, heading),
        completeness.lines(analysis),
        (_LINE, ""),
        quality.lines(analysis),
        (_LINE, ""),
        order.lines(analysis),
        (_LINE, ""),
        _summary(analysis, heading.plan),
        (_LINE, ""),
        _details(analysis.issues),
    )
    return "\n".join(chain(*parts)).rstrip("\n") + "\n"


def status(analysis: Analysis, pass_: Pass) -> str:
    """Return the status of a pass; optional issues alone do not fail it."""
    weak = [i for i in analysis.of(pass_) if i.severity is not PlanSeverity.OPTIONAL]
    return "NEEDS_WORK" if weak else "PASS"


def _head(analysis: Analysis, heading: ReportHeading) -> Iterator[str]:
    yield "# Execution Plan Analysis Report"
    yield ""
    yield f"Generated: {heading.generated}"
    yield f"Execution plan: {said(heading.plan)}"
    yield f"Context budget: {analysis.max_turns} turns per sprint"
    yield ""
    yield _LINE
    yield ""


def _summary(analysis: Analysis, plan: str) -> Iterator[str]:
    yield "## Summary"
    yield ""
    yield "### Overall Assessment"
    yield ""
    rows = [(p.value, status(analysis, p), *_counts(analysis.of(p))) for p in Pass]
    yield from table(("Pass", "Status", "Issues", "Recommendations"), rows)
    yield ""
    yield f"**Total Issues Found**: {len(analysis.issues)}"
    yield ""
    yield "**Critical Issues** (must address before execution):"
    yield from titled(analysis.with_severity(PlanSeverity.CRITICAL))
    yield ""
    yield "**Recommended Issues** (improve execution quality):"
    yield from titled(analysis.with_severity(PlanSeverity.RECOMMENDED))
    yield ""
    yield "**Optional Improvements**:"
    yield from titled(analysis.with_severity(PlanSeverity.OPTIONAL))
    yield ""
    yield from _next(said(plan))


def _counts(issues: Sequence[PlanIssue]) -> tuple[str, str]:
    """Return the number of issues, and of different pieces of advice in them."""
    return str(len(issues)), str(len({issue.advice for issue in issues}))


def _next(plan: str) -> Iterator[str]:
    yield "### Next Steps"
    yield ""
    yield "**Automated fixes available**:"
    yield "- Run `topkick plan evaluate` to auto-fix atomicity/testability issues (Pass 2)"
    yield "- Run `topkick plan prioritize` to auto-reorder sprints by priority (Pass 3)"
    yield ""
    yield "**Manual review needed**:"
    yield (
        f"1. **If critical issues found**: Address critical issues in {plan}, then re-run "
        "`topkick plan analyze`"
    )
    yield (
        "2. **If only recommended issues**: Optionally run evaluate/prioritize, or manually "
        "address and re-analyze"
    )
    yield (
        "3. **If only optional improvements**: Optionally run evaluate/prioritize, or proceed to "
        "execution"
    )
    yield "4. **If all passes clear**: Proceed to `topkick start`"
    yield ""
    yield _NOTE
    yield ""


def _details(issues: Sequence[PlanIssue]) -> Iterator[str]:
    yield "## Detailed Findings"
    yield ""
    for number, issue in enumerate(issues[:DETAILS], start=1):
        yield from _detail(number, issue)
    if len(issues) > DETAILS:
        yield f"{len(issues) - DETAILS} more are left out here: `topkick plan analyze --json`"
    if not issues:
        yield "No issue was found."


def _detail(number: int, issue: PlanIssue) -> Iterator[str]:
    line = f", line {issue.line}" if issue.line else ""
    yield f"### Issue {number}: {said(issue.title)}"
    yield f"**Location**: {said(issue.where, 80)}{line}"
    yield f"**Type**: {issue.type}"
    yield f"**Severity**: {issue.severity}"
    yield ""
    yield "**Problem**:"
    yield said(issue.problem, 400)
    yield ""
    yield "**Impact**:"
    yield f"- {issue.impact}"
    yield ""
    yield "**Recommendation**:"
    yield said(issue.advice)
    yield ""
