"""The journal's notes about a pipeline: orders, answers not yet posted, decisions, the judge."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

from topkick.engine import messages as h
from topkick.sprint.model import Mission
from topkick.team.bus.model import Message
from topkick.team.settings import PipelineSettings

_LOOK, BEGAN, STUCK, DOING, CONFLICTS = "look", "began", "stuck", "doing", "conflicts"
WAITS, DECISION, HEARD, CLOSING = "waits", "decision", "heard", "closing"
JUDGES, JUDGE_ENDS, RECOVERY = "judges", "judge ends", "recovery"
OTHER_JUDGE = "other judge"
_ORDER, _ANSWER, _POSTED, RETRIES = "order ", "answer ", "posted ", "retries "
MOST_CONFLICTS = 20

DUE = h.NoteTaken(_LOOK, "due")
REST = h.NoteTaken(_LOOK, "")
REST_FOR_A_LIMIT = h.NoteTaken(_LOOK, "limit")
NOTHING = h.NoteTaken(DOING, "")


class NoteKind(StrEnum):
    OVERRIDE = "override"
    REVISE = "revise"
    ABORT = "abort"


class Doing(StrEnum):
    """The purpose of the post or edit that is under way."""

    BEGIN = "begin"
    CLAIM = "claim"
    PUBLISH = "publish"
    COMPLETE = "complete"
    ASK = "ask"
    RECORD = "record"
    DECIDE = "decide"
    LEAVE = "leave"
    MAKE_ROOM = "make-room"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class RoleOrder:
    """An order for a role; dispatched once the session file says that it is in progress."""

    role: str
    prompt: str
    claimed: bool = False


@dataclass(frozen=True, slots=True)
class RoleAnswer:
    """A role's answer, as the data of its state update, and the path of its work."""

    data: str
    ref: str


@dataclass(frozen=True, slots=True)
class Waits:
    """A question to a person: a task, and earlier tasks that may be repeated."""

    task: str
    upstream: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonDecided:
    """A person's decision."""

    kind: NoteKind
    task: str
    why: str
    by: str
    upstream: str = ""
    at_us: int = 0


# --- looking ---------------------------------------------------------------------------------


def look_is_due(mission: Mission, *, limited: bool) -> bool:
    found = mission.notebook.get(_LOOK, "due")
    return found == "due" or (found == "limit" and not limited)


def heard(mission: Mission) -> int:
    return int(mission.notebook.get(HEARD) or "0")


def hear(mission: Mission, messages: Iterable[Message]) -> h.NoteTaken:
    newest = max((message.number for message in messages), default=0)
    return h.NoteTaken(HEARD, str(max(heard(mission), newest)))


def doing(mission: Mission) -> tuple[Doing | None, str]:
    word, _, about = mission.notebook.get(DOING, "").partition(" ")
    return (Doing(word) if word else None), about


def do(what: Doing, about: str = "") -> h.NoteTaken:
    return h.NoteTaken(DOING, f"{what} {about}".rstrip())


def conflicts(mission: Mission) -> int:
    return int(mission.notebook.get(CONFLICTS) or "0")


def cannot_write(mission: Mission) -> bool:
    """Return whether writing was tried too often; another try would fail too."""
    return conflicts(mission) > MOST_CONFLICTS


def settings_of(mission: Mission) -> PipelineSettings:
    assert mission.settings is not None
    return mission.settings.pipeline or PipelineSettings()


# --- orders and answers ----------------------------------------------------------------------


def orders(mission: Mission) -> dict[str, RoleOrder]:
    keys = [key for key, value in mission.notebook.items() if key.startswith(_ORDER) and value]
    return {key.removeprefix(_ORDER): _order(mission.notebook[key]) for key in keys}


def order(mission: Mission, task: str) -> RoleOrder | None:
    found = mission.notebook.get(_ORDER + task)
    return _order(found) if found else None


def _order(text: str) -> RoleOrder:
    return RoleOrder(**json.loads(text))


def note_order(task: str, what: RoleOrder) -> h.NoteTaken:
    return h.NoteTaken(_ORDER + task, json.dumps(asdict(what), sort_keys=True))


def answers(mission: Mission) -> dict[str, RoleAnswer]:
    keys = [key for key, value in mission.notebook.items() if key.startswith(_ANSWER) and value]
    found = {key.removeprefix(_ANSWER): json.loads(mission.notebook[key]) for key in keys}
    return {task: RoleAnswer(**fields) for task, fields in found.items()}


def note_answer(task: str, what: RoleAnswer) -> h.NoteTaken:
    return h.NoteTaken(_ANSWER + task, json.dumps(asdict(what), sort_keys=True))


def no_answer(task: str) -> h.NoteTaken:
    return h.NoteTaken(_ANSWER + task, "")


def is_posted(mission: Mission, task: str) -> bool:
    return bool(mission.notebook.get(_POSTED + task))


def note_posted(task: str) -> h.NoteTaken:
    return h.NoteTaken(_POSTED + task, "yes")


def forget(mission: Mission, task: str) -> tuple[h.NoteTaken, ...]:
    """Remove all notes about a task."""
    keys = (_ORDER + task, _ANSWER + task, _POSTED + task, RETRIES + task)
    return tuple(h.NoteTaken(key, "") for key in keys if mission.notebook.get(key))


# --- people ----------------------------------------------------------------------------------


def waits(mission: Mission) -> Waits | None:
    found = mission.notebook.get(WAITS)
    if not found:
        return None
    fields = json.loads(found)
    return Waits(fields["task"], tuple(fields["upstream"]))


def wait_for(what: Waits) -> h.NoteTaken:
    return h.NoteTaken(WAITS, json.dumps(asdict(what), sort_keys=True))


def decision(mission: Mission) -> PersonDecided | None:
    found = mission.notebook.get(DECISION)
    if not found:
        return None
    fields = json.loads(found)
    return PersonDecided(**{**fields, "kind": NoteKind(fields["kind"])})


def note_decision(what: PersonDecided) -> h.NoteTaken:
    return h.NoteTaken(DECISION, json.dumps(asdict(what), sort_keys=True))


# --- the judge -------------------------------------------------------------------------------


def judge_ends(mission: Mission) -> tuple[int, ...]:
    found = mission.notebook.get(JUDGE_ENDS)
    return tuple(json.loads(found)) if found else ()


def note_judge_ends(moments_us: Iterable[int]) -> h.NoteTaken:
    return h.NoteTaken(JUDGE_ENDS, json.dumps(list(moments_us)))
