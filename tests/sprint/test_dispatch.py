"""The order an agent gets: what it says, what it leaves out, and which tier it goes to."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig import AGENT, SETTINGS, Rig, plan, result, sprint, unit
from topkick.checks.model import Claim, Evidence, Ground
from topkick.engine import messages as h
from topkick.engine.agents.budgets import Budget, Budgets, Spending, day_of
from topkick.engine.agents.program import Ending, Tier, Usage
from topkick.engine.agents.runs import Dispatch
from topkick.plan_format.model import Criterion, SprintType
from topkick.sprint.dispatch.prompt import write_prompt
from topkick.sprint.model import Sprint
from topkick.sprint.spending import cost_left_microusd
from topkick.sprint.status import attempt
from topkick.sprint.timers import due_at_us
from topkick.sprint.transitions import SprintState

RULES = "Only the standard library.\nNo network in tests.\n"
PARSER = replace(
    sprint("2", checks=("make test", "make lint"), entry=("test -f grammar.txt",)),
    name="The parser",
    text="Write the parser.\n\n1. Read the grammar.\n2. Cover it with tests.\n",
)
PARSER = replace(PARSER, exit=(*PARSER.exit, Criterion("The README names the grammar")))
REVIEW = replace(
    sprint("3", SprintType.MANUAL, checks=()),
    name="Look at it",
    text="Try the parser by hand.",
    exit=(Criterion("It feels right"),),
)
PLAN = replace(plan(unit("Parser", PARSER, REVIEW)), rules=RULES, title="Night shift")


@pytest.fixture
def rig() -> Rig:
    made = Rig()
    made.start(PLAN)
    return made


def order(rig: Rig, name: str = "Parser") -> Dispatch:
    found = rig.run(name).dispatch
    assert found is not None
    return found


def prompt(rig: Rig) -> str:
    body = order(rig).prompt.body
    assert body is not None
    return body


def surveyed(rig: Rig, *passing: str, uncommitted: tuple[str, ...] = ()) -> None:
    entry = (result("test -f grammar.txt"),)
    rig.tell(h.GroundSurveyed(rig.run("Parser").id, Ground("b1", entry, passing, uncommitted)))


def failed(rig: Rig, **more: object) -> None:
    rig.exits("Parser", code=1)
    red = result("make test", 2, "FAILED test_empty\n1 failed, 3 passed")
    seen = Evidence((red, result("make lint")), head="b2")
    rig.tell(h.WorkChecked(rig.run("Parser").id, replace(seen, **more)))


Golden = Callable[[str, str], None]


@pytest.mark.spec("DP-01", "DP-03", "DP-08", "DP-12")
def test_the_first_order(rig: Rig, golden: Golden):
    surveyed(rig, "make lint")
    golden("prompts/first.txt", prompt(rig))


@pytest.mark.spec("DP-04", "ER-05")
def test_the_order_after_a_failure(rig: Rig, golden: Golden):
    surveyed(rig, "make lint")
    failed(rig, uncommitted=("parser.py",))
    golden("prompts/after-failure.txt", prompt(rig))


@pytest.mark.spec("DP-04")
def test_the_order_that_continues(rig: Rig, golden: Golden):
    surveyed(rig)
    failed(rig, substance=True, commits=("c1",), claim=Claim("done"))
    golden("prompts/continuation.txt", prompt(rig))


@pytest.mark.spec("SM-06", "DP-04")
def test_the_order_with_a_word_from_a_person(rig: Rig, golden: Golden):
    surveyed(rig)
    rig.exits("Parser", Ending.STOPPED)
    rig.command(h.Retry("Parser", "2", note="The grammar is in docs/.", model="big-2"))
    rig.checked("Parser", code=1, substance=False)
    golden("prompts/with-a-note.txt", prompt(rig))
    assert order(rig).model == "big-2"
    failed(rig)
    assert "A PERSON ADDS" not in prompt(rig), "a note is for one order"
    assert order(rig).model != "big-2"


@pytest.mark.spec("DP-03", "ER-04")
def test_the_order_for_a_manual_sprint(rig: Rig, golden: Golden):
    surveyed(rig)
    rig.exits("Parser")
    rig.checked("Parser")
    rig.survey("Parser")
    golden("prompts/manual.txt", prompt(rig))


@pytest.mark.spec("DP-03")
def test_the_parts_come_in_their_order(rig: Rig):
    surveyed(rig, "make lint")
    failed(rig)
    text = prompt(rig)
    marks = [
        "FIRST, read these files",
        "You are executing Sprint 2: The parser.",
        "ENTRY CRITERIA",
        "EXIT CRITERIA",
        "IMPORTANT:",
        "PROJECT RULES",
        "What went wrong",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


@pytest.mark.spec("DP-01", "SM-09", "D8")
def test_an_order_is_for_one_sprint_and_says_nothing_of_the_next(rig: Rig):
    surveyed(rig)
    assert "Look at it" not in prompt(rig)
    assert "Try the parser by hand" not in prompt(rig)
    assert "Do NOT start the next sprint" in prompt(rig)


@pytest.mark.spec("DP-03", "DP-12")
def test_the_text_and_the_rules_stand_verbatim_in_every_order(rig: Rig):
    surveyed(rig)
    for _ in range(2):
        assert PARSER.text.strip() in prompt(rig)
        assert RULES.strip() in prompt(rig)
        failed(rig)


@pytest.mark.spec("DP-08")
def test_a_criterion_that_passes_already_is_marked(rig: Rig):
    surveyed(rig, "make lint")
    assert "- `make lint` passes (passes already; keep it so)" in prompt(rig)
    assert "- `make test` passes\n" in prompt(rig)


@pytest.mark.spec("N4", "ER-05")
def test_uncommitted_files_are_named_in_the_next_order(rig: Rig):
    surveyed(rig, uncommitted=("draft.py",))
    assert "UNCOMMITTED FILES are in the tree from before" in prompt(rig)
    assert "- draft.py" in prompt(rig)


@pytest.mark.spec("D12", "SM-03")
def test_what_is_recorded_of_an_order(rig: Rig):
    surveyed(rig, "make lint")
    found = order(rig)
    assert (found.agent, found.model, found.tier) == ("scripted", "mid", Tier.SONNET)
    assert (found.attempt, found.base, found.passing) == (1, "b1", ("make lint",))
    failed(rig)
    found = order(rig)
    assert (found.model, found.tier, found.attempt, found.base) == ("big", Tier.OPUS, 2, "b2")
    assert [d.decision for d in rig.mission.decisions].count("Model: mid") == 1
    assert [d.decision for d in rig.mission.decisions].count("Model: big") == 1


@pytest.mark.spec("DP-04", "SD-04")
def test_a_continuation_that_was_killed_is_still_told_what_remains(rig: Rig):
    surveyed(rig, "make lint")
    failed(rig, substance=True)
    rig.exits("Parser", Ending.STOPPED)
    rig.command(h.Resume())
    rig.checked("Parser", code=1, substance=False)
    assert "was begun by an earlier order and is not finished" in prompt(rig)
    assert "failed on attempt" not in prompt(rig)


@pytest.mark.spec("SM-06", "DP-04")
def test_after_a_persons_retry_the_last_failure_is_told_with_its_true_number(rig: Rig):
    surveyed(rig, "make lint")
    for _ in range(3):
        failed(rig)
    rig.command(h.Retry("Parser", "2"))
    surveyed(rig, "make lint")
    assert "Sprint 2 failed on attempt 3. What went wrong:" in prompt(rig)
    assert order(rig).attempt == 1


@pytest.mark.spec("ER-02")
def test_a_wait_without_a_condition_is_ordered_as_one_for_a_person():
    rig = Rig()
    rig.start(plan(unit("Parser", sprint("1", SprintType.DEFERRED, checks=()))))
    rig.survey("Parser")
    assert "a person will verify it" in prompt(rig)


# --- tiers and numbers ---------------------------------------------------------------------


def at(state: SprintState = SprintState.BACKOFF, **more) -> Sprint:
    return Sprint(PARSER, state, **more)


def test_a_tier_without_a_model_of_its_own_is_named_as_it_is():
    assert AGENT.model_for(Tier.HAIKU) == "haiku"
    assert AGENT.model_for(Tier.OPUS) == "big"


@pytest.mark.spec("SM-03", "C1")
@given(failures=st.integers(0, 5), most=st.integers(1, 5))
def test_the_number_shown_is_never_more_than_there_are(failures: int, most: int):
    assert attempt(at(failures=failures), most) == min(failures + 1, most)


@pytest.mark.spec("DP-01", "V8")
@given(words=st.text(max_size=40))
def test_a_claim_of_being_done_is_not_handed_on_as_truth(words: str):
    rig = Rig()
    rig.start(PLAN)
    surveyed(rig)
    failed(rig, claim=Claim("done", f"<{words}>"))
    assert f"<{words}>" not in prompt(rig)


@pytest.mark.spec("DP-12")
def test_a_plan_without_rules_adds_no_part():
    rig = Rig()
    rig.start(replace(PLAN, rules=""), SETTINGS)
    unit_ = rig.mission.units["Parser"]
    text = write_prompt(rig.mission, unit_, unit_.sprints[0], Ground())
    assert "PROJECT RULES" not in text
    assert text.endswith("\n")


@pytest.mark.spec("DP-10")
@pytest.mark.parametrize(
    ("budgets", "left"),
    [
        (Budgets(), None),
        (Budgets(sprint=Budget(usd=3)), 2_000_000),
        (Budgets(sprint=Budget(usd=3), run=Budget(usd=2.5)), 1_500_000),
        (Budgets(unit=Budget(usd=1.25), day=Budget(usd=4)), 250_000),
        (Budgets(day=Budget(usd=0.5)), 0),
        (Budgets(run=Budget(tokens=5)), None),
    ],
)
def test_an_order_may_cost_what_the_tightest_budget_leaves(
    budgets: Budgets, left: int | None
) -> None:
    rig = Rig()
    rig.start(plan(unit("A", sprint("1"))))
    spent = Spending(Usage(cost_microusd=1_000_000))
    found = rig.mission.units["A"]
    found = replace(found, sprints=(replace(found.sprints[0], spent=spent),))
    mission = replace(
        rig.mission,
        settings=replace(SETTINGS, budgets=budgets),
        spent=spent,
        spent_today=spent,
        day=day_of(rig.mission.at_us),
    )
    assert cost_left_microusd(mission, found, found.sprints[0]) == left


@pytest.mark.spec("DP-10")
def test_who_wakes_to_an_agent_over_its_time_looks_again_in_a_moment() -> None:
    """When a supervisor wakes, it does not know yet which agents have ended meanwhile."""
    rig = Rig()
    budgets = Budgets(sprint=Budget(minutes=10))
    rig.start(plan(unit("A", sprint("1"))), replace(SETTINGS, budgets=budgets))
    rig.survey("A")
    dispatched_us = rig.mission.at_us
    assert due_at_us(rig.mission) == dispatched_us + 600_000_000
    rig.tell(h.SupervisorWoke(2, driven=True), after_s=3600)
    due_us = due_at_us(rig.mission)
    assert due_us == rig.mission.at_us + 1_000_000
    rig.tell(h.TimePassed(), after_s=1)
    assert rig.run("A").cancel is not None
