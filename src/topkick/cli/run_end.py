"""Print the closing lines of a run, after the viewer or in the foreground."""

from topkick.app.project import Project
from topkick.app.run_view import View
from topkick.cli import terminal
from topkick.engine.views import run_status
from topkick.sprint.commands.killall import interrupted, kill_page
from topkick.sprint.explain.stuck import stuck_pages
from topkick.sprint.model import SPRINT
from topkick.sprint.views import closing_lines


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
