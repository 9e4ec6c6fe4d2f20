"""The operations of the message bus as MCP tools, served over standard input and output."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ToolOffered

from topkick import __version__
from topkick.engine.errors import UsageError
from topkick.team.bus import views as bus_answers
from topkick.team.bus.model import FEWEST_SHOWN, MOST_SHOWN, NotJson, data_of
from topkick.team.bus.session import OPERATIONS, BusArgument, BusArgumentKind, BusArguments, ask
from topkick.team.bus.views import BusReply

ONE_TOOL = "team_msg"
PREFIX = "bus_"
SESSIONS = Path(".workflow") / ".team"
_OTHER_NAMES = MappingProxyType({"get_state": "state"})

_SCHEMAS: Mapping[BusArgumentKind, Mapping[str, object]] = MappingProxyType(
    {
        BusArgumentKind.TEXT: {"type": "string"},
        BusArgumentKind.JSON: {"type": "object"},
        BusArgumentKind.COUNT: {
            "type": "integer",
            "minimum": FEWEST_SHOWN,
            "maximum": MOST_SHOWN,
        },
    }
)
_SESSION = BusArgument("session", "The session's directory, or its id.", required=True)
_SESSION_ID = BusArgument("session_id", "The session's id, or its directory.")


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool as the MCP server describes it to a client."""

    name: str
    description: str
    arguments: tuple[BusArgument, ...]
    reads_only: bool = True
    destroys: bool = False

    @property
    def schema(self) -> dict[str, object]:
        required = [argument.name for argument in self.arguments if argument.required]
        properties: dict[str, object] = {
            a.name: {**_SCHEMAS[a.kind], "description": a.help} for a in self.arguments
        }
        if self.name == ONE_TOOL:
            known = [*OPERATIONS, *_OTHER_NAMES]
            properties = {"operation": {"type": "string", "enum": known}, **properties}
            required = ["operation"]
        return {"type": "object", "properties": properties, "required": required}


def tools(fixed: Path | None) -> tuple[McpTool, ...]:
    """Return a tool for each operation, and one for all of them.

    A server with a fixed session takes no argument that names one.
    """
    where = () if fixed is not None else (_SESSION,)
    every = {a.name: a for row in [*OPERATIONS.values()][::-1] for a in row.arguments}
    return (
        *(
            McpTool(
                f"{PREFIX}{row.name}",
                row.help,
                (*where, *row.arguments),
                row.reads_only,
                row.destroys,
            )
            for row in OPERATIONS.values()
        ),
        McpTool(
            ONE_TOOL,
            "All operations of the bus in one tool, for prompts that were written for it.",
            (_SESSION_ID, *every.values()),
            reads_only=False,
            destroys=True,
        ),
    )


def call(fixed: Path | None, name: str, arguments: Mapping[str, object]) -> BusReply:
    """Answer a call of an agent; no call, however invalid, ends the server."""
    known = {tool.name: tool for tool in tools(fixed)}
    tool = known.get(name)
    if tool is None:
        return bus_answers.failed(f"Unknown tool: {name}. It is one of: {', '.join(known)}")
    try:
        operation = _operation(tool, arguments)
        return ask(_session(fixed, arguments), operation, _asked(tool, arguments))
    except UsageError as mistake:
        return bus_answers.failed(str(mistake))


def _operation(tool: McpTool, arguments: Mapping[str, object]) -> str:
    if tool.name != ONE_TOOL:
        return tool.name.removeprefix(PREFIX)
    said = _text(arguments, "operation")
    return _OTHER_NAMES.get(said, said)


def _asked(tool: McpTool, arguments: Mapping[str, object]) -> BusArguments:
    known = [argument.name for argument in tool.arguments]
    strangers = sorted(set(arguments) - set(known))
    if strangers and tool.name != ONE_TOOL:
        takes = ", ".join(known) or "none"
        raise UsageError(f"{tool.name} takes no {', '.join(strangers)[:200]}. It takes: {takes}")
    given = (a for a in tool.arguments if a.name in arguments and not a.name.startswith("session"))
    return BusArguments(**{argument.field: _value(argument, arguments) for argument in given})


def _value(argument: BusArgument, arguments: Mapping[str, object]) -> Any:
    match argument.kind:
        case BusArgumentKind.TEXT:
            return _text(arguments, argument.name)
        case BusArgumentKind.JSON:
            return _data(arguments[argument.name])
        case BusArgumentKind.COUNT:
            return _count(argument, arguments[argument.name])


def _count(argument: BusArgument, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f'"{argument.name}" must be a number from {FEWEST_SHOWN} to {MOST_SHOWN}.')
    return value


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f'"{name}" must be a text.')
    return value


def _data(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict):
        raise UsageError('"data" must be an object.')
    try:
        return data_of(value)
    except NotJson as error:
        raise UsageError(f'"data" is not a JSON object: {error}') from error


def _session(fixed: Path | None, arguments: Mapping[str, object]) -> Path | None:
    """Return the session directory; an agent may name only one below the server's directory."""
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


# --- the server --------------------------------------------------------------------------------


INSTRUCTIONS = (
    "The message bus of a team of agents. Report what you did with bus_log, publish your state "
    "with type state_update, read what others said with bus_list and bus_state."
)


def serve(session_dir: Path | None) -> None:
    """Serve until the client closes standard input."""
    anyio.run(_serve, session_dir)


async def _serve(session_dir: Path | None) -> None:
    server = _server(session_dir)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _server(session_dir: Path | None) -> Server[Any]:
    async def listed(_ctx: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_offered(tool) for tool in tools(session_dir)])

    async def called(_ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        # in a thread: a bus may be locked by others for a while
        answer = await anyio.to_thread.run_sync(
            call, session_dir, params.name, params.arguments or {}
        )
        return _result(answer)

    return Server(
        "topkick",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def _offered(tool: McpTool) -> ToolOffered:
    return ToolOffered(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        annotations=ToolAnnotations(
            read_only_hint=tool.reads_only,
            destructive_hint=tool.destroys,
            open_world_hint=False,
        ),
    )


def _result(answer: BusReply) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=answer.body)], is_error=not answer.success
    )
