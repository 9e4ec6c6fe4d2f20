"""The supervisor's notebook: the current task, and rounds without progress."""

import json
from dataclasses import asdict, dataclass

from topkick.engine import messages as h
from topkick.sprint.model import Mission

RETRIES = "retries"
_HAND = "in hand"
_DONE = "done"
_ROUNDS = "rounds"


@dataclass(frozen=True, slots=True)
class InHand:
    """The task that was dispatched, and the length of its log at that time."""

    task: str
    log_chars: int


@dataclass(frozen=True, slots=True)
class Done:
    """A task whose agent has answered, and which the Manager must be informed about."""

    task: str
    status: str
    log_chars: int


@dataclass(frozen=True, slots=True)
class BoardRounds:
    """The number of rounds without a change of the board, and the Manager's last answer."""

    board: str = ""
    current: str = ""
    still: int = 0
    said: str = ""
    next_task: str = ""
    ended: bool = False


def in_hand(mission: Mission) -> InHand | None:
    found = mission.notebook.get(_HAND)
    return InHand(**json.loads(found)) if found else None


def take(task: str, log_chars: int) -> h.NoteTaken:
    return _note(_HAND, InHand(task, log_chars))


def done(mission: Mission) -> Done | None:
    found = mission.notebook.get(_DONE)
    return Done(**json.loads(found)) if found else None


def finish(task: Done) -> tuple[h.NoteTaken, ...]:
    return (_note(_DONE, task), h.NoteTaken(_HAND, ""))


def told() -> h.NoteTaken:
    """Record that the Manager knows about the finished task."""
    return h.NoteTaken(_DONE, "")


def rounds(mission: Mission) -> BoardRounds:
    found = mission.notebook.get(_ROUNDS)
    return BoardRounds(**json.loads(found)) if found else BoardRounds()


def count(turn: BoardRounds) -> h.NoteTaken:
    return _note(_ROUNDS, turn)


def _note(key: str, value: InHand | Done | BoardRounds) -> h.NoteTaken:
    return h.NoteTaken(key, json.dumps(asdict(value), sort_keys=True))
