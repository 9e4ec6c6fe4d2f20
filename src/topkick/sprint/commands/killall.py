"""`topkick killall`: end every agent at once, with or without a supervisor."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import click

from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look
from topkick.app.send_command import (
    KilledAgent,
    KilledAll,
    kill_all,
    kill_everything,
    kill_unrecorded,
)
from topkick.app.send_command import fates as send_command_fates
from topkick.app.state_dir.lock import holder, is_held
from topkick.cli import terminal
from topkick.engine.errors import TopkickError
from topkick.sprint import status as sprint_status
from topkick.sprint.model import Mission, Overall, Unit
from topkick.sprint.run import uncommitted as run_uncommitted
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views import closing_lines, status
from topkick.text import columns, escape
from topkick.text.columns import Column

# --- the page after killall or a forced stop -----------------------------------------------

COLUMNS = (
    Column("Work Unit", least=12),
    Column("State"),
    Column("Last Completed Sprint", least=12),
    Column("Uncommitted Work"),
    Column("Action Needed"),
)

FATE_COLUMNS = (
    Column("Agent", least=8),
    Column("Is"),
    Column("Order", least=8, leaves=1),
    Column("Note", least=16),
)

FILES_NAMED = 8


@dataclass(frozen=True, slots=True)
class AgentFate:
    """One agent after the kill; `alive` are processes that outlived SIGKILL."""

    agent: str
    order: str
    is_dead: bool
    alive: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Toll:
    """The facts for the page: how many agents ended, the fate of each, and what is left.

    `places` are the directories of units that have trees of their own, `saved` the names under
    which uncommitted work was salvaged.
    """

    terminated: int
    fates: tuple[AgentFate, ...] = ()
    uncommitted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    saved: Mapping[str, str] = field(default_factory=dict)


def render(mission: Mission, toll: Toll, width: int = 100) -> str:
    left = [u for u in mission.units.values() if toll.uncommitted.get(u.name)]
    lines = [
        "Kill All Complete",
        "",
        f"Agents terminated: {toll.terminated}",
        f"Work units with uncommitted work: {_names(left)}",
        *_survivors(toll),
        *fate_table(toll.fates, width),
        "",
        "Work unit states after kill:",
        *columns.lay_out(COLUMNS, [_row(u, toll) for u in mission.units.values()], width),
        "",
        "To resume: topkick resume",
        *_choices(left, toll),
    ]
    return "\n".join(lines) + "\n"


def _names(units: list[Unit]) -> str:
    return ", ".join(escape.line(u.name) for u in units) or "none"


def _survivors(toll: Toll) -> Iterator[str]:
    survivors = [pid for fate in toll.fates for pid in fate.alive]
    if survivors:
        pids = ", ".join(str(pid) for pid in survivors)
        yield f"STILL ALIVE although killed: {pids}. Look at them with: ps -fp {pids}"


def fate_table(fates: Sequence[AgentFate], width: int) -> Iterator[str]:
    """Yield a table of which agents are dead; nothing if no agent was at work."""
    if fates:
        yield ""
        yield "Agents after kill:"
        yield from columns.lay_out(FATE_COLUMNS, [_fate_row(fate) for fate in fates], width)


def _fate_row(fate: AgentFate) -> tuple[str, ...]:
    alive = f"ALIVE: {', '.join(map(str, fate.alive))}" if fate.alive else "not known"
    said = "dead" if fate.is_dead else alive
    return (
        escape.line(fate.agent or fate.order),
        said,
        escape.line(fate.order),
        escape.line(fate.note),
    )


def _row(unit: Unit, toll: Toll) -> tuple[str, ...]:
    done = [s for s in unit.sprints if s.state is SprintState.COMPLETED]
    return (
        escape.line(unit.name),
        unit.state.value,
        f"Sprint {escape.line(done[-1].id)}" if done else "none",
        "yes" if toll.uncommitted.get(unit.name) else "no",
        _action(unit),
    )


def _action(unit: Unit) -> str:
    sprint = unit.current
    if unit.state is UnitState.COMPLETED or sprint is None:
        return "none"
    if unit.state is UnitState.BLOCKED:
        return f"topkick retry {unit.handle}/{sprint.id}"
    verb = "restart" if sprint.dispatches else "resume from"
    return f"{verb} {escape.line(sprint.id)}"


def _choices(left: list[Unit], toll: Toll) -> Iterator[str]:
    """Yield what a person can do with uncommitted work, which topkick neither commits nor discards
    (SD-03).
    """
    if not left:
        return
    yield ""
    yield "Uncommitted work was left as it is. Two choices, for each work unit:"
    for unit in left:
        files = toll.uncommitted[unit.name]
        yield ""
        saved = toll.saved.get(unit.name)
        also = f" (a copy: topkick salvage show {escape.line(saved)})" if saved else ""
        yield f"{escape.line(unit.name)}{also}"
        yield "  Keep it (the next order tells the agent to look at it):"
        yield "    topkick resume"
        yield "  Put it away and resume cleanly (git stash pop brings it back):"
        yield f"    git{_place(unit, toll)} stash push -u -- {_pathspec(files)}"
        yield "    topkick resume"


def _place(unit: Unit, toll: Toll) -> str:
    """Return git's option for the unit's directory, which may be in another repository."""
    directory = escape.line(toll.places.get(unit.name, unit.plan.directory))
    return "" if directory in {"", "."} else f" -C {shlex.quote(directory)}"


def _pathspec(files: tuple[str, ...]) -> str:
    """Return the files as git names them from the top; the whole directory if there are many."""
    if len(files) > FILES_NAMED:
        return "."
    return " ".join(shlex.quote(f":/{escape.line(f)}") for f in files)


# --- facts for the page, with uncommitted work ---------------------------------------------


def kill_page(
    project: Project,
    mission: Mission,
    known: Sequence[KilledAgent] = (),
    terminated: int | None = None,
) -> str:
    """Return the page. `terminated` is the number of agents if the fate of each is no
    longer known.
    """
    left = run_uncommitted.uncommitted_by_unit(project, mission, mission.units)
    units = [mission.units[name] for name in left]
    toll = Toll(
        sum(fate.is_dead for fate in known) if terminated is None else terminated,
        tuple(shown(fate) for fate in known),
        left,
        {
            u.name: str(run_uncommitted.directory_of(project, mission, u))
            for u in units
            if mission.isolation
        },
        {u.name: run_uncommitted.salvage(project, mission, u) for u in units},
    )
    return render(mission, toll, terminal.width())


def shown(fate: KilledAgent) -> AgentFate:
    return AgentFate(fate.agent, fate.run_id, fate.is_dead, fate.alive, fate.note)


def interrupted(mission: Mission) -> int:
    """Count the agents that were ended before they were done, and whose sprints were not resumed
    since.
    """
    killed = [u for u in mission.units.values() if u.state is UnitState.KILLED]
    return sum(bool(s.interrupted_run) for u in killed for s in u.sprints)


@click.command("killall")
def command() -> int:
    """End every agent of this project at once; nothing is committed and nothing discarded.

    \b
    Example: topkick killall
    """
    try:
        return kill(run_here())
    except OSError as trouble:
        if trouble.filename is None:  # topkick's own output cannot be written
            raise
        raise TopkickError(
            f"{trouble.filename}: {trouble.strerror}\n"
            "Not everything could be looked at, so agents may still be alive. "
            "Put that right, then: topkick killall"
        ) from trouble


def kill(project: Project) -> int:
    try:
        before = take_a_look(project)
    except TopkickError as trouble:  # agents must end even if the journal is unreadable
        return _kill_by_hand(project, trouble)
    done = kill_all(project) if before is not None else KilledAll(tuple(kill_everything(project)))
    known = send_command_fates(
        project, before.mission if before is not None else None, done.by_hand
    )
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


def _dead(known: Sequence[KilledAgent]) -> int:
    return sum(fate.is_dead for fate in known)


def _code(known: Sequence[KilledAgent]) -> int:
    return 0 if all(fate.is_dead for fate in known) else 1


def _say_fates(known: Sequence[KilledAgent]) -> None:
    for line in fate_table([shown(fate) for fate in known], terminal.width()):
        terminal.say(line)


def nothing_runs(mission: Mission) -> bool:
    """Return whether the run is COMPLETED and left nothing running."""
    left = mission.runs or mission.backgrounds
    return sprint_status.overall(mission) is Overall.COMPLETED and not left


def say_nothing_runs(mission: Mission) -> int:
    terminal.say(f"Nothing is running: everything is done, {status.progress(mission)}.")
    for line in closing_lines.whats_next(mission):
        terminal.say(line)
    return 0


def _kill_by_hand(project: Project, trouble: TopkickError) -> int:
    done = kill_unrecorded(project, trouble)
    known = send_command_fates(project, None, done.by_hand)
    terminal.say(f"Agents terminated: {_dead(known)}.")
    _say_fates(known)
    _say_unrecorded(project, done)
    return _code(known) or trouble.exit_code


def _say_unrecorded(project: Project, done: KilledAll) -> None:
    """Say that the kill is not in the journal. The supervisor is only named: its pid comes from a
    file, which is not reliable enough to kill it.
    """
    if not done.trouble:
        return
    if done.is_marked:
        terminal.say(
            "The kill could not be written to the journal, so topkick left a stop mark: "
            "no supervisor dispatches anything before it has recorded the kill.\n"
            "Continue once there is room on the disk: topkick resume"
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
        f"A supervisor is alive{name} and does not know of the kill. It may dispatch again as "
        f"soon as it can write.\n{how}    Then: topkick killall"
    )
