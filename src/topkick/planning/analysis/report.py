"""ANALYSIS_REPORT.md: the three passes, the summary, and every finding in detail (AN-02); and what
`analyze` prints: the passes in a table, the issues to address, and the next steps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from topkick.planning.analysis.model import Analysis, Pass, PlanIssue, PlanQuestion, PlanSeverity
from topkick.planning.analysis.report_order import order_lines
from topkick.planning.analysis.report_quality import (
    bullets,
    completeness_lines,
    quality_lines,
    said,
    titled,
)
from topkick.text import escape
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
        completeness_lines(analysis),
        (_LINE, ""),
        quality_lines(analysis),
        (_LINE, ""),
        order_lines(analysis),
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


_HEADER = ("Pass", "Status", "Critical", "Recommended", "Optional")


def summary(analysis: Analysis, written: str, plan: str, *, refined: bool = False) -> Iterator[str]:
    """`written` is where the report is; nothing if it was not written. `refined` is a plan that
    was prioritized and evaluated just now."""
    yield "## Analysis Complete"
    yield ""
    yield f"Report: {escape.line(written) if written else 'not written'}"
    yield ""
    yield "### Summary"
    yield ""
    counts = [(p, [len(analysis.of(p, severity)) for severity in PlanSeverity]) for p in Pass]
    yield from table(
        _HEADER, [(p.value, status(analysis, p), *map(str, found)) for p, found in counts]
    )
    yield ""
    critical, recommended, optional = (len(analysis.with_severity(s)) for s in PlanSeverity)
    total = f"{critical} critical, {recommended} recommended, {optional} optional"
    yield f"**Total Issues**: {len(analysis.issues)} ({total})"
    yield ""
    yield "### Critical Issues (must address before execution)"
    yield from titled(analysis.with_severity(PlanSeverity.CRITICAL))
    yield ""
    yield "### Next Steps"
    yield ""
    if critical:
        yield from _address(written, plan)
    elif refined:
        yield "- Look at it: topkick plan show"
        yield "- Ready to execute: topkick start"
    else:
        yield "- Optional: topkick plan evaluate (auto-fix Pass 2: atomicity/testability)"
        yield "- Optional: topkick plan prioritize (auto-apply Pass 3: priority reordering)"
        yield "- Ready to execute: topkick start"
    yield ""
    yield "**Workflow Note**:"
    yield "- `analyze` checks completeness, then what `evaluate` and `prioritize` would change"
    yield "- `analyze` only reports; it makes no change to the plan"
    yield "- `evaluate` and `prioritize` apply fixes, each by itself; `refine` runs both"


def _address(written: str, plan: str) -> Iterator[str]:
    if written:
        yield f"- Review {escape.line(written)}"
    yield f"- Address critical issues in {escape.line(plan)}"
    yield "- Re-run: topkick plan analyze"


def to_answer(questions: tuple[PlanQuestion, ...], plan: str) -> Iterator[str]:
    """Yield the open questions that stopped `refine`."""
    yield "Answer these questions; agents cannot begin without the answers:"
    yield from bullets(
        f"{escape.line(plan)}:{one.line}: {escape.line(one.text, 160)}\n    {one.advice}"
        for one in questions
    )
    yield ""
    yield "The plan was not changed. Answer the questions in it, then: topkick plan refine"
