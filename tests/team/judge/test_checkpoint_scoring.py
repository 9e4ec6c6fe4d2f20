"""Scores at their borders, critical failures, style, and blocks that need evidence."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.team.judge.findings import (
    Group,
    JudgeFinding,
    JudgeResult,
    VerdictWord,
    score,
    settled,
    shown,
)

PASS, WARN, FAIL = JudgeResult.PASS, JudgeResult.WARN, JudgeResult.FAIL


def found(
    result: JudgeResult, *, critical: bool = False, style: bool = False, seen: bool = True
) -> JudgeFinding:
    evidence = ("spec/brief.md:1 x",) if seen else ()
    return JudgeFinding("a check", Group.PROCESS, result, "what", evidence, critical, style)


def many(passes: int, warns: int, fails: int) -> tuple[JudgeFinding, ...]:
    results = [PASS] * passes + [WARN] * warns + [FAIL] * fails
    return tuple(found(result) for result in results)


@pytest.mark.spec("CK-10")
def test_each_result_is_worth_what_the_rule_says() -> None:
    assert [result.worth for result in (PASS, WARN, FAIL)] == [1.0, 0.5, 0.0]


@pytest.mark.spec("CK-10")
@pytest.mark.parametrize(
    ("passes", "warns", "fails", "word", "value"),
    [
        (4, 0, 1, VerdictWord.PASS, 0.8),
        (159, 0, 41, VerdictWord.WARN, 0.79),  # 0.795: neither rounded up to 0.80 nor passed
        (3999, 0, 1001, VerdictWord.WARN, 0.79),  # 0.7998
        (1, 0, 1, VerdictWord.WARN, 0.5),
        (0, 3, 0, VerdictWord.WARN, 0.5),
        (99, 0, 101, VerdictWord.BLOCK, 0.49),  # 0.495
        (4999, 0, 5001, VerdictWord.BLOCK, 0.49),  # 0.4999
        (0, 0, 2, VerdictWord.BLOCK, 0.0),
        (2, 0, 0, VerdictWord.PASS, 1.0),
        (2, 0, 1, VerdictWord.WARN, 0.66),
        (0, 0, 0, VerdictWord.WARN, 0.5),
    ],
)
def test_the_word_and_the_number_agree_at_every_border(
    passes: int, warns: int, fails: int, word: VerdictWord, value: float
) -> None:
    verdict = score(many(passes, warns, fails))
    assert (verdict.word, verdict.score) == (word, value)


@pytest.mark.spec("CK-10")
@given(st.lists(st.sampled_from(list(JudgeResult)), min_size=1, max_size=60))
def test_the_verdict_follows_from_the_exact_mean(results: list[JudgeResult]) -> None:
    verdict = score(tuple(found(result) for result in results))
    mean = sum((Fraction(result.worth) for result in results), Fraction(0)) / len(results)
    exact = (
        VerdictWord.PASS
        if mean >= Fraction(8, 10)
        else VerdictWord.WARN
        if mean >= Fraction(1, 2)
        else VerdictWord.BLOCK
    )
    printed = Fraction(shown(verdict.score))
    assert verdict.word is exact
    assert printed == Fraction(str(verdict.score))
    assert mean - Fraction(1, 100) < printed <= mean
    assert (printed >= Fraction(8, 10)) == (exact is VerdictWord.PASS)
    assert (printed < Fraction(1, 2)) == (exact is VerdictWord.BLOCK)
    assert bool(verdict.blocks) == (exact is VerdictWord.BLOCK)


@pytest.mark.spec("CK-10")
def test_a_critical_failure_blocks_whatever_the_mean() -> None:
    verdict = score((*many(9, 0, 0), found(FAIL, critical=True)))
    assert (verdict.word, verdict.score) == (VerdictWord.BLOCK, 0.9)
    assert verdict.blocks == ("a check: what [spec/brief.md:1 x]",)
    assert verdict.risks == ()


@pytest.mark.spec("CK-10")
@pytest.mark.parametrize("result", [PASS, WARN])
def test_a_critical_check_that_did_not_fail_blocks_nothing(result: JudgeResult) -> None:
    assert score((found(result, critical=True),)).word is not VerdictWord.BLOCK


@pytest.mark.spec("CK-10")
def test_no_block_without_evidence() -> None:
    for unseen in (found(FAIL, seen=False), found(FAIL, critical=True, seen=False)):
        verdict = score((unseen, unseen))
        assert (verdict.word, verdict.score, verdict.blocks) == (VerdictWord.WARN, 0.5, ())
        assert "without evidence" in verdict.risks[0]
    blank = JudgeFinding("a", Group.HEALTH, FAIL, "b", ("", "  "))
    assert settled(blank).result is WARN


@pytest.mark.spec("CK-10")
@given(
    st.lists(st.sampled_from(list(JudgeResult)), max_size=12),
    st.lists(st.sampled_from(list(JudgeResult)), max_size=12),
)
def test_style_alone_never_takes_a_stage_to_a_block(
    others: list[JudgeResult], styles: list[JudgeResult]
) -> None:
    plain = tuple(found(result) for result in others)
    styled = tuple(found(result, style=True, critical=True) for result in styles)
    if score(plain).word is not VerdictWord.BLOCK:
        assert score(plain + styled).word is not VerdictWord.BLOCK


@pytest.mark.spec("CK-10")
def test_failures_of_style_do_not_hide_a_block() -> None:
    styled = tuple(found(FAIL, style=True) for _ in range(20))
    assert score((*many(0, 0, 1), *styled)).word is VerdictWord.BLOCK


@pytest.mark.spec("CK-10")
def test_risks_are_recorded_unless_the_stage_simply_passes() -> None:
    assert score(many(9, 1, 0)).risks == ()
    warned = score(many(1, 1, 1))
    assert warned.word is VerdictWord.WARN
    assert len(warned.risks) == 2
    blocked = score(many(0, 1, 2))
    assert (len(blocked.risks), len(blocked.blocks)) == (1, 2)
