"""`topkick kanban`: run, show or create a board."""

import shlex
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import click

from topkick.app.file_run import Accept
from topkick.app.project import Project, find_file_project
from topkick.cli import acceptance, terminal
from topkick.engine.errors import UsageError
from topkick.engine.settings import Role, Settings
from topkick.kanban.model import MANAGER
from topkick.kanban.project import KIND, find_board, make_board, read_all, text_of
from topkick.plan_format.model import Plan


@click.group("kanban")
def command() -> None:
    """Run a kanban board: dispatch the role of the current task, then the Manager, and repeat.

    \b
    Example: topkick kanban new "Indentation-aware lexer" && topkick kanban run
    """


# --- run -------------------------------------------------------------------------------------


@command.command("run")
@click.argument("board", required=False, type=click.Path(path_type=Path))
@click.option(
    "--manager",
    type=click.Choice(["agent", "builtin"]),
    help="Choose an agent or the built-in rules as the Manager.",
)
@click.option("--agent", metavar="NAME", help="Use this configured agent for this run.")
@click.option("--instruction", metavar="TEXT", help="Run one instruction instead of a board.")
@click.option("--role", default="Implementor", help="The role that gets the instruction.")
@click.option("--background", is_flag=True, help="Run in the background, and watch from here.")
@click.option("--yes", is_flag=True, help="Accept changed settings without a question.")
def run(
    board: Path | None,
    manager: str | None,
    agent: str | None,
    instruction: str | None,
    role: str,
    background: bool,
    yes: bool,
) -> int:
    """Run the board until all tasks are done or a person is needed.

    If the run is killed, the same command continues with the current task. Ctrl-C lets the working
    agent finish; a second Ctrl-C ends it. Exit code 0: done; 3: a person is needed. A run with
    --background outlives the terminal, and `topkick watch BOARD` attaches to it again.

    \b
    Example: topkick kanban run tasks/0-kanban-lexer.md --manager builtin
    """
    from topkick.app import file_run

    if background and instruction is not None:
        raise UsageError(
            "Only a board can run in the background, so the instruction was not started.\n"
            f"Run it here: {_run_again(board, instruction, role)}"
        )
    project = _single(role) if instruction is not None else find_board(board, Path.cwd())
    settings = _settings(project, manager, agent)
    if instruction is not None:
        plan = Plan(role, _hash(instruction), file="", rules=instruction)
    else:
        shown = read_all(project)
        sha = _hash(text_of(project.plan_path))
        plan = Plan(shown.board.title, sha, file=shown.board.path)
    accept = acceptance.of_file_runs(_run_again(board, instruction, role), yes=yes)
    if background:
        return _in_background(project, plan, settings, accept)
    return file_run.run(project, plan, settings, terminal.say, accept=accept)


def _run_again(board: Path | None, instruction: str | None, role: str) -> str:
    if instruction is None:
        return shlex.join(["topkick", "kanban", "run", *([str(board)] if board else [])])
    return shlex.join(["topkick", "kanban", "run", "--instruction", instruction, "--role", role])


def _in_background(project: Project, plan: Plan, settings: Settings, accept: Accept) -> int:
    """Attach to the supervisor that is at work, or start one: a second would be refused."""
    from topkick.app import file_run
    from topkick.app.run_view import take_a_look
    from topkick.cli.launch import attach, launch

    view = take_a_look(project)
    if view is not None and view.holder is not None:
        return attach(project, view.holder.pid)
    file_run.prepare(project, plan, settings, accept=accept)
    return launch(project, foreground=False)


def _single(role: str) -> Project:
    """Return the project of an instruction; for its state, it is a file with the role's name."""
    return find_file_project(Path.cwd() / f"instruction-{role}.md", KIND)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _settings(project: Project, manager: str | None, agent: str | None) -> Settings:
    from topkick.app.agents.configured import require_program
    from topkick.app.config.file import load_config
    from topkick.app.config.settings import make_settings
    from topkick.app.file_run import builtin_manager, roles_of

    config = load_config(project)
    settings = make_settings(config, agent=agent)
    require_program(settings.agent, project.root)
    roles: tuple[Role, ...] = roles_of(config, settings, project.root)
    if (manager or config.kanban.manager) == "builtin":
        others = (role for role in roles if role.name.casefold() != MANAGER.casefold())
        roles = (*others, builtin_manager())
    return replace(settings, roles=roles)


# --- show and new ----------------------------------------------------------------------------


@command.command("show")
@click.argument("board", required=False, type=click.Path(path_type=Path))
def show(board: Path | None) -> int:
    """Show the tasks of a board by state.

    \b
    Example: topkick kanban show tasks/0-kanban-lexer.md
    """
    from topkick.app.run_view import take_a_look
    from topkick.kanban import views as kanban_page

    project = find_board(board, Path.cwd(), to_run=False)
    shown = read_all(project)
    for line in kanban_page.lines(shown.board, shown.tasks, shown.missing, terminal.width()):
        terminal.say(line)
    view = take_a_look(project) if project.state_dir.is_dir() else None
    if view is not None and view.mission.plan is not None:
        from topkick.engine.views import run_status

        terminal.say("")
        for line in run_status.lines(view.mission, terminal.situation(view)):
            terminal.say(line)
    return 0


@command.command("new")
@click.argument("title")
@click.option("--request", default="", metavar="TEXT", help="What is wanted, in your own words.")
@click.option("--dir", "directory", default="tasks", type=click.Path(path_type=Path))
def new(title: str, request: str, directory: Path) -> int:
    """Create a board, with a first task for the Architect.

    \b
    Example: topkick kanban new "Indentation-aware lexer" --request "Blocks by indentation."
    """
    if not title.strip():
        raise UsageError(
            "The title is empty, so no board was written.\n"
            'Give the board a title: topkick kanban new "What it is about"'
        )
    path = make_board(directory, title.strip(), request)
    terminal.say(f"Wrote {path} and its first task.")
    terminal.say(f"Next: topkick kanban run {path}")
    return 0


@command.command("manage", hidden=True)
def manage() -> int:
    """Act as the built-in Manager: read its order from standard input, print its answer.

    \b
    Example: topkick kanban manage < order
    """
    from topkick.kanban.project import answer

    click.echo(answer(sys.stdin.read(), Path.cwd()))
    return 0
