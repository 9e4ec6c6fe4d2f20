"""`topkick watch`: attach the viewer to a run."""

from pathlib import Path

import click

from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look
from topkick.engine.errors import UsageError


@click.command("watch")
@click.argument("file", required=False, type=click.Path(path_type=Path))
def command(file: Path | None) -> int:
    """Follow the run: table and last events. Ctrl-C leaves, `s` asks to stop the run.

    FILE is the plan or board of the run; without it, the plan of this directory.

    \b
    Example: topkick watch tasks/0-kanban-lexer.md
    """
    project = run_here(file)
    if take_a_look(project) is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    from topkick.cli.viewer import viewer

    return viewer.watch(project)
