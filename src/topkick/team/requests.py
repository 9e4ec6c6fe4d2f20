"""Requests to the judge and the names of tasks: one side writes them, the other parses them.

A request is for a checkpoint or for a shutdown; anything else is unreadable.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from topkick.team.bus import model as bus
from topkick.team.bus.model import Message

SUPERVISOR = "supervisor"
TAG = "[supervisor]"
SHUTDOWN_REQUEST, SHUTDOWN_RESPONSE = "shutdown_request", "shutdown_response"
CHECKPOINT_REQUEST = "checkpoint_request"
_TASK = re.compile(r"(CHECKPOINT-[0-9]{3,6})(?:-R([1-9][0-9]{0,2}))?")


def is_checkpoint(task_id: str) -> bool:
    return _TASK.fullmatch(task_id) is not None


def checkpoint_of(task_id: str) -> str:
    """Return the id it is judged by: CHECKPOINT-001 for CHECKPOINT-001-R2."""
    found = _TASK.fullmatch(task_id)
    return found[1] if found else task_id


def round_after(task_id: str) -> str:
    """Return the id for judging the same checkpoint once more."""
    found = _TASK.fullmatch(task_id)
    return f"{found[1]}-R{int(found[2] or 1) + 1}" if found else task_id


def round_of(task_id: str) -> int:
    """Return the round: 1 for CHECKPOINT-001, 2 for CHECKPOINT-001-R2."""
    found = _TASK.fullmatch(task_id)
    return int(found[2] or 1) if found else 1


def write_request(task_id: str, scope: tuple[str, ...], progress: str, sender: str) -> Message:
    """Return a checkpoint request in the form that `read_request` reads."""
    content = (
        f"## Checkpoint Request\ntask_id: {task_id}\nscope: [{', '.join(scope)}]\n"
        f"pipeline_progress: {progress}"
    )
    data = bus.data_of({"content": content})
    return Message(sender, SUPERVISOR, CHECKPOINT_REQUEST, request_summary(task_id), data)


def request_summary(task_id: str) -> str:
    return f"Checkpoint request: {task_id}"


def shutdown_request(request_id: str) -> Message:
    data = bus.data_of({"type": SHUTDOWN_REQUEST, "request_id": request_id})
    return Message(bus.COORDINATOR, SUPERVISOR, SHUTDOWN_REQUEST, "Shutdown request", data)


def answer_to(task_id: str) -> str:
    """Return how the summary of every answer to a request for that task begins."""
    return f"{TAG} {task_id}:"


# --- reading a request -------------------------------------------------------------------------

LONGEST_CHARS = 20_000
MOST_SCOPE = 200
_SCOPED = re.compile(r"[A-Za-z0-9][\w.-]{0,79}")
_FIELD = re.compile(
    r"(?:^|[\s>*-])\**(?P<name>task_id|scope|pipeline_progress)\**[ \t]{0,8}:\**(?P<gap>[ \t]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CheckpointRequest:
    task_id: str
    scope: tuple[str, ...]
    progress: str = ""


@dataclass(frozen=True, slots=True)
class ShutdownRequest:
    request_id: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    why: str


Request = CheckpointRequest | ShutdownRequest | Unreadable


def is_request(message: Message) -> bool:
    """Return whether the message is addressed to the supervisor by another sender, and not to
    all.
    """
    return _is_us(message.to) and not _is_us(message.sender)


def read_request(message: Message) -> Request:
    fields = message.fields
    if SHUTDOWN_REQUEST in (message.type, fields.get("type")):
        asked = fields.get("request_id") or fields.get("requestId")
        return ShutdownRequest(asked[:200] if isinstance(asked, str) else message.id)
    for said in (fields.get("content"), fields.get("message"), fields, message.summary):
        found = _said(said)
        if found is not None:
            return found
    return Unreadable(f"the message has no task_id. {_FORM}")


_FORM = (
    "Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed"
)


def _is_us(name: str) -> bool:
    return name.strip().casefold() == SUPERVISOR


def _said(said: object) -> Request | None:
    """Parse a request; None if it is not one, so that the next place is tried."""
    if isinstance(said, Mapping):
        return _of_fields(said) if "task_id" in said else None
    if not isinstance(said, str):
        return None
    if said.lstrip().startswith("{"):
        try:
            return _said(bus.parsed(said[:LONGEST_CHARS]))
        except bus.NotJson:
            return None
    return _of_text(said[:LONGEST_CHARS])


def _of_fields(said: Mapping[str, object]) -> Request:
    scope, progress = said.get("scope"), said.get("pipeline_progress", said.get("progress"))
    names = _names(scope) if isinstance(scope, str) else scope
    listed = tuple(map(str, names)) if isinstance(names, list | tuple) else ()
    task_id = said["task_id"]
    told = progress if isinstance(progress, str) else ""
    return _request(task_id.strip() if isinstance(task_id, str) else "", listed, told)


def _of_text(text: str) -> Request | None:
    """Parse fields of a text; each reaches to the next one, so all may be on one line."""
    found = list(_FIELD.finditer(text))
    if not any(field["name"].casefold() == "task_id" for field in found):
        return None
    ends = [*(field.start() for field in found[1:]), len(text)]
    values: dict[str, str] = {}
    for field, end in zip(found, ends, strict=True):
        name, value = field["name"].casefold(), text[field.end() : end].strip().rstrip("-*> \n")
        if values.setdefault(name, value) != value:
            return Unreadable(f"the message gives {name} twice. {_FORM}")
    task_id = values["task_id"].split("\n")[0].strip("*`\"' ")
    progress = values.get("pipeline_progress", "").split("\n")[0].strip()
    return _request(task_id, _names(values.get("scope", "")), progress)


def _names(text: str) -> tuple[str, ...]:
    """Parse `[A, B]`, `A, B`, or a line with a dash for each."""
    inside = text[1:].partition("]")[0] if text.startswith("[") else text
    parts = (part.strip(" \t-*`\"'") for part in re.split(r"[,\n]", inside))
    return tuple(part for part in parts if part)


def _request(task_id: str, scope: tuple[str, ...], progress: str) -> Request:
    if not is_checkpoint(task_id):
        return Unreadable(
            f"task_id is {task_id[:40]!r}; only checkpoints are judged here: CHECKPOINT-001, or "
            "CHECKPOINT-001-R2 for another judgment"
        )
    strange = next((name for name in scope if not _SCOPED.fullmatch(name)), None)
    if strange is not None:
        return Unreadable(f"{strange[:40]!r} in scope is not a task id. {_FORM}")
    if not 0 < len(scope) <= MOST_SCOPE:
        return Unreadable(f"scope names {len(scope)} tasks, not 1 to {MOST_SCOPE}. {_FORM}")
    return CheckpointRequest(task_id, tuple(dict.fromkeys(scope)), " ".join(progress.split())[:200])
