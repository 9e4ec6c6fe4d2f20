"""The judge's policy on the real kernel: each session as a transcript, and what holds in all."""

import json
from collections.abc import Callable

import pytest
from judge_plays import FILE, PLAYS, Play
from judge_world import World, shell, spec, wrong

NAMES = sorted(PLAYS)
ALIKE = {"agent-malformed", "agent-without-evidence", "block", "budget-spent", "json-request"} | {
    "no-checkpoint",
    "stopped-and-drained",
    "unknown-checkpoint",
    "usage-limit-to-be-asked",
}
"""They take the same steps as another one."""


@pytest.mark.parametrize("name", NAMES)
def test_transcript(name: str, golden: Callable[[str, str], None]):
    world = PLAYS[name].run()
    told = "\n".join([f"# {name.replace('-', ' ')}", *world.told])
    golden(f"../team/judge_stories/{name}.story", told + "\n")


@pytest.mark.spec("T1", "T2", "T3", "CK-24")
@pytest.mark.parametrize("name", NAMES)
def test_what_holds_in_every_session(name: str):
    assert [*wrong(PLAYS[name].run())] == []


# --- what each is about --------------------------------------------------------------------------

READY = (
    "[supervisor] Resident supervisor ready. Baseline loaded for session night. "
    "Awaiting checkpoint assignments."
)


@pytest.mark.spec("CK-01", "CK-08")
def test_it_says_that_it_is_ready_and_never_ends_for_lack_of_requests():
    world = PLAYS["ready"].run()
    assert [(m.type, m.to, m.summary, m.fields) for m in world.own] == [
        ("message", "coordinator", "[supervisor] Ready, awaiting checkpoints", {"content": READY})
    ]
    assert world.ended is None
    for name in ("agent-cannot-start", "third-error", "usage-limit-to-be-asked", "unreadable"):
        assert PLAYS[name].run().ended is None


@pytest.mark.spec("CK-03", "CK-08")
def test_a_wake_does_its_steps_in_order_and_tells_exactly_what_is_told():
    world = PLAYS["warn-with-risks"].run()
    kinds = ["message", "progress", "task_complete", "state_update", "supervision_report"]
    assert [m.type for m in world.own] == kinds
    claimed = {"task_id": "CHECKPOINT-001", "phase": "claimed", "progress_pct": 0}
    assert world.of_type("progress")[0].fields == claimed
    assert world.of_type("task_complete")[0].fields == {"task_id": "CHECKPOINT-001"}
    findings = ["runs: `false` failed with 1", "clear: it is a warn"]
    assert world.of_type("state_update")[0].fields == {
        "status": "task_complete",
        "task_id": "CHECKPOINT-001",
        "ref": FILE,
        "key_findings": findings,
        "decisions": ["Proceed"],
        "verification": "self-validated",
        "supervision_verdict": "warn",
        "supervision_score": 0.5,
        "risks_logged": 2,
        "blocks_detected": 0,
    }
    assert world.contents("supervision_report")[0].split("\n") == [
        "[supervisor] CHECKPOINT-001 complete.",
        "Verdict: warn (score: 0.50)",
        f"Findings: {', '.join(findings)}",
        "Risks: 2 logged",
        "Quality trend: stable",
        f"Artifact: {FILE}",
    ]
    assert world.of_type("supervision_report")[0].summary == "[supervisor] CHECKPOINT-001: warn"
    assert world.written == ["wisdom/issues.md", FILE], "the risks first, the report last"
    assert world.files["wisdom/issues.md"].splitlines() == [
        "- [CHECKPOINT-001] runs: `false` failed with 1 [as seen]",
        "- [CHECKPOINT-001] clear: it is a warn [spec/brief.md: vague]",
    ]


@pytest.mark.spec("CK-02")
def test_a_request_may_be_markdown_or_json():
    plain, as_json = PLAYS["request-and-report"].run(), PLAYS["json-request"].run()
    assert plain.contents("supervision_report") == as_json.contents("supervision_report")
    assert "pass (score: 1.00)" in plain.contents("supervision_report")[0]


@pytest.mark.spec("CK-02", "CK-24")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("unreadable", "the message has no task_id. Write: task_id: CHECKPOINT-001"),
        ("unknown-checkpoint", "the role spec has no CHECKPOINT-009; it has CHECKPOINT-001"),
        ("no-checkpoint", "task_id is 'DRAFT-001'; only checkpoints are judged here"),
    ],
)
def test_what_cannot_be_judged_is_answered_with_why_and_it_stays_idle(name: str, why: str):
    world = PLAYS[name].run()
    error = world.of_type("error")[0]
    assert error.fields["message_id"] == "MSG-001"
    assert why in str(error.fields["content"])
    assert world.written == []
    assert world.rig.mission.listening is not None
    assert world.ended is None


