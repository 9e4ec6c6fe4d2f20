"""The operations on a session's message bus: one table for the command line and for MCP.

Each row of `OPERATIONS` names an operation, its arguments and the function that runs it. The
commands of `topkick bus` and the MCP tools are both made from these rows.
"""

import os
import select
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from topkick.engine.errors import TopkickError, UsageError
from topkick.team.bus import views as bus_answers
from topkick.team.bus.model import (
    COORDINATOR,
    EVERYBODY,
    MESSAGE,
    SHOWN,
    Message,
    MessageFilter,
    members,
)
from topkick.team.bus.store import Bus
from topkick.team.bus.views import BusReply
from topkick.team.requests import SUPERVISOR

ORDER_VARIABLE = "TOPKICK_ORDER"


@dataclass(frozen=True, slots=True)
class BusArguments:
    """The arguments of one call of an operation; an empty text is an argument not given."""

    sender: str = ""
    to: str = ""
    type: str = ""
    summary: str = ""
    data: str = ""
    id: str = ""
    role: str = ""
    last: int = SHOWN

    @property
    def wanted(self) -> MessageFilter:
        return MessageFilter(self.sender, self.to, self.type)


class BusArgumentKind(Enum):
    TEXT = "text"
    JSON = "JSON"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class BusArgument:
    """An argument of an operation. `metavar` is how the command line names its value; without
    one, the argument is positional there."""

    name: str
    help: str
    metavar: str = ""
    kind: BusArgumentKind = BusArgumentKind.TEXT
    required: bool = False

    @property
    def field(self) -> str:
        """The field of `BusArguments` that holds the argument."""
        return "sender" if self.name == "from" else self.name

    @property
    def hint(self) -> str:
        """The option or argument that a person has to add on the command line."""
        return f"--{self.name} {self.metavar}" if self.metavar else "the id of a message"


@dataclass(frozen=True, slots=True)
class BusOperation:
    """`help` describes the operation everywhere, `more` on the command line only.

    `follows`: the command line can follow new messages. `destroys_all`: the command line asks
    before it runs the operation.
    """

    name: str
    run: Callable[[Bus, BusArguments], BusReply]
    help: str
    example: str
    more: str = ""
    arguments: tuple[BusArgument, ...] = ()
    reads_only: bool = True
    destroys: bool = False
    destroys_all: bool = False
    follows: bool = False


def ask(session_dir: Path | None, operation: str, asked: BusArguments) -> BusReply:
    """Run an operation. Mistakes and errors are answers too: an agent reads only the answer."""
    if session_dir is None:
        return bus_answers.required(operation, "session", "the session's directory")
    row = OPERATIONS.get(operation)
    if row is None:
        known = ", ".join(OPERATIONS)
        return bus_answers.failed(f"Unknown operation: {operation}. There are: {known}")
    try:
        bus = Bus(session_dir)
        return _lacks(row, asked) or row.run(bus, asked)
    except TopkickError as mistake:
        return bus_answers.failed(str(mistake), mistake.exit_code)


def _lacks(row: BusOperation, asked: BusArguments) -> BusReply | None:
    """Name the first required argument that was not given."""
    lacking = (a for a in row.arguments if a.required and not getattr(asked, a.field))
    return next((bus_answers.required(row.name, a.name, a.hint) for a in lacking), None)


# --- operations --------------------------------------------------------------------------------


def _log(bus: Bus, asked: BusArguments) -> BusReply:
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


def _broadcast(bus: Bus, asked: BusArguments) -> BusReply:
    return _log(bus, replace(asked, to=EVERYBODY))


def _read(bus: Bus, asked: BusArguments) -> BusReply:
    found = bus.read(asked.id)
    return bus_answers.not_found(asked.id) if found is None else bus_answers.read(found)


def _list(bus: Bus, asked: BusArguments) -> BusReply:
    return bus_answers.listed(bus.page(asked.wanted, asked.last))


def _status(bus: Bus, _: BusArguments) -> BusReply:
    there = bus.messages()
    return bus_answers.status(members(there), len(there))


def _state(bus: Bus, asked: BusArguments) -> BusReply:
    if asked.role:
        return bus_answers.state(asked.role, bus.state(asked.role))
    return bus_answers.states(bus.states())


def _delete(bus: Bus, asked: BusArguments) -> BusReply:
    gone = bus.delete(asked.id)
    return bus_answers.not_found(asked.id) if gone is None else bus_answers.deleted(gone)


def _clear(bus: Bus, _: BusArguments) -> BusReply:
    return bus_answers.cleared(bus.clear())


# --- table of operations -----------------------------------------------------------------------

_FROM = BusArgument("from", "The role that sends the message.", "NAME", required=True)
_TO = BusArgument("to", f"The role that receives it (default: {COORDINATOR}).", "NAME")
_TYPE = BusArgument("type", f"The kind of message (default: {MESSAGE}).", "TYPE")
_SUMMARY = BusArgument("summary", "The message in one line.", "TEXT")
_DATA = BusArgument("data", "More details, as a JSON object.", "JSON|-", BusArgumentKind.JSON)
_ID = BusArgument("id", "The id of a message, like MSG-007.", required=True)
_ROLE = BusArgument("role", "One role (default: all of them).")
_FILTERS = (
    BusArgument("from", "Only messages from this role.", "NAME"),
    BusArgument("to", "Only messages to this role.", "NAME"),
    BusArgument("type", "Only messages of this kind.", "TYPE"),
    BusArgument("last", f"How many at most (default: {SHOWN}).", "N", BusArgumentKind.COUNT),
)

_ROWS = (
    BusOperation(
        "log",
        _log,
        "Put a message on the bus. Type state_update merges its data into the sender's state.",
        """SESSION --from writer --type state_update --data '{"status": "done"}'""",
        "The message is on the disk when its id is printed.",
        (_FROM, _TO, _TYPE, _SUMMARY, _DATA),
        reads_only=False,
    ),
    BusOperation(
        "broadcast",
        _broadcast,
        "Put a message to all roles on the bus.",
        'SESSION --from coordinator --summary "We stop at noon"',
        "The same as log --to all.",
        (_FROM, _TYPE, _SUMMARY, _DATA),
        reads_only=False,
    ),
    BusOperation(
        "read", _read, "Show one message with its data.", "SESSION MSG-007", arguments=(_ID,)
    ),
    BusOperation(
        "list",
        _list,
        "Show the last messages, oldest first.",
        "SESSION --to coordinator --type error --last 5",
        arguments=_FILTERS,
        follows=True,
    ),
    BusOperation(
        "status",
        _status,
        "Show for each role its last message, when it was sent, and how many there are.",
        "SESSION",
    ),
    BusOperation(
        "state",
        _state,
        "Show the state that a role published by state_update; without a role, all states.",
        "SESSION writer",
        arguments=(_ROLE,),
    ),
    BusOperation(
        "delete",
        _delete,
        "Remove one message from the bus. Its number is not used again; states do not change.",
        "SESSION MSG-007",
        arguments=(_ID,),
        reads_only=False,
        destroys=True,
    ),
    BusOperation(
        "clear",
        _clear,
        "Remove all messages and states from the bus. New messages get the next numbers.",
        "SESSION --yes",
        reads_only=False,
        destroys=True,
        destroys_all=True,
    ),
)
OPERATIONS: Mapping[str, BusOperation] = MappingProxyType({row.name: row for row in _ROWS})


# --- following new messages --------------------------------------------------------------------


def follow(session_dir: Path, asked: BusArguments) -> Iterator[Message]:
    """Yield the last messages, then each new message as it arrives, without end."""
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
