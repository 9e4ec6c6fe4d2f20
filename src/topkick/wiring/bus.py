"""The operations of a session's bus, asked for by their names: for the command line and for MCP."""

import os
import select
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from topkick.boards import bus_answers
from topkick.boards.bus_answers import Answer
from topkick.core.bus import COORDINATOR, EVERYBODY, MESSAGE, SHOWN, Message, Wanted, members
from topkick.core.checkpoint_words import SUPERVISOR
from topkick.core.errors import TopkickError, UsageError
from topkick.outside.bus import Bus

ORDER_VARIABLE = "TOPKICK_ORDER"


@dataclass(frozen=True, slots=True)
class Asked:
    """What an operation is asked with; empty is what was not said."""

    sender: str = ""
    to: str = ""
    type: str = ""
    summary: str = ""
    data: str = ""
    id: str = ""
    role: str = ""
    last: int = SHOWN

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.sender, self.to, self.type)


def ask(session_dir: Path | None, operation: str, asked: Asked) -> Answer:
    """Mistakes and troubles are answers too: whoever asks over a pipe reads nothing else."""
    if session_dir is None:
        return bus_answers.required(operation, "session", "the session's directory")
    work = OPERATIONS.get(operation)
    if work is None:
        known = ", ".join(OPERATIONS)
        return bus_answers.failed(f"Unknown operation: {operation}. There are: {known}")
    try:
        return work(Bus(session_dir), asked)
    except TopkickError as mistake:
        return bus_answers.failed(str(mistake), mistake.exit_code)


# --- one function an operation -------------------------------------------------------------------


def _log(bus: Bus, asked: Asked, operation: str = "log") -> Answer:
    if not asked.sender:
        return bus_answers.required(operation, "from", "--from NAME")
    if refusal := _reserved(asked.sender):
        return bus_answers.failed(refusal, UsageError.exit_code)
    message = Message(
        sender=asked.sender,
        to=asked.to or COORDINATOR,
        type=asked.type or MESSAGE,
        summary=asked.summary,
        data=asked.data,
    )
    return bus_answers.posted(bus.post(message))


def _reserved(sender: str) -> str:
    """Return why this sender may not be used; empty if it may.

    Only topkick's judge posts as the supervisor. An agent that works on an order of topkick has
    topkick as its coordinator, so it may not post as that either.
    """
    name = sender.strip().casefold()
    if name != SUPERVISOR and not (name == COORDINATOR and ORDER_VARIABLE in os.environ):
        return ""
    return (
        f"The sender {name} is reserved for topkick itself, so the message was not posted.\n"
        "Post under the name of your role: --from NAME"
    )


def _broadcast(bus: Bus, asked: Asked) -> Answer:
    return _log(bus, replace(asked, to=EVERYBODY), "broadcast")


def _read(bus: Bus, asked: Asked) -> Answer:
    if not asked.id:
        return bus_answers.required("read", "id", "the id of a message")
    found = bus.read(asked.id)
    return bus_answers.not_found(asked.id) if found is None else bus_answers.read(found)


def _list(bus: Bus, asked: Asked) -> Answer:
    return bus_answers.listed(bus.page(asked.wanted, asked.last))


def _status(bus: Bus, _: Asked) -> Answer:
    there = bus.messages()
    return bus_answers.status(members(there), len(there))


def _state(bus: Bus, asked: Asked) -> Answer:
    if asked.role:
        return bus_answers.state(asked.role, bus.state(asked.role))
    return bus_answers.states(bus.states())


def _delete(bus: Bus, asked: Asked) -> Answer:
    if not asked.id:
        return bus_answers.required("delete", "id", "the id of a message")
    gone = bus.delete(asked.id)
    return bus_answers.not_found(asked.id) if gone is None else bus_answers.deleted(gone)


def _clear(bus: Bus, _: Asked) -> Answer:
    return bus_answers.cleared(bus.clear())


OPERATIONS: Mapping[str, Callable[[Bus, Asked], Answer]] = MappingProxyType(
    {
        "log": _log,
        "broadcast": _broadcast,
        "read": _read,
        "list": _list,
        "status": _status,
        "state": _state,
        "delete": _delete,
        "clear": _clear,
    }
)


# --- waiting -------------------------------------------------------------------------------------


def follow(session_dir: Path, asked: Asked) -> Iterator[Message]:
    """The last ones, then each as it comes, for ever; idle, it costs nothing."""
    bus = Bus(session_dir)
    reader = bus.reader()
    with bus.changes() as changes:
        found = [message for message in reader.read() if asked.wanted.has(message)]
        yield from found[-asked.last :]
        while True:
            number, wait_s = changes.fileno(), changes.wake_in_s()
            select.select([] if number is None else [number], [], [], wait_s)
            changes.drain()
            yield from (message for message in reader.read() if asked.wanted.has(message))


def ids(session_dir: Path) -> tuple[str, ...]:
    return tuple(message.id for message in Bus(session_dir).messages())
