"""`topkick config show`: the settings in force and where they come from."""

import json
from pathlib import Path

import click

from topkick.app.config.file import as_json, load_config
from topkick.app.project import PlanNotFound, Project, find_project, project_at


@click.group("config")
def command() -> None:
    """The settings in force.

    \b
    Example: topkick config show
    """


@command.command("show")
def show() -> int:
    """Every setting as it is now, defaults included, as JSON.

    \b
    Example: topkick config show | jq .limits
    """
    project = _project()
    config = load_config(project)
    place = project.config_path
    click.echo(f"# {place}{'' if place.exists() else ' (not there: topkick init)'}", err=True)
    click.echo(json.dumps(as_json(config), indent=2))
    return 0


def _project() -> Project:
    """Settings are there before a plan is."""
    try:
        return find_project()
    except PlanNotFound:
        return project_at(Path.cwd().resolve())
