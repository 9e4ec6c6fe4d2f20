"""The operations of a bus as MCP tools: their names, their arguments, and calls read from JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from topkick.boards import bus_answers
from topkick.boards.bus_answers import Answer
from topkick.core.bus import FEWEST_SHOWN, MOST_SHOWN, SHOWN, NotJson, data_of
from topkick.core.errors import UsageError
from topkick.wiring.bus import OPERATIONS, Asked, ask

ONE_TOOL = "team_msg"
PREFIX = "bus_"
SESSIONS = Path(".workflow") / ".team"
_OTHER_NAMES = MappingProxyType({"get_state": "state"})

_ARGUMENTS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "from": {"type": "string", "description": "The role that speaks."},
        "to": {"type": "string", "description": "The role that is told; default: coordinator."},
        "type": {"type": "string", "description": "The kind of message; default: message."},
        "summary": {"type": "string", "description": "One line that says it all."},
        "data": {"type": "object", "description": "More, structured."},
        "id": {"type": "string", "description": "The id of a message, like MSG-007."},
        "role": {"type": "string", "description": "One role; without it, all of them."},
        "last": {
            "type": "integer",
            "minimum": FEWEST_SHOWN,
            "maximum": MOST_SHOWN,
            "description": f"How many at most; default: {SHOWN}.",
        },
        "session": {"type": "string", "description": "The session's directory, or its id."},
        "session_id": {"type": "string", "description": "The session's id, or its directory."},
    }
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a client is told of it."""

    name: str
    description: str
    arguments: tuple[str, ...]
    required: tuple[str, ...] = ()
    reads_only: bool = True
    destroys: bool = False

    @property
    def schema(self) -> dict[str, object]:
        properties: dict[str, object] = {name: _ARGUMENTS[name] for name in self.arguments}
        if self.name == ONE_TOOL:
            known = [*OPERATIONS, *_OTHER_NAMES]
            properties = {"operation": {"type": "string", "enum": known}, **properties}
        return {"type": "object", "properties": properties, "required": list(self.required)}


def tools(fixed: Path | None) -> tuple[Tool, ...]:
    """With a session that is fixed nobody has to name one."""
    where = () if fixed is not None else ("session",)
    post = ("from", "to", "type", "summary", "data")
    shared = (
        Tool(
            "bus_log",
            "Put a message on the team's bus. type state_update merges data into your state.",
            (*where, *post),
            (*where, "from"),
            reads_only=False,
        ),
        Tool(
            "bus_broadcast",
            "Put a message to everybody on the team's bus.",
            (*where, "from", "type", "summary", "data"),
            (*where, "from"),
            reads_only=False,
        ),
        Tool("bus_read", "One message by its id.", (*where, "id"), (*where, "id")),
        Tool(
            "bus_list",
            "The last messages, oldest first.",
            (*where, "from", "to", "type", "last"),
            where,
        ),
        Tool("bus_status", "Who was heard of: when last, with what, how often.", where, where),
        Tool("bus_state", "What roles have said of themselves.", (*where, "role"), where),
        Tool(
            "bus_delete",
            "Take one message off the bus.",
            (*where, "id"),
            (*where, "id"),
            reads_only=False,
            destroys=True,
        ),
        Tool(
            "bus_clear",
            "Take all messages and states off the bus.",
            where,
            where,
            reads_only=False,
            destroys=True,
        ),
    )
    every = ("session_id", *post, "id", "last", "role")
    return (
        *shared,
        Tool(
            ONE_TOOL,
            "All operations of the bus in one tool, for prompts that were written for it.",
            every,
            ("operation",),
            reads_only=False,
            destroys=True,
        ),
    )


def call(fixed: Path | None, name: str, arguments: Mapping[str, object]) -> Answer:
    """Whatever an agent sends is answered; nothing that it sends ends the server."""
    known = {tool.name: tool for tool in tools(fixed)}
    tool = known.get(name)
    if tool is None:
        return bus_answers.failed(f"Unknown tool: {name}. There are: {', '.join(known)}")
    try:
        operation = _operation(tool, arguments)
        return ask(_session(fixed, arguments), operation, _asked(tool, arguments))
    except UsageError as mistake:
        return bus_answers.failed(str(mistake))


def _operation(tool: Tool, arguments: Mapping[str, object]) -> str:
    if tool.name != ONE_TOOL:
        return tool.name.removeprefix(PREFIX)
    said = _text(arguments, "operation")
    return _OTHER_NAMES.get(said, said)


def _asked(tool: Tool, arguments: Mapping[str, object]) -> Asked:
    strangers = sorted(set(arguments) - set(tool.arguments))
    if strangers and tool.name != ONE_TOOL:
        takes = ", ".join(tool.arguments) or "none"
        raise UsageError(f"{tool.name} takes no {', '.join(strangers)[:200]}. It takes: {takes}")
    last = arguments.get("last", SHOWN)
    if not isinstance(last, int) or isinstance(last, bool):
        raise UsageError(f'"last" is a number from {FEWEST_SHOWN} to {MOST_SHOWN}.')
    return Asked(
        sender=_text(arguments, "from"),
        to=_text(arguments, "to"),
        type=_text(arguments, "type"),
        summary=_text(arguments, "summary"),
        data=_data(arguments.get("data")),
        id=_text(arguments, "id"),
        role=_text(arguments, "role"),
        last=last,
    )


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f'"{name}" is a text.')
    return value


def _data(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict):
        raise UsageError('"data" is an object.')
    try:
        return data_of(value)
    except NotJson as error:
        raise UsageError(f'"data" is no JSON object: {error}') from error


def _session(fixed: Path | None, arguments: Mapping[str, object]) -> Path | None:
    """Only what lies below where the server was started: an agent names it."""
    given = _text(arguments, "session") or _text(arguments, "session_id")
    if fixed is not None:
        if given and Path(given).name != fixed.resolve().name:
            raise UsageError(f"This server serves the session {fixed.resolve().name} only.")
        return fixed
    if not given:
        return None
    here = Path.cwd().resolve()
    for place in (here / given, here / SESSIONS / given):
        if place.is_dir() and place.resolve().is_relative_to(here):
            return place
    raise UsageError(f"There is no session {given[:200]} below {here}.")
