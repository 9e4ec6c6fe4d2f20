"""Serves a session's bus to an MCP client over standard input and output."""

from pathlib import Path
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
from topkick.team.bus.mcp_tools import McpTool, call, tools
from topkick.team.bus.views import BusReply

INSTRUCTIONS = (
    "The message bus of a team of agents. Report what you did with bus_log, publish your state "
    "with type state_update, read what others said with bus_list and bus_state."
)


def serve(session_dir: Path | None) -> None:
    """Until the client closes our standard input."""
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
