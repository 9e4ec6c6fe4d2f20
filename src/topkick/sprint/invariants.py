"""Invariants of every state and every move; one module for tests, simulator and run time.

The ids are those of the specification. Each check yields a sentence for each violation.
"""

from collections.abc import Iterator

from topkick.engine import messages as h
from topkick.engine.agents.runs import WITHOUT_AGENT, Dispatch, Run, Stage
from topkick.plan_format.model import SprintType
from topkick.sprint.checkpoint.due import holding
from topkick.sprint.gates.model import GateKind, GateMode
from topkick.sprint.model import Mission, Proof, Sprint, Stance, Unit
from topkick.sprint.readiness import awaited, needs_clearance
from topkick.sprint.timers import limit_of
from topkick.sprint.transitions import (
    SPRINT_MOVES,
    UNIT_MOVES,
    SprintCause,
    SprintState,
    UnitCause,
    UnitState,
)

OUT = (SprintState.DISPATCHED, SprintState.RUNNING)


def of_state(mission: Mission) -> Iterator[str]:
    """Check everything that must hold whenever the kernel is idle."""
    for unit in mission.units.values():
        yield from of_unit(mission, unit)
    yield from _of_runs(mission)
    yield from _of_gates(mission)


def of_unit(mission: Mission, unit: Unit) -> Iterator[str]:
    """Check one unit; cheap enough for every step, as only the current sprint is checked
    closely.
    """
    yield from _pointer(unit)
    yield from _blocked(unit)
    yield from _completed(mission, unit)
    yield from _out_and_runs(mission, unit)
    for sprint in unit.sprints[unit.at : unit.at + 1]:
        yield from _counters(mission, unit, sprint)


def _pointer(unit: Unit) -> Iterator[str]:
    """Check S6, S7: sprints are sequential; all before the current one are done, none after
    begun.
    """
    before, after = unit.sprints[: unit.at], unit.sprints[unit.at + 1 :]
    if any(s.state is not SprintState.COMPLETED for s in before):
        yield f"S7: {unit.name} has an unfinished sprint before its current one"
    if any(s.state is not SprintState.PENDING for s in after):
        yield f"S6: {unit.name} has a sprint begun after its current one"
    if sum(s.plan.merges for s in unit.sprints[unit.at :]) > 1:
        yield f"GT-06: {unit.name} is to resolve a conflict while another one waits for it"


def _blocked(unit: Unit) -> Iterator[str]:
    fatal = unit.current is not None and unit.current.state is SprintState.FATAL
    if fatal != (unit.state is UnitState.BLOCKED):
        yield f"S3: {unit.name} is {unit.state} while its sprint is {_state(unit)}"


def _completed(mission: Mission, unit: Unit) -> Iterator[str]:
    if unit.state is UnitState.COMPLETED and unit.current is not None:
        yield f"S5: {unit.name} is COMPLETED with {unit.current.id} {_state(unit)}"
    is_merged = mission.isolation is None or unit.integrated == len(unit.sprints)
    if unit.state is UnitState.COMPLETED and not is_merged:
        yield f"S5: {unit.name} is COMPLETED and its work is not integrated"
    if unit.state is UnitState.COMPLETED and any(s.proof is Proof.HELD for s in unit.sprints):
        yield f"GT-02: {unit.name} is COMPLETED, and its held criteria never ran"


def _out_and_runs(mission: Mission, unit: Unit) -> Iterator[str]:
    """Check S8, D2, D4: a sprint is dispatched exactly when a run of it is under way."""
    runs = [r for r in mission.runs.values() if r.unit == unit.name]
    if len(runs) > 1:
        yield f"D2: {unit.name} has {len(runs)} runs open"
    out = unit.current is not None and unit.current.state in OUT
    working = [r for r in runs if r.dispatch is not None or r.stage is Stage.WAITING]
    if working and not out:
        yield f"S8: {unit.name} has an agent but its sprint is {_state(unit)}"
    if out and not working and not _is_paused_wait(unit):
        yield f"S8: {unit.name} has no agent but its sprint is {_state(unit)}"
    looks_again = unit.state is UnitState.BLOCKED and all(_has_no_agent(r) for r in runs)
    if runs and unit.state not in {UnitState.RUNNING, UnitState.STOPPING} and not looks_again:
        yield f"K2: {unit.name} is {unit.state} and something of it still runs"


