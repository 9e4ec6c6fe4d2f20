"""`topkick salvage`: list, show and restore uncommitted work that was saved."""

import json
import time
from pathlib import Path

import click

from topkick.app.run_search import run_here
from topkick.cli import terminal
from topkick.engine.errors import UsageError
from topkick.git.salvage import Kept, kept_in, patch_of, restore
from topkick.sprint.run import landing as taking_home
from topkick.text import columns, escape
from topkick.text.columns import Column
from topkick.text.format import counted

LINES_SHOWN = 2000
WIDE = 200
COLUMNS = (Column("Name"), Column("Saved"), Column("Files"), Column("What"))


@click.group("salvage")
def command() -> None:
    """List, show and restore uncommitted work that topkick saved before it could be lost.

    \b
    Example: topkick salvage list
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_(as_json: bool) -> int:
    """List what was saved, the newest first.

    \b
    Example: topkick salvage list
    """
    found = _all()
    if as_json:
        click.echo(json.dumps([_as_json(top, kept) for top, kept in found], indent=2))
        return 0
    if found:
        for line in columns.lay_out(COLUMNS, [_row(kept) for _, kept in found], WIDE):
            terminal.say(line)
        terminal.say("Look: topkick salvage show NAME    Give back: topkick salvage restore NAME")
    else:
        terminal.say("Nothing was saved.")
    return 0


@command.command("show")
@click.argument("name")
def show(name: str) -> int:
    """Print the saved work as a patch: into a pipe or a file byte for byte, so it can be applied.

    \b
    Example: topkick salvage show 3f2a-4
             topkick salvage show 3f2a-4 | git apply
    """
    top, kept = _named(name)
    patch = patch_of(top, kept)
    if not terminal.is_shown():
        click.echo(patch, nl=False)
        return 0
    terminal.say(escape.block(kept.told))
    terminal.say("")
    lines = patch.decode("utf-8", "replace").split("\n")
    for line in lines[:LINES_SHOWN]:
        terminal.say(escape.verbatim(line))
    if len(lines) > LINES_SHOWN:
        terminal.say(f"… and {len(lines) - LINES_SHOWN} lines more: git show {kept.commit}")
    return 0


@command.command("restore")
@click.argument("name")
@click.option("--force", is_flag=True, help="Overwrite files that were changed since.")
def restore_(name: str, force: bool) -> int:
    """Write saved work into your checkout, uncommitted as it was.

    \b
    Example: topkick salvage restore 3f2a-4
    """
    top, kept = _named(name)
    files = restore(top, kept, force=force)
    terminal.say(f"{counted(len(files), 'file')} written in {escape.line(str(top))}.")
    terminal.say("Look: git status")
    return 0


def _row(kept: Kept) -> tuple[str, ...]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.at_s))
    told = escape.line(kept.told.splitlines()[0] if kept.told else "", 70)
    return escape.line(kept.name), when, counted(len(kept.files), "file"), told


def _all() -> list[tuple[Path, Kept]]:
    tops = taking_home.checkouts(run_here())
    return [(top, kept) for top in tops for kept in kept_in(top)]


def _named(name: str) -> tuple[Path, Kept]:
    found = _all()
    exact = [pair for pair in found if pair[1].name == name]
    near = exact or [pair for pair in found if pair[1].name.startswith(name)]
    if len(near) == 1:
        return near[0]
    known = ", ".join(escape.line(kept.name) for _, kept in (near or found)[:8]) or "none"
    what = "Several begin with" if near else "Nothing was saved as"
    raise UsageError(f"{what} '{name}'. There is: {known}\nAll of it: topkick salvage list")


def _as_json(top: Path, kept: Kept) -> dict[str, object]:
    return {
        "name": kept.name,
        "repository": str(top),
        "commit": kept.commit,
        "at": kept.at_s,
        "told": kept.told,
        "files": list(kept.files),
    }
