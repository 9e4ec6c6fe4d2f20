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
@click.option("--dry-run", is_flag=True, help="Say what would go, and end there.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="What there is, as JSON; does nothing.")
def command(dry_run: bool, yes: bool, as_json: bool) -> int:
    """Remove the trees of units whose work has landed.

    One with uncommitted files, with work that is in none of your branches, or of a run that is
    not at its end stays.

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
        terminal.say("Nothing to clear away." if not found else "Nothing of it may go.")
        return 0
    freed = _mib(sum(tree.bytes for tree in going))
    if dry_run:
        terminal.say(f"{counted(len(going), 'tree')} would go: {freed}.")
        return 0
    _agree(len(going), freed, yes=yes)
    for tree in going:
        clear(tree)
    terminal.say(f"{counted(len(going), 'tree')} cleared away: {freed}.")
    return 0


def _agree(count: int, freed: str, *, yes: bool) -> None:
    if yes:
        return
    if not terminal.is_there():
        raise UsageError("Nobody is here to answer. Without a terminal: topkick clean --yes")
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
