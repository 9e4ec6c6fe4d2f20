"""The sprint policy, story by story. Rewrite with --rewrite-golden, then read the difference."""

from collections.abc import Callable
from pathlib import Path

import pytest

from transcript import play

STORIES = Path(__file__).parent / "stories"

CASES = [
    pytest.param("reconciliation", marks=pytest.mark.spec("RP-05", "RP-06")),
    pytest.param(
        "happy-path",
        marks=pytest.mark.spec("SM-01", "SM-09", "LP-01", "LP-02", "LP-04", "S5", "G1", "DP-01"),
    ),
    pytest.param("retry-with-a-stronger-tier", marks=pytest.mark.spec("SM-03", "SM-04", "DP-04")),
    pytest.param(
        "fatal-while-others-go-on",
        marks=pytest.mark.spec("SM-03", "SM-05", "LP-04", "S3", "C4", "G4"),
    ),
    pytest.param(
        "fatal-checked-again",
        marks=pytest.mark.spec("GT-03", "SM-05", "SM-06", "SD-01", "SD-02", "SD-04", "D10", "K2"),
    ),
    pytest.param("same-failure-three-times", marks=pytest.mark.spec("SM-10", "SM-06")),
    pytest.param("retry-by-a-person", marks=pytest.mark.spec("SM-06", "SD-04", "C5")),
    pytest.param("resume-with-retry-blocked", marks=pytest.mark.spec("SD-04", "SM-06")),
    pytest.param("partial-and-continuation", marks=pytest.mark.spec("SM-07", "DP-04", "C3")),
    pytest.param("continuations-are-bounded", marks=pytest.mark.spec("SM-07", "C8")),
    pytest.param("continuations-after-a-met-criterion", marks=pytest.mark.spec("SM-07", "C8")),
    pytest.param("claims-done-without-doing-it", marks=pytest.mark.spec("VF-02", "VF-03", "V2")),
    pytest.param("stop-drained", marks=pytest.mark.spec("SD-01", "SD-04", "D7", "K2")),
    pytest.param("stop-ends-in-completed-or-blocked", marks=pytest.mark.spec("SD-01", "SM-05")),
    pytest.param("stop-of-one-unit", marks=pytest.mark.spec("SD-01", "D7")),
    pytest.param("stop-forced-by-a-second-stop", marks=pytest.mark.spec("SD-01", "K3")),
    pytest.param("stop-forced-by-patience", marks=pytest.mark.spec("SD-01", "K3")),
    pytest.param("killall-then-found-done", marks=pytest.mark.spec("SD-02", "SD-04", "N5")),
    pytest.param("killall-then-not-done", marks=pytest.mark.spec("SD-02", "SD-04", "C3")),
    pytest.param("killall-during-the-check", marks=pytest.mark.spec("SD-02", "SD-04", "C7")),
    pytest.param("supervisor-died", marks=pytest.mark.spec("SD-04", "LP-01", "D3")),
    pytest.param("agent-cannot-start", marks=pytest.mark.spec("LP-04", "C3")),
    pytest.param("agent-lost", marks=pytest.mark.spec("SM-04", "C3")),
    pytest.param("usage-limit", marks=pytest.mark.spec("DP-09", "SM-04", "SM-10", "C3")),
    pytest.param("usage-limit-without-a-time", marks=pytest.mark.spec("DP-09")),
    pytest.param("usage-limit-asks", marks=pytest.mark.spec("DP-09")),
    pytest.param("usage-limit-switches-the-agent", marks=pytest.mark.spec("DP-09")),
    pytest.param("usage-limit-until-a-time-of-day", marks=pytest.mark.spec("DP-09")),
    pytest.param("provider-trouble", marks=pytest.mark.spec("DP-09", "SM-04", "C3")),
    pytest.param("conversation", marks=pytest.mark.spec("DP-04")),
    pytest.param("turn-limit", marks=pytest.mark.spec("DP-07", "ER-05")),
    pytest.param("budget-of-a-sprint", marks=pytest.mark.spec("DP-10")),
    pytest.param("budget-of-a-run", marks=pytest.mark.spec("DP-10")),
    pytest.param("budget-of-a-day", marks=pytest.mark.spec("DP-10")),
    pytest.param("limit-then-killall", marks=pytest.mark.spec("DP-09", "SD-04")),
    pytest.param("limit-with-progress", marks=pytest.mark.spec("DP-09", "SM-04")),
    pytest.param("budget-in-minutes", marks=pytest.mark.spec("DP-10")),
    pytest.param("a-word-from-a-person-stays", marks=pytest.mark.spec("SM-06")),
    pytest.param("usage-read-again", marks=pytest.mark.spec("DP-10", "J2")),
    pytest.param("entry-criterion-held", marks=pytest.mark.spec("DP-08")),
    pytest.param("deferred-met", marks=pytest.mark.spec("ER-02")),
    pytest.param("deferred-unmet", marks=pytest.mark.spec("ER-02", "SM-08", "V5")),
    pytest.param("deferred-declared-failure", marks=pytest.mark.spec("ER-02", "SM-08", "C4")),
    pytest.param("background-process", marks=pytest.mark.spec("ER-03", "SD-02")),
    pytest.param("findings-rest-until-waived", marks=pytest.mark.spec("VF-03", "VF-06")),
    pytest.param("findings-with-a-failing-check", marks=pytest.mark.spec("VF-03", "DP-04")),
    pytest.param("findings-go-back-once", marks=pytest.mark.spec("VF-03", "DP-04", "C3")),
    pytest.param("done-before-the-order", marks=pytest.mark.spec("DP-08", "C3")),
    pytest.param("claimed-before-the-run", marks=pytest.mark.spec("ST-02", "ST-04")),
    pytest.param("progress-file-claims-more", marks=pytest.mark.spec("ST-02", "VF-01", "V8")),
    pytest.param("manual-accepted", marks=pytest.mark.spec("ER-04", "SM-08", "V6", "LP-04")),
    pytest.param("manual-rejected", marks=pytest.mark.spec("ER-04", "SM-05")),
    pytest.param("unresponsive-agent", marks=pytest.mark.spec("ER-01")),
    pytest.param("plan-revised", marks=pytest.mark.spec("LP-05")),
    pytest.param("accept-of-fatal", marks=pytest.mark.spec("VF-06", "SM-06")),
    pytest.param("only-some-units", marks=pytest.mark.spec("LP-04")),
    pytest.param("waits-for-a-sprint-of-another-unit", marks=pytest.mark.spec("GT-08")),
    pytest.param("isolated-units-meet-at-their-end", marks=pytest.mark.spec("GT-06", "S5", "G1")),
    pytest.param("isolated-conflict-becomes-a-sprint", marks=pytest.mark.spec("GT-06")),
    pytest.param("isolated-conflict-met-twice", marks=pytest.mark.spec("GT-06", "GT-08")),
    pytest.param("isolated-sprint-waits-for-a-merged-one", marks=pytest.mark.spec("GT-08")),
    pytest.param("isolated-merge-meets-trouble", marks=pytest.mark.spec("GT-06", "C3")),
    pytest.param("isolated-stop-and-killall", marks=pytest.mark.spec("GT-06", "SD-01", "SD-02")),
    pytest.param("gate-culprit-found-and-repaired", marks=pytest.mark.spec("GT-03", "C3", "S5")),
    pytest.param("gate-interaction", marks=pytest.mark.spec("GT-03")),
    pytest.param("gate-flake", marks=pytest.mark.spec("GT-03")),
    pytest.param("gate-not-run", marks=pytest.mark.spec("GT-02")),
    pytest.param("gate-cannot-run", marks=pytest.mark.spec("GT-02", "GT-03")),
    pytest.param("gate-ask", marks=pytest.mark.spec("GT-02", "G2")),
    pytest.param("gate-clearance", marks=pytest.mark.spec("GT-01", "G1", "G2")),
    pytest.param("gate-held-in-a-shared-tree", marks=pytest.mark.spec("GT-02", "GT-04")),
    pytest.param("gate-dependencies-first", marks=pytest.mark.spec("GT-07")),
    pytest.param("gate-repair-fails", marks=pytest.mark.spec("GT-03", "SM-05")),
    pytest.param("gate-repaired-three-times", marks=pytest.mark.spec("GT-03")),
    pytest.param("gate-stop-and-killall", marks=pytest.mark.spec("SD-01", "SD-02", "GT-02")),
    pytest.param("checkpoint-passes", marks=pytest.mark.spec("CK-14")),
    pytest.param("checkpoint-warns", marks=pytest.mark.spec("CK-14")),
    pytest.param("checkpoint-overridden", marks=pytest.mark.spec("CK-14", "C3")),
    pytest.param("checkpoint-revised", marks=pytest.mark.spec("CK-14", "S4")),
    pytest.param("checkpoint-stopped-killed-resumed", marks=pytest.mark.spec("CK-14")),
    pytest.param("max-agents", marks=pytest.mark.spec("LP-02", "D10")),
    pytest.param("unchecked-held", marks=pytest.mark.spec("DP-11", "VF-06")),
    pytest.param("check-cannot-run", marks=pytest.mark.spec("VF-06", "C3")),
    pytest.param("dispatch-limit", marks=pytest.mark.spec("SM-10", "C8")),
    pytest.param("refusals", marks=pytest.mark.spec("ST-03")),
    pytest.param("stale-facts", marks=pytest.mark.spec("C7", "LP-01")),
]


@pytest.mark.parametrize("name", CASES)
def test_story(name: str, golden: Callable[[str, str], None]):
    path = STORIES / f"{name}.story"
    golden(f"../sprint/stories/{path.name}", play(path.read_text()))


def test_every_story_is_told():
    told = {case.values[0] for case in CASES}
    assert {path.stem for path in STORIES.glob("*.story")} == told
