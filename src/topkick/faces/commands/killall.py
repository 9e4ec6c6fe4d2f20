"""`topkick killall`: ends every agent at once, with or without a supervisor."""

import click

from topkick.faces import terminal
from topkick.faces.kill_page import kill_page
from topkick.wiring.looking import take_a_look
from topkick.wiring.project import Project, find_project
from topkick.wiring.talking import kill_all


@click.command("killall")
def command() -> int:
    """End every agent of this project at once; nothing is committed and nothing discarded.

    \b
    Example: topkick killall
    """
    return kill(find_project())


def kill(project: Project) -> int:
    before = take_a_look(project)
    done = kill_all(project)
    after = take_a_look(project)
    survivors = tuple(pid for k in done.by_hand for pid in k.exit.survivors)
    if after is None or after.mission.plan is None:
        terminal.say(f"Agents terminated: {len(done.by_hand)}. There is no run here.")
        return 1 if survivors else 0
    runs = before.mission.runs.values() if before is not None else ()
    count = max(sum(r.dispatch is not None and r.exit is None for r in runs), len(done.by_hand))
    click.echo(kill_page(project, after.mission, count, survivors), nl=False)
    if done.trouble:
        click.echo(f"The kill could not be recorded: {done.trouble}", err=True)
    return 1 if survivors or done.trouble else 0
