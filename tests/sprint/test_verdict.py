"""Verdicts: work that is proven, work that is only claimed, and failures that are not charged."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig import SETTINGS, result, sprint
from topkick.checks.model import Claim, Evidence
from topkick.engine.agents.program import AgentExit, Ending
from topkick.engine.settings import Settings
from topkick.plan_format.model import SprintType
from topkick.sprint.blockers.holds import CheckCannotRun, LookWhy, PersonHasToLook
from topkick.sprint.model import Outcome, Proof, Sprint, Verdict
from topkick.sprint.policy.verdict import fingerprint, judge

SUCCESS, PARTIAL, FAILURE = Verdict.SUCCESS, Verdict.PARTIAL, Verdict.FAILURE
RANK = {FAILURE: 0, PARTIAL: 1, SUCCESS: 2}
DONE = AgentExit(Ending.EXITED, 0)
CODE, COMMAND, MANUAL = SprintType.CODE, SprintType.COMMAND, SprintType.MANUAL
NO_GIT = None


def a_sprint(type_: SprintType = CODE, checks: tuple[str, ...] = ("test",), **more) -> Sprint:
    return Sprint(sprint("1", type_, checks), dispatches=1, **more)


def seen(codes: dict[str, int], head: str | None = "h2", **more) -> Evidence:
    return Evidence(tuple(result(c, code) for c, code in codes.items()), head=head, **more)


def look(given_sprint: Sprint, evidence: Evidence, before=(), how=DONE, settings=SETTINGS):
    return judge(given_sprint, before, evidence, how, settings)


COMMIT = {"substance": True, "commits": ("c1",)}
EMPTY = {"substance": False, "commits": ("c1",)}
GREEN, RED = {"test": 0}, {"test": 1}


@pytest.mark.spec("VF-02", "VF-03", "ER-05", "V2", "V3")
@pytest.mark.parametrize(
    ("type_", "codes", "more", "verdict", "said"),
    [
        pytest.param(CODE, GREEN, COMMIT, SUCCESS, "", id="green and committed"),
        pytest.param(CODE, RED, COMMIT, PARTIAL, "`test` ended with 1", id="red with a commit"),
        pytest.param(CODE, RED, {}, FAILURE, "`test` ended with 1", id="red, nothing done"),
        pytest.param(CODE, RED, EMPTY, FAILURE, "ended with 1", id="red, empty commit"),
        pytest.param(CODE, {"test": 124}, {}, FAILURE, "did not end in time", id="timed out"),
        pytest.param(CODE, GREEN, {}, PARTIAL, "no commit", id="newly green, no commit"),
        pytest.param(CODE, GREEN, EMPTY, PARTIAL, "only an empty commit", id="empty commit"),
        pytest.param(
            CODE, GREEN, {"uncommitted": ("a.py",)}, PARTIAL, "not committed: a.py", id="left over"
        ),
        pytest.param(CODE, GREEN, {"head": NO_GIT}, SUCCESS, "", id="newly green without git"),
        pytest.param(COMMAND, GREEN, {}, SUCCESS, "", id="a command needs no commit"),
        pytest.param(COMMAND, RED, {}, FAILURE, "ended with 1", id="a command that failed"),
        pytest.param(CODE, {"test": 0, "lint": 1}, {}, PARTIAL, "`lint`", id="one of two"),
        pytest.param(CODE, {}, COMMIT, PARTIAL, "not run: `test`", id="no result at all"),
    ],
)
def test_checks_and_git_decide(type_, codes, more, verdict, said):
    checks = tuple(codes) or ("test",)
    found = look(a_sprint(type_, checks), seen(codes, **more))
    assert found.verdict is verdict
    assert said in " ".join(found.reasons)
    assert not found.rest


@pytest.mark.spec("VF-03", "V2")
@pytest.mark.parametrize("words", ["done", "success", "all tests pass", "partial", "failed"])
def test_no_words_outweigh_a_failing_command(words: str):
    found = look(a_sprint(), seen(RED, claim=Claim(words)))
    assert found.verdict is FAILURE
    if words == "done":
        assert "the checks say otherwise" in " ".join(found.reasons)


@pytest.mark.spec("VF-02")
@pytest.mark.parametrize("words", ["partial", "failed", "blocked"])
def test_words_lower_what_the_checks_allow(words: str):
    found = look(a_sprint(), seen(GREEN, claim=Claim(words, "half", ("docs",)), **COMMIT))
    assert found.verdict is PARTIAL
    assert found.reasons == (f"the agent itself says '{words}': half", "docs")
    assert found.proof is None


@pytest.mark.spec("V8")
@pytest.mark.parametrize("words", ["done", "partial", "failed", "blocked"])
def test_words_do_not_turn_nothing_into_progress(words: str):
    """All checks passed before and nothing was done: a modest word must not save the attempt."""
    nothing = seen(GREEN)
    assert look(a_sprint(), nothing, before=("test",)).verdict is FAILURE
    said = replace(nothing, claim=Claim(words))
    assert look(a_sprint(), said, before=("test",)).verdict is FAILURE


SPRINTS = st.builds(
    a_sprint,
    st.sampled_from(SprintType),
    st.sampled_from([(), ("test",), ("test", "lint")]),
    committed=st.booleans(),
    idle_continuations=st.integers(0, 3),
    outcome=st.none() | st.builds(Outcome, st.sampled_from(Verdict)),
)
CODES = st.sampled_from([0, 0, 1, 124, 127])
EVIDENCE = st.builds(
    seen,
    st.fixed_dictionaries({"test": CODES}, optional={"lint": CODES}),
    head=st.sampled_from([None, "h2"]),
    substance=st.booleans(),
    commits=st.sampled_from([(), ("c1",)]),
    uncommitted=st.sampled_from([(), ("a.py",)]),
    always=st.sampled_from([(), (result("always"),), (result("always", 1),)]),
)
EXITS = st.none() | st.builds(AgentExit, st.sampled_from(Ending), st.sampled_from([0, 1]))
WORDS = st.sampled_from(["done", "partial", "failed", "blocked", "success"]) | st.text(max_size=8)
CLAIMS = st.builds(Claim, WORDS, st.text(max_size=8), st.lists(st.text(max_size=4)).map(tuple))


@pytest.mark.spec("V8", "VF-02", "V2")
@given(SPRINTS, EVIDENCE, EXITS, CLAIMS, st.sampled_from([(), ("test",)]))
def test_adding_words_never_improves_a_verdict(given_sprint, evidence, how, claim, before):
    silent = look(given_sprint, evidence, before, how)
    spoken = look(given_sprint, replace(evidence, claim=claim), before, how)
    assert RANK[spoken.verdict] <= RANK[silent.verdict]
    assert spoken.proof in {None, silent.proof}
    assert spoken.rest == silent.rest, "words neither give a case to a person nor take it away"


@pytest.mark.spec("V1", "V2", "V6")
@given(SPRINTS, EVIDENCE, EXITS, st.sampled_from([(), ("test",)]))
def test_success_means_that_everything_passed(given_sprint, evidence, how, before):
    found = look(given_sprint, evidence, before, how)
    if found.verdict is SUCCESS:
        assert {c.command for c in given_sprint.plan.checks} <= set(evidence.passing)
        assert all(r.passed for r in (*evidence.results, *evidence.always))
        assert given_sprint.plan.effective_type is not MANUAL
        assert found.proof is not None
    if found.rest:
        assert found.verdict is PARTIAL, "what waits for a person charges nobody"


@pytest.mark.spec("VF-06", "C3")
def test_a_check_that_cannot_run_charges_nobody_and_waits_for_a_person():
    found = look(a_sprint(), seen({"test": 127}))
    assert (found.verdict, found.rest) == (PARTIAL, CheckCannotRun("test"))
    both = look(a_sprint(checks=("test", "lint")), seen({"test": 127, "lint": 1}))
    assert (both.verdict, both.rest) == (FAILURE, None), "another one did fail"


@pytest.mark.spec("VF-06", "DP-11")
@pytest.mark.parametrize(
    ("type_", "more", "verdict", "rests"),
    [
        pytest.param(CODE, COMMIT, SUCCESS, False, id="a commit and nothing else"),
        pytest.param(CODE, {}, FAILURE, False, id="nothing"),
        pytest.param(CODE, EMPTY, FAILURE, False, id="an empty commit"),
        pytest.param(CODE, {"head": NO_GIT}, PARTIAL, True, id="no git, no check"),
        pytest.param(COMMAND, {}, PARTIAL, True, id="a command that no check follows"),
        pytest.param(COMMAND, COMMIT, SUCCESS, False, id="a command that committed"),
        pytest.param(
            CODE, {**COMMIT, "always": (result("ci", 1),)}, PARTIAL, False, id="[verify] always red"
        ),
    ],
)
def test_a_sprint_without_checks_needs_a_commit(type_, more, verdict, rests):
    found = look(a_sprint(type_, checks=()), seen({}, **more))
    assert (found.verdict, bool(found.rest)) == (verdict, rests)
    assert found.proof is (Proof.UNCHECKED if verdict is SUCCESS else None)


@pytest.mark.spec("DP-08", "VF-06")
@pytest.mark.parametrize(("at_first", "proof"), [((), Proof.CHECKED), (("test",), Proof.UNCHECKED)])
def test_a_check_that_passed_before_the_first_order_proves_nothing_alone(at_first, proof):
    given_sprint = a_sprint(passing_at_first=at_first)
    assert look(given_sprint, seen(GREEN, **COMMIT), before=at_first).proof is proof


@pytest.mark.spec("DP-08")
def test_one_check_that_was_red_at_first_is_proof_enough():
    given_sprint = a_sprint(checks=("test", "lint"), passing_at_first=("lint",))
    found = look(given_sprint, seen({"test": 0, "lint": 0}, **COMMIT), before=("test", "lint"))
    assert found.proof is Proof.CHECKED, "red before the sprint, green after it"


@pytest.mark.spec("VF-07")
def test_a_command_sprint_is_judged_by_its_criteria_whatever_its_exit_code():
    assert look(a_sprint(COMMAND), seen(GREEN), how=AgentExit(Ending.EXITED, 1)).verdict is SUCCESS
    assert look(a_sprint(COMMAND), seen(RED), how=DONE).verdict is FAILURE


@pytest.mark.spec("ER-05", "VF-02")
@pytest.mark.parametrize("how", [AgentExit(Ending.DEADLINE), AgentExit(Ending.SIGNALED, signal=9)])
def test_how_an_agent_ended_is_not_itself_a_verdict(how: AgentExit):
    assert look(a_sprint(), seen(GREEN, **COMMIT), how=how).verdict is SUCCESS
    assert look(a_sprint(), seen(RED, **COMMIT), how=how).verdict is PARTIAL
    assert look(a_sprint(), seen(RED), how=how).verdict is FAILURE
    assert look(a_sprint(), seen(RED, uncommitted=("a.py",)), how=how).verdict is FAILURE


@pytest.mark.spec("ER-05")
def test_only_uncommitted_files_when_time_ran_out_is_a_failure_that_names_them():
    left = seen(GREEN, uncommitted=("a.py",))
    found = look(a_sprint(), left, before=("test",), how=AgentExit(Ending.DEADLINE))
    assert (found.verdict, found.reasons) == (
        FAILURE,
        ("not committed: a.py", "the agent ran out of time"),
    )
    in_peace = look(a_sprint(), left, before=("test",))
    assert (in_peace.verdict, in_peace.reasons) == (FAILURE, ("not committed: a.py",))
    assert found.outcome(left, "m-1").uncommitted == ("a.py",)


@pytest.mark.spec("VF-03", "SM-07")
def test_the_commit_of_an_earlier_order_counts_once_the_checks_turn_green():
    """The code was there; only a check was red. The next agent has nothing left to commit."""
    earlier = a_sprint(committed=True, outcome=Outcome(PARTIAL))
    assert look(earlier, seen(GREEN)).verdict is SUCCESS
    assert look(earlier, seen(GREEN), before=("test",)).verdict is FAILURE, "nothing newly met"


# --- not for ever --------------------------------------------------------------------------


@pytest.mark.spec("SM-07", "C8")
def test_a_continuation_that_brings_nothing_is_a_failure():
    begun = a_sprint(checks=("test", "lint"), outcome=Outcome(PARTIAL))
    nothing = seen({"test": 0, "lint": 1})
    assert look(begun, nothing, before=("test",)).verdict is FAILURE
    assert look(begun, nothing, before=()).verdict is PARTIAL, "a criterion newly met"
    diff = replace(nothing, substance=True)
    assert look(begun, diff, before=("test",)).verdict is PARTIAL, "a diff of substance"


@pytest.mark.spec("SM-07", "C8")
@pytest.mark.parametrize(("idle", "verdict"), [(0, PARTIAL), (1, PARTIAL), (2, FAILURE)])
def test_continuations_without_a_newly_met_criterion_are_counted(idle: int, verdict: Verdict):
    """Three of them, and the third is no progress any more."""
    begun = a_sprint(outcome=Outcome(PARTIAL), idle_continuations=idle)
    assert look(begun, seen(RED, **COMMIT)).verdict is verdict


@pytest.mark.spec("SM-10", "C8")
@pytest.mark.parametrize(("dispatches", "verdict"), [(11, PARTIAL), (12, FAILURE)])
def test_the_last_order_of_a_life_cannot_end_in_another_continuation(dispatches, verdict):
    settings: Settings = replace(SETTINGS, max_dispatches=12)
    old = replace(a_sprint(checks=("test", "lint")), dispatches=dispatches)
    found = look(old, seen({"test": 0, "lint": 1}, **COMMIT), settings=settings)
    assert found.verdict is verdict


@pytest.mark.spec("SM-10")
def test_the_same_failure_has_the_same_mark_whatever_the_output_said():
    one = Outcome(FAILURE, ("a",), (result("test", 1, "0x7f31"), result("lint", 2)))
    two = Outcome(FAILURE, ("b",), (result("lint", 2), result("test", 1, "0x99aa")))
    assert fingerprint(one) == fingerprint(two)
    other = Outcome(FAILURE, ("a",), (result("test", 2),))
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.spec("ER-04", "SM-08", "V6")
@pytest.mark.parametrize("type_", [MANUAL, SprintType.DEFERRED])
def test_what_is_for_a_person_rests_however_green_it_is(type_: SprintType):
    """A deferred sprint without a condition is one for a person too (ER-02)."""
    given_sprint = a_sprint(type_, checks=("test",) if type_ is MANUAL else ())
    found = look(given_sprint, seen(GREEN, **COMMIT))
    assert (found.verdict, found.rest) == (PARTIAL, PersonHasToLook(LookWhy.MANUAL))
