"""`topkick bus`: what the members of a session tell one another, on the command line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from topkick.boards import bus_answers, safe
from topkick.core.bus import LONGEST_LINE_CHARS, MOST_SHOWN, SHOWN, Message
from topkick.core.errors import TopkickError, UsageError
from topkick.faces import terminal
from topkick.wiring.bus import Asked, ask, follow, ids

SESSION = "session_dir"


@click.group("bus")
def command() -> None:
    """The message bus of a session: .msg/messages.jsonl in its directory.

    \b
    Example: topkick bus log .workflow/.team/night --from planner --summary "The plan is ready"
    """


def _session(function: Callable[..., int]) -> Callable[..., int]:
    """The two things that every operation takes."""
    as_json = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
    where = click.argument(
        SESSION, required=False, type=click.Path(path_type=Path, file_okay=False)
    )
    return where(as_json(function))


def _ids(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """For the Tab key; it asks before the options are known to be right."""
    session_dir = ctx.params.get(SESSION)
    try:
        found = ids(session_dir) if session_dir is not None else ()
    except TopkickError:
        return []
    return [name for name in found if name.startswith(begun)]


def _answer(session_dir: Path | None, operation: str, asked: Asked, *, as_json: bool) -> int:
    answer = ask(session_dir, operation, asked)
    if as_json:
        click.echo(answer.body)
    else:
        click.echo(answer.text, err=not answer.success)
    return answer.exit_code


# --- writing -------------------------------------------------------------------------------------


@command.command("log")
@_session
@click.option("--from", "sender", default="", metavar="NAME", help="Who says it.")
@click.option("--to", default="", metavar="NAME", help="Who is told (default: coordinator).")
@click.option("--type", "kind", default="", metavar="TYPE", help="Of what kind (default: message).")
@click.option("--summary", default="", metavar="TEXT", help="In one line.")
@click.option("--data", default="", metavar="JSON|-", help="More, as JSON; - is standard input.")
def log(
    session_dir: Path | None,
    as_json: bool,
    sender: str,
    to: str,
    kind: str,
    summary: str,
    data: str,
) -> int:
    """Put a message on the bus. It is on the disk when its id is printed.

    A message of type state_update merges its data into the state of the one who sends it.

    \b
    Example: topkick bus log SESSION --from writer --type state_update --data '{"status": "done"}'
    """
    asked = Asked(sender, to, kind, summary, _given(data))
    return _answer(session_dir, "log", asked, as_json=as_json)


@command.command("broadcast")
@_session
@click.option("--from", "sender", default="", metavar="NAME", help="Who says it.")
@click.option("--type", "kind", default="", metavar="TYPE", help="Of what kind (default: message).")
@click.option("--summary", default="", metavar="TEXT", help="In one line.")
@click.option("--data", default="", metavar="JSON|-", help="More, as JSON; - is standard input.")
def broadcast(
    session_dir: Path | None, as_json: bool, sender: str, kind: str, summary: str, data: str
) -> int:
    """Tell everybody: the same as log --to all.

    \b
    Example: topkick bus broadcast SESSION --from coordinator --summary "We stop at noon"
    """
    asked = Asked(sender, "", kind, summary, _given(data))
    return _answer(session_dir, "broadcast", asked, as_json=as_json)


def _given(data: str) -> str:
    if data != "-":
        return data
    said = sys.stdin.read(LONGEST_LINE_CHARS + 1)
    if len(said) > LONGEST_LINE_CHARS:
        raise UsageError("That is too much for a message. Put it into a file and name its path.")
    return said


# --- reading -------------------------------------------------------------------------------------


@command.command("read")
@_session
@click.argument("id", required=False, default="", shell_complete=_ids)
def read(session_dir: Path | None, as_json: bool, **words: Any) -> int:
    """One message, with its data.

    \b
    Example: topkick bus read SESSION MSG-007
    """
    return _answer(session_dir, "read", Asked(id=words["id"]), as_json=as_json)


@command.command("list")
@_session
@click.option("--from", "sender", default="", metavar="NAME", help="Only what they said.")
@click.option("--to", default="", metavar="NAME", help="Only what they were told.")
@click.option("--type", "kind", default="", metavar="TYPE", help="Only of this kind.")
@click.option(
    "--last", type=click.IntRange(1, MOST_SHOWN), default=SHOWN, show_default=True, help="How many."
)
@click.option("-f", "--follow", "goes_on", is_flag=True, help="Go on as messages come.")
def list_(
    session_dir: Path | None,
    as_json: bool,
    sender: str,
    to: str,
    kind: str,
    last: int,
    goes_on: bool,
) -> int:
    """The last messages, oldest first.

    \b
    Example: topkick bus list SESSION --to coordinator --type error --last 5
    """
    asked = Asked(sender, to, kind, last=last)
    if not goes_on or session_dir is None:
        return _answer(session_dir, "list", asked, as_json=as_json)
    for message in follow(session_dir, asked):
        terminal.say(_line(message, as_json=as_json))
    return 0


def _line(message: Message, *, as_json: bool) -> str:
    return json.dumps(bus_answers.as_json(message)) if as_json else safe.line(message.line)


@command.command("status")
@_session
def status(session_dir: Path | None, as_json: bool) -> int:
    """Who was heard of: when last, with what, how often.

    \b
    Example: topkick bus status SESSION
    """
    return _answer(session_dir, "status", Asked(), as_json=as_json)


@command.command("state")
@_session
@click.argument("role", required=False, default="")
def state(session_dir: Path | None, as_json: bool, role: str) -> int:
    """What a role has said of itself by state_update; without a role, all of them.

    \b
    Example: topkick bus state SESSION writer
    """
    return _answer(session_dir, "state", Asked(role=role), as_json=as_json)


# --- taking away ---------------------------------------------------------------------------------


@command.command("delete")
@_session
@click.argument("id", required=False, default="", shell_complete=_ids)
def delete(session_dir: Path | None, as_json: bool, **words: Any) -> int:
    """Take one message off the bus. Its number is not given again; states stay as they are.

    \b
    Example: topkick bus delete SESSION MSG-007
    """
    return _answer(session_dir, "delete", Asked(id=words["id"]), as_json=as_json)


@command.command("clear")
@_session
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(session_dir: Path | None, as_json: bool, yes: bool) -> int:
    """Take all messages off the bus, and the states with them. Numbers go on where they were.

    \b
    Example: topkick bus clear SESSION --yes
    """
    if session_dir is not None and not yes:
        if not terminal.is_there():
            raise UsageError(
                "Nobody is here to answer. Without a terminal: topkick bus clear --yes"
            )
        if not click.confirm(f"Remove all messages of {session_dir}?", default=False):
            raise click.Abort
    return _answer(session_dir, "clear", Asked(), as_json=as_json)
