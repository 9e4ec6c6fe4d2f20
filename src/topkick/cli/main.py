"""The command line: the table of commands, and the exit code for each way to end."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import TracebackType
from typing import NoReturn

import click

from topkick import __version__
from topkick.engine.errors import TopkickError

INTERRUPTED = 130
READER_GONE = 141


@dataclass(frozen=True, slots=True)
class Verb:
    """A command by the module that holds it; the module is loaded when the verb is used."""

    module: str
    help: str
    section: str = ""
    function: str = "command"


SECTIONS = ("Begin", "Run", "Decide", "Take home", "Look", "Set up")
VERBS: Mapping[str, Verb] = {
    "init": Verb("cli.setup.init", "Find an agent on PATH and write topkick.toml.", "Begin"),
    "plan": Verb("sprint.commands.read.plan", "Show, check, draft or improve a plan.", "Begin"),
    "import": Verb(
        "sprint.commands.import_run", "Continue a run started by an LLM-driven supervisor.", "Begin"
    ),
    "kanban": Verb("kanban.commands", "Run a kanban board: run, show, new.", "Begin"),
    "epic": Verb(
        "epic.commands", "Work on an epic, one decision per tick: tick, loop, show.", "Begin"
    ),
    "checkpoint": Verb(
        "team.commands.checkpoint",
        "Judge a team's work between its stages: run, serve, request.",
        "Begin",
    ),
    "bus": Verb("team.commands.bus", "Show the messages of a team's session: log, list.", "Begin"),
    "demo": Verb("cli.demo.demo", "Show a whole run in a throw-away project.", "Begin"),
    "start": Verb("sprint.commands.start", "Start a run, after one question.", "Run"),
    "watch": Verb("cli.viewer.viewer", "Follow the run on a live screen.", "Run"),
    "stop": Verb("sprint.commands.stop", "Let the agents finish, then stop.", "Run"),
    "resume": Verb(
        "sprint.commands.resume", "Continue after a stop, a kill, a crash or a block.", "Run"
    ),
    "killall": Verb("sprint.commands.killall", "End all agents at once.", "Run"),
    "accept": Verb(
        "sprint.commands.decide", "Accept a sprint as done, on your word.", "Decide", "accept"
    ),
    "reject": Verb(
        "sprint.commands.decide",
        "Send a sprint back to its agent, with the reason.",
        "Decide",
        "reject",
    ),
    "waive": Verb(
        "sprint.commands.decide", "Let a finding pass, with the reason.", "Decide", "waive"
    ),
    "retry": Verb(
        "sprint.commands.decide",
        "Try a sprint again, with a note or another model.",
        "Decide",
        "retry",
    ),
    "land": Verb(
        "sprint.commands.trees.land",
        "Merge the work into the branch that you are on.",
        "Take home",
    ),
    "salvage": Verb(
        "sprint.commands.trees.salvage", "List and restore saved uncommitted work.", "Take home"
    ),
    "clean": Verb(
        "sprint.commands.trees.clean", "Remove trees whose work has landed.", "Take home"
    ),
    "status": Verb("sprint.commands.read.status", "Show units, agents and what is stuck.", "Look"),
    "explain": Verb(
        "sprint.commands.read.explain", "Explain the state of a sprint, with the evidence.", "Look"
    ),
    "report": Verb(
        "sprint.commands.read.report",
        "Show what was done, what proves it, and what it cost.",
        "Look",
    ),
    "verify": Verb("sprint.commands.verify", "Check a sprint's work once more.", "Look"),
    "logs": Verb("sprint.commands.read.logs", "Show what an agent printed.", "Look"),
    "journal": Verb("cli.journal", "The records of the run: check, show, replay, repair.", "Look"),
    "background": Verb(
        "sprint.commands.background", "Processes that sprints left running: list, stop.", "Look"
    ),
    "agents": Verb("cli.setup.agents", "Agent programs: list them, try one.", "Set up"),
    "doctor": Verb("cli.setup.doctor", "Check what works on this machine.", "Set up"),
    "config": Verb("cli.setup.config", "Show the settings in force.", "Set up"),
    "schema": Verb("cli.setup.schema", "Print the JSON Schemas of agents' answers.", "Set up"),
    "mcp": Verb("team.commands.mcp", "Serve a session's bus to agents that speak MCP.", "Set up"),
    "completion": Verb("cli.completion", "Print Tab completion for bash, zsh or fish.", "Set up"),
    "confirm": Verb("sprint.commands.decide", "The same as accept.", "", "accept"),
    "breakdown": Verb("planning.commands.breakdown", "The same as plan breakdown."),
    "analyze": Verb("planning.commands.analyze", "The same as plan analyze.", "", "analyze"),
    "prioritize": Verb(
        "planning.commands.refine", "The same as plan prioritize.", "", "prioritize"
    ),
    "evaluate": Verb("planning.commands.refine", "The same as plan evaluate.", "", "evaluate"),
    "refine": Verb("planning.commands.analyze", "The same as plan refine.", "", "refine"),
    "name-feature": Verb("planning.commands.name", "The same as plan name."),
    "supervise": Verb("cli.supervise", "Run as the supervisor (started by start and resume)."),
}


class ReaderGone(Exception):
    """The reader of the output, such as `head`, has closed the pipe."""


class Verbs(click.Group):
    """Loads only the command that was typed, so that `status` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [name for name, verb in VERBS.items() if verb.section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        module = import_module(f"topkick.{verb.module}")
        command: click.Command = getattr(module, verb.function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            near = get_close_matches(args[0], self.list_commands(ctx), n=2)
            if not near:
                raise
            names = " or ".join(f"topkick {name}" for name in near)
            ctx.fail(f"No such command '{_plain(args[0])}'. Did you mean: {names}?")

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as gone:  # click would end with 1
            raise ReaderGone from gone

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for section in SECTIONS:
            rows = [(n, v.help) for n, v in VERBS.items() if v.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: topkick init. Each command's --help has an example.",
)
@click.version_option(__version__, message="topkick %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> int:
    """Run AI coding agents through a plan, and prove that the work is done."""
    if ctx.invoked_subcommand is not None:
        return 0
    from topkick.cli.bare import say_what_would_happen

    return say_what_would_happen(ctx)


def main() -> None:
    """End with a message on stderr and an exit code, never with a traceback.

    `run` handles mistakes of the user and errors of the system. Any other exception is a bug, and
    the hook explains it.
    """
    sys.excepthook = _report_bug
    sys.exit(run())


def _report_bug(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> NoReturn:
    from topkick.cli import bug_page

    bug_page.report(kind, error, where)


def run(words: list[str] | None = None) -> int:
    try:
        answer = cli.main(words, prog_name="topkick", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as mistake:
        mistake.show()
        return mistake.exit_code
    except TopkickError as mistake:
        click.echo(_plain(str(mistake)), err=True)
        return mistake.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("", err=True)
        return INTERRUPTED
    except (ReaderGone, BrokenPipeError):
        # what is left in the buffer has no reader either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except OSError as trouble:
        return _refused_by_the_system(trouble)
    except ImportError as trouble:  # commands are loaded when they are used
        click.echo(
            f"topkick cannot load a part of itself: {trouble}\n"
            "Run the command again; if that fails too, install topkick anew.",
            err=True,
        )
        return 1
    return answer if isinstance(answer, int) else 0


def _refused_by_the_system(trouble: OSError) -> int:
    """Explain a full disk, too many open files or a missing permission; nothing is lost."""
    with suppress(OSError):  # what is left in the buffer may be what could not be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    what = f"{trouble.filename}: " if trouble.filename else "cannot write: "
    click.echo(
        f"topkick: {_plain(what)}{trouble.strerror}\n"
        "Fix that, then run the command again. A run that has begun continues with: topkick resume",
        err=True,
    )
    return 1


def _plain(text: str) -> str:
    """Escape a message: it may quote a file name or a word with terminal controls."""
    from topkick.text import escape

    return escape.block(text)
