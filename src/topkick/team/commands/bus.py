"""`topkick bus`: a command for each operation on the message bus of a session."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from topkick.cli import terminal
from topkick.engine.errors import TopkickError, UsageError
from topkick.team.bus import views as bus_answers
from topkick.team.bus.model import FEWEST_SHOWN, LONGEST_LINE_CHARS, MOST_SHOWN, SHOWN, Message
from topkick.team.bus.session import (
    OPERATIONS,
    BusArgument,
    BusArgumentKind,
    BusArguments,
    BusOperation,
    ask,
    follow,
    ids,
)
from topkick.text import escape

SESSION = "session_dir"


@click.group("bus")
def command() -> None:
    """Post and read messages of a session: .msg/messages.jsonl in its directory.

    \b
    Example: topkick bus log .workflow/.team/night --from planner --summary "The plan is ready"
    """


# --- commands from the table ---------------------------------------------------------------------


def _command(operation: BusOperation) -> click.Command:
    def run(session_dir: Path | None, as_json: bool, **given: Any) -> int:
        return _run(operation, session_dir, given, as_json=as_json)

    about = f"{operation.help} {operation.more}".strip()
    return click.Command(
        operation.name,
        callback=run,
        params=[
            click.Argument(
                [SESSION], required=False, type=click.Path(path_type=Path, file_okay=False)
            ),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the answer as JSON."),
            *map(_parameter, operation.arguments),
            *_switches(operation),
        ],
        help=f"{about}\n\n\b\nExample: topkick bus {operation.name} {operation.example}",
    )


def _parameter(argument: BusArgument) -> click.Parameter:
    if not argument.metavar:
        completes = _ids if argument.name == "id" else None
        return click.Argument([argument.name], required=False, default="", shell_complete=completes)
    names = [f"--{argument.name}", argument.field]
    if argument.kind is BusArgumentKind.COUNT:
        count = click.IntRange(FEWEST_SHOWN, MOST_SHOWN)
        return click.Option(names, type=count, default=SHOWN, help=argument.help)
    is_json = argument.kind is BusArgumentKind.JSON
    about = f"{argument.help} Write - to read it from standard input." * is_json or argument.help
    return click.Option(names, default="", metavar=argument.metavar, help=about)


def _switches(operation: BusOperation) -> list[click.Parameter]:
    """Return the options that only the command line has: a person can watch it and confirm."""
    found: list[click.Parameter] = []
    if operation.follows:
        about = "Print new messages as they come."
        found.append(click.Option(["-f", "--follow", "goes_on"], is_flag=True, help=about))
    if operation.destroys_all:
        found.append(click.Option(["--yes"], is_flag=True, help="Remove without a question."))
    return found


def _ids(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the id of a message. The session may still be missing or wrong at this point."""
    session_dir = ctx.params.get(SESSION)
    try:
        found = ids(session_dir) if session_dir is not None else ()
    except TopkickError:
        return []
    return [name for name in found if name.startswith(begun)]


# --- running a command -------------------------------------------------------------------------


def _run(
    operation: BusOperation, session_dir: Path | None, given: dict[str, Any], *, as_json: bool
) -> int:
    goes_on, yes = given.pop("goes_on", False), given.pop("yes", False)
    if operation.destroys_all and session_dir is not None and not yes:
        _confirm(session_dir, operation)
    if given.get("data") == "-":
        given["data"] = _standard_input()
    asked = BusArguments(**given)
    if goes_on and session_dir is not None:
        for message in follow(session_dir, asked):
            terminal.say(_line(message, as_json=as_json))
        return 0
    answer = ask(session_dir, operation.name, asked)
    if as_json:
        click.echo(answer.body)
    else:
        click.echo(answer.text, err=not answer.success)
    return answer.exit_code


def _confirm(session_dir: Path, operation: BusOperation) -> None:
    if not terminal.is_there():
        raise UsageError(
            "There is no terminal to ask for confirmation on, so nothing was removed.\n"
            f"To remove without a question: topkick bus {operation.name} SESSION --yes"
        )
    if not click.confirm(f"Remove all messages of {session_dir}?", default=False):
        raise click.Abort


def _standard_input() -> str:
    said = sys.stdin.read(LONGEST_LINE_CHARS + 1)
    if len(said) > LONGEST_LINE_CHARS:
        raise UsageError(
            f"Standard input has over {LONGEST_LINE_CHARS} characters, so nothing was posted.\n"
            "Put the content into a file and name its path in data.ref."
        )
    return said


def _line(message: Message, *, as_json: bool) -> str:
    return json.dumps(bus_answers.as_json(message)) if as_json else escape.line(message.line)


for _operation in OPERATIONS.values():
    command.add_command(_command(_operation))
