"""Choose the next request: the first on the bus without an answer."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.bus import Message
from topkick.core.checkpoint_words import SHUTDOWN_RESPONSE, answer_to
from topkick.core.mission import Mission
from topkick.policies.checkpoint import notes, troubles, words
from topkick.policies.checkpoint.notes import At, Wake
from topkick.policies.checkpoint.requests import (
    SUPERVISOR,
    CheckpointRequest,
    ShutdownRequest,
    Unreadable,
    is_request,
    read_request,
)
from topkick.policies.checkpoint.role_spec import read_role_spec

Events = Sequence[h.Event]


def heard(mission: Mission, messages: tuple[Message, ...]) -> Events:
    asked = first_open(messages)
    if asked is None:
        newest = max((message.number for message in messages), default=0)
        return (notes.past(max(newest, notes.cursor(mission))),)
    told = h.Decided("", asked.id, "Woken", asked.summary[:160])
    match read_request(asked):
        case ShutdownRequest(request_id):
            wake = Wake(asked.number, request_id=request_id)
            return (told, notes.woken(wake), notes.go(At.LEAVING))
        case Unreadable(why):
            return (told, *not_done(mission, Wake(asked.number), why))
        case CheckpointRequest(task_id, scope, progress):
            wake = Wake(asked.number, task_id, scope, progress)
            if problem := _unknown(mission, task_id):
                return (told, *not_done(mission, wake, problem))
            return (told, notes.woken(wake), notes.go(At.CLAIMING))


def not_done(mission: Mission, wake: Wake, why: str) -> Events:
    """Reply to the coordinator that the request failed, and finish it."""
    failed = Wake(wake.number, wake.task_id, wake.scope, wake.progress, why=why)
    return (notes.woken(failed), *troubles.one_more(mission, why), notes.go(At.REPLYING))


def _unknown(mission: Mission, task_id: str) -> str:
    spec = read_role_spec(notes.judge_of(mission).role_spec)
    if spec.checkpoint(task_id) is not None:
        return ""
    known = ", ".join(checkpoint.id for checkpoint in spec.checkpoints)
    return f"the role spec has no {task_id}; it has {known}"


def first_open(messages: Sequence[Message]) -> Message | None:
    for place, message in enumerate(messages):
        if is_request(message) and answer_in(message, messages[place + 1 :]) is None:
            return message
    return None


def answer_in(asked: Message, later: Sequence[Message]) -> Message | None:
    """Return the supervisor's answer to a request among later messages."""
    own = (message for message in later if message.sender.casefold() == SUPERVISOR)
    return next((message for message in own if _answers(message, asked)), None)


def _answers(said: Message, asked: Message) -> bool:
    if said.type == words.ERROR:
        return said.fields.get("message_id") == asked.id
    match read_request(asked):
        case CheckpointRequest(task_id):
            return said.summary.startswith(answer_to(task_id))
        case ShutdownRequest(request_id):
            echoed = said.fields.get("request_id") == request_id
            return said.type == SHUTDOWN_RESPONSE and echoed
        case Unreadable():
            return False
