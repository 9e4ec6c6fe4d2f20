"""What `start` and `resume` share: bring a supervisor up, then stay and watch, or come back."""

from topkick.faces import terminal
from topkick.faces.ending import say_ending
from topkick.wiring.background import drive_in_background
from topkick.wiring.looking import take_a_look
from topkick.wiring.project import Project
from topkick.wiring.running import drive

INTERRUPTED = 130


def launch(project: Project, *, foreground: bool) -> int:
    if foreground:
        return _stay(project)
    try:
        pid = drive_in_background(project)
    except KeyboardInterrupt:
        terminal.say("\nIt was coming up in the background and goes on.")
        terminal.say("Look: topkick status    Stop: topkick stop")
        return INTERRUPTED
    if terminal.is_there():
        from topkick.faces import viewer

        return viewer.watch(project)
    terminal.say(f"Running in the background (supervisor {pid}).")
    terminal.say("Look: topkick status    Follow: topkick watch    Stop: topkick stop")
    return 0


def _stay(project: Project) -> int:
    code = drive(project, say=terminal.say)
    view = take_a_look(project)
    if view is not None:
        say_ending(project, view)
    return code
