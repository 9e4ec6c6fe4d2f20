"""Saying something to a run from any terminal, whether its supervisor lives or not (SD-05)."""

import time
from dataclasses import dataclass

from topkick.core import happenings as h
from topkick.core.errors import AnotherSupervisor, TopkickError
from topkick.core.fold import apply
from topkick.core.mission import Mission
from topkick.outside.bell import ring
from topkick.outside.journal import answer_of, post
from topkick.outside.local_runner import Killed, LocalRunner
from topkick.outside.lock import is_held
from topkick.supervisor import COMMANDS
from topkick.wiring.looking import Follow, journal_happenings, who_am_i
from topkick.wiring.ownership import require_own, require_within_reach
from topkick.wiring.project import Project
from topkick.wiring.running import drive
from topkick.wiring.world import now_us

LOOK_EVERY_S = 0.02
KILL_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Told:
    accepted: bool
    answer: str
    letter: int


def tell(project: Project, command: h.Command, *, wait_s: float = 10.0) -> Told:
    """Durable once posted; answered by the supervisor, or by attending to it here and now."""
    require_own(project)
    if not is_held(project.state_dir):  # a letter that nobody here may act on is not to wait there
        require_within_reach(project)
    letter = post(project.journal_path, who_am_i(), *COMMANDS.encode(command), now_us())
    ring(project.current)
    ends_at_s = time.monotonic() + wait_s
    while time.monotonic() < ends_at_s:
        answer = answer_of(project.journal_path, letter)
        if answer is not None:
            return _told(letter, answer)
        if not is_held(project.state_dir) and _attend(project):
            answer = answer_of(project.journal_path, letter)
            return _told(letter, answer or "")
        time.sleep(LOOK_EVERY_S)
    return Told(
        accepted=True,
        answer="It is in the inbox; the supervisor has not answered yet.",
        letter=letter,
    )


def _told(letter: int, answer: str) -> Told:
    refused = answer.startswith("refused: ")
    return Told(not refused, answer.removeprefix("refused: "), letter)


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
    require_own(project)
    require_within_reach(project)
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
    require_own(project)
    by_hand: list[Killed] = []
    if not is_held(project.state_dir):
        by_hand += kill_everything(project)
    try:
        told = tell(project, h.KillAll(why))
        left = _wait_for_the_end_of(project, _runs_at(project, told.letter))
    except TopkickError as error:
        by_hand += kill_everything(project)
        return KilledAll(tuple(by_hand), str(error))
    if left:
        by_hand += kill_everything(project)
    return KilledAll(tuple(by_hand))


def _runs_at(project: Project, letter: int) -> frozenset[str]:
    """The runs under way when the command was taken; later ones are of a later resume."""
    mission = Mission()
    for item in journal_happenings(project):
        match item.happening:
            case h.CommandGiven(letter=number) if number == letter:
                break
            case happening:
                mission = apply(mission, happening, item.at_us)
    return frozenset(mission.runs) | frozenset(mission.backgrounds)


def _wait_for_the_end_of(project: Project, runs: frozenset[str]) -> bool:
    """A living supervisor ends its agents; whether, within bounds, some of them are left.

    Should it die over that, it is gone on with here: what is killed is to be recorded, too.
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