@pytest.mark.spec("CK-03", "T1")
def test_the_same_request_twice_has_one_report_and_one_answer():
    world = PLAYS["duplicate-request"].run()
    assert len(world.of_type("supervision_report")) == 1
    assert world.written == [FILE]


@pytest.mark.spec("CK-03")
def test_what_was_judged_is_answered_from_its_report_which_says_how_to_have_it_judged_again():
    world = PLAYS["judged-before"].run()
    first, again, once_more, second = world.contents("supervision_report")
    wish = "It was judged before. For another judgment, request CHECKPOINT-001-R2."
    assert again == once_more == f"{first}\n{wish}"
    assert second.startswith("[supervisor] CHECKPOINT-001-R2 complete.")
    assert world.written == [FILE, FILE.replace("001", "001-R2")]
    assert len(world.of_type("state_update")) == 2


@pytest.mark.spec("CK-10")
def test_a_critical_failure_blocks_and_says_why():
    world = PLAYS["block"].run()
    state = world.of_type("state_update")[0].fields
    assert state["decisions"] == ["Block: runs: `false` failed with 1 [as seen]"]
    assert (state["supervision_verdict"], state["blocks_detected"]) == ("block", 1)
    assert world.of_type("supervision_report")[0].summary.endswith("CHECKPOINT-001: block")


@pytest.mark.spec("CK-12")
def test_commands_run_in_one_go_and_one_that_cannot_run_is_a_warning():
    world = PLAYS["commands"].run()
    assert world.ran == ["true", "false", "nobody"]
    rows = [line for line in world.report().splitlines() if line[:4] in ("| a ", "| b ", "| c ")]
    assert [row.split(" | ")[1] for row in rows] == ["pass", "fail", "warn"]
    assert "not checked" in rows[2]


@pytest.mark.spec("CK-12", "CK-24")
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("agent-with-evidence", "pass | it is a pass Evidence: spec/brief.md: read tokens"),
        ("agent-without-evidence", "warn | it is a pass (without evidence)"),
        ("agent-malformed", "warn | wrong form"),
        ("agent-cannot-start", "warn | not checked: scripted cannot be started: no such file"),
        ("agent-lost", "pass | it is a pass"),
        ("usage-limit", "pass | it is a pass"),
        ("usage-limit-to-be-asked", "warn | not checked: usage limit of scripted"),
    ],
)
def test_what_an_agent_says_counts_only_with_evidence(name: str, row: str):
    assert f"| clear | {row}" in PLAYS[name].run().report()


def test_a_usage_limit_is_waited_for_and_the_agent_asked_again():
    world = PLAYS["usage-limit"].run()
    assert len(world.questions) == 2
    assert world.rig.at_us - 1_780_000_000_000_000 >= 60_000_000


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("budget-spent", ("clear | pass", "short | warn | not checked: the budget is spent")),
        ("far-too-much-spent", ("clear | warn | not checked", "short | warn | not checked")),
    ],
)
def test_what_no_money_is_left_for_is_not_asked_and_who_spends_far_too_much_is_ended(
    name: str, rows: tuple[str, ...]
):
    """A judge never stops, so that nothing ended an agent that went on spending."""
    world = PLAYS[name].run()
    assert all(row in world.report() for row in rows)
    assert (len(world.questions), world.ended) == (1, None)


@pytest.mark.spec("CK-06")
def test_three_errors_are_told_once_and_it_goes_on():
    world = PLAYS["third-error"].run()
    assert [m.fields["errors"] for m in world.of_type("consistency_alert")] == [3]
    assert "CHECKPOINT-001 complete." in world.contents("supervision_report")[0]


@pytest.mark.spec("CK-06")
@pytest.mark.parametrize("name", ["no-room-for-the-report", "no-room-on-the-bus"])
def test_a_full_disk_is_tried_again_told_of_and_outlived(name: str):
    """The alarm was kept back until the request was dealt with, which it could not be."""
    world = PLAYS[name].run()
    kinds = [m.type for m in world.own]
    assert world.rig.at_us - 1_780_000_000_000_000 > (10 + 20 + 40 + 80) * 1_000_000, "with rests"
    assert kinds.index("consistency_alert") < kinds.index("supervision_report")
    assert world.written == [FILE]


@pytest.mark.spec("CK-04")
def test_shutdown_is_approved_with_the_id_of_who_asked():
    world = PLAYS["shutdown"].run()
    said = {"type": "shutdown_response", "request_id": "r-77", "approve": True}
    assert world.of_type("shutdown_response")[0].fields == said
    assert world.ended == (True, "shut down by the coordinator")


