"""`topkick config show`: the settings in force and where they come from."""

import json
from pathlib import Path

import click

from topkick.app.config.file import as_json, load_config
from topkick.app.project import PlanNotFound, Project, find_project, project_at


@click.group("config")
def command() -> None:
    """Show the settings in force.

    \b
    Example: topkick config show
    """


@command.command("show")
def show() -> int:
    """Print every setting in force, defaults included, as JSON.

    \b
    Example: topkick config show | jq .limits
    """
    project = _project()
    config = load_config(project)
    place = project.config_path
    click.echo(
        f"# {place}{'' if place.exists() else ' (does not exist; write it: topkick init)'}",
        err=True,
    )
    click.echo(json.dumps(as_json(config), indent=2))
    return 0


def _project() -> Project:
    """Return the project; without a plan, the one of this directory."""
    try:
        return find_project()
    except PlanNotFound:
        return project_at(Path.cwd().resolve())
