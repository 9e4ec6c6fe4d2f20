"""Stories of epics, tick by tick: what is asked, sent and written, each kept as a transcript."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace

import pytest
from epic_world import (
    EPIC,
    HOUR_US,
    NEW,
    PATH,
    WORKERS,
    Crash,
    World,
    body,
    dispatch,
    fix,
    halt,
    row,
    task,
    verdict,
)

from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentProgram, Ending
from topkick.epic import prompts
from topkick.epic.answers import Malformed, read_answer, read_handback
from topkick.epic.items import EpicItem
from topkick.epic.settings import ProjectPlace, Routing, Surface, Worker
from topkick.sprint.orders import orders
from topkick.text.format import stamp

ONE = "tasks/t-1.md"
ROLLBACK = "\n\n## Rollback Plan\n\nReversibility: automatic\n\nSwitch back, as `undo.sh` does.\n"
SUBTASKS = json.dumps(
    {
        "action": "decompose",
        "subtasks": [
            {"title": "One", "body": "Do one.", "criteria": ["it works"]},
            {"title": "Two", "body": "Do two.", "criteria": ["so does this"], "after": [1]},
        ],
    }
)


@pytest.fixture
def world(request: pytest.FixtureRequest, golden: Callable[[str, str], None]) -> Iterator[World]:
    """One queued item; at the end the story is compared with the one that is kept."""
    told = World({PATH: body(row("t-1")), ONE: task("t-1")})
    yield told
    name = request.node.name.removeprefix("test_").replace("[", "-").rstrip("]")
    golden(f"../epic/epic_stories/{name}.story", "\n".join(told.story))


def sent_out(world: World, deliverable: str = "branch") -> None:
    world.answers = [dispatch("t-1")]
    world.tick()
    world.come_back("t-1", deliverable)


# --- from the beginning to the end -----------------------------------------------------------


@pytest.mark.spec("EP-10", "EP-12", "EP-14", "EP-15", "EP-16", "EP-34")
def test_decomposed_approved_built_and_handed_over(world: World):
    world.files = {PATH: NEW}
    world.answers = [SUBTASKS]
    world.tick()
    assert [item.status for item in world.epic.items] == ["ready"] * 3
    assert world.epic.items[2].title == "Verify: Read headers fully resolved"
    before = world.files[PATH]
    world.tick()
    assert world.files[PATH] == before, "ticks do nothing until a person says so"
    world.edit("status: ready", "status: queued")
    for name in ("epic-1-1", "epic-1-2", "epic-1-3"):
        world.answers = [dispatch(name)]
        world.tick()
        world.come_back(name)
        world.answers = [verdict("PASS")]
        world.tick()
    assert world.tick() == "epic-1 is at its review surface: 3 items"
    text = world.files[PATH]
    assert world.epic.status == "ready_for_user_review"
    assert "| 1 | epic-1-1 | One | branch topkick/epic-1-1@" in text
    assert text.count("What a person wrote stays.") == 1
    assert "Next: epic-1-2" in text
    assert "Nothing follows" in text
    assert world.tick().startswith("epic-1: only a person can resume it from ready_for_user_review")
    assert len(world.asked) == 1 + 3 * 2
    assert json.loads(world.prompts[3].split("```json\n")[1].split("\n```")[0]) == {
        "work_item": "epic-1-1",
        "deliverable": world.epic.items[0].surface,
        "criteria": ["it works"],
    }


@pytest.mark.spec("EP-11", "EP-20")
def test_malformed_answers_are_no_verdicts_and_the_third_fires_the_brake(world: World):
    world.answers = ["Let me think.", '{"action": "dispatch", "task_id": "t-1"}', "CRASH"]
    for _ in range(3):
        world.tick()
    assert world.classes == ["verdict_fail"] * 3
    assert not world.sent
    assert world.tick() == "epic-1 is halted (review): recurring: verdict_fail"
    assert len(world.asked) == 3, "no subagent is asked where the brake fires"


@pytest.mark.spec("EP-11")
@pytest.mark.parametrize(
    "answer",
    [
        dispatch("t-9"),
        dispatch("../t-1"),
        dispatch("t-2"),
        f"CRASH\n```json\n{dispatch('t-1')}\n```",
        fix("t-9"),
        '{"action": "halt", "status": "done", "reason": "x"}',
        '{"action": "halt", "status": "review", "reason": ""}',
        '{"action": "dispatch", "task_id": "t-1", "worker": "claude", "project": "", '
        '"command": "x", "also": "this"}',
        '{"verdict": "PASS"}',
        "[]",
    ],
)
def test_what_the_planner_may_not_say_changes_nothing(answer: str):
    two = {"tasks/t-2.md": task("t-2")}
    world = World({PATH: body(row("t-1"), row("t-2", after="t-1")), ONE: task("t-1")} | two)
    world.answers = [answer]
    world.tick()
    assert world.classes == ["verdict_fail"]
    assert (world.sent, world.epic.items[0].status) == ([], "queued")
    assert list(world.files) == [PATH, ONE, *two]


@pytest.mark.spec("EP-11")
def test_a_subtask_comes_after_those_before_it():
    subtask = {"title": "One", "body": "Do it.", "criteria": ["x"], "after": [1]}
    world = World({PATH: NEW})
    world.answers = [json.dumps({"action": "decompose", "subtasks": [subtask]})]
    world.tick()
    assert (world.classes, list(world.files)) == (["verdict_fail"], [PATH])


@pytest.mark.spec("EP-11")
def test_who_only_repeats_the_order_has_not_answered():
    epic = World({PATH: NEW}).epic
    for role in prompts.TEXTS:
        asked = prompts.brief(role, epic, PATH, "t-1 red", "")
        assert isinstance(read_answer(role, asked), Malformed)
    item = EpicItem("t-1", "One", criteria=("it works",))
    asked = prompts.worker_brief(item, ONE, ".", "Do it.", "topkick/t-1", Surface.BRANCH)
    assert read_handback(asked).deliverable == ""


@pytest.mark.parametrize("role", [*prompts.TEXTS, "work"])
def test_the_words_of_each_role(role: str, golden: Callable[[str, str], None]):
    epic = World({PATH: NEW}).epic
    item = EpicItem("t-1", "One", surface="branch topkick/t-1@0123456789", criteria=("it works",))
    match role:
        case "verify":
            text = prompts.verifier_brief(item, "")
        case "criticize":
            text = prompts.critic_brief(item, ONE, "the task says `Deploy`", "")
        case "work":
            text = prompts.worker_brief(item, ONE, ".", "Do it.", "topkick/t-1", Surface.BRANCH)
        case _:
            context = "t-1 verifier-fail: red" if role == "react" else ""
            text = prompts.brief(role, epic, PATH, context, "")
    golden(f"prompts/epic-{role}.md", text)


# --- after a worker --------------------------------------------------------------------------


@pytest.mark.spec("EP-10", "EP-12")
def test_a_fail_is_the_planners_in_the_next_tick(world: World):
    sent_out(world)
    world.answers = [verdict("FAIL", "tests red on docker"), fix("t-1")]
    world.tick()
    assert world.asked[-1] == "verifier t-1"
    world.tick()
    assert world.asked[-1] == "planner t-1"
    assert "t-1 verifier-fail: tests red on docker" in world.prompts[-1]
    assert world.classes == ["dispatch_ok", "verify_fail", "react_filed_fix"]
    assert world.epic.items[0].after == ("epic-1-1",)
    assert "parent: t-1" in world.files["tasks/epic-1-1.md"]


@pytest.mark.spec("EP-10", "EP-12")
def test_a_worker_without_a_deliverable_is_the_planners(world: World):
    sent_out(world, "")
    world.answers = [dispatch("t-1", command="Read the error first.")]
    world.tick()
    assert world.asked == ["planner epic-1", "planner t-1"]
    assert "exited without a deliverable" in world.prompts[2]
    assert world.sent == ["worker t-1"] * 2
    assert world.epic.items[0].dispatches == 2


@pytest.mark.spec("EP-12")
def test_revise_has_somebody_find_out_and_the_verifier_look_again(world: World):
    sent_out(world)
    world.answers = [verdict("REVISE", "no way to see the colours"), dispatch("epic-1-1")]
    world.tick()
    assert "depends_on: [t-1]" in world.files["tasks/epic-1-1.md"]
    world.tick()
    world.come_back("epic-1-1")
    world.answers = [verdict("PASS"), verdict("PASS")]
    world.tick()
    world.tick()
    assert world.asked[-2:] == ["verifier epic-1-1", "verifier t-1"]
    assert [item.is_settled for item in world.epic.items] == [True, True]


@pytest.mark.spec("EP-12")
def test_a_verification_that_is_stuck_is_the_planners():
    looked_at = row("t-1", "in_progress", outcome="verify_revise: t-2", review_surface="branch x@1")
    world = World({PATH: body(looked_at, row("t-2", "blocked", notes="no screen"))})
    world.answers = [halt()]
    world.tick()
    assert world.asked == ["planner t-1"]
    assert "t-1 cannot be verified: t-2 is stuck" in world.prompts[0]


@pytest.mark.spec("EP-10")
def test_the_work_of_a_worker_that_was_ended_for_its_silence_is_looked_at():
    world = World({PATH: body(row("t-1")), ONE: task("t-1")}, answers=[dispatch("t-1")])
    world.tick()
    run_id = world.epic.items[0].dispatch
    world.tell(h.SupervisorWoke(99, driven=True))
    world.tell(h.AgentQuiet(run_id, 10))
    assert any(isinstance(order, h.EndAgent) for order in orders(world.mission, world.at_us))
    world.come_back("t-1")
    world.tell(h.AgentExited(run_id, AgentExit(Ending.STOPPED)))
    world.answers = [verdict("PASS")]
    world.tick()
    assert world.epic.items[0].status == "ready_for_user_review"


@pytest.mark.spec("EP-14")
@pytest.mark.parametrize(
    ("deliverable", "surface"),
    [
        ("https://example.org/o/r/pull/12", "https://example.org/o/r/pull/12"),
        ("docs/report.md", "file docs/report.md@"),
        ("docs/nowhere.md", "none"),
        ("I did everything", "none"),
    ],
)
def test_a_deliverable_is_what_is_there(deliverable: str, surface: str):
    world = World({PATH: body(row("t-1")), ONE: task("t-1"), "docs/report.md": "# Report\n"})
    sent_out(world, deliverable)
    world.answers = [verdict("FAIL", "no") if surface != "none" else halt()]
    world.tick()
    assert world.epic.items[0].surface.startswith(surface)
    assert world.asked[-1] == ("planner t-1" if surface == "none" else "verifier t-1")


@pytest.mark.spec("EP-14")
def test_a_branch_comes_with_the_text_of_its_pull_request(world: World):
    sent_out(world)
    world.answers = [verdict("PASS")]
    world.tick()
    handed = world.files[ONE].split("## Pull Request")[1]
    assert "From: topkick/t-1@" in handed
    assert "- it works" in handed
    assert "status: ready_for_user_review" in world.files[ONE]


@pytest.mark.spec("EP-14")
def test_where_a_pull_request_is_asked_for_a_branch_is_no_deliverable(world: World):
    asks = replace(EPIC, surface=Surface.PULL_REQUEST)
    world.settings = replace(world.settings, epic=asks)
    sent_out(world)
    world.answers = [halt()]
    world.tick()
    assert (world.asked[-1], world.epic.items[0].surface) == ("planner t-1", "none")
    assert "gh pr create" in world.prompts[1]


GH = replace(EPIC, surface=Surface.GH)


@pytest.mark.spec("EP-14")
def test_the_pull_request_of_what_has_passed_is_opened(world: World):
    world.settings = replace(world.settings, epic=GH)
    sent_out(world)
    assert "its pull request is opened for you" in world.prompts[1]
    world.answers = [verdict("PASS")]
    world.tick()
    assert (world.epic.items[0].status, world.pulls) == ("in_progress", {})
    assert world.tick() == "pull request for t-1: https://example.org/o/r/pull/1"
    (made,) = world.pulls.values()
    assert (made.branch, made.tip) == ("topkick/t-1", world.branches["topkick/t-1"])
    assert made.body.endswith("The verifier passed t-1 on:\n\n- it works")
    item = world.epic.items[0]
    assert item.status == "ready_for_user_review"
    assert item.surface.startswith("https://example.org/o/r/pull/1 (branch topkick/t-1@")
    assert len(world.asked) == 2, "no subagent is asked for it"


@pytest.mark.spec("EP-14", "EP-30")
def test_one_that_cannot_be_opened_halts_and_the_branch_does_not_take_its_place(world: World):
    world.settings = replace(world.settings, epic=GH)
    sent_out(world)
    world.answers = [verdict("PASS")]
    world.tick()
    world.gh_trouble = "no rights."
    assert "Requested: a pull request for t-1. Failed: no rights." in world.tick()
    assert (world.epic.status, world.epic.items[0].status) == ("review", "in_progress")
    world.gh_trouble = ""
    world.edit("status: review", "status: queued")
    assert world.tick() == "pull request for t-1: https://example.org/o/r/pull/1"
    assert len(world.asked) == 2, "what has passed is not verified again"


@pytest.mark.spec("EP-14")
def test_a_branch_that_moved_after_it_passed_is_verified_again(world: World):
    world.settings = replace(world.settings, epic=GH)
    sent_out(world)
    world.answers = [verdict("PASS"), verdict("FAIL", "red")]
    world.tick()
    world.branches["topkick/t-1"] = "f" * 40
    world.tick()
    assert (world.asked[-1], world.pulls) == ("verifier t-1", {})


# --- the brake -------------------------------------------------------------------------------


@pytest.mark.spec("EP-20", "EP-21", "B1")
def test_the_same_failure_three_times_halts_and_a_person_clears_it(world: World):
    for number in range(3):
        sent_out(world)
        world.answers = [verdict("FAIL", f"red {number}")]
        world.tick()
    assert world.tick() == "epic-1 is halted (review): recurring: verify_fail"
    assert (world.epic.status, world.epic.phase) == ("review", "halted")
    assert world.classes[-1] == "brake_fired"
    asked = len(world.asked)
    assert world.tick().startswith("epic-1: only a person can resume it from review")
    assert len(world.asked) == asked, "only a person lets go"
    world.edit("status: review", "status: queued")
    world.answers = [halt()]
    world.tick()
    assert "reset" in world.classes
    assert len(world.asked) == asked + 1
    assert "- [ ]" in world.files[PATH]


@pytest.mark.spec("EP-20", "B1")
@pytest.mark.parametrize(("between", "halts"), [(5, True), (6, False)])
def test_only_the_last_eight_rows_count(between: int, halts: bool):
    failed, went = "| x | d | verify_fail | |\n", "| x | d | dispatch_ok | |\n"
    memory = failed + went * between + failed * 2
    world = World({PATH: body(row("t-1"), memory=memory, status="in_progress"), ONE: task("t-1")})
    world.answers = [dispatch("t-1")]
    assert ("recurring: verify_fail" in world.tick()) == halts


@pytest.mark.spec("EP-20", "B2")
def test_two_workers_silent_for_hours_halt(world: World):
    long_ago = stamp(world.at_us - 5 * HOUR_US)
    rows = [row(f"t-{n}", "in_progress", dispatch=f"x-{n}", last_activity=long_ago) for n in (1, 2)]
    world.files = {PATH: body(*rows)}
    assert world.tick() == "epic-1 is halted (review): stalled workers"
    assert not world.asked


@pytest.mark.spec("EP-20")
def test_one_item_stale_for_five_hours_is_for_the_stale_check_alone(world: World):
    long_ago = stamp(world.at_us - 5 * HOUR_US)
    world.files = {PATH: body(row("t-1", "in_progress", dispatch="x-1", last_activity=long_ago))}
    assert world.tick() == "waits for t-1"
    assert world.classes == ["noop"]


@pytest.mark.spec("EP-20")
def test_a_react_that_halts_twice_halts_the_epic(world: World):
    rows = [row(f"t-{n}", "in_progress", outcome="exited", review_surface="none") for n in (1, 2)]
    world.files = {PATH: body(*rows, row("t-3")), "tasks/t-3.md": task("t-3")}
    world.answers = [halt("blocked", "no licence"), halt("review", "which one?")]
    world.tick()
    world.tick()
    assert [item.status for item in world.epic.items[:2]] == ["blocked", "review"]
    assert world.tick() == "epic-1 is halted (review): repeated react halt"


@pytest.mark.spec("EP-20", "EP-33")
def test_a_preflight_that_halts_halts_the_epic_in_the_same_tick(world: World):
    world.answers = [halt("blocked", "The licence server is down.")]
    assert world.tick() == "epic-1 is halted (blocked): The licence server is down."
    assert (world.epic.status, world.classes) == ("blocked", ["dispatch_halt"])
    assert "The licence server is down. Is this resolved" in world.files[PATH]


@pytest.mark.spec("EP-20")
def test_four_dispatches_of_one_item_that_bring_nothing_new_halt(world: World):
    for _ in range(4):
        world.answers = [dispatch("t-1")]
        world.tick()
        world.come_back("t-1", "")
    assert world.sent == ["worker t-1"] * 4
    assert world.tick() == "epic-1 is halted (review): no progress"
    world.edit("status: review", "status: queued")
    world.answers = [dispatch("t-1")]
    world.tick()
    assert len(world.sent) == 5, "who clears it starts the count anew"


@pytest.mark.spec("EP-20")
def test_something_new_starts_the_count_anew(world: World):
    for number in (1, 2):
        world.answers = [dispatch("t-1")]
        world.tick()
        assert world.epic.items[0].dispatches == number
        world.come_back("t-1", "")
    world.answers = [dispatch("t-1")]
    world.tick()
    world.come_back("t-1")
    world.answers = [verdict("FAIL", "red"), dispatch("t-1")]
    world.tick()
    world.tick()
    assert world.epic.items[0].dispatches == 1


@pytest.mark.spec("EP-20", "EP-21")
def test_what_was_before_a_person_cleared_it_does_not_count():
    halted = "| x | d | react_halt | |\n"
    reset = "| x | cleared by a person | reset | |\n"
    for memory, sent in ((halted + reset + halted, 1), (reset + halted * 2, 0)):
        files = {PATH: body(row("t-1"), memory=memory, status="in_progress"), ONE: task("t-1")}
        world = World(files, answers=[dispatch("t-1")])
        world.tick()
        assert len(world.sent) == sent


@pytest.mark.spec("EP-22", "B3")
def test_the_memory_keeps_sixteen_rows_and_idle_ticks_add_none(world: World):
    memory = "".join(f"| 2026-05-08T02:14:{n:02d}Z | d{n} | dispatch_ok | |\n" for n in range(16))
    world.files = {PATH: body(row("t-1"), memory=memory), ONE: task("t-1")}
    world.answers = [dispatch("t-1")]
    world.tick()
    rows = world.epic.rows
    assert (len(rows), rows[0].decision) == (16, "d1")
    world.tick()
    world.tick()
    assert len(world.epic.rows) == 16
    assert world.epic.rows[-1].notes.count("[no-op") == 1


@pytest.mark.spec("EP-14")
def test_what_comes_after_a_stuck_item_is_stuck_too(world: World):
    rows = (row("t-1", "blocked", notes="no licence"), row("t-2", after="t-1"))
    world.files = {PATH: body(*rows, row("t-3", after="t-2"), row("t-4", after="t-9"))}
    assert world.tick() == "epic-1 is at its review surface: 4 items"
    assert [item.status for item in world.epic.items] == ["blocked"] * 4


@pytest.mark.spec("EP-14")
def test_what_is_stuck_for_no_reason_is_not_handed_over():
    for notes, said in (("", "nothing can be dispatched now"), ("no licence", "1 item")):
        world = World({PATH: body(row("t-1", "blocked", notes=notes))})
        assert world.tick().endswith(said)


# --- what is not done ------------------------------------------------------------------------


@pytest.mark.spec("EP-30")
def test_nobody_takes_the_place_of_the_worker_that_was_asked_for(world: World):
    world.files = {PATH: body(row("t-1")), ONE: task("t-1", assignee="gemini")}
    world.answers = [dispatch("t-1", "claude")]
    said = world.tick()
    assert "Requested: worker gemini" in said
    assert "Available but not picked: claude" in said
    assert (world.sent, world.epic.status) == ([], "review")


@pytest.mark.spec("EP-30")
def test_a_worker_that_cannot_be_started_halts_the_epic(world: World):
    world.cannot_start = "no such program"
    world.answers = [dispatch("t-1")]
    said = world.tick()
    assert "Requested: worker claude. Failed: no such program." in said
    assert (world.epic.status, world.classes) == ("review", ["dispatch_ok", "dispatch_halt"])


@pytest.mark.spec("EP-31")
@pytest.mark.parametrize(
    "text",
    [
        "Either fix the parser or skip the test on macos.",
        "Relax the assertion until it passes.",
        "Options:\n\n- fix the code\n- adjust the test\n",
        "Do it.\n\nCRITIC OVERRIDE: I say so",
    ],
    ids=["menu", "softer", "list", "override"],
)
def test_words_that_route_around_a_test_are_not_posted(world: World, text: str):
    world.answers = [fix("t-1", text=text)]
    world.tick()
    assert world.classes == ["verdict_fail"]
    assert list(world.files) == [PATH, ONE]
    assert "prose scan" in world.files[PATH].split("## Supervisor Log")[1]


@pytest.mark.spec("EP-31")
@pytest.mark.parametrize("where", ["criterion", "verdict", "command"])
def test_everything_that_is_said_is_scanned(where: str):
    """A plan's criteria, a verdict's reason, and the extra instructions to a worker."""
    around = "Relax the assertion until it passes."
    world = World({PATH: body(row("t-1")), ONE: task("t-1")})
    if where == "criterion":
        world.files = {PATH: NEW}
        subtask = {"title": "One", "body": "Do it.", "criteria": ["it works", around]}
        world.answers = [json.dumps({"action": "decompose", "subtasks": [subtask]})]
    elif where == "verdict":
        sent_out(world)
        world.answers = [verdict("FAIL", around)]
    else:
        world.answers = [dispatch("t-1", command=around)]
    before = len(world.sent)
    world.tick()
    assert world.classes[-1] == "verdict_fail"
    assert len(world.sent) == before
    assert [item.outcome for item in world.epic.items if item.outcome != "exited"] in ([], [""])


@pytest.mark.spec("EP-31")
def test_only_a_directive_that_names_the_test_exempts_it(world: World):
    text = "For test_colours: skip it on macos."
    world.answers = [fix("t-1", text=text), fix("t-1", text=text)]
    world.edit("What a person wrote stays.", "We may need to adjust some tests.")
    world.tick()
    assert world.classes == ["verdict_fail"]
    world.edit("We may need", "TEST DIRECTIVE: test_colours needs a screen\n\nWe may need")
    world.tick()
    assert world.classes == ["verdict_fail", "react_filed_fix"]
    world.answers = [fix("t-1", text="For test_shapes: skip it on macos.")]
    world.tick()
    assert world.classes[2:] == ["verdict_fail"], "of another test nothing was said"


@pytest.mark.spec("EP-31", "EP-36")
def test_a_task_that_routes_around_a_test_is_refined_before_it_goes_out(world: World):
    world.files[ONE] = task("t-1", "Mark it xfail on arm64.")
    world.answers = [dispatch("t-1")]
    world.tick()
    assert world.classes == ["dispatch_halt"]
    assert world.epic.items[0].after == ("epic-1-1",)
    assert "# Refine t-1" in world.files["tasks/epic-1-1.md"]
    world.answers = [dispatch("epic-1-1")]
    world.tick()
    assert world.sent == ["worker epic-1-1"], "the refinement itself is no such task"


@pytest.mark.spec("EP-32")
@pytest.mark.parametrize(
    ("word", "classes", "status"),
    [
        ("SAFE_TO_DISPATCH", ["verify_revise", "verify_pass", "dispatch_ok"], "in_progress"),
        ("NEEDS_REFINEMENT", ["verify_revise", "react_filed_fix", "dispatch_ok"], "in_progress"),
        ("DO_NOT_DISPATCH", ["verify_revise", "dispatch_halt"], "review"),
    ],
    ids=["safe", "refine", "refuses"],
)
def test_a_critic_is_asked_first(world: World, word: str, classes: list[str], status: str):
    world.files[ONE] = task("t-1", "Deploy the new header." + ROLLBACK)
    world.answers = [dispatch("t-1"), verdict(word, "because")]
    world.tick()
    world.tick()
    assert world.asked == ["planner epic-1", "critic t-1"]
    world.answers = [dispatch("t-1" if word == "SAFE_TO_DISPATCH" else "epic-1-1")]
    world.tick()
    assert (world.classes, world.epic.status) == (classes, status)
    assert ("worker t-1" in world.sent) == (word == "SAFE_TO_DISPATCH")


@pytest.mark.spec("EP-32")
@pytest.mark.parametrize(
    ("matter", "command", "why"),
    [
        ({"tags": "[production]"}, "Do it.", "tag production"),
        ({}, "Then deploy it.", "the task says `deploy`"),
    ],
)
def test_tags_and_the_planners_words_call_for_a_critic(
    matter: dict[str, str], command: str, why: str
):
    world = World({PATH: body(row("t-1")), ONE: task("t-1", "Do it." + ROLLBACK, **matter)})
    world.answers = [dispatch("t-1", command=command)]
    assert world.tick() == f"hold t-1 for the critic: {why}"
    assert not world.sent


@pytest.mark.spec("EP-32", "EP-33")
def test_what_cannot_be_taken_back_is_a_persons_and_nothing_to_refine():
    plan = "\n\n## Rollback Plan\n\nReversibility: irreversible\n"
    world = World({PATH: body(row("t-1")), ONE: task("t-1", "Flash it." + plan)})
    world.answers = [dispatch("t-1")]
    assert world.tick().startswith("t-1 is refused")
    assert (world.epic.items[0].status, set(world.files)) == ("review", {PATH, ONE})
    assert (
        "write `CRITIC OVERRIDE: <why>` into the task. May it be dispatched? (yes/no)"
        in world.files[PATH]
    )


@pytest.mark.spec("EP-32")
def test_a_task_that_changed_after_the_critic_read_it_is_read_again(world: World):
    world.files[ONE] = task("t-1", "Deploy the new header." + ROLLBACK)
    world.answers = [dispatch("t-1"), verdict("SAFE_TO_DISPATCH", "fine"), dispatch("t-1")]
    world.tick()
    world.tick()
    world.edit("Deploy the new header.", "Deploy the new header, and drop table users.", ONE)
    world.tick()
    assert (world.sent, world.epic.items[0].critic) == ([], "wanted")


@pytest.mark.spec("EP-32")
@pytest.mark.parametrize(
    ("plan", "found"),
    [
        ("", "the task has no `## Rollback Plan`"),
        ("\n\n## Rollback Plan\n\nReversibility: irreversible\n", "says irreversible"),
        ("\n\n## Rollback Plan\n\nReversibility: manual-physical\n", "says manual-physical"),
        ("\n\n## Rollback Plan\n\nSome day.\n", "does not say"),
        ("\n\n## Rollback Plan\n\nReversibility: automatic\ngit revert it\n", "only `git revert`"),
    ],
)
def test_without_a_way_back_it_does_not_go_out(plan: str, found: str):
    world = World({PATH: body(row("t-1")), ONE: task("t-1", "Deploy the header." + plan)})
    world.answers = [dispatch("t-1")]
    world.tick()
    assert (world.sent, world.classes) == ([], ["dispatch_halt"])
    assert found in world.files[PATH]


@pytest.mark.spec("EP-32")
def test_a_persons_written_word_overrides_the_critic(world: World):
    text = "Flash the boards.\n\nCRITIC OVERRIDE: they stand on my desk"
    world.files[ONE] = task("t-1", text, tags="[irreversible]")
    world.answers = [dispatch("t-1")]
    world.tick()
    assert world.sent == ["worker t-1"]


# --- who, where and how many -----------------------------------------------------------------


@pytest.mark.spec("EP-13")
@pytest.mark.parametrize(
    ("matter", "text", "project", "found"),
    [
        ({}, "Change `api/a.py` and `web/b.ts`.", "", "belongs to several projects"),
        ({"project": "web"}, "Change `api/a.py`.", "", "belongs to several projects"),
        ({}, "Change `api/a.py`.", "web", "belongs to several projects"),
        ({"project": "shop"}, "Change it.", "", "there is no project shop"),
    ],
)
def test_all_named_files_lie_in_one_project(
    matter: dict[str, str], text: str, project: str, found: str
):
    places = (ProjectPlace("api", "api"), ProjectPlace("web", "web"))
    world = World({PATH: body(row("t-1")), ONE: task("t-1", text, **matter)})
    world.settings = replace(world.settings, epic=replace(EPIC, projects=places))
    world.answers = [dispatch("t-1", project=project)]
    assert found in world.tick()
    assert (world.sent, world.epic.status) == ([], "blocked")


@pytest.mark.spec("EP-13")
@pytest.mark.parametrize(
    ("matter", "worker"),
    [
        ({}, "claude"),
        ({"effort": "XS"}, "gemini"),
        ({"effort": "XS", "tags": "[bulk, high-stakes]"}, "claude"),
        ({"tags": "[bulk]"}, "gemini"),
        ({"files": "[" + ", ".join(f"f{n}" for n in range(21)) + "]", "effort": "XS"}, "claude"),
        ({"effort": "6h"}, "gemini"),
        ({"effort": "S", "hours": "5"}, "gemini"),
        ({"effort": "1 day", "tags": "[high-stakes]"}, "claude"),
        ({"effort": "4h"}, "claude"),
    ],
)
def test_the_routing_tables_name_the_worker(matter: dict[str, str], worker: str):
    routing = Routing("claude", {"XS": "gemini"}, {"high-stakes": "claude", "bulk": "gemini"},
                      20, "claude", 4, "gemini")  # fmt: skip
    for named in ("claude", "gemini"):
        world = World({PATH: body(row("t-1")), ONE: task("t-1", **matter)})
        world.settings = replace(world.settings, epic=replace(EPIC, routing=routing))
        world.answers = [dispatch("t-1", named)]
        world.tick()
        assert bool(world.sent) == (named == worker)


@pytest.mark.spec("EP-13")
def test_a_worker_stands_in_only_where_it_may(world: World):
    workers = (
        Worker("claude", AgentProgram("claude", ("agent",)), stand_in=("gemini",)),
        WORKERS[1],
    )
    world.settings = replace(world.settings, epic=replace(EPIC, workers=workers))
    world.answers = [dispatch("t-1", "gemini")] * 2
    world.tick()
    assert world.classes == ["verdict_fail"], "there is a place with the one that is meant"
    busy = [row(f"t-{n}", "in_progress", worker="claude") for n in (2, 3, 4, 5)]
    world.files[PATH] = body(row("t-1"), *busy)
    world.tick()
    assert world.epic.items[0].worker == "gemini"


@pytest.mark.spec("EP-13")
def test_no_more_workers_than_there_are_places(world: World):
    world.files = {PATH: body(*(row(f"t-{n}") for n in (1, 2, 3)))}
    world.files |= {f"tasks/t-{n}.md": task(f"t-{n}", effort="XS") for n in (1, 2, 3)}
    one = (replace(WORKERS[0], capacity=1),)
    world.settings = replace(world.settings, epic=replace(EPIC, workers=one))
    world.answers = [dispatch("t-1")]
    world.tick()
    assert world.tick() == "waits for t-1"
    assert (world.asked, world.sent) == (["planner epic-1"], ["worker t-1"])
    order = next(run for run in world.mission.runs.values() if run.sprint == "worker t-1").dispatch
    assert order is not None
    assert order.max_turns == 40


@pytest.mark.spec("EP-13")
def test_a_worker_that_has_no_place_left_is_not_sent_another(world: World):
    """The other family has places, so the planner is asked; it names the one that has none."""
    world.files = {PATH: body(row("t-1", "in_progress", worker="gemini"), row("t-2"))}
    world.files["tasks/t-2.md"] = task("t-2", assignee="gemini")
    world.answers = [dispatch("t-2", "gemini")]
    assert world.tick() == "gemini has no free place for t-2"
    assert (world.sent, world.epic.items[1].status) == ([], "queued")


@pytest.mark.spec("EP-13")
def test_another_host_does_not_dispatch(world: World):
    world.settings = replace(world.settings, epic=replace(EPIC, hosts=("there",)))
    assert world.tick() == "nothing can be dispatched now"
    assert not world.asked


@pytest.mark.spec("EP-13")
def test_another_host_sends_nobody_again_either():
    world = World({PATH: body(row("t-1", "in_progress", outcome="exited")), ONE: task("t-1")})
    world.settings = replace(world.settings, epic=replace(EPIC, hosts=("there",)))
    world.answers = [dispatch("t-1")]
    assert world.tick() == "the settings do not let the host here dispatch"
    assert not world.sent


@pytest.mark.spec("EP-36")
def test_a_subtask_goes_to_a_worker_or_to_nobody():
    for text, classes in (("Do it.", ["verdict_fail"]), ("A or B?", ["decompose_ok"])):
        subtask = {"title": "One", "body": text, "criteria": ["x"], "assignee": "someone"}
        world = World({PATH: NEW})
        world.answers = [json.dumps({"action": "decompose", "subtasks": [subtask]})]
        world.tick()
        assert world.classes == classes


@pytest.mark.spec("EP-13", "EP-36")
def test_a_task_that_failed_its_preflight_once_is_a_persons(world: World):
    world.files[ONE] = task("t-1", "Mark it xfail on arm64.")
    world.answers = [dispatch("t-1"), dispatch("epic-1-1"), verdict("PASS"), dispatch("t-1")]
    world.tick()
    world.tick()
    world.come_back("epic-1-1")
    world.tick()
    assert world.tick() == "t-1 is refused: it failed its pre-flight twice"
    assert world.epic.items[0].status == "review"
    assert "Is the task repaired, and may it be dispatched? (yes/no)" in world.files[PATH]
    assert "tasks/epic-1-2.md" not in world.files, "no second refinement"


@pytest.mark.spec("EP-13")
@pytest.mark.parametrize(("refusals", "files"), [(0, 2), (1, 3)])
def test_how_often_it_may_fail_is_configured(refusals: int, files: int):
    world = World({PATH: body(row("t-1")), ONE: task("t-1", "Mark it xfail on arm64.")})
    routing = replace(EPIC.routing, refusals=refusals)
    world.settings = replace(world.settings, epic=replace(EPIC, routing=routing))
    world.answers = [dispatch("t-1")]
    world.tick()
    assert len(world.files) == files


@pytest.mark.spec("EP-13")
def test_three_that_touch_one_file_share_a_branch_one_at_a_time(world: World):
    def subtask(text: str) -> dict[str, object]:
        return {"title": text, "body": f"Change {text}.", "criteria": ["it works"]}

    named = ("`src/a.py`", "`src/a.py` and `src/b.py`", "`src/b.py`", "`src/a.py`")
    world.files = {PATH: NEW}
    world.answers = [json.dumps({"action": "decompose", "subtasks": [*map(subtask, named)]})]
    world.tick()
    shared = "feature/epic-1"
    assert [item.branch for item in world.epic.items] == [shared, shared, "", shared, ""]
    world.edit("status: ready", "status: queued")
    world.answers = [dispatch("epic-1-1"), dispatch("epic-1-2"), dispatch("epic-1-3")]
    world.tick()
    assert f'"branch": "{shared}"' in world.prompts[-1]
    assert world.tick() == f"epic-1-2 waits for epic-1-1, which works on {shared}"
    world.tick()
    assert world.sent == ["worker epic-1-1", "worker epic-1-3"]
    asked = len(world.asked)
    assert world.tick() == "waits for epic-1-1, epic-1-3"
    assert len(world.asked) == asked, "nobody is asked about what cannot go out"


@pytest.mark.spec("EP-13", "EP-14")
def test_what_another_brought_on_the_shared_branch_is_no_deliverable(world: World):
    cells = {"status": "in_progress", "branch": "feature/epic-1", "dispatch": "m1-1"}
    done = row("t-2", "ready_for_user_review", review_surface="branch feature/epic-1@00000000aa")
    world.files = {PATH: body(row("t-1", branch="feature/epic-1"), done), ONE: task("t-1")}
    world.answers = [dispatch("t-1"), halt()]
    world.tick()
    world.come_back("t-1")
    world.branches[cells["branch"]] = "00000000aa" + "0" * 30
    world.tick()
    assert (world.asked[-1], world.epic.items[0].surface) == ("planner t-1", "none")


@pytest.mark.spec("EP-03")
@pytest.mark.parametrize("stopped_first", [False, True])
def test_a_worker_that_is_ended_before_it_was_seen_at_work_ends_its_tick(stopped_first: bool):
    """Otherwise no tick would ever do anything again."""
    world = World({PATH: body(row("t-1")), "tasks/t-1.md": task("t-1")})

    class Ended(dict[str, str]):
        def get(self, run_id: str, default: object = None) -> object:  # type: ignore[override]
            if run_id not in self and run_id.endswith("-2"):
                self[run_id] = "exited"
                if stopped_first:
                    world.tell(h.CommandGiven(h.KillAll()))
                world.tell(h.AgentExited(run_id, AgentExit(Ending.STOPPED)))
            return super().get(run_id, default)

    world.states = Ended()
    world.answers = [dispatch("t-1")]
    world.tick()
    world.answers = [halt("blocked", "it was ended")]
    world.tick()
    if stopped_first:  # the first one after it only ends what was cut off
        world.tick()
    assert world.asked == ["planner epic-1", "planner t-1"]


# --- others write there too ------------------------------------------------------------------


@pytest.mark.spec("EP-01", "EP-03")
def test_what_a_person_writes_meanwhile_is_kept_and_the_answer_is_not_lost(world: World):
    world.meanwhile = lambda w: w.edit("What a person wrote stays.", "And more was written.")
    world.answers = [dispatch("t-1")]
    assert world.tick() == "dispatch t-1 to claude"
    assert "And more was written." in world.files[PATH]
    assert (world.asked, world.sent) == (["planner epic-1"], ["worker t-1"])


@pytest.mark.spec("EP-03")
def test_an_answer_about_a_row_that_a_person_moved_on_is_dropped(world: World):
    sent_out(world)
    world.meanwhile = lambda w: w.edit("| in_progress |", "| cancelled |")
    world.answers = [verdict("FAIL", "red")]
    assert world.tick().startswith("an answer came too late")
    assert world.epic.items[0].status == "cancelled"


@pytest.mark.spec("EP-03")
@pytest.mark.parametrize("answer", ["dispatch", "fail", "revise", "halt"])
def test_killed_after_its_write_and_edited_by_a_person_it_is_not_done_again(answer: str):
    """The body holds what was decided, though its bytes are not those that were written."""
    world = World({PATH: body(row("t-1")), "tasks/t-1.md": task("t-1")})
    if answer in {"fail", "revise"}:
        sent_out(world)
    said = {"dispatch": dispatch("t-1"), "fail": verdict("FAIL", "red"), "halt": halt(),
            "revise": verdict("REVISE", "cannot tell")}[answer]  # fmt: skip
    world.answers, writes = [said], world._edited

    def written_and_dead(number: int, edits: tuple) -> h.FilesEdited:
        done = writes(number, edits)
        if [edit.path for edit in edits][-1] == PATH and world.epic.rows[-1].found != "reset":
            world._edited = writes  # type: ignore[method-assign]
            world.edit("What a person wrote stays.", "What a person wrote stays. And more.")
            raise Crash
        return done

    world._edited = written_and_dead  # type: ignore[method-assign]
    with pytest.raises(Crash):
        world.tick()
    rows, files = world.classes, len(world.files)
    world.restart()
    world.tick()
    assert (world.classes, len(world.files)) == (rows, files)
    assert world.sent == (["worker t-1"] if answer != "halt" else [])
    assert "And more." in world.files[PATH]


@pytest.mark.spec("EP-03")
@pytest.mark.parametrize("away", ["paused", "no file", "no name"])
def test_an_answer_waits_while_the_epic_may_not_go_on_and_is_not_asked_for_again(away: str):
    world = World({PATH: body(row("t-1")), "tasks/t-1.md": task("t-1")})
    before = world.files[PATH]
    changed = {
        "paused": before.replace("status: queued", "status: paused"),
        "no name": before.replace("id: epic-1", "id: '*'"),
    }

    class Pausing(list[str]):
        def pop(self, _at: int = 0) -> str:  # type: ignore[override]
            world.files.pop(PATH)
            world.files |= {PATH: changed[away]} if away in changed else {}
            return dispatch("t-1")

    world.answers = Pausing()
    with pytest.raises(KeyError) if away == "no file" else nullcontext():
        world.tick()  # a tick's transcript needs its file
    assert (world.asked, world.sent) == (["planner epic-1"], [])
    world.files[PATH] = before
    assert world.tick() == "dispatch t-1 to claude"
    assert (world.asked, world.sent) == (["planner epic-1"], ["worker t-1"])


@pytest.mark.spec("EP-01")
def test_files_that_nobody_told_the_epic_of_are_not_overwritten(world: World):
    world.files["tasks/epic-1-1.md"] = "Somebody's own.\n"
    world.answers = [fix("t-1")]
    world.tick()
    assert world.files["tasks/epic-1-1.md"] == "Somebody's own.\n"
    assert "# Mend the tool" in world.files["tasks/epic-1-2.md"]


@pytest.mark.spec("EP-03")
def test_a_dispatch_of_another_host_is_left_alone(world: World):
    world.files = {PATH: body(row("t-1", "in_progress", dispatch="far-1", host="there"))}
    assert world.tick() == "waits for t-1"
    assert (world.asked, world.sent) == ([], [])
    assert world.epic.items[0].dispatch == "far-1"


@pytest.mark.spec("EP-01", "EP-03")
def test_without_its_journal_the_epic_goes_on_from_its_body(world: World):
    sent_out(world)
    world.lose_journal()
    world.answers = [verdict("PASS")]
    world.tick()
    assert world.epic.items[0].status == "ready_for_user_review"
    world.lose_journal()
    world.tick()
    assert world.epic.status == "ready_for_user_review"


@pytest.mark.spec("EP-02")
@pytest.mark.parametrize(
    "status", ["inbox", "ready", "review", "blocked", "done", "paused", "cancelled"]
)
def test_a_tick_leaves_what_is_not_queued_alone(status: str):
    world = World({PATH: body(row("t-1"), status=status)})
    before = dict(world.files)
    world.tick()
    assert (world.files, world.asked) == (before, [])