@pytest.mark.spec("CK-04")
def test_a_wish_that_was_met_does_not_end_the_next_one():
    world = PLAYS["served-anew"].run()
    assert world.ended is None
    assert len(world.of_type("shutdown_response")) == 1
    assert world.contents("message") == [READY, READY]


@pytest.mark.spec("CK-05")
def test_without_its_journal_it_goes_on_from_the_bus_and_the_reports():
    world = PLAYS["journal-deleted"].run()
    recovered = "[supervisor] Recovered. Rebuilt context from 1 previous checkpoint reports."
    assert world.contents("message") == [READY, recovered]
    assert len(world.of_type("supervision_report")) == 2
    assert len(world.of_type("progress")) == 2


def test_stopped_by_force_the_agent_is_asked_again_and_drained_it_is_not():
    forced, drained = PLAYS["stopped-by-force"].run(), PLAYS["stopped-and-drained"].run()
    assert (len(forced.questions), len(drained.questions)) == (2, 1)
    assert forced.report().split("## Verdict")[1] == drained.report().split("## Verdict")[1]


def test_another_role_spec_is_for_the_next_wake_and_not_for_the_one_in_hand():
    """Earlier the checks were looked up by name in a role spec that no longer had these names."""
    world = PLAYS["another-role-spec"].run()
    assert "| clear | pass |" in world.report()
    assert world.ran == []


def test_somebodys_file_in_the_place_of_the_report_is_left_and_told_of():
    """Earlier it was retried for ever without a message."""
    world = PLAYS["no-report-in-its-place"].run()
    assert "exists, but is not a report; move it away" in world.contents("error")[0]
    assert world.written == [FILE], "after it was moved away"


def test_who_judges_once_does_not_leave_for_an_old_wish_nor_for_others_requests():
    world = PLAYS["only-one"].run()
    assert world.ended == (True, "CHECKPOINT-001 is judged")
    kinds = [m.type for m in world.own if m.type in ("shutdown_response", "error")]
    assert kinds == ["shutdown_response", "error"]


def test_who_judges_once_ends_when_somebody_else_has_done_it():
    """Earlier it waited for a request that had been answered."""
    world = PLAYS["request-and-report"].run()
    world.asked_once = "CHECKPOINT-001"
    world.serve()
    assert world.ended == (True, "CHECKPOINT-001 is judged")


@pytest.mark.spec("CK-03")
def test_only_what_is_new_is_read():
    """A command needs no document: what the first wake read, the second does not read again."""
    world = World(spec(shell("true")), files={"spec/prd.md": "# PRD\n"})
    tasks = {"DRAFT-001": "spec/brief.md", "DRAFT-002": "spec/prd.md"}
    listed = [{"id": name, "ref": ref} for name, ref in tasks.items()]
    world.files["team-session.json"] = json.dumps({"tasks": listed})
    world.ask("CHECKPOINT-001", "DRAFT-001")
    world.serve()
    world.ask("CHECKPOINT-001-R2", "DRAFT-001", "DRAFT-002")
    world.go_on()
    read = [path for paths in world.looks for path in paths if path.startswith("spec/")]
    assert read == ["spec/brief.md", "spec/prd.md"]


# --- cut off -------------------------------------------------------------------------------------


def cut(play: Play, *, before: tuple[int, ...] = (), after: tuple[int, ...] = ()) -> World:
    world = play.make()
    world.crash_before, world.crash_after = frozenset(before), frozenset(after)
    return play.run(world)


@pytest.mark.spec("CK-05", "T1", "T2", "T3")
@pytest.mark.parametrize("name", sorted(PLAYS.keys() - ALIKE))
def test_killed_at_any_moment_it_goes_on_and_nothing_is_lost_or_doubled(name: str):
    play = PLAYS[name]
    whole = play.run()
    for at in range(len(whole.steps)):
        world = cut(play, before=(at,)) if at % 2 else cut(play, after=(at,))
        assert [*wrong(world)] == [], f"killed at {at}\n" + "\n".join(world.told)
        if not play.make().meanwhile:  # or what interrupted it may have been lost
            assert world.questions == whole.questions


@pytest.mark.spec("CK-05", "T1", "T2")
@pytest.mark.parametrize("name", ["warn-with-risks", "unreadable", "shutdown"])
def test_killed_once_more_while_it_comes_back(name: str):
    """Earlier, reads and messages of the greeting at a start counted as steps of the wake."""
    play = PLAYS[name]
    for first in range(len(play.run().steps)):
        for later in (1, 2, 3):
            world = cut(play, before=(first,), after=(first + later,))
            assert [*wrong(world)] == [], f"{first}, {later}\n" + "\n".join(world.told)
