"""`topkick watch`: attaches the viewer to a run again."""

import click

from topkick.core.errors import UsageError
from topkick.wiring.looking import take_a_look
from topkick.wiring.project import find_project


@click.command("watch")
def command() -> int:
    """Attach to the run: the table, the last events, and Ctrl-C to stop it.

    \b
    Example: topkick watch
    """
    project = find_project()
    if take_a_look(project) is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    from topkick.faces import viewer

    return viewer.watch(project)
