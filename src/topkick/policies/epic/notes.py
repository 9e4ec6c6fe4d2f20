"""What the journal holds of a tick: how far it is, who was asked, what was answered."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from topkick.core import happenings as h
from topkick.core.model import Mission
from topkick.policies.epic.choice import Ask

TICK, ASKED, ANSWER, LAUNCH, END = "tick", "asked", "answer", "launch", "end"
TAKEN, AWAITED, AGAIN = "taken", "awaited", "again"
_BACK = "back "
MOST_CONFLICTS = 5


class At(StrEnum):
    """How far a tick is."""

    REST = ""
    ORIENTING = "orienting"
    ASKING = "asking"
    ANSWERED = "answered"
    WRITING = "writing"
    LAUNCHING = "launching"


@dataclass(frozen=True, slots=True)
class Launch:
    """A worker that the body says is at work: given out as soon as that stands there."""

    run_id: str
    item: str
    worker: str
    prompt: str
    turns: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """How the tick ends once the body is written: `done` unless a person has to go on."""

    done: bool
    line: str


@dataclass(frozen=True, slots=True)
class Back:
    """A worker that came back, with what and how."""

    deliverable: str
    said: str
    next: str = ""


def at(mission: Mission) -> At:
    return At(mission.notebook.get(TICK, ""))


def go(to: At) -> h.NoteTaken:
    return h.NoteTaken(TICK, to.value)


def asked(mission: Mission) -> Ask | None:
    found = _read(mission, ASKED)
    return Ask(**found) if found else None


def launch(mission: Mission) -> Launch | None:
    found = _read(mission, LAUNCH)
    return Launch(**found) if found else None


def end(mission: Mission) -> End:
    found = _read(mission, END)
    return End(**found) if found else End(True, "")


def back(mission: Mission, run_id: str) -> Back | None:
    found = _read(mission, _BACK + run_id)
    return Back(**found) if found else None


def conflicts(mission: Mission) -> int:
    return int(mission.notebook.get(TAKEN) or "0")


def note_back(run_id: str, value: Back) -> h.NoteTaken:
    return _note(_BACK + run_id, value)


def note(value: Ask | Launch | End) -> h.NoteTaken:
    match value:
        case Ask():
            return _note(ASKED, value)
        case Launch():
            return _note(LAUNCH, value)
        case End():
            return _note(END, value)


def _note(key: str, value: Ask | Launch | End | Back) -> h.NoteTaken:
    return h.NoteTaken(key, json.dumps(asdict(value), sort_keys=True))


def _read(mission: Mission, key: str) -> dict[str, Any]:
    found = mission.notebook.get(key)
    return json.loads(found) if found else {}
