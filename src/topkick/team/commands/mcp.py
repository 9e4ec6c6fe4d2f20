"""`topkick mcp`: the message bus of a session, as tools for agents that speak MCP."""

from pathlib import Path

import click

from topkick.engine.errors import UsageError

INSTALL = 'pip install "topkick[mcp]"'


@click.command("mcp")
@click.option(
    "--session",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Serve this session only; without it, agents name one below this directory.",
)
def command(session: Path | None) -> int:
    """Serve the bus over standard input and output, for the agent that starts this command.

    \b
    Example: claude mcp add team -- topkick mcp --session .workflow/.team/night
    """
    try:
        from topkick.team.bus.mcp_server import serve
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"topkick mcp needs the MCP SDK, and there is no {missing.name} here.\n"
            f"Install it: {INSTALL}"
        ) from missing
    if session is not None and not session.is_dir():
        raise UsageError(
            f"There is no session directory {session}. Create it first: mkdir -p {session}"
        )
    serve(session)
    return 0
