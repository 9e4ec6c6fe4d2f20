"""The report after killall or a forced stop: what was ended, and what to do with what is left."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from topkick.boards import columns, safe
from topkick.boards.columns import Column
from topkick.core.mission import Mission, Unit
from topkick.core.transitions import SprintState, UnitState

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
    """What the outside found: how many agents ended, what became of each, what is left.

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
    return ", ".join(safe.line(u.name) for u in units) or "none"


def _survivors(toll: Toll) -> Iterator[str]:
    survivors = [pid for fate in toll.fates for pid in fate.alive]
    if survivors:
        pids = ", ".join(str(pid) for pid in survivors)
        yield f"STILL ALIVE although killed: {pids}. Look at them with: ps -fp {pids}"


def fate_table(fates: Sequence[AgentFate], width: int) -> Iterator[str]:
    """Who is dead and who is not; nothing where no agent was at work."""
    if fates:
        yield ""
        yield "Agents after kill:"
        yield from columns.lay_out(FATE_COLUMNS, [_fate_row(fate) for fate in fates], width)


def _fate_row(fate: AgentFate) -> tuple[str, ...]:
    alive = f"ALIVE: {', '.join(map(str, fate.alive))}" if fate.alive else "not known"
    said = "dead" if fate.is_dead else alive
    return (safe.line(fate.agent or fate.order), said, safe.line(fate.order), safe.line(fate.note))


def _row(unit: Unit, toll: Toll) -> tuple[str, ...]:
    done = [s for s in unit.sprints if s.state is SprintState.COMPLETED]
    return (
        safe.line(unit.name),
        unit.state.value,
        f"Sprint {safe.line(done[-1].id)}" if done else "none",
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
    return f"{verb} {safe.line(sprint.id)}"


def _choices(left: list[Unit], toll: Toll) -> Iterator[str]:
    """Neither committed nor discarded by us: a person chooses (SD-03)."""
    if not left:
        return
    yield ""
    yield "Uncommitted work was left as it is. Two choices, for each work unit:"
    for unit in left:
        files = toll.uncommitted[unit.name]
        yield ""
        saved = toll.saved.get(unit.name)
        also = f" (a copy: topkick salvage show {safe.line(saved)})" if saved else ""
        yield f"{safe.line(unit.name)}{also}"
        yield "  Keep it (the next order is told to look at it):"
        yield "    topkick resume"
        yield "  Put it away and resume cleanly (git stash pop brings it back):"
        yield f"    git{_place(unit, toll)} stash push -u -- {_pathspec(files)}"
        yield "    topkick resume"


def _place(unit: Unit, toll: Toll) -> str:
    """Where git is to work: the unit's directory may lie in another repository."""
    directory = safe.line(toll.places.get(unit.name, unit.plan.directory))
    return "" if directory in {"", "."} else f" -C {shlex.quote(directory)}"


def _pathspec(files: tuple[str, ...]) -> str:
    """The very files, as git names them from the top; all of the directory if they are many."""
    if len(files) > FILES_NAMED:
        return "."
    return " ".join(shlex.quote(f":/{safe.line(f)}") for f in files)
