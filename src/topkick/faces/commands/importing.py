"""`topkick import`: goes on from where a supervisor that was a model left off."""

import json
from pathlib import Path
from typing import Any

import click

from topkick.faces import import_screen, preparing, terminal
from topkick.faces.preparing import Wishes
from topkick.wiring.importing import look_over
from topkick.wiring.project import find_project


@click.command("import")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--plan", type=click.Path(path_type=Path), help="The plan, if it is not found here.")
@click.option("--dry-run", is_flag=True, help="Show the page and end there.")
@click.option("--json", "as_json", is_flag=True, help="What was found, for programs; end there.")
@preparing.run_options
def command(
    file: Path | None, plan: Path | None, dry_run: bool, as_json: bool, **wishes: Any
) -> int:
    """Take over from a supervisor that was a model.

    Its state file (SUPERVISOR_STATE.md, or FILE) is read, matched to the plan, and held against
    git and the units' progress files. What it calls done is checked before anybody goes on.

    \b
    Example: topkick import --dry-run
    """
    asked = Wishes(**wishes)
    project = find_project(plan)
    preparing.require_free(project)
    prepared = preparing.prepare(project, asked)
    takeover = look_over(project, prepared.plan, file or project.board_path)
    if as_json:
        found = import_screen.as_json(takeover, prepared.mission)
        click.echo(json.dumps(found, indent=2))
        return 0
    for line in import_screen.page(takeover, prepared.mission, terminal.width()):
        terminal.say(line)
    terminal.say("")
    preparing.show(prepared, but="First")  # that is for the checks to say
    terminal.say("")
    if dry_run:
        return 0
    return preparing.go(prepared, asked, "Take over from here", takeover.claims)
