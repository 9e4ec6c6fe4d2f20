"""The messages between a coordinator and the judge of checkpoints, and the names of tasks."""

import re

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
