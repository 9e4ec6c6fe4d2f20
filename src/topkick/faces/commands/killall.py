"""`topkick killall`: ends every agent at once, with or without a supervisor."""

from collections.abc import Sequence

import click

from topkick.boards import closing, kill_report, status
from topkick.core import standing
from topkick.core.errors import TopkickError
from topkick.core.mission import Mission, Overall
from topkick.faces import terminal
from topkick.faces.kill_page import kill_page, shown
from topkick.faces.run_here import run_here
from topkick.outside.lock import holder, is_held
from topkick.wiring.looking import take_a_look
from topkick.wiring.project import Project
from topkick.wiring.talking import (
    Fate,
    KilledAll,
    fates,
    kill_all,
    kill_everything,
    kill_unrecorded,
)


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
    done = kill_all(project) if before is not None else KilledAll(tuple(kill_everything(project)))
    known = fates(project, before.mission if before is not None else None, done.by_hand)
    after = take_a_look(project)
    if after is None or after.mission.plan is None:
        terminal.say(f"Agents terminated: {_dead(known)}. There is no run here.")
        _say_fates(known)
        return _code(known)
    if not known and nothing_runs(after.mission) and not done.trouble:
        return say_nothing_runs(after.mission)
    click.echo(kill_page(project, after.mission, known), nl=False)
    _say_unrecorded(project, done)
    return 1 if done.trouble else _code(known)


def _dead(known: Sequence[Fate]) -> int:
    return sum(fate.is_dead for fate in known)


def _code(known: Sequence[Fate]) -> int:
    return 0 if all(fate.is_dead for fate in known) else 1


def _say_fates(known: Sequence[Fate]) -> None:
    for line in kill_report.fate_table([shown(fate) for fate in known], terminal.width()):
        terminal.say(line)


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
    done = kill_unrecorded(project, trouble)
    known = fates(project, None, done.by_hand)
    terminal.say(f"Agents terminated: {_dead(known)}.")
    _say_fates(known)
    _say_unrecorded(project, done)
    return _code(known) or trouble.exit_code


def _say_unrecorded(project: Project, done: KilledAll) -> None:
    """The supervisor is named from a file: that is no proof to kill it by."""
    if not done.trouble:
        return
    if done.is_marked:
        terminal.say(
            "The kill could not be written to the journal, so a stop mark was left: no supervisor "
            "dispatches anything before it has recorded the kill.\n"
            "Go on once there is room: topkick resume"
        )
    elif is_held(project.state_dir):
        terminal.say(_unheard(project))
    click.echo(f"The kill could not be recorded: {done.trouble}", err=True)


def _unheard(project: Project) -> str:
    who = holder(project.state_dir)
    if who is None or who.is_elsewhere:
        name, how = "", "End it where it runs"
    else:
        name, how = f" (process {who.pid})", f"End it: kill {who.pid}"
    return (
        f"A supervisor is alive{name}, could not be told, and may dispatch again as soon as it "
        f"can write.\n{how}    Then: topkick killall"
    )
