"""What is said when a run has come to its end, on a screen or without one."""

from topkick.boards import closing, file_status
from topkick.core.standing import SPRINT
from topkick.faces import terminal
from topkick.faces.kill_page import interrupted, kill_page
from topkick.faces.stuck_pages import stuck_pages
from topkick.wiring.looking import View
from topkick.wiring.project import Project


def say_ending(project: Project, view: View) -> None:
    if view.mission.policy != SPRINT:
        for line in file_status.lines(view.mission, terminal.situation(view)):
            terminal.say(line)
        return
    for line in stuck_pages(project, view.mission):
        terminal.say(line)
    if count := interrupted(view.mission):
        terminal.say("\n" + kill_page(project, view.mission, terminated=count))
    terminal.say("")
    for line in closing.lines(view.mission, view.now_us):
        terminal.say(line)
