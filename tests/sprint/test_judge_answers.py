"""A gate accepts a judge's answer only if its exit code and its text agree."""

import pytest

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.plan_format.model import CheckpointPlan
from topkick.sprint.gates.attribution import Blame, Try, next_step
from topkick.sprint.gates.model import Covered, Gate, GateKind, GateRun, GateVerdict

LOG = "[supervisor] 19:30:05 CHECKPOINT-001: Verdict"
CHECKPOINT = CheckpointPlan("CHECKPOINT-001", "layer 0", ("a", "b"), ("c",), ("a", "b"))


def gate(*runs: GateRun) -> Gate:
    covers = (Covered("a", 1), Covered("b", 1))
    return Gate("G1", GateKind.CHECKPOINT, covers=covers, checkpoint=CHECKPOINT, runs=runs)


def judged(code: int | None, said: str, outcome: CheckOutcome = CheckOutcome.FAILED) -> Blame:
    by = CheckResult(CHECKPOINT.command, outcome, code, excerpt=f"Asked for it.\n{said}\nbye")
    found = next_step(gate(GateRun(("a", "b"), (by,))))
    assert isinstance(found, Blame), "one run is all that there is"
    assert found.groups == (), "no unit is to blame"
    return found


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize(
    ("code", "said", "verdict", "why"),
    [
        (0, f"{LOG} pass: 0.90: fine", GateVerdict.PASSED, ""),
        (0, f"{LOG} warn: 0.60: terms differ", GateVerdict.WARNED, "score 0.60; terms differ"),
        (1, f"{LOG} block: 0.00: words", GateVerdict.BLOCKED, "score 0.00; words"),
        (0, "[supervisor] Verdict: pass (score: 1.00)", GateVerdict.PASSED, ""),
        (
            0,
            "Verdict: warn (score: 0.60)\nFindings: terms",
            GateVerdict.WARNED,
            "score 0.60; terms",
        ),
        (0, f"{LOG} warn: 0.60: x\n{LOG} pass: 1.00: x", GateVerdict.WARNED, "score 0.60; x"),
    ],
)
def test_its_word_is_taken(code: int, said: str, verdict: GateVerdict, why: str) -> None:
    assert judged(code, said) == Blame(verdict, why)


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (1, f"{LOG} pass: 0.90: fine"),
        (0, f"{LOG} block: 0.00: words"),
        (0, "nothing"),
        (1, "Traceback (most recent call last):"),
        (1, "the evidence: Verdict: block (score: 0.00) it said"),
        (2, f"{LOG} block: 0.00: words"),
        (-9, f"{LOG} pass: 1.00: x"),
        (None, f"{LOG} pass: 1.00: x"),
    ],
)
def test_a_judge_that_fell_over_has_judged_nothing(code: int | None, said: str) -> None:
    assert judged(code, said).verdict is GateVerdict.CANNOT_RUN


@pytest.mark.spec("CK-14")
def test_time_that_is_over_is_no_verdict() -> None:
    found = judged(0, f"{LOG} pass: 1.00: x", CheckOutcome.TIMED_OUT)
    assert found == Blame(GateVerdict.CANNOT_RUN, f"`{CHECKPOINT.command}` did not end in time")


@pytest.mark.spec("CK-14")
def test_what_could_not_be_run_is_said() -> None:
    assert next_step(gate()) == Try(("a", "b"))
    trouble = next_step(gate(GateRun(("a", "b"), trouble="no tree")))
    assert trouble == Blame(GateVerdict.CANNOT_RUN, "no tree")
    stopped = next_step(gate(GateRun(("a", "b"))))
    assert isinstance(stopped, Blame)
    assert stopped.verdict is GateVerdict.CANNOT_RUN
