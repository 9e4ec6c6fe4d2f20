"""The journal's notes about a tick: its progress, the subagent that was asked, the answer."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from topkick.engine import messages as h
from topkick.engine.agents.program import Tier
from topkick.epic.settings import EpicSettings, Worker
from topkick.epic.tick.choice import Ask
from topkick.sprint.model import Mission

TICK, ASKED, ANSWER, LAUNCH, END = "tick", "asked", "answer", "launch", "end"
TAKEN, AWAITED, AGAIN, LEVEL = "taken", "awaited", "again", "level"
OF_ONE_TICK = (ASKED, ANSWER, LAUNCH, TAKEN, AWAITED, AGAIN, LEVEL)
_BACK = "back "
MOST_CONFLICTS = 5


class TickStep(StrEnum):
    """The progress of a tick."""

    REST = ""
    ORIENTING = "orienting"
    ASKING = "asking"
    ANSWERED = "answered"
    WRITING = "writing"
    UNSURE = "unsure"
    PROPOSING = "proposing"
    LAUNCHING = "launching"


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """A worker that the body names as working; it is dispatched once the body is written."""

    run_id: str
    item: str
    worker: str
    prompt: str
    turns: int = 0


@dataclass(frozen=True, slots=True)
class TickEnd:
    """The end of the tick once the body is written: `done` unless a person must act.

    `row`, the last row of the memory, shows whether the body was written.
    """

    done: bool
    line: str
    row: str = ""


@dataclass(frozen=True, slots=True)
class Back:
    """A worker's result: the deliverable and what it said."""

    deliverable: str
    said: str
    next: str = ""


def settings_of(mission: Mission) -> EpicSettings:
    """Return the settings; without any, the run's own agent is the only worker."""
    assert mission.settings is not None
    agent = mission.settings.agent
    worker = Worker(agent.name, agent, Tier.SONNET, mission.settings.max_agents)
    return mission.settings.epic or EpicSettings((worker,))


def path_of(mission: Mission) -> str:
    assert mission.plan is not None
    return mission.plan.file


def at(mission: Mission) -> TickStep:
    return TickStep(mission.notebook.get(TICK, ""))


def go(to: TickStep) -> h.NoteTaken:
    return h.NoteTaken(TICK, to.value)


def asked(mission: Mission) -> Ask | None:
    found = _read(mission, ASKED)
    return Ask(**found) if found else None


def launch(mission: Mission) -> WorkerLaunch | None:
    found = _read(mission, LAUNCH)
    return WorkerLaunch(**found) if found else None


def end(mission: Mission) -> TickEnd:
    found = _read(mission, END)
    return TickEnd(**found) if found else TickEnd(True, "")


def back(mission: Mission, run_id: str) -> Back | None:
    found = _read(mission, _BACK + run_id)
    return Back(**found) if found else None


def level(mission: Mission) -> tuple[str, ...]:
    """Return the files that were synchronised with the branch in this tick."""
    return tuple(json.loads(mission.notebook.get(LEVEL) or "[]"))


def note_level(paths: tuple[str, ...]) -> h.NoteTaken:
    return h.NoteTaken(LEVEL, json.dumps(paths))


def conflicts(mission: Mission) -> int:
    return int(mission.notebook.get(TAKEN) or "0")


def note_back(run_id: str, value: Back) -> h.NoteTaken:
    return _note(_BACK + run_id, value)


def note(value: Ask | WorkerLaunch | TickEnd) -> h.NoteTaken:
    match value:
        case Ask():
            return _note(ASKED, value)
        case WorkerLaunch():
            return _note(LAUNCH, value)
        case TickEnd():
            return _note(END, value)


def _note(key: str, value: Ask | WorkerLaunch | TickEnd | Back) -> h.NoteTaken:
    return h.NoteTaken(key, json.dumps(asdict(value), sort_keys=True))


def _read(mission: Mission, key: str) -> dict[str, Any]:
    found = mission.notebook.get(key)
    return json.loads(found) if found else {}
