"""The kanban supervisor: run the role that the board names, check the form, inform the Manager,
repeat.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents import answers as strict_answers
from topkick.engine.agents import task as agents_task
from topkick.engine.agents.answers import StrictQuestion, json_in
from topkick.engine.agents.runs import Run
from topkick.engine.effects import Glance, Seen
from topkick.engine.messages import questions as q
from topkick.engine.settings import Role
from topkick.kanban import prompts
from topkick.kanban import state as memory
from topkick.kanban.model import (
    ARCHITECT,
    IMPLEMENTOR,
    MANAGER,
    ROLES,
    Board,
    BoardTask,
    places,
    read_board,
    read_task,
    same_task,
)
from topkick.kanban.state import Done
from topkick.sprint.model import Mission

# --- answers -----------------------------------------------------------------------------------
# Only the form is checked; after an invalid answer the same order is sent again.

Events = Sequence[h.Event]
MESSAGE_CHARS = 500


def heard(mission: Mission, run: Run, evidence: Evidence) -> Events:
    fault = agents_task.nobodys_fault(mission, run, evidence)
    if fault:
        return fault
    said = evidence.answer.body or "" if evidence.answer is not None else ""
    answer = json_in(said)
    issue = strict_answers.issue_with(run, answer, prompts.schema_for(_answering_role(run)))
    if issue:
        return _again(mission, run, said, issue)
    assert isinstance(answer, dict)
    return _accepted(mission, run, answer)


def _answering_role(run: Run) -> str:
    return run.sprint.partition(" ")[0]


def _task(run: Run) -> str:
    return run.sprint.partition(" ")[2]


# --- invalid answers -------------------------------------------------------------------------


def _again(mission: Mission, run: Run, said: str, issue: str) -> Events:
    """Repeat the dispatch as it is: the same agent, model and bytes, identified by their hash."""
    assert run.dispatch is not None
    schema = prompts.schema_for(_answering_role(run)).name
    asked = StrictQuestion(
        _answering_role(run), _task(run), schema, memory.RETRIES, run.dispatch.prompt.sha256
    )
    closed = h.RunClosed(run.id, f"invalid output format: {issue}")
    once_more = strict_answers.one_more_try(mission, asked, said, issue, run)
    if once_more is None:
        why = strict_answers.no_answer(mission, asked, said, issue, run)
        return (closed, h.NoteTaken(memory.RETRIES, "0"), h.MissionEnded(False, why))
    turns = strict_answers.turns_after(mission, asked.counter, run)
    order = replace(run.dispatch, at_us=0, max_turns=turns)
    return (closed, *once_more, *agents_task.give_again(mission, run.sprint, order))


# --- valid answers ---------------------------------------------------------------------------


def _accepted(mission: Mission, run: Run, answer: Mapping[str, object]) -> Events:
    status, message = str(answer["status"]), str(answer["message"])[:MESSAGE_CHARS]
    closed = (
        h.RunClosed(run.id, status),
        h.NoteTaken(memory.RETRIES, "0"),
        h.NoteTaken(agents_task.TROUBLES, "0"),
        h.Decided("", run.sprint, f"answered {status}", message),
    )
    turn = memory.rounds(mission)
    if not (mission.plan and mission.plan.file):
        return (*closed, memory.count(replace(turn, said=status)))
    if _answering_role(run) != MANAGER:
        hand = memory.in_hand(mission)
        before = hand.log_chars if hand is not None else 0
        return (*closed, *memory.finish(Done(_task(run), status, before)))
    following = answer["next_task"]
    said = replace(
        turn,
        still=turn.still + 1,
        said=status,
        next_task=str(following)[:MESSAGE_CHARS] if following is not None else "",
        ended=following is None,
    )
    return (*closed, memory.told(), memory.count(said))


# --- one round ---------------------------------------------------------------------------------
# Read the board, run the role of its current task, then inform the Manager.
# The board is read anew every time; only whether it has changed is remembered.

ROUNDS_WITHOUT_A_MOVE = 3
BY_PHASE: Mapping[tuple[str, str], str] = {
    ("design", ""): ARCHITECT,
    ("exploration", ""): ARCHITECT,
    ("plan", ""): MANAGER,
    ("execute", ""): IMPLEMENTOR,
    ("execute", "review"): ARCHITECT,
    ("validate", ""): ARCHITECT,
}


def afresh(command: h.Command) -> Events:
    """Reset tries and rounds when a person resumes the run."""
    if not isinstance(command, h.Resume):
        return ()
    return (h.NoteTaken(memory.RETRIES, "0"), memory.count(memory.BoardRounds()))


def what_next(mission: Mission) -> Events:
    """Read the board; do nothing while a usage limit is in force."""
    if any(limit.until_us > mission.at_us for limit in mission.limits.values()):
        return ()
    if not _path(mission):
        return _single_shot(mission)
    return (h.LookAsked(Glance((_path(mission),))),)


def on_sight(mission: Mission, files: tuple[Seen, ...]) -> Events:
    by_path = {seen.path: seen for seen in files}
    seen = by_path.get(_path(mission))
    if seen is None or seen.content is None or seen.trouble:
        why = (seen.trouble if seen is not None else "") or f"there is no {_path(mission)}"
        return (h.MissionEnded(False, f"the board cannot be read: {why}"),)
    board = read_board(seen.path, seen.text)
    if not board.readable:
        return (h.MissionEnded(False, _UNREADABLE.format(board.path)),)
    done = memory.done(mission)
    if done is not None:
        return _tell_manager(mission, board, done, by_path)
    return _of_board(mission, board, by_path)


_UNREADABLE = (
    "{} has no front matter with `phase` and `current`, so topkick cannot find the next task. "
    "Add them, or create another board: topkick kanban new TITLE"
)


# --- the current task ------------------------------------------------------------------------


def _of_board(mission: Mission, board: Board, files: Mapping[str, Seen]) -> Events:
    turn = memory.rounds(mission)
    ending = _ending(board, turn)
    if ending is not None:
        return (ending,)
    assert board.current is not None
    wanted = places(board.path, board.current)
    if not set(wanted) <= files.keys():
        return (h.LookAsked(Glance((board.path, *wanted))),)
    found = next((files[path] for path in wanted if files[path].content is not None), None)
    if found is None:
        trouble = next((files[path].trouble for path in wanted if files[path].trouble), "")
        why = trouble or "there is no such file"
        told = (
            f"{board.path} names {board.current} as its current task, but {why}. Correct `current` "
            f"in the board, then: {_run_again(board)}"
        )
        return (h.MissionEnded(False, told),)
    if not _has_moved(board, turn) and turn.still >= ROUNDS_WITHOUT_A_MOVE:
        return (h.MissionEnded(False, _stuck(board, turn)),)
    task = read_task(found.path, found.text)
    return (*_disagreement(board, turn), *_spawn(mission, board, task))


def _ending(board: Board, turn: memory.BoardRounds) -> h.Event | None:
    """Return the end of the run: null from the Manager ends it; it is done only if the board
    agrees.
    """
    if not turn.ended:
        why = "the board is complete" if turn.said else "nothing to do: the board is complete"
        return h.MissionEnded(True, why) if board.is_complete else None
    if turn.said != "ok":
        return h.MissionEnded(False, f"the Manager names no next task and answered {turn.said}")
    if board.is_complete:
        return h.MissionEnded(True, "the Manager names no next task, and the board is complete")
    why = f"the Manager names no next task, but the current task of the board is {board.current}"
    return h.MissionEnded(False, f"{why}. Correct the board, then: {_run_again(board)}")


def _run_again(board: Board) -> str:
    return shlex.join(("topkick", "kanban", "run", board.path))


def _has_moved(board: Board, turn: memory.BoardRounds) -> bool:
    return (board.sha256, board.current) != (turn.board, turn.current)


def _stuck(board: Board, turn: memory.BoardRounds) -> str:
    return (
        f"the board has not moved in {turn.still} rounds: {board.current} is still current and "
        f"{board.path} is unchanged. Read the work log of that task, correct the task or the "
        f"board, then: {_run_again(board)}"
    )


def _disagreement(board: Board, turn: memory.BoardRounds) -> Events:
    """Record a disagreement: the board decides, whatever the Manager answered."""
    said = turn.next_task
    if not said or board.current is None or same_task(said, board.current):
        return ()
    why = f"the Manager named {said}, the board names {board.current}: the board decides"
    return (h.Decided("", board.current, "Next task", why),)


def _spawn(mission: Mission, board: Board, task: BoardTask) -> Events:
    name, noted = _role(mission, board, task)
    role = agents_task.role_named(mission, name)
    if name == MANAGER:  # the Manager's own task has no second round
        done = Done(task.path, "ok", task.log_chars)
        return (*noted, *memory.finish(done), *_ask_manager(mission, board, task.path))
    text = prompts.prompt(name, role.prompt, {"task_file": task.path})
    return (
        *noted,
        memory.take(task.path, task.log_chars),
        *agents_task.give(mission, role, f"{name} {task.path}", text),
    )


def _role(mission: Mission, board: Board, task: BoardTask) -> tuple[str, Events]:
    """Return the role: from the task's header, else from the board's phase, else Implementor."""
    assert mission.settings is not None
    known = {name.casefold(): name for name in ROLES}
    known.update({role.name.casefold(): role.name for role in mission.settings.roles})
    if task.role.casefold() in known:
        return known[task.role.casefold()], ()
    fallback = BY_PHASE.get((board.phase, board.sub_phase)) or BY_PHASE.get((board.phase, ""))
    name = fallback or IMPLEMENTOR
    if not task.role:
        return name, ()
    why = f"no role {task.role[:40]} is configured, so the phase of the board decides"
    return name, (h.Decided("", task.path, f"Role {name}", why),)


# --- the Manager -----------------------------------------------------------------------------


def _tell_manager(mission: Mission, board: Board, done: Done, files: Mapping[str, Seen]) -> Events:
    if done.task not in files:
        return (h.LookAsked(Glance((board.path, done.task))),)
    now = read_task(done.task, files[done.task].text)
    missing = now.log_chars <= done.log_chars and files[done.task].content is not None
    why = "the agent answered, but the work log of the task has no new entry"
    noted = (h.Decided("", done.task, "No work log entry", why),) if missing else ()
    return (*noted, *_ask_manager(mission, board, done.task))


def _ask_manager(mission: Mission, board: Board, task: str) -> Events:
    role: Role = agents_task.role_named(mission, MANAGER)
    inputs: prompts.Inputs = {
        "kanban_file": board.path,
        "done_task": task,
        "tasks": list(board.tasks),
    }
    text = prompts.prompt(MANAGER, role.prompt, inputs)
    turn = memory.rounds(mission)
    still = turn.still if not _has_moved(board, turn) else 0
    counted = memory.BoardRounds(board.sha256, board.current or "", still)
    return (memory.count(counted), *agents_task.give(mission, role, f"{MANAGER} {task}", text))


# --- without a board -------------------------------------------------------------------------


def _single_shot(mission: Mission) -> Events:
    """Run one instruction for one role; its answer ends the run."""
    assert mission.plan is not None
    said = memory.rounds(mission).said
    if said:
        return (h.MissionEnded(said == "ok", f"{mission.plan.title} answered {said}"),)
    role = agents_task.role_named(mission, mission.plan.title)
    text = prompts.prompt(role.name, role.prompt, {"instruction": mission.plan.rules})
    return agents_task.give(mission, role, f"{role.name} (instruction)", text)


def _path(mission: Mission) -> str:
    assert mission.plan is not None
    return mission.plan.file


POLICY = "kanban"


def decide(mission: Mission, question: q.Question) -> Sequence[h.Event]:
    match question:
        case q.WhatOfCommand(command):
            said = agents_task.obey(POLICY, mission, command)
            return (*said, *afresh(command))
        case q.WhatOfFiles(files):
            return on_sight(mission, files) if agents_task.may_go_on(mission) else ()
        case q.WhatOfSilence(run_id, polls):
            return agents_task.saw_silence(mission, mission.runs[run_id], polls)
        case q.WhatOfExit(run_id, ended):
            return agents_task.saw_exit(mission, mission.runs[run_id], ended)
        case q.WhatOfWork(run_id, evidence):
            return heard(mission, mission.runs[run_id], evidence)
        case q.WhatNext():
            enough = agents_task.enough(mission)
            return enough or (what_next(mission) if agents_task.may_go_on(mission) else ())
        case (
            q.WhatOfActivity()
            | q.WhatOfGround()
            | q.WhatOfIntegration()
            | q.WhatOfGate()
            | q.WhatOfEdits()
            | q.WhatOfBus()
            | q.WhatOfPosts()
            | q.WhatOfBackground()
            | q.WhatOfErrand()
        ):
            return ()
        case _:
            assert_never(question)
