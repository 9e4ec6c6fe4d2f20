"""The output of `analyze`: the passes in a table, the issues to address, and the next steps."""

from collections.abc import Iterator

from topkick.planning.analysis.model import Analysis, Pass, PlanQuestion, PlanSeverity
from topkick.planning.analysis.page.report import status
from topkick.planning.analysis.page.words import bullets, titled
from topkick.text import escape
from topkick.text.markdown import table

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
    yield "- `analyze` looks three times: at completeness, as `evaluate` does, as `prioritize` does"
    yield "- `analyze` only reports; it makes no change to the plan"
    yield "- `evaluate` and `prioritize` apply fixes, each by itself; `refine` runs both"


def _address(written: str, plan: str) -> Iterator[str]:
    if written:
        yield f"- Review {escape.line(written)}"
    yield f"- Address critical issues in {escape.line(plan)}"
    yield "- Re-run: topkick plan analyze"


def to_answer(questions: tuple[PlanQuestion, ...], plan: str) -> Iterator[str]:
    """Yield the open questions that stopped `refine`."""
    yield "These questions are for you to answer; agents cannot begin without:"
    yield from bullets(
        f"{escape.line(plan)}:{one.line}: {escape.line(one.text, 160)}\n    {one.advice}"
        for one in questions
    )
    yield ""
    yield "Nothing was changed in the plan. Answer them there, then: topkick plan refine"
