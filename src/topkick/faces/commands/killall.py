"""`topkick killall`: ends every agent at once, with or without a supervisor."""

import click

from topkick.boards import closing, status
from topkick.core import standing
from topkick.core.errors import TopkickError
from topkick.core.mission import Mission, Overall
from topkick.faces import terminal
from topkick.faces.kill_page import kill_page
from topkick.faces.run_here import run_here
from topkick.outside.lock import holder, is_held
from topkick.wiring.looking import take_a_look
from topkick.wiring.project import Project
from topkick.wiring.talking import kill_all, kill_everything


@click.command("killall")
def command() -> int:
    """End every agent of this project at once; nothing is committed and nothing discarded.

    \b
    Example: topkick killall
    """
    try:
        return kill(run_here())
    except OSError as trouble:
        if trouble.filename is None:  # it is our own words that cannot be written
            raise
        raise TopkickError(
            f"{trouble.filename}: {trouble.strerror}\n"
            "Not everything could be looked at, so agents may still be alive. "
            "Put that right, then: topkick killall"
        ) from trouble


def kill(project: Project) -> int:
    try:
        before = take_a_look(project)
    except TopkickError as trouble:  # a journal that cannot be read must not save an agent
        return _kill_by_hand(project, trouble)
    done = kill_all(project)
    survivors = tuple(pid for k in done.by_hand for pid in k.exit.survivors)
    after = take_a_look(project)
    if after is None or after.mission.plan is None:
        terminal.say(f"Agents terminated: {len(done.by_hand)}. There is no run here.")
        return 1 if survivors else 0
    runs = before.mission.runs.values() if before is not None else ()
    count = max(sum(r.dispatch is not None and r.exit is None for r in runs), len(done.by_hand))
    if not count and nothing_runs(after.mission) and not done.trouble:
        return say_nothing_runs(after.mission)
    click.echo(kill_page(project, after.mission, count, survivors), nl=False)
    if done.trouble:
        _warn_of_the_supervisor(project)
        click.echo(f"The kill could not be recorded: {done.trouble}", err=True)
    return 1 if survivors or done.trouble else 0


def nothing_runs(mission: Mission) -> bool:
    """Everything is done, and nothing of it is left running."""
    left = mission.runs or mission.backgrounds
    return standing.overall(mission) is Overall.COMPLETED and not left


def say_nothing_runs(mission: Mission) -> int:
    terminal.say(f"Nothing is running: everything is done, {status.progress(mission)}.")
    for line in closing.whats_next(mission):
        terminal.say(line)
    return 0


def _kill_by_hand(project: Project, trouble: TopkickError) -> int:
    killed = kill_everything(project)
    survivors = [str(pid) for k in killed for pid in k.exit.survivors]
    terminal.say(f"Agents terminated: {len(killed)}.")
    if survivors:
        terminal.say(f"Still alive: {', '.join(survivors)}")
    _warn_of_the_supervisor(project)
    click.echo(f"The kill could not be recorded: {trouble}", err=True)
    return 1 if survivors else trouble.exit_code


def _warn_of_the_supervisor(project: Project) -> None:
    """It has not heard of the kill. Who it is stands in a file: that is no proof to kill by."""
    if not is_held(project.state_dir):
        return
    who = holder(project.state_dir)
    if who is None or who.is_elsewhere:
        name, how = "", "End it where it runs"
    else:
        name, how = f" (process {who.pid})", f"End it: kill {who.pid}"
    terminal.say(
        f"A supervisor is alive{name}, could not be told, and may dispatch again as soon as it "
        f"can write.\n{how}    Then: topkick killall"
    )
