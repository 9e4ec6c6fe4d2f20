"""`topkick` without a command: show what start or resume would do, and ask before doing it."""

import click

from topkick.app.project import PlanNotFound, Project
from topkick.app.run_search import run_here
from topkick.app.run_view import View, take_a_look
from topkick.cli import terminal
from topkick.sprint import status
from topkick.sprint.model import Overall


def say_what_would_happen(ctx: click.Context) -> int:
    try:
        project = run_here()
    except PlanNotFound:
        click.echo(ctx.get_help())
        return 0
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        return _offer_start(ctx, project)
    return _offer_resume(project, view)


def _offer_start(ctx: click.Context, project: Project) -> int:
    if not terminal.is_there():
        click.echo(ctx.get_help())
        return 0
    if not project.config_path.exists():
        terminal.say(f"There is a plan here, but no {project.config_path.name} yet.")
        terminal.say("Next: topkick init")
        return 0
    from topkick.sprint.commands import start

    return int(ctx.invoke(start.command) or 0)


def _offer_resume(project: Project, view: View) -> int:
    from topkick.sprint.commands import resume
    from topkick.sprint.commands.read import status as read_status

    read_status.show(project)
    over = status.overall(view.mission) is Overall.COMPLETED
    if over or not terminal.is_there():
        return 0
    if view.holder is not None:
        terminal.say("\nA supervisor is running. Follow it: topkick watch")
        return 0
    terminal.say("")
    if not click.confirm("Resume?", default=False):
        return 0
    return resume.resume(project, resume.ResumeOptions())
