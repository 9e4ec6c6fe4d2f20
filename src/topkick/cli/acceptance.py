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

CHANGED = "Settings that run commands or pass on variables changed since you accepted them:"


def require(commands: Sequence[str], settings: Sequence[ChangedSetting], accept: str) -> None:
    """Show what is new and ask to accept it. `accept` is the command that accepts unasked."""
    if not commands and not settings:
        return
    show(commands, settings)
    if not terminal.is_there():
        raise UsageError(
            "There is no terminal to ask whether you accept this, so nothing of it was run and the "
            "run was not resumed.\n"
            f"Accept it: {accept}    Or undo the change and run the command again."
        )
    if not click.confirm("Accept this?", default=False):
        raise click.Abort


def show(commands: Sequence[str], settings: Sequence[ChangedSetting]) -> None:
    if commands:
        terminal.say("The plan has new commands, which topkick itself would run:")
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
            yield f"    reordered: {escape.verbatim(', '.join(one.now), 6)}"


def of_file_runs(command: str, *, yes: bool) -> Accept:
    """Return the question about changed settings, for a run of a board or an epic."""
    return partial(_of_file_run, command, yes)


def _of_file_run(command: str, yes: bool, before: Settings, now: Settings) -> None:
    found = changed(before, now)
    if yes:
        show((), found)
    else:
        require((), found, f"{command} --yes")
