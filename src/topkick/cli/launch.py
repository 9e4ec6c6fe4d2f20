"""Shared by `start`, `resume` and `kanban run`: start a supervisor, then watch it or return."""

from pathlib import Path

from topkick.app.background import drive_in_background
from topkick.app.project import Project
from topkick.app.run import drive
from topkick.app.run_view import View, take_a_look
from topkick.cli import terminal
from topkick.engine.views import run_status
from topkick.sprint.commands.killall import interrupted, kill_page
from topkick.sprint.explain.stuck import stuck_pages
from topkick.sprint.status import SPRINT
from topkick.sprint.views import closing_lines

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
    code = drive(project, say=terminal.say)
    view = take_a_look(project)
    if view is not None:
        say_ending(project, view)
    return code


# --- the end of a run ----------------------------------------------------------------------------


def say_ending(project: Project, view: View) -> None:
    if view.mission.policy != SPRINT:
        for line in run_status.lines(view.mission, terminal.situation(view)):
            terminal.say(line)
        return
    for line in stuck_pages(project, view.mission):
        terminal.say(line)
    if count := interrupted(view.mission):
        terminal.say("\n" + kill_page(project, view.mission, terminated=count))
    terminal.say("")
    for line in closing_lines.lines(view.mission, view.now_us):
        terminal.say(line)
