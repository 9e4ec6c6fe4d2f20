"""Send a command to a run from any terminal, whether its supervisor lives or not (SD-05)."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from topkick.app.clock import now_us
from topkick.app.project import Project, stop_mark
from topkick.app.run import drive
from topkick.app.run_view import Follow, journal_happenings, journal_records, who_am_i
from topkick.app.state_dir.claimed_runs import kept_elsewhere
from topkick.app.state_dir.lock import is_held
from topkick.app.state_dir.ownership import require_own, require_within_reach
from topkick.engine import messages as h
from topkick.engine.errors import AnotherSupervisor, TopkickError
from topkick.engine.fold import apply
from topkick.engine.journal import ACCEPTED, CommandOutcome, QueueAnswer, answer_of, post
from topkick.engine.loop import read_value, replay
from topkick.engine.messages import CODEC, COMMANDS
from topkick.engine.views import refusal_lines
from topkick.runner import run_dir
from topkick.runner.local_runner import Killed, LocalRunner
from topkick.runner.wake_fifo import ring
from topkick.sprint.model import Mission

LOOK_EVERY_S = 0.02
KILL_LIMIT_S = 20.0
KILL_GRACE_S = 3.0
REFUSED = h.CommandRefused.__name__
LOST_COMMAND = (
    "The command was lost, because the journal was damaged and had to be repaired.\n"
    "It may have been carried out before. Look, and type the command again if not: topkick status"
)


@dataclass(frozen=True, slots=True)
class CommandReply:
    accepted: bool
    answer: str
    letter: int


def tell(project: Project, command: h.Command, *, wait_s: float = 10.0) -> CommandReply:
    """Post a command durably; the supervisor answers it, or this process does."""
    require_own(project)
    if not is_held(project.state_dir):  # don't queue a command that no process here may act on
        require_within_reach(project)
    letter = post(project.journal_path, who_am_i(), *COMMANDS.encode(command), now_us())
    ring(project.current)
    ends_at_s = time.monotonic() + wait_s
    while time.monotonic() < ends_at_s:
        answer = answer_of(project.journal_path, letter)
        if answer is not None:
            return _reply(letter, answer)
        if not is_held(project.state_dir) and _attend(project):
            answer = answer_of(project.journal_path, letter)
            return _reply(letter, answer or ACCEPTED)
        time.sleep(LOOK_EVERY_S)
    return CommandReply(
        accepted=True,
        answer="It is in the inbox; the supervisor has not answered yet.",
        letter=letter,
    )


def _reply(letter: int, answer: QueueAnswer) -> CommandReply:
    match answer.outcome:
        case CommandOutcome.ACCEPTED:
            return CommandReply(accepted=True, answer="", letter=letter)
        case CommandOutcome.REFUSED:
            refused = read_value(CODEC, REFUSED, answer.refusal, f"The answer to command {letter}")
            assert isinstance(refused, h.CommandRefused)
            return CommandReply(False, refusal_lines.page(refused.refusal), letter)
        case CommandOutcome.LOST:
            return CommandReply(False, LOST_COMMAND, letter)
        case _:
            assert_never(answer.outcome)


def _attend(project: Project) -> bool:
    """Be the supervisor for a moment: answer queued commands, dispatch nothing."""
    try:
        drive(project, driven=False)
    except AnotherSupervisor:
        return False
    return True


def kill_everything(project: Project, grace_s: float = KILL_GRACE_S) -> list[Killed]:
    """Kill every agent of this project, without journal and supervisor (K6).

    Checks end by themselves when their supervisor is gone.
    """
    require_own(project)
    # An agent may hold the lock of a forged claim, as if its keeper lived in another container.
    killed = _kill_strays(project) if kept_elsewhere(project.runs) else []
    require_within_reach(project)
    with closing(_runner(project)) as runner:
        return killed + runner.kill_everything(grace_s)


def _kill_strays(project: Project, spared: Callable[[], Collection[str]] = tuple) -> list[Killed]:
    """Kill processes with the project's mark that no trusted record names."""
    with closing(_runner(project, spared)) as runner:
        return runner.kill_strays(KILL_GRACE_S)


def _runner(project: Project, spared: Callable[[], Collection[str]] = tuple) -> LocalRunner:
    return LocalRunner(project.runs, project=project.token, spared=spared)


@dataclass(frozen=True, slots=True)
class KilledAll:
    """The result; `trouble` says why the kill could not be recorded, if so.

    Then `is_marked` says whether a stop mark was left, which holds every supervisor back.
    """

    by_hand: tuple[Killed, ...]
    trouble: str = ""
    is_marked: bool = False


