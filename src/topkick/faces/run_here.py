"""The run that a command is about, found with or without its plan."""

from pathlib import Path

import click

from topkick.boards import safe
from topkick.wiring.project import Project
from topkick.wiring.run_search import find_run, is_plan_there


def run_here(file: Path | None = None) -> Project:
    """Find the run; if its plan is missing, say so on stderr with the command that restores it."""
    project = find_run(file)
    if not is_plan_there(project):
        from topkick.wiring.missing_plan import missing_plan

        click.echo(safe.block(missing_plan(project)), err=True)
    return project
