"""Questions to agents and commands: what they are asked, and what their answers count."""

import json
from dataclasses import replace

import pytest
from checkpoint_material import BRIEF, EPICS, PRD
from hypothesis import given
from hypothesis import strategies as st

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.engine.agents.json_schema import problems
from topkick.team.judge.agent_checks import (
    CHECK,
    CheckQuestion,
    no_answer,
    of_command,
    prompt,
    read_answer,
)
from topkick.team.judge.checklist import CheckKind, CheckSeverity, JudgeCheck
from topkick.team.judge.findings import Group, JudgeResult

ASKED = JudgeCheck(
    "tone", CheckKind.AGENT, "Is the tone friendly?", Group.CONSISTENCY, CheckSeverity.CRITICAL
)
RUN = JudgeCheck("tests", CheckKind.SHELL, "make test", Group.PROCESS)


def answer(**fields: object) -> str:
    whole = {"result": "pass", "details": "It is.", "evidence": [f"{BRIEF}:1 Hello"], **fields}
    kept = {name: value for name, value in whole.items() if value is not None}
    return f"I looked.\n\n```json\n{json.dumps(kept)}\n```\n"


@pytest.mark.spec("CK-12")
@pytest.mark.parametrize("result", list(JudgeResult))
def test_an_answer_with_evidence_counts_as_it_says(result: JudgeResult) -> None:
    found = read_answer(ASKED, answer(result=result.value))
    assert (found.check, found.group, found.result) == ("tone", Group.CONSISTENCY, result)
    assert (found.details, found.evidence) == ("It is.", (f"{BRIEF}:1 Hello",))
    assert found.critical


@pytest.mark.spec("CK-12")
@pytest.mark.parametrize("result", list(JudgeResult))
@pytest.mark.parametrize("evidence", [[], ["  "]])
def test_an_answer_without_evidence_counts_as_a_warning(
    result: JudgeResult, evidence: list[str]
) -> None:
    found = read_answer(ASKED, answer(result=result.value, evidence=evidence))
    assert found.result is JudgeResult.WARN
    assert found.evidence == ()


@pytest.mark.spec("CK-12")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("All is well, I pass it.", "no JSON"),
        (answer(result="great"), "result is not one of pass, warn, fail"),
        (answer(evidence=None), "has no evidence"),
        (answer(evidence="a page"), "evidence is not array"),
        (answer(details=""), "details is empty"),
        ("```json\n[1]\n```", "is not object"),
        ("```json\n" + "[" * 100_000 + "\n```", "no JSON"),
    ],
)
def test_a_malformed_answer_is_a_warning_that_says_what_was_wrong(text: str, says: str) -> None:
    found = read_answer(ASKED, text)
    assert found.result is JudgeResult.WARN
    assert "wrong form" in found.details
    assert says in found.details


@pytest.mark.spec("CK-12")
@given(st.text(max_size=200))
def test_no_words_alone_pass(text: str) -> None:
    assert read_answer(ASKED, text).result is JudgeResult.WARN


@pytest.mark.spec("CK-12")
def test_the_order_is_the_same_bytes_and_does_not_answer_itself() -> None:
    asked = CheckQuestion("CHECKPOINT-002", "team/x", ("DRAFT-003",), (EPICS, BRIEF), (PRD,))
    made = prompt(ASKED, asked)
    assert made == prompt(ASKED, replace(asked, documents=(BRIEF, EPICS)))
    for words in ("Is the tone friendly?", BRIEF, PRD, "CHECKPOINT-002", "DRAFT-003", "team/x"):
        assert words in made
    assert read_answer(ASKED, made).result is JudgeResult.WARN
    assert prompt(ASKED, replace(asked, own_text="Be brief.")).startswith("Be brief.\n\nINPUT")


@pytest.mark.spec("CK-12")
def test_the_example_fits_the_schema() -> None:
    assert problems(json.loads(CHECK.example), CHECK.body) == ()


@pytest.mark.spec("CK-12")
@pytest.mark.parametrize(
    ("outcome", "code", "result"),
    [
        (CheckOutcome.PASSED, 0, JudgeResult.PASS),
        (CheckOutcome.FAILED, 1, JudgeResult.FAIL),
        (CheckOutcome.TIMED_OUT, None, JudgeResult.FAIL),
        (CheckOutcome.CANNOT_RUN, 127, JudgeResult.WARN),
    ],
)
def test_how_a_command_ended_counts(
    outcome: CheckOutcome, code: int | None, result: JudgeResult
) -> None:
    found = of_command(RUN, CheckResult("make test", outcome, code, excerpt="one\n\ntwo\nthree\n"))
    assert found.result is result
    assert result is not JudgeResult.FAIL or found.evidence[-1] == "three"
    assert "make test" in found.details


@pytest.mark.spec("CK-12")
def test_what_could_not_be_asked_is_not_checked() -> None:
    found = no_answer(ASKED, "no agent is configured")
    assert (found.result, found.details) == (
        JudgeResult.WARN,
        "not checked: no agent is configured",
    )
