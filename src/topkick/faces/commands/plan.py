"""`topkick plan`: how the plan was understood, and the order an agent would get."""

import json
from pathlib import Path

import click

from topkick.core.dispatch import write_prompt
from topkick.core.model import AgentProgram, Ground, Mission, Settings
from topkick.faces import handles, plan_json, plan_page
from topkick.faces.commands.start import imagined
from topkick.wiring.looking import take_a_look
from topkick.wiring.planning import read_plan
from topkick.wiring.project import Project, find_project


@click.group("plan")
def command() -> None:
    """How the plan is understood.

    \b
    Example: topkick plan show
    """


@command.command("show")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="All of it, however long.")
@click.option("--commands", is_flag=True, help="Every command that topkick itself would run.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def show(plan: Path | None, full: bool, commands: bool, as_json: bool) -> int:
    """Units by layer, sprints, how many checks a machine can run, and what was noticed.

    \b
    Example: topkick plan show --full
    """
    project = find_project(plan)
    reading = read_plan(project)
    mission = imagined(reading.plan, _some_settings())
    if as_json:
        click.echo(json.dumps(plan_json.as_json(mission, reading), indent=2))
        return 0
    if commands:
        click.echo("\n".join(plan_page.commands(mission)))
        return 0
    lines = plan_page.page(mission, reading)
    click.echo("\n".join(lines if full else plan_page.shortened(lines)))
    return 0


@command.command("prompt")
@click.argument("x")
def prompt(x: str) -> int:
    """The order that the agent of sprint X would get now, word for word.

    \b
    Example: topkick plan prompt U2/1
    """
    project = find_project()
    mission = _mission(project)
    target = handles.find(mission, x)
    sprint = target.named_or_current
    click.echo(write_prompt(mission, target.unit, sprint, sprint.ground or Ground()), nl=False)
    return 0


def _mission(project: Project) -> Mission:
    """The run that is here; else the plan as it would begin."""
    view = take_a_look(project)
    if view is not None and view.mission.plan is not None:
        return view.mission
    return imagined(read_plan(project).plan, _some_settings())


def _some_settings() -> Settings:
    """Looking at a plan needs no configured agent."""
    return Settings(AgentProgram("none", ("true",)))
