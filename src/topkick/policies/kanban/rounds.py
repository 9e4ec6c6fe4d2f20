"""A round: read the board, run the role of its current task, then inform the Manager.

The board is read anew every time; only whether it has changed is remembered.
"""

from collections.abc import Mapping, Sequence

from topkick.core import happenings as h
from topkick.core import lone_runs
from topkick.core.files import Glance, Seen
from topkick.core.kanban import (
    ARCHITECT,
    IMPLEMENTOR,
    MANAGER,
    ROLES,
    Board,
    Task,
    places,
    read_board,
    read_task,
    same_task,
)
from topkick.core.mission import Mission
from topkick.core.settings import Role
from topkick.policies.kanban import memory, prompts
from topkick.policies.kanban.memory import Done

Events = Sequence[h.Event]
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
    return (h.NoteTaken(memory.RETRIES, "0"), memory.count(memory.Rounds()))


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
    "{} has no front matter with `phase` and `current`, so nobody can tell what is next. "
    "A board to begin with: topkick kanban new"
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
        told = f"{board.path} names {board.current} as its current task, and {why}"
        return (h.MissionEnded(False, told),)
    if not _has_moved(board, turn) and turn.still >= ROUNDS_WITHOUT_A_MOVE:
        return (h.MissionEnded(False, _stuck(board, turn)),)
    task = read_task(found.path, found.text)
    return (*_disagreement(board, turn), *_spawn(mission, board, task))


def _ending(board: Board, turn: memory.Rounds) -> h.Event | None:
    """Return the end of the run: null from the Manager ends it; it is done only if the board
    agrees.
    """
    if not turn.ended:
        why = "the board is complete" if turn.said else "nothing to do: the board is complete"
        return h.MissionEnded(True, why) if board.is_complete else None
    if turn.said != "ok":
        return h.MissionEnded(False, f"the Manager sees no next task and says {turn.said}")
    if board.is_complete:
        return h.MissionEnded(True, "the Manager sees no next task, and the board is complete")
    why = f"the Manager sees no next task, but the board is at {board.current}"
    return h.MissionEnded(False, f"{why}. Correct one of them, then run it again")


def _has_moved(board: Board, turn: memory.Rounds) -> bool:
    return (board.sha256, board.current) != (turn.board, turn.current)


def _stuck(board: Board, turn: memory.Rounds) -> str:
    return (
        f"the board has not moved in {turn.still} rounds: {board.current} is still current and "
        f"{board.path} is unchanged. Look at the work log of that task, change the task or the "
        "board, then run it again"
    )


def _disagreement(board: Board, turn: memory.Rounds) -> Events:
    """Record a disagreement: the board decides, whatever the Manager answered."""
    said = turn.next_task
    if not said or board.current is None or same_task(said, board.current):
        return ()
    why = f"the Manager said {said}, the board says {board.current}: the board holds"
    return (h.Decided("", board.current, "Next task", why),)


def _spawn(mission: Mission, board: Board, task: Task) -> Events:
    name, noted = _role(mission, board, task)
    role = lone_runs.role_named(mission, name)
    if name == MANAGER:  # the Manager's own task has no second round
        done = Done(task.path, "ok", task.log_chars)
        return (*noted, *memory.finish(done), *_ask_manager(mission, board, task.path))
    text = prompts.prompt(name, role.prompt, {"task_file": task.path})
    return (
        *noted,
        memory.take(task.path, task.log_chars),
        *lone_runs.give(mission, role, f"{name} {task.path}", text),
    )


def _role(mission: Mission, board: Board, task: Task) -> tuple[str, Events]:
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
    why = f"nobody plays {task.role[:40]}, so it goes by the board's phase"
    return name, (h.Decided("", task.path, f"Role {name}", why),)


# --- the Manager -----------------------------------------------------------------------------


def _tell_manager(mission: Mission, board: Board, done: Done, files: Mapping[str, Seen]) -> Events:
    if done.task not in files:
        return (h.LookAsked(Glance((board.path, done.task))),)
    now = read_task(done.task, files[done.task].text)
    missing = now.log_chars <= done.log_chars and files[done.task].content is not None
    why = "its agent answered, and the work log has no new entry"
    noted = (h.Decided("", done.task, "No work log entry", why),) if missing else ()
    return (*noted, *_ask_manager(mission, board, done.task))


def _ask_manager(mission: Mission, board: Board, task: str) -> Events:
    role: Role = lone_runs.role_named(mission, MANAGER)
    inputs: prompts.Inputs = {
        "kanban_file": board.path,
        "done_task": task,
        "tasks": list(board.tasks),
    }
    text = prompts.prompt(MANAGER, role.prompt, inputs)
    turn = memory.rounds(mission)
    still = turn.still if not _has_moved(board, turn) else 0
    counted = memory.Rounds(board.sha256, board.current or "", still)
    return (memory.count(counted), *lone_runs.give(mission, role, f"{MANAGER} {task}", text))


# --- without a board -------------------------------------------------------------------------


def _single_shot(mission: Mission) -> Events:
    """Run one instruction for one role; its answer ends the run."""
    assert mission.plan is not None
    said = memory.rounds(mission).said
    if said:
        return (h.MissionEnded(said == "ok", f"{mission.plan.title} answered {said}"),)
    role = lone_runs.role_named(mission, mission.plan.title)
    text = prompts.prompt(role.name, role.prompt, {"instruction": mission.plan.rules})
    return lone_runs.give(mission, role, f"{role.name} (instruction)", text)


def _path(mission: Mission) -> str:
    assert mission.plan is not None
    return mission.plan.file
