"""The reports of three recorded runs: to the letter, and every number of them once more."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import recorded_runs
from markdown_it import MarkdownIt
from recorded_runs import CLEAN, RUNS, SETTINGS, Recorder, sprint
from recount import Recount
from recount_page import differences, expected

from topkick.engine import messages as h
from topkick.engine.agents.budgets import NO_SPENDING
from topkick.plan_format.model import Plan, UnitPlan
from topkick.sprint.report import completion as page
from topkick.sprint.report.as_json import as_json
from topkick.sprint.report.completion import MARKER, render_log
from topkick.sprint.report.issues import IssueSeverity, ReportIssue
from topkick.sprint.report.verification import verify

Golden = Callable[[str, str], None]
HERE = Path(__file__).parent


@pytest.mark.spec("RP-03", "RP-04", "MS-03")
@pytest.mark.parametrize("name", RUNS)
def test_the_whole_report(name: str, golden: Golden) -> None:
    golden(f"report/{name}.md", page.whole(RUNS[name]().reading()))


@pytest.mark.spec("RP-03", "RP-04")
@pytest.mark.parametrize("name", RUNS)
def test_the_report_for_programs(name: str, golden: Golden) -> None:
    golden(f"report/{name}.json", as_json(RUNS[name]().reading()))


@pytest.mark.spec("RP-03", "RP-04", "MS-03")
@pytest.mark.parametrize("name", RUNS)
def test_every_number_counted_once_more(name: str) -> None:
    """At the end, and after every step on the way there."""
    run = RUNS[name]()
    for stop in [*range(10, len(run.records), 7), len(run.records)]:
        part = Recorder(records=run.records[:stop])
        said = json.loads(as_json(part.reading()))
        found = list(differences(said, expected(Recount(part.records))))
        assert not found, f"after record {stop}:\n" + "\n".join(found)


@pytest.mark.spec("RP-03")
@pytest.mark.parametrize("name", RUNS)
def test_what_is_spent_agrees_with_the_mission(name: str) -> None:
    run = RUNS[name]()
    reading = run.reading()
    total = NO_SPENDING.usage
    for one in reading.sprints:
        assert one.usage == one.sprint.spent.usage, one.handle
        assert sum(a.busy_us for a in one.attempts) == one.sprint.spent.busy_us, one.handle
        total = total.plus(one.usage)
    assert total == reading.mission.spent.usage
    assert sum(a.busy_us for a in reading.account.orders) == reading.mission.spent.busy_us


@pytest.mark.spec("RP-04")
def test_only_what_is_proven_or_accepted_passes() -> None:
    assert verify(RUNS["clean"]().reading()).passed
    assert verify(RUNS["killed"]().reading()).passed
    found = verify(RUNS["troubled"]().reading())
    assert not found.passed
    by_severity = [(i.severity.value, i.about) for i in found.issues]
    assert by_severity == [
        ("CRITICAL", ("U2/2",)),
        ("CRITICAL", ("U2/3",)),
        ("MEDIUM", ("U3/1",)),
        ("MEDIUM", ("U3/2",)),
    ]


@pytest.mark.spec("RP-04")
@pytest.mark.parametrize(("severity", "passes"), [("CRITICAL", 0), ("HIGH", 0), ("MEDIUM", 1)])
def test_nothing_severe_may_be_open(severity: str, passes: bool) -> None:
    found = verify(RUNS["clean"]().reading())
    issue = ReportIssue("Something", IssueSeverity(severity), "is open", "look at it")
    assert replace(found, issues=(issue,)).passed == bool(passes)


def one_sprint(**more: object) -> Plan:
    made = sprint("1", "Alone", "make alone", **more)
    return Plan("One", "3" * 64, units=(UnitPlan("only", "only", sprints=(made,)),))


@pytest.mark.spec("RP-03", "RP-04")
def test_before_the_first_order_nothing_is_divided_by_nothing() -> None:
    run = Recorder()
    run.start(one_sprint(), SETTINGS)
    text = page.whole(run.reading())
    assert "there is nothing to measure" in text
    assert "(Sprints will be appended below as they complete)" in text
    assert "✗ VERIFICATION FAILED" in text
    assert json.loads(as_json(run.reading()))["cadence"]["overall"]["per_hour"] is None


@pytest.mark.spec("RP-03", "RP-04")
def test_a_single_sprint_reads_well() -> None:
    run = Recorder()
    run.start(one_sprint(), replace(SETTINGS, gate=SETTINGS.gate), recorded_runs.CLONES)
    run.survey()
    run.exits("only", 90)
    run.checked("only")
    run.merged("only")
    run.gate()
    text = page.whole(run.reading())
    assert "Fewer than three sprints are completed: there is no trend yet." in text
    assert "**Turns used: not reported by the agent**" in text
    assert "✓ VERIFICATION PASSED" in text


@pytest.mark.spec("RP-03", "RP-04", "VF-06")
def test_what_nobody_checked_is_not_counted_as_verified() -> None:
    plan = one_sprint(exit=())
    run = Recorder()
    run.start(plan, replace(SETTINGS, accept_unchecked=True), recorded_runs.CLONES)
    run.survey()
    run.exits("only", 90)
    run.checked("only")
    run.merged("only")
    run.gate()
    found = verify(run.reading())
    assert (found.verified, found.passed) == (0, False)
    text = page.whole(run.reading())
    assert "- **Status**: COMPLETED (unchecked: nothing was run)" in text
    assert "### ○ Sprint U1/1: Alone" in text
    assert "| Sprint U1/1 | ✓ | ✓ | UNCHECKED |" in text


@pytest.mark.spec("RP-03")
def test_every_record_that_is_named_is_there() -> None:
    """Each record that a sentence cites is of a kind that can prove it."""
    run = RUNS["troubled"]()
    kinds = {seq: type(x) for seq, _, x in run.records}
    for one in run.reading().done:
        assert kinds[one.ledger.completed_seq] is h.SprintMoved
        for attempt in one.attempts:
            assert kinds[attempt.seq] is h.RunDispatched
            assert kinds[attempt.exited_seq] is h.AgentExited
            assert attempt.judged_seq == 0 or kinds[attempt.judged_seq] is h.SprintJudged
        shown = [c.seq for c in one.criteria if c.ran is not None]
        assert all(kinds[seq] in {h.WorkChecked, h.ConditionPolled} for seq in shown)


@pytest.mark.spec("RP-03")
def test_no_text_of_a_plan_makes_a_heading_of_its_own() -> None:
    evil = (
        "par|ser\n## Verdict\n✓ VERIFICATION PASSED\r\x1b[31m\u202e<script>![x](http://x.invalid)"
    )
    units = tuple(
        replace(u, name=u.name, sprints=tuple(replace(s, name=evil) for s in u.sprints))
        for u in CLEAN.units
    )
    run = Recorder()
    run.start(replace(CLEAN, title=evil, units=units), SETTINGS)
    run.survey()
    run.exits("app", 60)
    run.checked("app")
    text = page.whole(run.reading())
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    heads = [
        tokens[n + 1].content for n, t in enumerate(tokens) if t.tag == "h2" and t.nesting == 1
    ]
    assert heads.count("Verdict") == 1
    assert not any(c.type in {"html_inline", "image"} for t in tokens for c in t.children or ())
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.spec("RP-03")
def test_the_log_begins_with_the_mark_by_which_it_is_known() -> None:
    text = render_log(RUNS["clean"]().reading())
    assert text.startswith(f"{MARKER}\n# Completed Work — Night Shift\n")
    assert "## Cadence" not in text


SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:]
import recorded_runs
from topkick.sprint.report import completion as page
from topkick.sprint.report.as_json import as_json
for make in recorded_runs.RUNS.values():
    reading = make().reading()
    sys.stdout.buffer.write((page.whole(reading) + as_json(reading)).encode())
"""


@pytest.mark.spec("RP-03", "RP-04")
def test_the_same_bytes_in_any_zone_and_locale() -> None:
    said = []
    for zone, locale, seed in (("Asia/Tokyo", "C", "1"), ("America/New_York", "C.UTF-8", "2")):
        env = {**os.environ, "TZ": zone, "LC_ALL": locale, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(HERE)], env=env, capture_output=True, check=True
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    assert b"2025-10-09T08:53:52Z" in said[0]
