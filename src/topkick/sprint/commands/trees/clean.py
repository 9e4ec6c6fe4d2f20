"""`topkick clean`: remove trees whose work has landed."""

import json

import click

from topkick.app.run_search import run_here
from topkick.cli import terminal
from topkick.engine.errors import UsageError
from topkick.git.clone.cleanup import UnitTrees, clear
from topkick.sprint.run import landing as taking_home
from topkick.text import escape
from topkick.text.format import counted


@click.command("clean")
@click.option("--dry-run", is_flag=True, help="Show what would be removed, remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print the trees as JSON, remove nothing.")
def command(dry_run: bool, yes: bool, as_json: bool) -> int:
    """Remove the trees of units whose work has landed.

    A tree stays if it has uncommitted files, if its work is in none of your branches, or if its
    run has not ended.

    \b
    Example: topkick clean --dry-run
    """
    found = taking_home.trees_left(run_here())
    if as_json:
        click.echo(json.dumps([_as_json(tree) for tree in found], indent=2))
        return 0
    for tree in found:
        fate = f"stays: {escape.line(tree.why_not)}" if tree.why_not else "goes"
        name = f"{escape.line(tree.mission)}/{escape.line(tree.unit)}"
        terminal.say(f"{name}  {_mib(tree.bytes)}  {fate}")
    going = [tree for tree in found if not tree.why_not]
    if not going:
        terminal.say("Nothing to remove." if not found else "None of it may be removed.")
        return 0
    freed = _mib(sum(tree.bytes for tree in going))
    if dry_run:
        terminal.say(f"{counted(len(going), 'tree')} would be removed: {freed}.")
        return 0
    _agree(len(going), freed, yes=yes)
    for tree in going:
        clear(tree)
    terminal.say(f"{counted(len(going), 'tree')} removed: {freed}.")
    return 0


def _agree(count: int, freed: str, *, yes: bool) -> None:
    if yes:
        return
    if not terminal.is_there():
        raise UsageError(
            "There is no terminal to ask in, so nothing was removed.\n"
            "Add --yes: topkick clean --yes"
        )
    if not click.confirm(f"Remove {counted(count, 'tree')} ({freed})?", default=False):
        raise click.Abort


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):.1f} MiB"


def _as_json(tree: UnitTrees) -> dict[str, object]:
    return {
        "place": str(tree.place),
        "mission": tree.mission,
        "unit": tree.unit,
        "bytes": tree.bytes,
        "goes": not tree.why_not,
        "why_not": tree.why_not,
    }
