"""Ask a person before commands and settings take effect that were not accepted for this run."""

from collections.abc import Iterator, Sequence
from functools import partial

import click

from topkick.app.file_run import Accept
from topkick.cli import terminal
from topkick.engine.acting_settings import ChangedSetting, changed
from topkick.engine.errors import UsageError
from topkick.engine.settings import Settings
from topkick.text import escape

CHANGED = "Settings that run something or hand something over changed since they were accepted:"


def require(commands: Sequence[str], settings: Sequence[ChangedSetting], accept: str) -> None:
    """Show what is new and ask for it. `accept` is the command that accepts without a question."""
    if not commands and not settings:
        return
    show(commands, settings)
    if not terminal.is_there():
        raise UsageError(
            "Nobody is here to accept this, so nothing of it was run and the run was not resumed.\n"
            f"Accept it: {accept}    Or undo the change, and give the same command again."
        )
    if not click.confirm("Accept this?", default=False):
        raise click.Abort


def show(commands: Sequence[str], settings: Sequence[ChangedSetting]) -> None:
    if commands:
        terminal.say("The plan has commands that topkick would run itself and that are new:")
    for command in commands:
        terminal.say(f"  {escape.verbatim(command, 2)}")
    if settings:
        terminal.say(CHANGED)
    for line in lines(settings):
        terminal.say(line)


def lines(settings: Sequence[ChangedSetting]) -> Iterator[str]:
    """Yield each changed setting as a diff: removed values with a minus, added ones with a plus."""
    for one in settings:
        yield f"  {escape.line(one.name)}"
        yield from (f"    - {escape.verbatim(value, 6)}" for value in one.removed)
        yield from (f"    + {escape.verbatim(value, 6)}" for value in one.added)
        if not one.removed and not one.added:
            yield f"    in another order: {escape.verbatim(', '.join(one.now), 6)}"


def of_file_runs(command: str, *, yes: bool) -> Accept:
    """Return what asks for changed settings of a run whose truth is a file."""
    return partial(_of_file_run, command, yes)


def _of_file_run(command: str, yes: bool, before: Settings, now: Settings) -> None:
    found = changed(before, now)
    if yes:
        show((), found)
    else:
        require((), found, f"{command} --yes")
