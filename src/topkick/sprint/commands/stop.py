"""`topkick stop`: give no new orders; agents at work may finish."""

from collections.abc import Iterator

import click

from topkick.app.background import drive_in_background
from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look
from topkick.app.send_command import CommandReply, fates, runs_at, tell, wait_for_the_end_of
from topkick.cli import completion, handles, terminal
from topkick.engine import messages as h
from topkick.engine.errors import UsageError
from topkick.sprint.commands.killall import kill, kill_page, nothing_runs, say_nothing_runs
from topkick.sprint.model import Mission, Stance, Unit
from topkick.sprint.transitions import UnitState
from topkick.sprint.views import status
from topkick.text.format import counted

LIVE = {UnitState.RUNNING, UnitState.STOPPING}


@click.command("stop")
@click.argument("units", nargs=-1, metavar="[U]...", shell_complete=completion.units)
@click.option("--now", is_flag=True, help="Do not wait for the agents: end them.")
def command(units: tuple[str, ...], now: bool) -> int:
    """Stop the run, or some of its work units: agents at work finish first.

    A second stop ends them. `stop --now` is the same as killall.

    \b
    Example: topkick stop U2
    """
    project = run_here()
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here to stop. Begin one: topkick start")
    if now and not units:
        return kill(project)
    if nothing_runs(view.mission):
        return say_nothing_runs(view.mission)
    names = tuple(handles.find_unit(view.mission, u).name for u in units)
    forced = now or _is_stopping(view.mission, names)
    told = _tell(project, h.Stop(names, force=forced))
    mission = _mission(project)
    terminal.say(_answer(mission, names, forced=forced))
    if forced:
        return _report_forced(project, view.mission, told.letter, names)
    _see_them_out(project, mission)
    return 0


def _report_forced(project: Project, before: Mission, letter: int, names: tuple[str, ...]) -> int:
    """Wait until the agents are dead, then print the same page as after killall (SD-06)."""
    wait_for_the_end_of(project, runs_at(project, letter, names))
    known = [f for f in fates(project, before, ()) if not names or f.agent.split("/")[0] in names]
    if known:
        terminal.say("")
        click.echo(kill_page(project, _mission(project), known), nl=False)
    _see_them_out(project, _mission(project))
    return 0 if all(fate.is_dead for fate in known) else 1


def _see_them_out(project: Project, mission: Mission) -> None:
    """Start a supervisor if none is alive: it has to wait for the agents and judge their work."""
    view = take_a_look(project)
    if view is not None and not view.is_driven and mission.runs:
        drive_in_background(project)
        working = mission.stance is Stance.WORKING
        does = "continues" if working else "waits for them"
        terminal.say(f"The supervisor was dead; a new one {does} in the background.")


def _tell(project: Project, order: h.Stop) -> CommandReply:
    told = tell(project, order)
    if not told.accepted:
        raise UsageError(told.answer)
    return told


def _mission(project: Project) -> Mission:
    view = take_a_look(project)
    assert view is not None
    return view.mission


def _is_stopping(mission: Mission, names: tuple[str, ...]) -> bool:
    """Return whether everything named is stopping already: only then is this a second stop."""
    if not names and mission.stance is Stance.STOPPING:
        return True
    live = [u for u in _meant(mission, names) if u.state in LIVE]
    return bool(live) and all(u.state is UnitState.STOPPING for u in live)


def _meant(mission: Mission, names: tuple[str, ...]) -> list[Unit]:
    return [u for u in mission.units.values() if not names or u.name in names]


def _answer(mission: Mission, names: tuple[str, ...], *, forced: bool) -> str:
    who = [u.handle for u in _meant(mission, names)] if names else []
    again = " ".join(["topkick stop", *who])
    runs = [r for r in mission.runs.values() if not names or r.unit in names]
    count = sum(r.dispatch is not None and r.exit is None for r in runs)
    if not count:
        return "\n".join(_without_agents(mission, names))
    agents = counted(count, "active agent")
    if forced:
        return f"Ending {agents}."
    stops = f"{', '.join(who)} {'stops' if len(who) == 1 else 'stop'}: no order after this one."
    return (
        f"{stops if names else 'Supervisor entering graceful shutdown.'} "
        f"Waiting for {agents} to finish.\n"
        f"Do not wait: {again} (a second one ends them)    Look: topkick status"
    )


def _without_agents(mission: Mission, names: tuple[str, ...]) -> Iterator[str]:
    if not names:
        yield f"Stopped. {status.progress(mission)}. Continue: topkick resume"
    for unit in _meant(mission, names) if names else ():
        match unit.state:
            case UnitState.STOPPED | UnitState.KILLED:
                yield f"{unit.handle} is {unit.state}. Continue it: topkick resume {unit.handle}"
            case UnitState.STOPPING:
                yield f"{unit.handle} is {unit.state}: its work is still checked."
            case _:
                yield f"{unit.handle} is {unit.state}: there is nothing to stop."
