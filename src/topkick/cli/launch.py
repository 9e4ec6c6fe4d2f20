"""Shared by `start`, `resume` and `kanban run`: start a supervisor, then watch it or return."""

from pathlib import Path

from topkick.app.background import drive_in_background
from topkick.app.project import Project
from topkick.app.run import drive
from topkick.app.run_view import take_a_look
from topkick.cli import terminal
from topkick.sprint.model import SPRINT

INTERRUPTED = 130


def launch(project: Project, *, foreground: bool) -> int:
    if foreground:
        return _stay(project)
    try:
        pid = drive_in_background(project)
    except KeyboardInterrupt:
        terminal.say("\nThe supervisor was starting in the background, and continues.")
        terminal.say(whats_next(project))
        return INTERRUPTED
    return attach(project, pid)


def attach(project: Project, pid: int) -> int:
    """Open the viewer; without a terminal, print the commands that show and stop the run."""
    if terminal.is_there():
        from topkick.cli.viewer import viewer

        return viewer.watch(project)
    terminal.say(f"Running in the background (supervisor {pid}).")
    terminal.say(whats_next(project))
    return 0


def whats_next(project: Project) -> str:
    if project.kind == SPRINT:
        return "Look: topkick status    Follow: topkick watch    Stop: topkick stop"
    show = f"topkick kanban show {_from_here(project.plan_path)}"
    return f"Look: {show}    Follow: {watch_command(project)}    Stop: {stop_command(project)}"


def watch_command(project: Project) -> str:
    """Return the command that attaches to this run again."""
    return (
        "topkick watch"
        if project.kind == SPRINT
        else f"topkick watch {_from_here(project.plan_path)}"
    )


def stop_command(project: Project) -> str:
    """Return the command that stops this run."""
    where = "" if project.kind == SPRINT else f"TOPKICK_PLAN={_from_here(project.plan_path)} "
    return f"{where}topkick stop"


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _stay(project: Project) -> int:
    # now, for the installation may be replaced while the run lasts
    from topkick.cli.run_end import say_ending

    code = drive(project, say=terminal.say)
    view = take_a_look(project)
    if view is not None:
        say_ending(project, view)
    return code
