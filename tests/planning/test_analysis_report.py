"""The report in the structure that it has to have, whatever a plan says (AN-02)."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.engine.errors import PlanError
from topkick.plan_format.document import read
from topkick.planning.analysis.issues import RULES, VerdictKind
from topkick.planning.analysis.model import Analysis, Given, PlanSeverity
from topkick.planning.analysis.passes import analyzed
from topkick.planning.analysis.report import ReportHeading, report, summary
from topkick.planning.breakdown.model import Confidence, LineRange, Requirement
from topkick.planning.breakdown.model import RequirementKind as Sign

pytestmark = pytest.mark.spec("AN-02")

HEADING = ReportHeading("2026-01-02T03:04:05Z", "EXECUTION_PLAN.md")
PLAN = """\
# EXECUTION_PLAN.md — Night Shift

| Work Unit | Layer | Dependencies |
|---|---|---|
| Core | 0 | none |
| Web | 1 | Core |

## Assumptions
- Python 3.11 is installed

## Core

### Sprint 1: Types
**Entry criteria**:
- First sprint, no prerequisites

**Tasks**:
1. Create `src/types.py`

**Exit criteria**:
- [ ] `python -m pytest tests/test_types.py` passes

### Sprint 2: Store
**Entry criteria**:
- `src/types.py` exists

**Tasks**:
1. Create `src/store.py` on top of `src/types.py`
2. Create `src/ledger.py`
3. Keep rows in a database (TBD)

**Exit criteria**:
- [ ] `test -f src/store.py`
- [ ] Everything works correctly

## Web

### Sprint 1: Pages
**Entry criteria**:
- Core is complete

**Tasks**:
1. Update `web/layout.html`
2. Show what is in the store with a suitable library

**Exit criteria**:
- [ ] A person likes it

