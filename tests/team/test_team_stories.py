"""Stories of teams as transcripts: roles asked, messages on the bus, verdicts and files."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from team_world import SESSION, Asked, Crash, Reply, World, answer, limited, works

from topkick.app.run import exit_code
from topkick.engine import messages as h
from topkick.engine.agents.answers import retry_events
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.program import AgentReport, Conclusion, Usage
from topkick.sprint.blockers.unit import needs
from topkick.sprint.model import Overall
from topkick.sprint.status import overall
from topkick.team.pipeline import prompts
from topkick.team.pipeline.ledger import read, write

SPEC = [
    "analyst RESEARCH-001",
    "writer DRAFT-001",
    "writer DRAFT-002",
    "architect DRAFT-003",
    "writer DRAFT-004",
    "quality QUALITY-001",
]
BUILD = ["planner PLAN-001", "implementer IMPL-001", "tester TEST-001", "reviewer REVIEW-001"]
CP_1 = "CHECKPOINT-001"


@pytest.fixture
def story(
    request: pytest.FixtureRequest, golden: Callable[[str, str], None]
) -> Iterator[Callable[[World], World]]:
    """Keep the log of a world as the transcript of the test."""
    kept: list[World] = []

    def keep(world: World) -> World:
        kept.append(world)
        return world

    yield keep
    name = request.node.name.removeprefix("test_").replace("[", "-").rstrip("]")
    told = "\n\n".join("\n".join(world.story) for world in kept)
    golden(f"../team/team_stories/{name}.story", told + "\n")


def first(
    times: int, reply: Callable[[Asked], Reply], task: str
) -> Callable[[World, Asked], Reply]:
    """So many answers of that kind at first, for one task; then all goes well."""
    left = [times]

    def play(world: World, asked: Asked) -> Reply:
        if left[0] and asked.task == task:
            left[0] -= 1
            return reply(asked)
        return works(world, asked)

    return play


# --- from the beginning to the end -----------------------------------------------------------


@pytest.mark.spec("CK-14")
def test_spec_only(story: Callable[[World], World]):
    world = story(World()).run()
    assert world.who == SPEC
    assert world.ended == (True, "8 tasks completed; checkpoints: 2 pass, 0 warn, 0 block")
    requests = [m.fields["content"] for m in world.posts("checkpoint_request")]
    assert requests == [
        f"## Checkpoint Request\ntask_id: {CP_1}\nscope: [DRAFT-001, DRAFT-002]\n"
        "pipeline_progress: 3/8 tasks completed",
        "## Checkpoint Request\ntask_id: CHECKPOINT-002\nscope: [DRAFT-003, DRAFT-004]\n"
        "pipeline_progress: 6/8 tasks completed",
    ]
    told = [m for m in world.posts("state_update") if m.sender != "supervisor"]
    assert [f"{m.sender} {m.fields['task_id']}" for m in told] == SPEC
    assert all(m.to == "coordinator" for m in world.bus if m.sender == "supervisor")
    assert not world.mission.backgrounds
    assert world.bus[-1].type == "shutdown_response"
    world.run()
    assert world.ended[0]
    assert len(world.asked) == len(SPEC), "nothing is done twice"


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize("modules", [1, 3, 5])
def test_impl_only(story: Callable[[World], World], modules: int):
    names = [f"part{number}" for number in range(1, modules + 1)]
    waits = {name: names[:1] if name != names[0] else [] for name in names}
    plan = {"modules": [{"name": name, "depends_on": waits[name]} for name in names]}
    world = story(World("impl-only", plan=json.dumps(plan))).run()
    assert world.ended[0]
    assert world.ledger.topology == {1: "single", 3: "parallel", 5: "dag"}[modules]
    built = [asked.task for asked in world.asked if asked.role == "implementer"]
    assert len(built) == (1 if modules == 1 else modules)
    assert world.most_at_once == {1: 2, 3: 3, 5: 4}[modules], "at most four agents by default"
    assert world.who[-2:] == ["tester TEST-001", "reviewer REVIEW-001"]
    if modules == 5:
        order = [line for line in world.story if line.startswith(("IMPL", "asks implementer"))]
        assert order.index("IMPL-001: in_progress -> completed") < order.index(
            "asks implementer for IMPL-002"
        )


@pytest.mark.spec("CK-14")
def test_full_with_a_persons_approval_between_the_halves(story: Callable[[World], World]):
    world = story(World("full")).run()
    assert world.who == SPEC, "nobody plans what no person has approved"
    assert world.status("QUALITY-001") == "awaiting_approval"
    assert exit_code(world.mission) == 3
    assert "score 85 (pass)" in world.ended[1]
    assert [offer.argv[1] for need in needs(world.mission) for offer in need.offers] == [
        "approve",
        "revise",
        "abort",
    ]
    assert world.say(h.OverrideCheckpoint("QUALITY-001", "read it", "ann")) == ""
    world.run()
    assert world.who == SPEC + BUILD
    assert world.ended[0]
    wisdom = world.files["team/notes/wisdom/decisions.md"]
    assert "QUALITY-001 approved (score 85" in wisdom
    assert "by ann, because: read it" in wisdom


def test_without_supervision_there_are_no_checkpoints_and_no_judge(story: Callable[[World], World]):
    world = story(World(supervision=False)).run()
    assert world.who == SPEC
    assert world.ended == (True, "6 tasks completed")
    assert not any(m.sender == "supervisor" or m.to == "supervisor" for m in world.bus)
    assert "judge starts" not in world.story


@pytest.mark.spec("CK-14")
def test_a_specification_that_fails_is_for_a_person(story: Callable[[World], World]):
    world = World(play=first(1, lambda a: answer(a, quality_self_score=55), "QUALITY-001"))
    world.files["team/notes/artifacts/QUALITY-001-report.md"] = "55\n"
    story(world).run()
    assert world.ended == (
        False,
        "QUALITY-001 waits for a person's approval: score 55 (fail). Report: "
        "team/notes/artifacts/QUALITY-001-report.md",
    )
    world.say(h.ReviseUpstream("QUALITY-001", "DRAFT-004", "too thin", "ann"))
    world.run()
    assert world.ended[0]
    assert world.who == [*SPEC, "writer DRAFT-004", "quality QUALITY-001"]
    assert world.status("CHECKPOINT-002") == "revised"
    assert world.status("CHECKPOINT-002-R2") == "completed"


# --- verdicts --------------------------------------------------------------------------------


@pytest.mark.spec("CK-14")
def test_a_warning_goes_on_and_is_logged(story: Callable[[World], World]):
    world = story(World(verdicts={CP_1: "warn"})).run()
    assert world.ended[0]
    line = f"log {CP_1}: Verdict warn: score 0.70, 2 risks recorded in wisdom"
    assert any(told.startswith(line) for told in world.story)


def test_the_judge_claims_and_the_session_follows(story: Callable[[World], World]):
    world = story(World()).run()
    claims = world.story.index(
        f"bus: supervisor -> coordinator (progress) [supervisor] Claimed {CP_1}"
    )
    follows = world.story.index(f"{CP_1}: pending -> in_progress")
    assert claims < follows < world.story.index(f"{CP_1}: in_progress -> completed")


@pytest.mark.spec("CK-14")
def test_a_block_is_overridden(story: Callable[[World], World]):
    world = story(World(verdicts={CP_1: "block"})).run()
    assert exit_code(world.mission) == 3
    assert world.ended == (
        False,
        f"{CP_1} blocks (score 0.40): goal 3 has no requirement. Report: "
        f"team/notes/artifacts/{CP_1}-report.md",
    )
    assert [offer.command for need in needs(world.mission) for offer in need.offers] == [
        f'topkick checkpoint override team/notes {CP_1} --why "..."',
        f'topkick checkpoint revise team/notes {CP_1} --task DRAFT-002 --why "..."',
        'topkick checkpoint abort team/notes --why "..."',
    ]
    assert not world.mission.backgrounds, "nobody is left running while a person thinks"
    world.run()
    assert world.who == SPEC[:3], "nothing goes on by being run again"
    assert world.say(h.OverrideCheckpoint(CP_1, "we know", "ann")) == ""
    world.run()
    assert world.ended == (True, "8 tasks completed; checkpoints: 1 pass, 0 warn, 1 block")
    assert "judge starts --recovery" in world.story
    line = world.ledger.line(CP_1)
    assert line is not None
    assert (line.verdict, line.status, line.passed_by) == ("block", "completed", "ann")
    wisdom = world.files["team/notes/wisdom/decisions.md"]
    assert f"{CP_1} overridden (verdict block, artifacts/{CP_1}-report.md) by ann, " in wisdom
    assert wisdom.count("because: we know") == 1


@pytest.mark.spec("CK-14")
def test_a_block_has_upstream_revised(story: Callable[[World], World]):
    world = story(World(verdicts={CP_1: "block"})).run()
    assert world.say(h.ReviseUpstream(CP_1, "DRAFT-001", "goal 3 is missing", "ann")) == ""
    world.run()
    again = ["writer DRAFT-001", "writer DRAFT-002"]
    assert world.who == [*SPEC[:3], *again, *SPEC[3:]]
    assert world.asked[3].inputs["revision"] == {
        "number": 2,
        "why": "goal 3 is missing",
        "report": f"team/notes/artifacts/{CP_1}-report.md",
    }
    assert "DRAFT-001 was done again" in world.asked[4].inputs["revision"]["why"]
    asked = [m.summary.rpartition(" ")[2] for m in world.posts("checkpoint_request")]
    assert asked == [CP_1, f"{CP_1}-R2", "CHECKPOINT-002"]
    assert world.status(CP_1) == "revised"
    assert world.ended == (True, "8 tasks completed; checkpoints: 2 pass, 0 warn, 1 block")


def test_what_blocks_twice_is_judged_a_third_time(story: Callable[[World], World]):
    world = story(World(verdicts={CP_1: "block", f"{CP_1}-R2": "block"})).run()
    world.say(h.ReviseUpstream(CP_1, "DRAFT-002", "mend it", "ann"))
    world.run()
    assert f"{CP_1}-R2 blocks" in world.ended[1]
    world.say(h.ReviseUpstream(CP_1, "DRAFT-002", "mend it better", "ann"))
    world.run()
    assert world.ended[0]
    assert world.status(f"{CP_1}-R3") == "completed"
    assert world.who.count("writer DRAFT-002") == 3


@pytest.mark.spec("CK-14")
def test_a_block_is_aborted(story: Callable[[World], World]):
    world = story(World(verdicts={CP_1: "block"})).run()
    assert world.say(h.AbortPipeline("nobody wants it", "ann")) == ""
    world.run()
    assert world.ended == (
        False,
        "the session was aborted by ann, because: nobody wants it",
    )
    assert world.ledger.status == "aborted"
    assert "aborted by ann" in world.files["team/notes/wisdom/decisions.md"]
    assert world.who == SPEC[:3]
    world.run()
    assert "aborted by ann" in world.ended[1], "it stays so"


def test_an_abort_ends_who_is_at_work_and_has_the_judge_leave(story: Callable[[World], World]):
    world = World()
    story(world)
    world.tell(h.SupervisorWoke(1, driven=True))
    world.say(h.Start("m", replace(_plan(), file=SESSION), world.settings))
    while not world.asked:
        world.go_on(turns=1)
    world.say(h.AbortPipeline("no", "ann"))
    world.go_on()
    assert world.ended[1] == "the session was aborted by ann, because: no"
    assert world.status("RESEARCH-001") == "pending"
    assert world.bus[-1].type == "shutdown_response"
    assert not world.mission.backgrounds


def _plan():
    from topkick.plan_format.model import Plan

    return Plan("Search notes", "sha")


# --- what makes no sense ---------------------------------------------------------------------


@pytest.mark.spec("CK-14")
def test_commands_that_make_no_sense_are_refused_with_what_does():
    world = World(verdicts={CP_1: "block"}).run()
    override, revise = h.OverrideCheckpoint, h.ReviseUpstream
    assert "CHECKPOINT-001 does" in world.say(override("CHECKPOINT-002", "no", "ann"))
    assert "does not come before" in world.say(revise(CP_1, "DRAFT-004", "no", "ann"))
    assert "RESEARCH-001, DRAFT-001, DRAFT-002" in world.say(revise(CP_1, "IMPL-001", "no", "ann"))
    assert "needs a reason" in world.say(override(CP_1, " ", "ann"))
    assert "needs a reason" in world.say(h.AbortPipeline("", "ann"))
    assert world.say(override(CP_1, "yes", "ann")) == ""
    assert "does not wait" in world.say(override(CP_1, "twice", "ann"))
    world.run()
    assert "nothing to abort" in world.say(h.AbortPipeline("too late", "ann"))
    assert "does not wait" in world.say(override(CP_1, "late", "ann"))
    assert "does not take `topkick retry`" in world.say(h.Retry("A", "1"))


# --- answers ---------------------------------------------------------------------------------

BAD = {
    "no-json": lambda _: Reply("I am done, really."),
    "wrong-task": lambda asked: answer(asked, task_id="DRAFT-009"),
    "long-finding": lambda asked: answer(asked, key_findings=["x" * 100]),
    "six-findings": lambda asked: answer(asked, key_findings=["x"] * 6),
    "bad-score": lambda asked: answer(asked, quality_self_score=101),
    "missing-ref": lambda asked: answer(asked, ref="spec/nowhere.md"),
    "ref-outside": lambda asked: answer(asked, ref="../../../etc/passwd"),
    "absolute-ref": lambda asked: answer(asked, ref="/etc/passwd"),
    "crashed": lambda asked: replace(answer(asked), code=1),
}


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_answer_is_asked_for_again_byte_for_byte(bad: str):
    world = World(play=first(3, BAD[bad], "DRAFT-001")).run()
    assert world.ended[0]
    assert world.who == [SPEC[0], *[SPEC[1]] * 4, *SPEC[2:]]
    assert len({asked.prompt for asked in world.asked if asked.task == "DRAFT-001"}) == 1
    events = retry_events(world.mission)
    assert [event.attempt for event in events] == [1, 2, 3]
    assert {event.expected for event in events} == {"team-worker"}
    told = [m.fields["task_id"] for m in world.posts("state_update") if m.sender == "writer"]
    assert told == ["DRAFT-001", "DRAFT-002", "DRAFT-004"], "what is not valid is not told"


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize("bad", ["no-json", "missing-ref"])
def test_after_three_retries_a_person_is_needed(story: Callable[[World], World], bad: str):
    world = story(World(play=first(4, BAD[bad], "DRAFT-001"))).run()
    assert world.who == [SPEC[0], *[SPEC[1]] * 4]
    assert "writer gave no valid answer for DRAFT-001 in 4 tries" in world.ended[1]
    assert world.status("DRAFT-001") == "in_progress"
    world.run()
    assert world.ended[0], "a person came, and it goes on with new tries"


def test_a_role_that_is_blocked_is_for_a_person(story: Callable[[World], World]):
    blocked = first(
        1, lambda a: answer(a, status="blocked", key_findings=["no access"]), "DRAFT-001"
    )
    world = story(World(play=blocked)).run()
    assert world.ended == (False, "writer DRAFT-001 cannot continue: no access")
    world.run()
    assert world.ended[0]


def test_one_that_fails_lets_the_other_finish_first(story: Callable[[World], World]):
    world = story(World("impl-only", play=first(4, BAD["no-json"], "TEST-001"))).run()
    assert "tester gave no valid answer" in world.ended[1]
    assert world.status("REVIEW-001") == "completed"
    assert not world.mission.runs


def test_the_work_of_a_role_may_be_a_directory_or_lie_in_the_project():
    def play(world: World, asked: Asked) -> Reply:
        if asked.task == "DRAFT-002":
            world.files["team/notes/spec/requirements/FR-001.md"] = "# FR-001\n"
            return answer(asked, ref="spec/requirements/")
        if asked.task == "DRAFT-001":
            world.files["docs/brief.md"] = "# Brief\n"
            return answer(asked, ref="/project/docs/brief.md")
        return works(world, asked)

    world = World(play=play).run()
    assert world.ended[0]
    refs = [getattr(world.ledger.line(task), "ref", "") for task in ("DRAFT-001", "DRAFT-002")]
    assert refs == ["docs/brief.md", "spec/requirements"]


# --- the judge -------------------------------------------------------------------------------


@pytest.mark.spec("CK-14")
def test_a_judge_that_dies_is_started_again_with_recovery(story: Callable[[World], World]):
    world = story(World(deaths=3)).run()
    assert world.ended[0]
    assert world.story.count("judge starts") == 1
    assert world.story.count("judge starts --recovery") == 3
    asked = [m.summary for m in world.posts("checkpoint_request")]
    assert len(asked) == len(set(asked)), "nothing is asked for twice"


def test_a_judge_that_dies_again_and_again_is_for_a_person(story: Callable[[World], World]):
    world = story(World(deaths=4)).run()
    assert "the judge ended 4 times within 10 minutes" in world.ended[1]
    assert exit_code(world.mission) == 3
    world.run()
    assert world.ended[0], "a person came, and it is started again"


def test_a_judge_of_an_earlier_run_makes_room_for_ours(story: Callable[[World], World]):
    world = World("impl-only")
    world.another = True
    story(world).run()
    assert world.ended[0]
    asked = [m.fields["request_id"] for m in world.posts("shutdown_request")]
    assert len(asked) == len(set(asked)) == 2
    assert "judge starts --recovery" in world.story


def test_a_judge_that_refuses_a_request_is_for_a_person():
    world = World(verdicts={CP_1: "error"}).run()
    assert "is not done: no scope" in world.ended[1]


# --- limits, stops, deaths -------------------------------------------------------------------


def test_a_usage_limit_is_waited_for_and_nobody_is_charged(story: Callable[[World], World]):
    def reply(_: Asked) -> Reply:
        return Reply("", 1, limited(world.at_us + 3_600_000_000))

    world = World(play=first(1, reply, "DRAFT-001"))
    story(world).run()
    assert world.ended[0]
    assert world.who == [SPEC[0], SPEC[1], *SPEC[1:]]
    assert not retry_events(world.mission)
    assert len({asked.prompt for asked in world.asked if asked.task == "DRAFT-001"}) == 1


def test_a_login_that_is_gone_is_for_a_person():
    gone = AgentReport(Conclusion.AUTHENTICATION, "log in again")
    world = World(play=first(1, lambda _: Reply("", 1, gone), "DRAFT-001")).run()
    assert "cannot work" in world.ended[1]
    assert world.status("DRAFT-001") == "in_progress"


def test_what_is_spent_ends_it():
    budgets = Budgets(run=Budget(tokens=1))
    spent = AgentReport(Conclusion.FINISHED, usage=Usage(output_tokens=2))

    def play(world: World, asked: Asked) -> Reply:
        return replace(works(world, asked), report=spent)

    world = World(play=play)
    world.settings = replace(world.settings, budgets=budgets)
    world.run()
    assert overall(world.mission) is Overall.STOPPED
    assert world.who == SPEC[:1]
    assert not world.mission.backgrounds


@pytest.mark.spec("CK-14")
def test_stopped_and_gone_on_with(story: Callable[[World], World]):
    world = World()
    story(world)
    world.tell(h.SupervisorWoke(1, driven=True))
    world.say(h.Start("m", replace(_plan(), file=SESSION), world.settings))
    while world.who != SPEC[:2]:
        world.go_on(turns=1)
    world.say(h.Stop())
    world.go_on()
    assert overall(world.mission) is Overall.STOPPED
    assert world.who == SPEC[:2], "who is at work finishes, and nobody begins"
    assert not world.mission.backgrounds, "the judge is not left behind"
    world.run()
    assert world.ended[0]
    assert world.who == SPEC, "what was answered is not asked for again"


def test_killed_all_of_it_ends():
    world = World()
    world.tell(h.SupervisorWoke(1, driven=True))
    world.say(h.Start("m", replace(_plan(), file=SESSION), world.settings))
    while not world.asked:
        world.go_on(turns=1)
    world.say(h.KillAll())
    world.go_on()
    assert overall(world.mission) is Overall.KILLED
    assert not world.mission.backgrounds
    world.run()
    assert world.ended[0]


CP_3 = "CHECKPOINT-003"


def _blocked_then_overridden(world: World) -> World:
    while not (world.mission.ended is not None and world.mission.ended.done):
        if world.mission.ended is not None and world.mission.ended.commands:
            world.say(h.OverrideCheckpoint(CP_3, "known", "ann"))
        world.run()
    return world


def _with_crash(point: int, *, journal: bool) -> World:
    world = World("impl-only", verdicts={CP_3: "block"})
    world.crash_after = point
    try:
        _blocked_then_overridden(world)
    except Crash:
        world.restart() if journal else world.lose_journal()
        _blocked_then_overridden(world)
    return world


def _points() -> range:
    whole = _with_crash(10**6, journal=True)
    return range(sum(isinstance(x, h.Fact) for x, _ in whole.records))


@pytest.mark.spec("CK-14")
def test_killed_after_any_step_nothing_is_asked_for_twice():
    for point in _points():
        world = _with_crash(point, journal=True)
        assert sorted(world.who) == sorted(BUILD), f"after step {point}"
        said = Counter(m.summary for m in world.bus if m.sender != "supervisor")
        twice = [words for words, n in said.items() if n > 1 and words != "Shutdown request"]
        assert not twice, f"after step {point}: {twice}"
        wisdom = world.files["team/notes/wisdom/decisions.md"]
        assert wisdom.count("overridden") == 1, f"after step {point}"


@pytest.mark.spec("CK-14")
def test_with_its_journal_deleted_at_any_step_it_goes_on_from_the_session():
    for point in _points():
        world = _with_crash(point, journal=False)
        told = [m.fields["task_id"] for m in world.posts("state_update")]
        assert len(told) == len(set(told)) == len(BUILD) + 1, f"after step {point}: {told}"
        assert len(world.who) <= len(BUILD) + 2, "only who was at work is asked again"
        verdicts = [m.summary for m in world.posts("supervision_report")]
        assert len(verdicts) == 1, f"after step {point}"


@pytest.mark.spec("CK-14")
def test_resumed_without_its_journal_the_judge_recovers(story: Callable[[World], World]):
    world = story(World(verdicts={CP_1: "block"})).run()
    world.lose_journal()
    world.tell_of("the journal is lost")
    world.run()
    assert world.story.count("judge starts --recovery") == 0, "nothing is to be judged yet"
    assert f"{CP_1} blocks" in world.ended[1]
    world.say(h.OverrideCheckpoint(CP_1, "known", "ann"))
    world.run()
    assert world.ended[0]
    assert "judge starts --recovery" in world.story


# --- the session file ------------------------------------------------------------------------


@pytest.mark.spec("CK-14")
def test_what_others_write_into_the_session_stays():
    def other_tool(world: World) -> None:
        found = json.loads(world.files[SESSION])
        found["their_key"] = {"deep": [1, 2]}
        found["tasks"]["DRAFT-003"]["their_note"] = "keep me"
        world.files[SESSION] = json.dumps(found)

    world = World()
    world.meanwhile = other_tool
    world.run()
    assert world.ended[0]
    found = json.loads(world.files[SESSION])
    assert found["their_key"] == {"deep": [1, 2]}
    assert found["tasks"]["DRAFT-003"]["their_note"] == "keep me"
    assert found["tasks"]["DRAFT-003"]["status"] == "completed"


def test_a_session_that_is_changed_again_and_again_is_for_a_person():
    def other_tool(world: World) -> None:
        found = json.loads(world.files[SESSION])
        found["n"] = found.get("n", 0) + 1
        world.files[SESSION] = json.dumps(found)
        world.meanwhile = other_tool

    world = World()
    world.meanwhile = other_tool
    world.run()
    assert "other programs keep changing" in world.ended[1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tasks": 3}', "\x00", '{"tasks": {"A": 1}}'])
def test_a_session_that_cannot_be_read_is_told(text: str):
    world = World()
    world.files[SESSION] = text
    world.run()
    assert "Repair it" in world.ended[1]


def test_a_list_of_tasks_of_another_tool_is_kept_as_tasks():
    tasks = [{"id": "A-001", "owner": "writer", "status": "pending", "blocked_by": [], "x": 1}]
    ledger = read(json.dumps({"session_id": "s", "tasks": tasks, "pipeline": "custom"}))
    again = json.loads(write(ledger, "now"))
    assert again["tasks"]["A-001"]["x"] == 1
    assert again["tasks"]["A-001"]["role"] == "writer"
    assert again["pipeline"]["mode"] == "custom"


def test_a_session_of_another_tool_is_run_whatever_its_roles_are_called():
    tasks = {
        "SPEC-1": {"owner": "senior tech writer", "status": "pending"},
        "no id": {"owner": "nobody", "status": "pending"},
        "CODE-1": {"role": "", "status": "pending", "blocked_by": ["SPEC-1"]},
    }
    world = World()
    world.files[SESSION] = json.dumps({"session_id": "s", "tasks": tasks, "supervision": False})
    world.run()
    assert world.ended == (True, "2 tasks completed")
    assert world.who == ["senior-tech-writer SPEC-1", "somebody CODE-1"]
    assert json.loads(world.files[SESSION])["tasks"]["no id"] == tasks["no id"]


def test_a_decision_about_what_is_no_longer_there_is_told():
    world = World(verdicts={CP_1: "block"}).run()
    world.say(h.OverrideCheckpoint(CP_1, "yes", "ann"))
    found = json.loads(world.files[SESSION])
    del found["tasks"][CP_1]
    world.files[SESSION] = json.dumps(found)
    world.run()
    assert "team/notes/team-session.json no longer lists" in world.ended[1]


# --- words -----------------------------------------------------------------------------------


def test_each_role_has_words_and_a_person_may_give_others():
    world = World("full")
    world.run()
    said = h.OverrideCheckpoint("QUALITY-001", "fine", "ann")
    world.say(said)
    world.run()
    roles = {asked.role for asked in world.asked}
    assert roles == set(prompts.TEXTS)
    for asked in world.asked:
        assert asked.prompt.startswith(f"{prompts.TEXTS[asked.role]}\n\nRead what INPUT lists")
        assert '"title": "team-worker"' in asked.prompt
    assert world.asked[2].inputs["read"] == [
        "team/notes/spec/discovery.md",
        "team/notes/spec/product-brief.md",
    ]


def test_not_more_than_five_workers_and_no_more_than_the_settings_allow():
    plan = json.dumps({"modules": [f"m{n}" for n in range(12)]})
    for allowed, expected in ((2, 2), (20, 5)):
        world = World("impl-only", plan=plan)
        world.settings = replace(world.settings, max_agents=allowed)
        assert world.run().ended[0]
        assert world.most_at_once == expected


def test_modules_that_wait_in_a_circle_wait_for_nobody():
    plan = {"modules": [{"name": f"m{n}", "depends_on": [f"m{(n + 1) % 5}"]} for n in range(5)]}
    world = World("impl-only", plan=json.dumps(plan)).run()
    assert world.ended[0]
    assert world.ledger.topology == "dag"
