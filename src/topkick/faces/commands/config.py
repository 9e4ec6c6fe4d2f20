"""`topkick config show`: the settings in force and where they come from."""

import json

import click

from topkick.wiring.config import load_config
from topkick.wiring.project import find_project


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
    project = find_project()
    config = load_config(project)
    place = project.config_path
    click.echo(f"# {place}{'' if place.exists() else ' (not there: topkick init)'}", err=True)
    click.echo(json.dumps(config.model_dump(mode="json"), indent=2))
    return 0
