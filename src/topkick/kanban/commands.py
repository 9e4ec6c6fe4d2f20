"""`topkick kanban`: run a board, look at it, begin one."""

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
    """Run a kanban board: spawn who its current task names, check the form, tell the Manager.

    \b
    Example: topkick kanban new "Indentation-aware lexer" && topkick kanban run
    """


# --- run -------------------------------------------------------------------------------------


@command.command("run")
@click.argument("board", required=False, type=click.Path(path_type=Path))
@click.option("--manager", type=click.Choice(["agent", "builtin"]), help="Who keeps the board.")
@click.option("--agent", metavar="NAME", help="Another agent of those set up, for this run.")
@click.option("--instruction", metavar="TEXT", help="One order instead of a board.")
@click.option("--role", default="Implementor", help="Who is given the instruction.")
@click.option("--background", is_flag=True, help="Outlive this terminal, and watch from here.")
@click.option("--yes", is_flag=True, help="Accept settings that were changed; do not ask.")
def run(
    board: Path | None,
    manager: str | None,
    agent: str | None,
    instruction: str | None,
    role: str,
    background: bool,
    yes: bool,
) -> int:
    """Go on with the board until nothing is left, or somebody is needed.

    Killed at any moment, the same command goes on with the task in hand. Ctrl-C lets the agent
    at work finish; a second one ends it. Exit code 0: done; 3: a person is needed. With
    --background closing the terminal harms nothing, and `topkick watch BOARD` attaches again.

    \b
    Example: topkick kanban run tasks/0-kanban-lexer.md --manager builtin
    """
    from topkick.app import file_run

    if background and instruction is not None:
        raise UsageError(
            "An instruction is one order and has no board: run it without --background."
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
    """The board on the terminal: each task by its state, and who would be asked next.

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
    """Begin a board, with a first task for the Architect.

    \b
    Example: topkick kanban new "Indentation-aware lexer" --request "Blocks by indentation."
    """
    if not title.strip():
        raise UsageError('A board needs a title: topkick kanban new "What it is about"')
    path = make_board(directory, title.strip(), request)
    terminal.say(f"Wrote {path} and its first task.")
    terminal.say(f"Next: topkick kanban run {path}")
    return 0


@command.command("manage", hidden=True)
def manage() -> int:
    """Be the built-in Manager: the order on standard input, the answer on standard output.

    \b
    Example: topkick kanban manage < order
    """
    from topkick.kanban.project import answer

    click.echo(answer(sys.stdin.read(), Path.cwd()))
    return 0