def _has_no_agent(run: Run) -> bool:
    """Return whether the run only checks the work of a FATAL sprint, after a gate has passed."""
    return run.stage is Stage.CHECKING and run.dispatch is None


def _is_paused_wait(unit: Unit) -> bool:
    """Return whether the sprint is deferred: it keeps its state while its stopped unit does not
    poll.
    """
    sprint = unit.current
    return sprint is not None and sprint.plan.effective_type is SprintType.DEFERRED


def _counters(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[str]:
    settings = mission.settings
    assert settings is not None
    name = f"{unit.name}/{sprint.id}"
    if not 0 <= sprint.failures <= settings.max_retries:
        yield f"C1: {name} counts {sprint.failures} failures of {settings.max_retries}"
    if sprint.failures > sprint.failures_ever or sprint.failures_ever != len(sprint.fingerprints):
        yield f"C5: {name} has failed {sprint.failures_ever} times over its life?"
    if sprint.counted_dispatches > settings.max_dispatches:
        yield f"C8: {name} was dispatched {sprint.dispatches} times"
    if sprint.idle_continuations > settings.max_continuations:
        yield f"C8: {name} was continued {sprint.idle_continuations} times without progress"
    if sprint.state is SprintState.FATAL and sprint.fatal is None:
        yield f"C4: {name} is FATAL for no reason"


def _of_runs(mission: Mission) -> Iterator[str]:
    for run in mission.runs.values():
        if run.unit and run.unit not in mission.units:
            yield f"D8: run {run.id} belongs to no unit"


def of_moves(before: Mission, events: tuple[h.Event, ...], after: Mission) -> Iterator[str]:
    """Check everything that must hold between two states, given the events in between."""
    for event in events:
        yield from _of_event(before, event, after)
    yield from _finality(before, after)
    yield from _counting(before, events, after)
    yield from _parallel(events, after)
    yield from _limited(events, after)
    yield from _gate_moves(before, events, after)
    resting = Stance.WORKING not in {before.stance, after.stance}
    if resting and any(_begins_work(e) for e in events):
        yield "D7: something was dispatched between stop and resume"


def _begins_work(event: h.Event) -> bool:
    opened = isinstance(event, h.RunOpened) and event.stage is not Stage.INTEGRATING
    return opened or isinstance(event, h.RunDispatched)


def _parallel(events: tuple[h.Event, ...], after: Mission) -> Iterator[str]:
    """Check D10: a limit that a person lowers ends no agent, and no agent starts above it."""
    opened = [e for e in events if isinstance(e, h.RunOpened) and e.run_id in after.runs]
    busy = sum(r.stage not in WITHOUT_AGENT for r in after.runs.values())
    limit = after.settings.max_agents if after.settings is not None else 0
    if busy > limit and any(e.stage not in WITHOUT_AGENT for e in opened):
        yield f"D10: {busy} orders at once, {limit} allowed"


def _limited(events: tuple[h.Event, ...], after: Mission) -> Iterator[str]:
    """Check DP-09: nothing starts on an account whose usage limit is reached."""
    opened = any(
        isinstance(e, h.RunDispatched)
        or (isinstance(e, h.RunOpened) and e.stage is Stage.SURVEYING)
        for e in events
    )
    limit = limit_of(after) if opened else None
    if limit is not None:
        yield f"DP-09: an order was begun although {limit.why}"


def _of_event(before: Mission, event: h.Event, after: Mission) -> Iterator[str]:
    match event:
        case h.UnitMoved(unit, was, cause, now):
            if UNIT_MOVES.get((was, cause)) is not now:
                yield f"S2: {unit} moved {was} -> {now} on '{cause}'"
        case h.SprintMoved(unit, sprint, was, cause, now):
            if SPRINT_MOVES.get((was, cause)) is not now:
                yield f"S2: {unit}/{sprint} moved {was} -> {now} on '{cause}'"
            if cause is SprintCause.SUCCEEDED and _type(before, unit, sprint) is SprintType.MANUAL:
                yield f"V6: {unit}/{sprint} is manual and no person completed it"
            if cause is SprintCause.DISPATCHED and _awaits(after, unit, sprint):
                yield f"GT-08: {unit}/{sprint} was dispatched before what it waits for was done"
        case h.RunDispatched(run_id) if run_id in before.runs and before.runs[run_id].dispatch:
            yield f"D3: {run_id} was dispatched twice"
        case _:
            return


def _awaits(mission: Mission, unit: str, sprint: str) -> bool:
    return unit in mission.units and bool(awaited(mission, mission.sprint(unit, sprint)))


def _type(mission: Mission, unit: str, sprint: str) -> SprintType:
    return mission.sprint(unit, sprint).plan.effective_type


def _finality(before: Mission, after: Mission) -> Iterator[str]:
    for name, unit in before.units.items():
        later = after.units.get(name, unit)
        if unit.state is UnitState.COMPLETED and later.state is not UnitState.COMPLETED:
            yield f"S4: {name} was COMPLETED and is {later.state}"
        for sprint, then in zip(unit.sprints, later.sprints, strict=False):
            done = sprint.state is SprintState.COMPLETED
            if done and then.state is not SprintState.COMPLETED:
                yield f"S4: {name}/{sprint.id} was COMPLETED and is {then.state}"


def _counting(before: Mission, events: tuple[h.Event, ...], after: Mission) -> Iterator[str]:
    """Check C2, C3, C5: failures are charged one at a time, and only a person resets them."""
    judged = {(e.unit, e.sprint) for e in events if isinstance(e, h.SprintJudged) and e.charged}
    fresh = {(e.unit, e.sprint) for e in events if isinstance(e, h.SprintReopened) and e.fresh}
    for name, unit in before.units.items():
        later = {s.id: s for s in after.units.get(name, unit).sprints}
        for sprint in unit.sprints:
            then = later.get(sprint.id, sprint)
            key = (name, sprint.id)
            allowed = {sprint.failures + 1} if key in judged else {sprint.failures}
            if key in fresh:
                allowed = {0}
            if then.failures not in allowed:
                yield f"C2: {name}/{sprint.id} went from {sprint.failures} to {then.failures}"
            if then.failures_ever != sprint.failures_ever + (key in judged):
                yield f"C5: the lifetime count of {name}/{sprint.id} is {then.failures_ever}"


def _state(unit: Unit) -> str:
    return unit.current.state.value if unit.current is not None else "none"


# --- gates and checkpoints -----------------------------------------------------------------


def _of_gates(mission: Mission) -> Iterator[str]:
    builds = [g for g in mission.gates.values() if g.kind is GateKind.BUILD and g.verdict is None]
    if len(builds) > 1:
        yield "GT-02: two build gates at once"
    if any(g.kind is GateKind.CLEARANCE and g.verdict for g in mission.gates.values()):
        yield "GT-01: a clearance waits for a person"


def _gate_moves(before: Mission, events: tuple[h.Event, ...], after: Mission) -> Iterator[str]:
    for name, unit in before.units.items():
        later = after.units.get(name, unit)
        if later.gated < unit.gated:
            yield f"GT-02: {name} had passed a gate with {unit.gated} sprints, now {later.gated}"
    for event in events:
        match event:
            case h.GateOpened() if after.stance is not Stance.WORKING:
                yield "D7: a gate was opened while work is stopped"
            case h.UnitMoved(name, cause=UnitCause.START):
                if needs_clearance(after, after.units[name]):
                    yield f"GT-01: {name} began without its clearance"
                for held in holding(after, after.units[name]):
                    yield f"CK-14: {name} began before checkpoint {held.id} passed"
            case h.RunDispatched(run_id, order):
                yield from _alone(after, run_id, order)
            case _:
                pass


def _alone(after: Mission, run_id: str, order: Dispatch) -> Iterator[str]:
    """Check GT-04: don't dispatch a second agent into a shared tree while one is allowed to
    build.
    """
    gated = after.settings is not None and after.settings.gate is not GateMode.OFF
    if after.isolation is not None or not gated or run_id not in after.runs:
        return
    mine = after.runs[run_id]
    others = [r for r in after.runs.values() if r is not mine and r.dispatch is not None]
    alone = [r.unit for r in others if r.dispatch is not None and r.dispatch.alone]
    if alone:
        yield f"GT-04: {mine.unit} was dispatched while {alone} may build"
    if order.alone and others:
        yield f"GT-04: {mine.unit} may build and {[r.unit for r in others]} are at work"
    plan = after.sprint(mine.unit, mine.sprint).plan
    heavy = {c.command for c in plan.checks if c.builds}
    if plan.type is SprintType.CODE and not order.alone and heavy != set(order.held):
        yield f"GT-02: {mine.unit}/{mine.sprint} builds where others are at work"