def kill_all(project: Project, why: str = "user invoked killall") -> KilledAll:
    """Kills first and records when it can."""
    require_own(project)
    by_hand: list[Killed] = []
    if not is_held(project.state_dir):
        by_hand += kill_everything(project)
    try:
        told = tell(project, h.KillAll(why))
    except TopkickError as error:
        return kill_unrecorded(project, error, by_hand)
    try:
        left = wait_for_the_end_of(project, runs_at(project, told.letter))
    except TopkickError:  # the kill is on record, so a stop mark would be a second one
        left = True
    later = partial(_runs_since, project, told.letter)
    by_hand += kill_everything(project) if left else _kill_strays(project, later)
    return KilledAll(tuple(by_hand))


def kill_unrecorded(
    project: Project, trouble: TopkickError, before: Sequence[Killed] = ()
) -> KilledAll:
    """Leave a stop mark, so that no supervisor continues, and kill everything directly."""
    is_marked = project.state_dir.is_dir() and stop_mark(project).set()
    ring(project.current)
    killed = (*before, *kill_everything(project))
    return KilledAll(killed, str(trouble), is_marked)


@dataclass(frozen=True, slots=True)
class KilledAgent:
    """The state of one agent: `alive` are processes that survived SIGKILL."""

    agent: str
    run_id: str
    is_dead: bool
    alive: tuple[int, ...] = ()
    note: str = ""


def fates(project: Project, before: Mission | None, killed: Sequence[Killed]) -> list[KilledAgent]:
    """Return every agent that was at work or was killed directly, and whether it is dead now."""
    runs = before.runs.values() if before is not None else ()
    names = {r.id: f"{r.unit}/{r.sprint}" for r in runs if r.dispatch is not None and not r.exit}
    by_hand = {k.run_id: k for k in killed if k.run_id}
    found = [
        _fate(project, run_id, names.get(run_id, ""), by_hand.get(run_id))
        for run_id in sorted({*names, *by_hand})
    ]
    return found + [_stray(k) for k in killed if not k.run_id]


def _fate(project: Project, run_id: str, agent: str, killed: Killed | None) -> KilledAgent:
    path = project.runs / run_id
    alive = killed.exit.survivors if killed is not None else ()
    damaged = run_dir.damaged(path)
    note = f"damaged: {', '.join(damaged)}" if damaged else ""
    if killed is not None and killed.trouble:
        return KilledAgent(agent, run_id, is_dead=False, note=killed.trouble)
    try:
        found = run_dir.describe(path)
    except OSError as error:
        return KilledAgent(agent, run_id, is_dead=False, note=f"{error.filename}: {error.strerror}")
    if found.state in {"claimed", "running", "orphaned"}:
        alive = alive or tuple(p for p in (found.agent_pid, found.keeper_pid) if p)[:1]
        return KilledAgent(agent, run_id, is_dead=False, alive=alive, note=note)
    return KilledAgent(agent, run_id, not alive, alive, note)


def _stray(killed: Killed) -> KilledAgent:
    pids = ", ".join(map(str, killed.pids))
    note = killed.trouble or f"found by its mark: {pids}"
    dead = not killed.trouble and not killed.exit.survivors
    return KilledAgent("(no record)", "", dead, killed.exit.survivors, note)


def _mission_at(project: Project, letter: int) -> Mission:
    """Return the run as it was when the command was taken."""
    mission = Mission()
    for item in journal_happenings(project):
        match item.happening:
            case h.CommandGiven(letter=number) if number == letter:
                break
            case happening:
                mission = apply(mission, happening, item.at_us)
    return mission


def _runs_since(project: Project, letter: int) -> frozenset[str]:
    """Return the runs that a later resume has begun."""
    now = replay(journal_records(project))
    before = _mission_at(project, letter)
    return frozenset({*now.runs, *now.backgrounds} - {*before.runs, *before.backgrounds})


def runs_at(project: Project, letter: int, units: Collection[str] = ()) -> frozenset[str]:
    """Return the runs under way when the command was taken; later ones belong to a later resume."""
    mission = _mission_at(project, letter)
    meant = [r.id for r in mission.runs.values() if not units or r.unit in units]
    return frozenset(meant) | (frozenset() if units else frozenset(mission.backgrounds))


def wait_for_the_end_of(project: Project, runs: frozenset[str]) -> bool:
    """Wait until a living supervisor has ended its agents; return whether some are left in time.

    If it dies meanwhile, this process continues its work, so that the kill is recorded.
    """
    follow = Follow(project)
    attended = False
    ends_at_s = time.monotonic() + KILL_LIMIT_S
    try:
        while True:
            mission = follow.catch_up()
            left = runs & {*mission.runs, *mission.backgrounds}
            if not left or time.monotonic() >= ends_at_s:
                return bool(left)
            attended = attended or (not is_held(project.state_dir) and _attend(project))
            time.sleep(LOOK_EVERY_S)
    finally:
        follow.close()