## Goals
- Pages show what is in the store
- Visitors log in by email
"""
REQUIRED = (
    Requirement(
        "The store must keep rows", LineRange(3, 3), (), Confidence.EXPLICIT, Sign.STATEMENT
    ),
    Requirement("Visitors shall log in", LineRange(9, 9), (), Confidence.EXPLICIT, Sign.STATEMENT),
)
GIVEN = Given(existing=frozenset({"README.md"}), requirements=REQUIRED, document="PRD.md")
STRUCTURE = """\
# Execution Plan Analysis Report
## Pass 1: Completeness Analysis
### Point A (Current State)
### Point B (Target State)
### Coverage Analysis
### Open Questions
## Pass 2: Atomicity & Testability Analysis
### Atomicity Check
### Testability Check
### Context Fitness Check
## Pass 3: Priority & Parallelism Analysis
### Dependency Graph
### Parallelization Opportunities
### Priority Analysis
### Execution Order Recommendations
## Summary
### Overall Assessment
### Next Steps
## Detailed Findings
"""


def look(text: str, given_: Given = GIVEN) -> Analysis:
    return analyzed(text, read(text, default_name="p"), given_)


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if re.match(r"#{1,3} ", line)]


def test_the_report_of_a_plan(golden: Callable[[str, str], None]) -> None:
    golden("analysis/report.md", report(look(PLAN), HEADING))


def test_the_summary_of_a_plan(golden: Callable[[str, str], None]) -> None:
    text = "\n".join(summary(look(PLAN), "ANALYSIS_REPORT.md", "EXECUTION_PLAN.md"))
    golden("analysis/summary.txt", f"{text}\n")


def test_the_structure_is_the_agreed_one() -> None:
    analysis = look(PLAN)
    found = headings(report(analysis, HEADING))
    count = len(analysis.issues)
    assert found[:-count] == STRUCTURE.strip().split("\n")
    assert [line.partition(":")[0] for line in found[-count:]] == [
        f"### Issue {n}" for n in range(1, count + 1)
    ]


def test_a_plan_without_issues_has_the_same_structure() -> None:
    text = PLAN.partition("## Web")[0].replace("| Web | 1 | Core |\n", "")
    text = text.replace("2. Create `src/ledger.py`\n3. Keep rows in a database (TBD)\n", "")
    text = text.replace("- [ ] Everything works correctly\n", "")
    text = text.replace("- [ ] `python", "- [ ] `test -f src/types.py`\n- [ ] `python")
    analysis = look(text, Given(max_turns=20))
    assert analysis.issues == ()
    assert headings(report(analysis, HEADING)) == STRUCTURE.strip().split("\n")
    said = "\n".join(summary(analysis, "ANALYSIS_REPORT.md", "EXECUTION_PLAN.md"))
    assert "Ready to execute: topkick start" in said


def test_only_the_moment_differs_between_two_reports() -> None:
    one, other = (report(look(PLAN), ReportHeading(at, "P.md")) for at in ("now", "then"))
    assert one.replace("Generated: now", "Generated: then") == other


def test_every_kind_of_finding_has_one_rule() -> None:
    assert set(RULES) == set(VerdictKind)
    assert {k for k, rule in RULES.items() if rule.severity is PlanSeverity.CRITICAL} == {
        VerdictKind.BLOCKING_QUESTION,
        VerdictKind.MISSING_BRIDGE,
        VerdictKind.NO_CHECK,
    }


def test_critical_issues_come_first_and_are_what_a_reader_is_told() -> None:
    analysis = look(PLAN)
    severities = [issue.severity for issue in analysis.issues]
    assert severities == sorted(severities, key=list(PlanSeverity).index)
    critical = [issue.title for issue in analysis.with_severity(PlanSeverity.CRITICAL)]
    assert critical == [
        "Open: Keep rows in a database (TBD)",
        "Sprint U2/1 needs web/layout.html",
    ]


def test_a_plan_that_nothing_checks_is_critical() -> None:
    text = "# P\n\n### Sprint 1: Work\n1. Do it\n\n**Exit criteria**:\n- It looks good\n"
    issues = look(text, Given()).with_severity(PlanSeverity.CRITICAL)
    assert [issue.type for issue in issues] == [VerdictKind.NO_CHECK.value]


HOSTILE = [
    "\x1b[31m",
    "|",
    "`",
    "```",
    "<script>",
    "![x](http://y)",
    "\u202e",
    "# x",
    "---",
    "\x00",
    "](",
]


@settings(max_examples=40)
@given(st.lists(st.sampled_from([*HOSTILE, "TBD", "a.py", "Create", "\n"]), max_size=12))
def test_nothing_that_a_plan_says_breaks_out_of_the_report(parts: list[str]) -> None:
    said = " ".join(parts)
    text = PLAN.replace("Types\n", f"Types {said}\n", 1).replace("Keep rows", f"Keep {said} rows")
    try:
        analysis = look(text)
    except PlanError:
        return
    written = report(analysis, HEADING)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", written)
    assert "<script" not in written.replace("\\<script", "")
    assert "](http" not in written
    count = len(analysis.issues)
    assert headings(written)[: len(headings(written)) - count] == STRUCTURE.strip().split("\n")


@settings(max_examples=40)
@given(st.text(alphabet=st.sampled_from("#-|`* \nSprint1:TBDa./py[]?"), max_size=400))
def test_any_text_is_analyzed_or_refused(text: str) -> None:
    try:
        analysis = look(f"### Sprint 1: x\n{text}")
    except PlanError:
        return
    assert report(analysis, HEADING).startswith(STRUCTURE.split("\n", 1)[0])


def test_a_sprint_that_is_only_taken_along_is_not_called_important() -> None:
    text = "# P\n\n" + "".join(
        f"### Sprint {n}: {name}\n{needs}\n**Tasks**:\n1. Create it\n\n"
        for n, name, needs in (
            (1, "Types", "**Depends on**: none\n"),
            (2, "Store", "**Depends on**: Sprint 1\n"),
            (3, "Pages", "**Depends on**: Sprint 2\n"),
            (4, "OAuth webhook client", "**Depends on**: Sprint 1\n"),
            (5, "Rest", ""),
            (6, "Rest of the rest", ""),
        )
    )
    analysis = look(text, Given())
    assert [p.sprint[1] for p in analysis.order.positions if p.best < p.now] == ["4", "5", "6"]
    told = report(analysis, HEADING).partition("Appearing Late**:\n")[2].partition("\n\n")[0]
    assert "Sprint 4" in told
    assert "Sprint 6" not in told
