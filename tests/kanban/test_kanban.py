"""The kanban supervisor, rule by rule: the form is checked, the board is the truth."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from kanban_stage import (
    AGENT,
    BOARD,
    Asked,
    Reply,
    World,
    board,
    fenced,
    limited,
    move_to,
    says,
    task,
    through,
    two_tasks,
    work,
)

from rig import SETTINGS
from topkick.app.run import exit_code
from topkick.engine import messages as h
from topkick.engine.agents.answers import json_in, retry_events
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.json_schema import problems
from topkick.engine.agents.program import AgentReport, Conclusion, Ending, Tier, Usage
from topkick.engine.settings import OnLimit, Role
from topkick.kanban import prompts
from topkick.kanban.model import read_board, read_task
from topkick.sprint.model import Overall
from topkick.sprint.status import is_at_rest, overall
from topkick.sprint.timers import due_at_us

BOTH = through("1-design", "2-build")
ROUND = ["Architect 1-design", "Manager 1-design", "Implementor 2-build", "Manager 2-build"]


def first(times: int, reply: Reply, role: str = "") -> Callable[[World, Asked], Reply]:
    """So many bad answers at first, of that role or of anybody; then all goes well."""
    left = [times]

    def play(world: World, asked: Asked) -> Reply:
        if left[0] and (not role or asked.role == role):
            left[0] -= 1
            return reply
        return BOTH(world, asked)

    return play


# --- the loop --------------------------------------------------------------------------------


@pytest.mark.spec("KB-02")
def test_each_task_goes_to_its_role_and_then_to_the_manager():
    world = two_tasks(BOTH).run()
    assert world.who == ROUND
    assert world.asked[0].inputs == {"task_file": "tasks/1-design.md"}
    assert world.asked[1].inputs == {
        "kanban_file": BOARD,
        "done_task": "tasks/1-design.md",
        "tasks": ["tasks/1-design.md", "tasks/2-build.md"],
    }
    assert world.ended == (True, "the Manager names no next task, and the board is complete")
    assert overall(world.rig.mission) is Overall.COMPLETED


@pytest.mark.spec("KB-02")
@pytest.mark.parametrize(
    ("phase", "more", "role"),
    [
        ("design", "", "Architect"),
        ("execute", "", "Implementor"),
        ("execute", "sub_phase: review\n", "Architect"),
        ("validate", "", "Architect"),
        ("plan", "", "Manager"),
        ("somewhere", "", "Implementor"),
    ],
)
def test_without_a_role_in_its_header_a_task_goes_by_the_phase(phase: str, more: str, role: str):
    files = {BOARD: board("1-x", "1-x", phase=phase, more=more), "tasks/1-x.md": task("")}
    world = World(through("1-x"), files).run()
    assert world.asked[0].role == role
    assert world.ended[0]


@pytest.mark.spec("KB-02")
def test_the_header_wins_over_the_phase_and_older_files_say_role():
    files = {BOARD: board("1-x", "1-x", phase="design"), "tasks/1-x.md": task(key="role")}
    assert World(through("1-x"), files).run().asked[0].role == "Implementor"


@pytest.mark.spec("KB-02")
def test_a_managers_own_task_has_no_second_manager_round():
    files = {BOARD: board("1-x", "1-x"), "tasks/1-x.md": task("Manager")}
    world = World(through("1-x"), files).run()
    assert world.who == ["Manager 1-x"]
    assert world.ended[0]


@pytest.mark.spec("KB-02")
def test_a_single_shot_is_one_instruction_and_its_answer_ends_it():
    world = World(lambda *_: fenced(says()), {}, instruction="Say hello.").run()
    assert [x.inputs for x in world.asked] == [{"instruction": "Say hello."}]
    assert world.ended == (True, "Implementor answered ok")
    world = World(lambda *_: fenced(says("blocked")), {}, instruction="Say hello.").run()
    assert world.ended == (False, "Implementor answered blocked")


@pytest.mark.spec("KB-02")
@pytest.mark.parametrize(
    "text",
    [board(None, "1-x"), board("1-x", "1-x", phase="complete")],
    ids=["no current task", "complete"],
)
def test_a_board_that_is_complete_asks_nobody(text: str):
    world = World(BOTH, {BOARD: text}).run()
    assert not world.asked
    assert world.ended[0]


@pytest.mark.spec("KB-02")
def test_the_board_holds_whatever_the_manager_answers():
    def play(world: World, asked: Asked) -> Reply:
        reply = BOTH(world, asked)
        if asked.role == "Manager" and "1-design" in asked.about:
            return Reply(says(next_task="tasks/9-dream.md", tasks=[]))
        return reply

    world = two_tasks(play).run()
    assert world.who == ROUND
    assert any("the board decides" in line for line in world.decisions)


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("current", ["tasks/1-x.md", "1-x.md", "./tasks/1-x.md"])
def test_a_task_is_found_with_or_without_its_directory(current: str):
    text = board("1-x", "1-x").replace("current: tasks/1-x.md", f"current: {current}")
    world = World(through("1-x"), {BOARD: text, "tasks/1-x.md": task()}).run()
    assert world.asked[0].inputs == {"task_file": "tasks/1-x.md"}


@pytest.mark.spec("KB-01")
def test_front_matter_may_stand_below_the_title_and_the_last_of_two_keys_counts():
    text = "# Kanban: Lexer\n\n---\nphase: design\ncurrent: tasks/1.md\nphase: complete\n---\n"
    found = read_board(BOARD, text)
    assert (found.readable, found.phase, found.title) == (True, "complete", "Lexer")


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "there is no tasks/0-kanban-lexer.md"),
        ({BOARD: "# To do\n- [ ] everything\n"}, "no front matter"),
        ({BOARD: board("1-x", "1-x")}, "there is no such file"),
        ({BOARD: board("1-x").replace("tasks/1-x", "../../x")}, "outside the project"),
    ],
    ids=["no board", "no front matter", "no task", "outside"],
)
def test_what_cannot_be_run_is_said_and_nobody_is_asked(files: dict[str, str], why: str):
    world = World(BOTH, files).run()
    assert not world.asked
    assert not world.ended[0]
    assert why in world.ended[1]
    assert overall(world.rig.mission) is Overall.BLOCKED


# --- the form --------------------------------------------------------------------------------


@pytest.mark.spec("KB-03")
@pytest.mark.parametrize(
    ("answer", "valid"),
    [
        ({"status": "ok", "message": "done"}, True),
        ({"status": "escalate", "message": "too large", "more": 1}, True),
        ({"status": "fine", "message": "done"}, False),
        ({"status": "ok"}, False),
        ({"message": "done"}, False),
        ({"status": "ok", "message": 7}, False),
        ({"status": ["ok"], "message": "done"}, False),
        (["ok", "done"], False),
        ("ok", False),
    ],
)
def test_the_form_of_a_workers_answer(answer: object, valid: bool):
    assert (not problems(answer, prompts.WORKER.body)) is valid
    assert problems(answer, prompts.MANAGER.body)


@pytest.mark.spec("KB-03")
@pytest.mark.parametrize(
    ("more", "valid"),
    [
        ({"next_task": None, "tasks": []}, True),
        ({"next_task": "tasks/1.md", "tasks": ["tasks/1.md"]}, True),
        ({"next_task": "tasks/1.md", "tasks": [{"file": "tasks/1.md", "state": "todo"}]}, True),
        ({"next_task": 3, "tasks": []}, False),
        ({"next_task": None, "tasks": "none"}, False),
        ({"next_task": None, "tasks": [1]}, False),
        ({"next_task": None}, False),
        ({"tasks": []}, False),
    ],
)
def test_the_form_of_a_managers_answer(more: dict[str, object], valid: bool):
    answer = {"status": "ok", "message": "noted", **more}
    assert (not problems(answer, prompts.MANAGER.body)) is valid


@pytest.mark.spec("KB-03")
@pytest.mark.parametrize("schema", prompts.SCHEMAS, ids=lambda s: s.name)
def test_the_example_of_each_schema_fits_it(schema: prompts.Schema):
    assert not problems(json.loads(schema.example), schema.body)


@pytest.mark.spec("KB-03")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('  \n{"a": 1}\n', {"a": 1}),
        ('```json\n{"a": 1}\n```\nor rather\n```\n{"a": 2}\n```\nBye.', {"a": 2}),
        ('Look:\n```json\n{"a": 1}', {"a": 1}),
        ("words\n```\n" + "x" * (1 << 18) + '\n```\nso\n```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```\n```json\n{"a": 2}', {"a": 2}),
        ('The answer is {"a": 1}', None),
        ("```json\nnot at all\n```", None),
        ('{"a": NaN}', None),
        ("[" * 100_000, None),
        ("", None),
    ],
)
def test_json_is_the_whole_output_or_the_last_fenced_block(text: str, found: object):
    assert json_in(text) == found


# --- what is asked again ---------------------------------------------------------------------


@pytest.mark.spec("KB-04", "C6")
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_bad_answer_is_asked_for_again_byte_for_byte(times: int):
    world = two_tasks(first(times, Reply("I think I am done."))).run()
    again = world.asked[: times + 1]
    assert {(x.prompt, x.model) for x in again} == {(again[0].prompt, again[0].model)}
    assert len({x.run_id for x in again}) == times + 1
    assert world.who == ["Architect 1-design"] * times + ROUND
    events = retry_events(world.rig.mission)
    assert [(e.agent, e.attempt, e.received) for e in events] == [
        ("Architect", n, "I think I am done.") for n in range(1, times + 1)
    ]
    sent = [e for s in world.steps for e in s.events if isinstance(e, h.RunDispatched)]
    assert {e.input_sha256 for e in events} == {sent[0].dispatch.prompt.sha256}


@pytest.mark.spec("KB-03")
@pytest.mark.parametrize("role", ["Architect", "Manager"])
def test_who_only_repeats_the_order_has_not_answered(role: str):
    def play(world: World, asked: Asked) -> Reply:
        return Reply(asked.prompt) if asked.role == role else BOTH(world, asked)

    world = two_tasks(play).run()
    assert not world.ended[0]
    assert f"{role} gave no valid answer" in world.ended[1]


@pytest.mark.spec("KB-04")
def test_after_three_retries_it_ends_and_shows_the_last_answer():
    world = two_tasks(first(9, Reply("Nothing but words."))).run()
    assert world.who == ["Architect 1-design"] * 4
    done, why = world.ended
    assert not done
    assert "Architect gave no valid answer for tasks/1-design.md in 4 tries" in why
    assert why.endswith("Its last answer: Nothing but words.")


@pytest.mark.spec("KB-04")
def test_a_bad_answer_of_the_manager_asks_the_manager_only():
    world = two_tasks(first(2, Reply(says()), role="Manager")).run()
    assert world.who == [ROUND[0], *["Manager 1-design"] * 2, *ROUND[1:]]
    assert len({x.prompt for x in world.asked[1:4]}) == 1


@pytest.mark.spec("KB-04")
def test_the_count_of_retries_is_of_one_answer_and_survives_a_crash():
    bad = first(3, Reply("no"), role="Architect")
    world = two_tasks(bad, crash_after=frozenset(range(100))).run()
    assert world.who == ["Architect 1-design"] * 3 + ROUND
    assert len({x.prompt for x in world.asked[:4]}) == 1
    world = two_tasks(first(4, Reply("no")), crash_after=frozenset(range(100))).run()
    assert world.who == ["Architect 1-design"] * 4


@pytest.mark.spec("KB-05")
@pytest.mark.parametrize(
    "reply",
    [
        Reply(says(), code=1),
        Reply(says(), code=None, how=Ending.SIGNALED),
    ],
    ids=["exit code", "signal"],
)
def test_a_crash_counts_as_a_bad_form_whatever_was_said(reply: Reply):
    world = two_tasks(first(1, reply)).run()
    assert world.who == [ROUND[0], *ROUND]


def test_who_used_all_the_time_of_an_order_is_not_asked_again():
    world = two_tasks(first(1, Reply(says(), code=None, how=Ending.DEADLINE))).run()
    assert world.who == ROUND[:1]
    assert "the time limit of one order is used up" in world.ended[1]


@pytest.mark.spec("KB-05")
@pytest.mark.parametrize("status", ["blocked", "error", "escalate"])
def test_blocked_error_and_escalate_are_answers_for_the_manager(status: str):
    def play(world: World, asked: Asked) -> Reply:
        if asked.role == "Architect":
            return work(world, asked, status)
        return BOTH(world, asked)

    world = two_tasks(play).run()
    assert world.who == ROUND
    assert f"answered {status}: it is {status}" in world.decisions


@pytest.mark.spec("KB-05")
@pytest.mark.parametrize(
    ("status", "moves", "why"),
    [
        ("blocked", True, "answered blocked"),
        ("ok", False, "but the current task of the board is tasks/1-design.md"),
    ],
    ids=["the Manager does not say ok", "the board does not agree"],
)
def test_null_from_the_manager_is_done_only_with_ok_and_the_boards_consent(
    status: str, moves: bool, why: str
):
    def play(world: World, asked: Asked) -> Reply:
        if asked.role != "Manager":
            return work(world, asked)
        if moves:
            return move_to(world, None, status)
        return Reply(says(status, next_task=None, tasks=[]))

    world = two_tasks(play).run()
    assert not world.ended[0]
    assert why in world.ended[1]


@pytest.mark.spec("KB-06")
def test_a_board_that_does_not_move_for_three_rounds_ends_it():
    def play(world: World, asked: Asked) -> Reply:
        if asked.role != "Manager":
            return work(world, asked)
        return Reply(says(next_task="tasks/1-design.md", tasks=[]))

    world = two_tasks(play).run()
    assert world.who == ROUND[:2] * 3
    assert not world.ended[0]
    assert "has not moved in 3 rounds: tasks/1-design.md" in world.ended[1]
    world.tell(h.CommandGiven(h.Resume()))
    world.go_on()
    assert len(world.asked) == 12  # a person has seen it: three more rounds


@pytest.mark.spec("KB-06")
def test_a_board_on_which_something_moves_goes_on():
    def play(world: World, asked: Asked) -> Reply:
        if asked.role != "Manager":
            return work(world, asked)
        if len(world.asked) > 12:
            return move_to(world, None)
        world.files[BOARD] += "- one more thing\n"
        return Reply(says(next_task="tasks/1-design.md", tasks=[]))

    assert two_tasks(play).run().ended[0]


@pytest.mark.spec("KB-07")
def test_a_work_log_without_a_new_entry_is_told_and_the_manager_is_asked_all_the_same():
    def play(world: World, asked: Asked) -> Reply:
        return fenced(says()) if asked.role == "Architect" else BOTH(world, asked)

    world = two_tasks(play).run()
    assert world.who == ROUND
    assert [d for d in world.decisions if d.startswith("No work log entry")] == [
        "No work log entry: the agent answered, but the work log of the task has no new entry"
    ]


@pytest.mark.spec("KB-11")
def test_the_supervisor_writes_no_file():
    """Neither an edit nor any other order that would write is ever asked for."""
    world = two_tasks(first(2, Reply("no"))).run()
    kinds = {type(e) for s in world.steps for e in s.events}
    assert h.EditsAsked not in kinds
    assert h.LookAsked in kinds


# --- crashes, stops and limits ---------------------------------------------------------------


@pytest.mark.spec("KB-08")
@pytest.mark.parametrize("when", ["crash_before", "crash_after"])
def test_killed_at_any_step_it_goes_on_and_asks_for_no_answer_twice(when: str):
    """Also with bad answers in between: each order is begun once, each answer heard once."""
    whole = two_tasks(first(2, Reply("no"))).run()
    for number in range(1, len(whole.steps)):  # the start itself waits in the inbox
        world = two_tasks(first(2, Reply("no")), **{when: frozenset({number})}).run()
        assert world.who == whole.who, f"{when} {number}"
        assert world.ended == whole.ended
        assert [x.run_id for x in world.asked] == [x.run_id for x in whole.asked]


@pytest.mark.spec("KB-08")
def test_a_stop_lets_the_agent_finish_and_the_next_run_goes_on_with_the_manager():
    def play(world: World, asked: Asked) -> Reply:
        if asked.role == "Architect":
            world.tell(h.CommandGiven(h.Stop()))
        return BOTH(world, asked)

    world = two_tasks(play).run()
    assert world.who == ["Architect 1-design"]
    assert overall(world.rig.mission) is Overall.STOPPED
    assert world.waits_for_manager is not None
    world.tell(h.CommandGiven(h.Resume()))
    assert world.go_on().who == ROUND


@pytest.mark.spec("KB-08")
@pytest.mark.parametrize("command", [h.Stop(force=True), h.KillAll()])
def test_who_is_ended_is_asked_again_after_a_resume(command: h.Command):
    def play(world: World, asked: Asked) -> Reply:
        if len(world.asked) == 1:
            world.tell(h.CommandGiven(command))
            return Reply(how=Ending.STOPPED, code=None)
        return BOTH(world, asked)

    world = two_tasks(play).run()
    assert not world.rig.mission.runs
    world.tell(h.CommandGiven(h.Resume()))
    assert world.go_on().who == [ROUND[0], *ROUND]
    assert not retry_events(world.rig.mission)


@pytest.mark.spec("DP-09")
def test_a_usage_limit_is_waited_for_and_no_try_is_lost():
    until_us = 3_600_000_000
    world = two_tasks(first(1, limited(until_us))).run()
    assert world.who == ["Architect 1-design"]
    assert world.rig.mission.ended is None
    assert due_at_us(world.rig.mission) == until_us
    assert not is_at_rest(world.rig.mission)
    world.tell(h.TimePassed(), after_s=3_601)
    assert world.go_on().who == [ROUND[0], *ROUND]
    assert not retry_events(world.rig.mission)


@pytest.mark.spec("DP-09")
def test_who_is_to_wait_until_a_time_of_day_does_so_on_a_board_too():
    settings = replace(SETTINGS, on_limit=OnLimit.WAIT_UNTIL, limit_ends_at_minute=120)
    world = two_tasks(first(1, limited(60_000_000)), settings=settings).run()
    assert due_at_us(world.rig.mission) == 2 * 3_600_000_000


@pytest.mark.spec("DP-09")
def test_of_a_lost_agent_a_usage_limit_is_heard_all_the_same():
    until_us = 3_600_000_000
    lost = replace(limited(until_us), how=Ending.LOST, code=None)
    world = two_tasks(first(1, lost)).run()
    assert due_at_us(world.rig.mission) == until_us


@pytest.mark.spec("DP-09")
def test_a_lost_agent_is_nobodys_fault():
    world = two_tasks(first(1, Reply(how=Ending.LOST, code=None))).run()
    world.tell(h.TimePassed(), after_s=11)
    assert world.go_on().ended[0]
    assert not retry_events(world.rig.mission)


@pytest.mark.spec("KB-05")
def test_a_program_that_cannot_start_ends_it_at_once():
    world = two_tasks(first(1, Reply(how=Ending.CANNOT_START, code=None))).run()
    assert len(world.asked) == 1
    assert not world.ended[0]
    assert "cannot be started" in world.ended[1]


def used(tokens: int) -> AgentReport:
    return AgentReport(Conclusion.FINISHED, usage=Usage(1, tokens, 0, 0))


@pytest.mark.spec("DP-10")
def test_when_the_budget_is_spent_nobody_is_asked_any_more():
    def play(world: World, asked: Asked) -> Reply:
        return replace(BOTH(world, asked), report=used(60))

    budgets = Budgets(run=Budget(tokens=100))
    world = two_tasks(play, settings=replace(SETTINGS, budgets=budgets)).run()
    assert world.who == ROUND[:2]
    assert world.rig.mission.stance_why == "spent: the budget of the run: 120 of 100 tokens"
    assert exit_code(world.rig.mission) == 7


@pytest.mark.spec("DP-07", "DP-10")
def test_an_agent_with_all_its_turns_or_all_the_money_is_ended():
    def spends(usage: Usage) -> Callable[[World, Asked], Reply]:
        def play(world: World, asked: Asked) -> Reply:
            if len(world.asked) == 1:
                world.tell(h.AgentSpent(asked.run_id, usage, counted=True))
            return BOTH(world, asked)

        return play

    turns = two_tasks(spends(Usage(51))).run()
    assert turns.who == ROUND[:1]  # all tries of an order share its turns
    assert "the turns of one order are used up" in turns.ended[1]
    settings = replace(SETTINGS, budgets=Budgets(run=Budget(tokens=100)))
    money = two_tasks(spends(Usage(1, 150)), settings=settings).run()
    assert money.who == ROUND[:1]
    cancelled = [e for s in money.steps for e in s.events if isinstance(e, h.RunCancelled)]
    assert len(cancelled) == 1
    assert exit_code(money.rig.mission) == 7


def test_roles_are_played_by_whom_the_settings_name():
    other = replace(AGENT, name="other", models={"opus": "large"})
    roles = (Role("architect", other, Tier.OPUS, "Be brief."),)
    world = two_tasks(BOTH, settings=replace(SETTINGS, roles=roles)).run()
    architect, manager = world.asked[0], world.asked[1]
    assert (architect.role, architect.model, manager.model) == ("architect", "large", "mid")
    assert architect.prompt.startswith("Be brief.\n\nINPUT")


# --- as stories ------------------------------------------------------------------------------

STORIES: dict[str, Callable[[], World]] = {
    "happy-path": lambda: two_tasks(BOTH),
    "malformed-answer": lambda: two_tasks(first(1, Reply("I am done."))),
    "exhausted-retries": lambda: two_tasks(first(9, Reply("I am done."))),
    "manager-malformed": lambda: two_tasks(first(1, Reply(says()), role="Manager")),
    "crash-in-between": lambda: two_tasks(BOTH, crash_after=frozenset({4, 9})),
}


@pytest.mark.parametrize("name", STORIES)
def test_story(name: str, golden: Callable[[str, str], None]):
    world = STORIES[name]().run()
    told = "\n".join([f"# {name.replace('-', ' ')}", *world.told])
    golden(f"../kanban/kanban_stories/{name}.story", told + "\n")


def test_a_task_is_read_as_real_ones_are_written():
    text = task("Architect", type="Design", priority="High", dependencies="['tasks/8-a.md', b.md]")
    found = read_task("tasks/9.md", text + "\n### [t] Began | ok\n\n### [t] End | Blocked\n")
    assert (found.role, found.type, found.priority) == ("Architect", "design", "high")
    assert found.dependencies == ("tasks/8-a.md", "b.md")
    assert (found.log_entries, found.log_status) == (2, "blocked")


@pytest.mark.parametrize("role", ["Architect", "Implementor", "Manager"])
def test_the_words_of_each_role(role: str, golden: Callable[[str, str], None]):
    inputs: prompts.Inputs = {"task_file": "tasks/1-design.md"}
    if role == "Manager":
        inputs = {"kanban_file": BOARD, "done_task": "tasks/1-design.md", "tasks": ["tasks/1.md"]}
    golden(f"prompts/kanban-{role.lower()}.md", prompts.prompt(role, "", inputs))
