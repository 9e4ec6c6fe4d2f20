"""List every blocker of a sprint, a unit or the whole run, with what it blocks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from topkick.engine.agents.runs import Run, Stage
from topkick.engine.blockers import Mover
from topkick.sprint.blockers.model import Blocked, Blocker, UnitNotBegun
from topkick.sprint.blockers.order import order_blockers, unit_gate, wide_blockers
from topkick.sprint.blockers.waits import (
    AgentEnding,
    AwaitsLeftOut,
    ClearanceDue,
    Draining,
    FileRunEnded,
    GateAsks,
    InTransition,
    NextMove,
    NextStep,
    NotBegunAtStop,
    OutOfTurn,
    UnderWay,
    UnitLeftOut,
    UnitsOpen,
    UnitStopped,
)
from topkick.sprint.checkpoint.due import holding
from topkick.sprint.model import SPRINT, Mission, Sprint, Stance, Unit, open_findings
from topkick.sprint.readiness import awaited, is_left_out, needs_clearance, to_integrate
from topkick.sprint.status import asked_for_is_done, goes_on, handle, is_given_out
from topkick.sprint.timers import patience_ends_at_us
from topkick.sprint.transitions import SprintState, UnitState

LIVE = (UnitState.RUNNING, UnitState.STOPPING)


# --- what only a person can move -----------------------------------------------------------


def needs(mission: Mission) -> tuple[Blocked, ...]:
    """Return what waits for a person. Units that a stop left without a start are listed only if
    nothing else is.
    """
    if mission.policy != SPRINT:
        return tuple(_of_ended(mission))
    own = (need for unit in mission.units.values() for need in _own(mission, unit))
    return (*_of_agents(mission), *_of_gates(mission), *own) or tuple(_of_stopped(mission))


def _of_ended(mission: Mission) -> Iterator[Blocked]:
    if mission.ended is not None and not mission.ended.done:
        commands = mission.ended.commands or (goes_on(mission),)
        yield Blocked("run", FileRunEnded(mission.ended.why, commands))


def _of_agents(mission: Mission) -> Iterator[Blocked]:
    yield from (Blocked(agent, down) for agent, down in mission.agents_down.items())


def _of_gates(mission: Mission) -> Iterator[Blocked]:
    asks = (gate for gate in mission.gates.values() if gate.verdict is not None)
    yield from (Blocked(gate.id, GateAsks(gate)) for gate in asks)


def _of_stopped(mission: Mission) -> Iterator[Blocked]:
    if mission.stance is Stance.WORKING or mission.runs:
        return
    for unit in mission.units.values():
        if unit.state is UnitState.NOT_STARTED:
            yield _about(unit, NotBegunAtStop())


def _own(mission: Mission, unit: Unit) -> Iterator[Blocked]:
    """Yield what only a person can move, of the unit and of its current sprint."""
    if unit.current is not None:
        yield from _own_of_sprint(mission, unit, unit.current)
    yield from _own_of_unit(mission, unit)


def _own_of_unit(mission: Mission, unit: Unit) -> Iterator[Blocked]:
    match unit.state:
        case UnitState.STOPPED | UnitState.KILLED:
            yield _about(unit, UnitStopped(unit.handle, unit.state))
        case UnitState.RUNNING:
            finished = to_integrate(mission, unit)
            if finished is not None and finished.hold is not None:
                yield _about(unit, finished.hold)
        case UnitState.NOT_STARTED:
            yield from (_about(unit, one) for one in _not_begun_by_person(mission, unit))
        case _:
            return


def _own_of_sprint(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Blocked]:
    if unit.state is UnitState.BLOCKED and sprint.fatal is not None:
        yield _of(mission, unit, sprint, sprint.fatal)
    if unit.state is not UnitState.RUNNING:
        return
    if sprint.rest is not None and sprint.state is SprintState.PARTIAL:
        yield _of(mission, unit, sprint, sprint.rest)
    elif sprint.hold is not None:
        yield _of(mission, unit, sprint, sprint.hold)
    only = mission.settings.only if mission.settings is not None else ()
    out = [r for r in awaited(mission, sprint) if only and r.unit not in only]
    if out:
        names = tuple(f"{r.unit}/{r.sprint}" for r in out)
        yield _of(mission, unit, sprint, AwaitsLeftOut(names))


def _not_begun_by_person(mission: Mission, unit: Unit) -> Iterator[Blocker]:
    """Yield why a unit has not begun if only a person can change that: a hold, or --only; not for a
    unit that waits for its turn.
    """
    if unit.hold is not None:
        yield unit.hold
    only = mission.settings.only if mission.settings is not None else ()
    if not only:
        return
    judged = (name for held in holding(mission, unit) for name in held.after)
    awaited_ones = dict.fromkeys((*unit.plan.waits_for, *judged))
    out = [n for n in awaited_ones if n not in only and not _is_done(mission.units[n])]
    if unit.name in only and out:
        yield AwaitsLeftOut(tuple(out))
    elif is_left_out(mission, unit) and asked_for_is_done(mission):
        yield UnitLeftOut()


def waiting(mission: Mission) -> frozenset[str]:
    """Return the names of units that are RUNNING, have no run, and wait for a person."""
    asked = {need.unit for need in needs(mission)}
    return frozenset(
        unit.name
        for unit in mission.units.values()
        if unit.state is UnitState.RUNNING and unit.name in asked
        if mission.run_of(unit.name) is None
    )


def blocked_by(mission: Mission) -> str:
    """Return what a blocked run waits for, in counts: `2 findings, 1 unit BLOCKED`."""
    asked = needs(mission)
    units = [mission.units[name] for name in waiting(mission)]
    found = [open_findings(unit.current) for unit in units if unit.current is not None]
    findings, sprints = sum(map(len, found)), sum(not one for one in found)
    gates = sum(isinstance(need.by, GateAsks) for need in asked)
    blocked = sum(unit.state is UnitState.BLOCKED for unit in mission.units.values())
    others = len(asked) - len(found) - gates - blocked
    counts = {"finding": findings, "sprint": sprints, "gate": gates, "other": others}
    told = [f"{n} {what}{'s' * (n != 1)}" for what, n in counts.items() if n > 0]
    told += [f"{blocked} unit{'s' * (blocked != 1)} BLOCKED"] if blocked else []
    return ", ".join(told)


# --- one sprint ----------------------------------------------------------------------------


def of_sprint(mission: Mission, unit: Unit, sprint: Sprint) -> tuple[Blocked, ...]:
    """Return the blockers of a sprint: none if it is completed, else at least one."""
    if sprint.state is SprintState.COMPLETED:
        return ()
    if unit.current is None or sprint.id != unit.current.id:
        return (_of(mission, unit, sprint, _out_of_turn(unit)),)
    asked = tuple(_own_of_sprint(mission, unit, sprint))
    more = _of_current(mission, unit, sprint)
    found = (*asked, *(_of(mission, unit, sprint, one) for one in more))
    return found or (_of(mission, unit, sprint, NextStep()),)


def _out_of_turn(unit: Unit) -> Blocker:
    now = unit.current
    if now is None:  # between two records of one step
        return OutOfTurn(unit.handle)
    return OutOfTurn(unit.handle, handle(unit, now), now.state)


def _of_current(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Blocker]:
    match unit.state:
        case UnitState.NOT_STARTED:
            yield UnitNotBegun(unit.handle, not_begun(mission, unit))
        case UnitState.STOPPED | UnitState.KILLED:
            why = mission.stance_why if mission.stance is not Stance.WORKING else ""
            yield UnitStopped(unit.handle, unit.state, why)
        case UnitState.BLOCKED | UnitState.COMPLETED:
            if sprint.state is not SprintState.FATAL:
                yield InTransition(unit.handle, unit.state)
        case UnitState.RUNNING | UnitState.STOPPING:
            run = mission.run_of(unit.name)
            if run is not None:
                yield from _of_run(mission, unit, run)
            elif unit.state is UnitState.STOPPING or not _has_own(sprint):
                yield from order_blockers(mission, unit, sprint)


def _has_own(sprint: Sprint) -> bool:
    """Return whether a person is asked about this sprint; its other blockers are not
    listed then.
    """
    rests = sprint.rest is not None and sprint.state is SprintState.PARTIAL
    return sprint.hold is not None or rests


def _of_run(mission: Mission, unit: Unit, run: Run) -> Iterator[Blocker]:
    yield _under_way(mission, unit, run)
    if run.stage is not Stage.WORKING:
        return
    if run.cancel is not None:
        yield AgentEnding(run.cancel.why)
    elif unit.state is UnitState.STOPPING:
        yield Draining(unit.handle, patience_ends_at_us(mission, unit))


def _under_way(mission: Mission, unit: Unit, run: Run) -> UnderWay:
    claim = mission.sprint(run.unit, run.sprint).claim
    return UnderWay(f"{unit.handle}/{run.sprint}", run, claim.said if claim is not None else None)


# --- one unit ------------------------------------------------------------------------------


def of_unit(mission: Mission, unit: Unit) -> tuple[Blocked, ...]:
    """Return the blockers of a unit: none if it is completed, else at least one."""
    if unit.state is UnitState.COMPLETED:
        return ()
    asked = tuple(_own_of_unit(mission, unit))
    told = {need.rule for need in asked}  # the sprint has the same blockers
    found = (*asked, *(b for b in _of_unit(mission, unit) if b.rule not in told))
    return found or (_about(unit, NextStep(NextMove.GO_ON)),)


def _of_unit(mission: Mission, unit: Unit) -> Iterable[Blocked]:
    if unit.state is UnitState.NOT_STARTED:
        return (_about(unit, one) for one in not_begun(mission, unit))
    if unit.current is not None:
        return of_sprint(mission, unit, unit.current)
    return (_about(unit, one) for one in _all_done(mission, unit))


def _all_done(mission: Mission, unit: Unit) -> Iterator[Blocker]:
    """Yield what keeps a unit from being completed after all its sprints are."""
    if unit.state in {UnitState.STOPPED, UnitState.KILLED}:
        yield UnitStopped(unit.handle, unit.state)
        return
    run = mission.run_of(unit.name)
    if run is not None and run.stage is Stage.INTEGRATING:
        yield _under_way(mission, unit, run)
        return
    finished = to_integrate(mission, unit)
    gate = unit_gate(mission, unit)
    if finished is not None and finished.hold is None:
        yield NextStep(NextMove.MERGE)
        yield from wide_blockers(mission)
    elif gate is not None:
        yield gate
        yield from wide_blockers(mission)


def not_begun(mission: Mission, unit: Unit) -> tuple[Blocker, ...]:
    """Return why the unit has not begun: at least one blocker."""
    return tuple(_not_begun(mission, unit)) or (NextStep(NextMove.BEGIN),)


def _not_begun(mission: Mission, unit: Unit) -> Iterator[Blocker]:
    if is_left_out(mission, unit):
        yield UnitLeftOut()
    waited = [mission.units[n] for n in unit.plan.waits_for if n in mission.units]
    open_ones = tuple(u for u in waited if not _is_done(u))
    if open_ones:
        yield UnitsOpen(open_ones)
    elif unit.hold is not None:
        yield unit.hold
    elif (gate := unit_gate(mission, unit)) is not None:
        yield gate
    else:
        yield from wide_blockers(mission)
        if commands := needs_clearance(mission, unit):
            yield ClearanceDue(commands)


# --- the whole run -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waiting:
    """A unit, sprint, gate or agent with its blockers. `has_page` is false for an agent, which
    `explain` has no page for.
    """

    handle: str
    name: str
    blockers: tuple[Blocked, ...]
    has_page: bool = True

    @property
    def needs_a_person(self) -> bool:
        return any(one.waits_for_person for one in self.blockers)

    @property
    def is_at_work(self) -> bool:
        return any(one.mover is Mover.AT_WORK for one in self.blockers)


def of_all(mission: Mission) -> tuple[Waiting, ...]:
    """Return everything that waits: first for a person, then for others, then what is under way."""
    down = (Waiting(b.handle, "", (b,), has_page=False) for b in _of_agents(mission))
    gates = (Waiting(b.handle, "", (b,)) for b in _of_gates(mission))
    units = (_waiting(mission, u) for u in mission.units.values() if not _is_done(u))
    found = [*down, *gates, *units]
    return tuple(sorted(found, key=lambda w: (not w.needs_a_person, w.is_at_work)))


def _waiting(mission: Mission, unit: Unit) -> Waiting:
    begun = unit.state in {*LIVE, UnitState.BLOCKED}
    sprint = unit.current
    about_sprint = sprint is not None and sprint.state is not SprintState.COMPLETED and begun
    x = handle(unit, sprint) if sprint is not None and about_sprint else unit.handle
    return Waiting(x, unit.name, of_unit(mission, unit))


def _about(unit: Unit, blocker: Blocker) -> Blocked:
    return Blocked(unit.handle, blocker, unit.name)


def _of(mission: Mission, unit: Unit, sprint: Sprint, blocker: Blocker) -> Blocked:
    spent = is_given_out(mission, sprint)
    return Blocked(handle(unit, sprint), blocker, unit.name, spent)


def _is_done(unit: Unit) -> bool:
    return unit.state is UnitState.COMPLETED
