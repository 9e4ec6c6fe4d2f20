"""`topkick stop`: no new orders; the agents at work may finish."""

import click

from topkick.boards import status
from topkick.core import happenings as h
from topkick.core.errors import UsageError
from topkick.core.model import Mission, UnitState
from topkick.faces import handles, terminal
from topkick.faces.commands.killall import kill
from topkick.wiring.background import drive_in_background
from topkick.wiring.looking import take_a_look
from topkick.wiring.project import Project, find_project
from topkick.wiring.talking import tell


@click.command("stop")
@click.argument("units", nargs=-1, metavar="[U]...")
@click.option("--now", is_flag=True, help="Do not wait for the agents: end them.")
def command(units: tuple[str, ...], now: bool) -> int:
    """Stop the run, or some of its work units: agents at work finish first.

    A second stop ends them. `stop --now` is the same as killall.

    \b
    Example: topkick stop U2
    """
    project = find_project()
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here to stop. Begin one: topkick start")
    if now and not units:
        return kill(project)
    names = tuple(handles.find_unit(view.mission, u).name for u in units)
    was_stopping = _stopping(view.mission, names)
    forced = was_stopping or now
    mission = _tell(project, h.Stop(names, force=forced))
    terminal.say(_answer(mission, names, forced=forced))
    _see_them_out(project, mission)
    return 0


def _see_them_out(project: Project, mission: Mission) -> None:
    """With no supervisor alive somebody has to wait for the agents and judge their work."""
    view = take_a_look(project)
    if view is not None and not view.is_driven and mission.runs:
        drive_in_background(project)
        terminal.say("The supervisor was dead; a new one waits for them in the background.")


def _tell(project: Project, order: h.Stop) -> Mission:
    told = tell(project, order)
    if not told.accepted:
        raise UsageError(told.answer)
    view = take_a_look(project)
    assert view is not None
    return view.mission


def _stopping(mission: Mission, names: tuple[str, ...]) -> bool:
    units = [u for u in mission.units.values() if not names or u.name in names]
    return any(u.state is UnitState.STOPPING for u in units)


def _answer(mission: Mission, names: tuple[str, ...], *, forced: bool) -> str:
    runs = [r for r in mission.runs.values() if not names or r.unit in names]
    count = sum(r.dispatch is not None and r.exit is None for r in runs)
    if not count:
        return f"Stopped. {status.progress(mission)}. Go on: topkick resume"
    agents = f"{count} active agent{'s' if count != 1 else ''}"
    if forced:
        return f"Ending {agents}. topkick status shows when they are gone."
    return (
        f"Supervisor entering graceful shutdown. Waiting for {agents} to finish.\n"
        "Do not wait: topkick stop again    Look: topkick status"
    )
