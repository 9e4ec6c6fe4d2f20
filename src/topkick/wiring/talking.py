"""Saying something to a run from any terminal, whether its supervisor lives or not (SD-05)."""

import time
from dataclasses import dataclass

from topkick.core import happenings as h
from topkick.core.errors import AnotherSupervisor, TopkickError
from topkick.core.standing import is_at_rest
from topkick.outside.bell import ring
from topkick.outside.journal import answer_of, post
from topkick.outside.local_runner import Killed, LocalRunner
from topkick.outside.lock import is_held
from topkick.supervisor import COMMANDS
from topkick.wiring.looking import Follow, take_a_look, who_am_i
from topkick.wiring.project import Project
from topkick.wiring.running import drive, now_us

LOOK_EVERY_S = 0.02
KILL_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Told:
    accepted: bool
    answer: str
    by_supervisor: bool


def tell(project: Project, command: h.Command, *, wait_s: float = 10.0) -> Told:
    """Durable once posted; answered by the supervisor, or by attending to it here and now."""
    letter = post(project.journal_path, who_am_i(), *COMMANDS.encode(command), now_us())
    ring(project.current)
    ends_at_s = time.monotonic() + wait_s
    while time.monotonic() < ends_at_s:
        answer = answer_of(project.journal_path, letter)
        if answer is not None:
            return _told(answer, by_supervisor=True)
        if not is_held(project.state_dir) and _attend(project):
            answer = answer_of(project.journal_path, letter)
            return _told(answer or "", by_supervisor=False)
        time.sleep(LOOK_EVERY_S)
    return Told(
        accepted=True,
        answer="It is in the inbox; the supervisor has not answered yet.",
        by_supervisor=True,
    )


def _told(answer: str, *, by_supervisor: bool) -> Told:
    refused = answer.startswith("refused: ")
    return Told(not refused, answer.removeprefix("refused: "), by_supervisor)


def _attend(project: Project) -> bool:
    """Be the supervisor for a moment: answer the inbox, dispatch nothing."""
    try:
        drive(project, driven=False)
    except AnotherSupervisor:
        return False
    return True


def kill_everything(project: Project, grace_s: float = 3.0) -> list[Killed]:
    """Every agent of this project, without journal and supervisor (K6).

    Checks end by themselves when their supervisor is gone.
    """
    runner = LocalRunner(project.runs)
    try:
        return runner.kill_everything(grace_s)
    finally:
        runner.close()


@dataclass(frozen=True, slots=True)
class KilledAll:
    """`trouble` says why it could not be recorded, should that be so."""

    by_hand: tuple[Killed, ...]
    trouble: str = ""


def kill_all(project: Project, why: str = "user invoked killall") -> KilledAll:
    """Kills first and records when it can."""
    by_hand: list[Killed] = []
    if not is_held(project.state_dir):
        by_hand += kill_everything(project)
    try:
        tell(project, h.KillAll(why))
        _wait_for_rest(project)
    except TopkickError as error:
        by_hand += kill_everything(project)
        return KilledAll(tuple(by_hand), str(error))
    view = take_a_look(project)
    if view is not None and view.live_agents:
        by_hand += kill_everything(project)
    return KilledAll(tuple(by_hand))


def _wait_for_rest(project: Project) -> None:
    """A living supervisor ends its agents; wait until it has, within bounds."""
    follow = Follow(project)
    ends_at_s = time.monotonic() + KILL_LIMIT_S
    try:
        while time.monotonic() < ends_at_s:
            follow.news()
            if not follow.mission.runs and is_at_rest(follow.mission):
                return
            time.sleep(LOOK_EVERY_S)
    finally:
        follow.close()
