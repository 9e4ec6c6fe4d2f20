"""`topkick watch`: attaches the viewer to a run again."""

from pathlib import Path

import click

from topkick.core.errors import UsageError
from topkick.faces.run_here import run_here
from topkick.wiring.looking import take_a_look


@click.command("watch")
@click.argument("file", required=False, type=click.Path(path_type=Path))
def command(file: Path | None) -> int:
    """Attach to the run: the table and the last events. Ctrl-C leaves; `s` asks to stop the run.

    FILE is a plan or a board that was run; without it, the plan here is meant.

    \b
    Example: topkick watch tasks/0-kanban-lexer.md
    """
    project = run_here(file)
    if take_a_look(project) is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    from topkick.faces import viewer

    return viewer.watch(project)
