"""`topkick watch`: attaches the viewer to a run again."""

from pathlib import Path

import click

from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look
from topkick.engine.errors import UsageError


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
    from topkick.cli.viewer import viewer

    return viewer.watch(project)
