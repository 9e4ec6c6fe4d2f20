"""Find what keeps the next order of a unit back, for the policy and for every page.

The blockers come in a fixed order and are found lazily: the policy takes the first one, pages take
all. An order is given only where the first one is `NextStep`.
"""

from collections.abc import Iterator
from itertools import chain

from topkick.engine.agents.runs import WITHOUT_AGENT, Run
from topkick.engine.settings import Settings
from topkick.plan_format.model import SprintRef, SprintType
from topkick.sprint.blockers.holds import BudgetSpent, DispatchesUsed, Unchecked
from topkick.sprint.blockers.model import Blocker
from topkick.sprint.blockers.waits import (
    AwaitedSprint,
    Backoff,
    GateDue,
    GateWait,
    InTransition,
    NextMove,
    NextStep,
    NotDriven,
    NotWorking,
    PlacesTaken,
    SprintsOpen,
    StopAsked,
    TreeTaken,
    UsageLimited,
)
from topkick.sprint.checkpoint.due import holding, open_gate
from topkick.sprint.gates.due import awaits_gate, is_gated, phase_of
from topkick.sprint.model import Mission, Sprint, Stance, Unit
from topkick.sprint.readiness import awaited
from topkick.sprint.spending import spent_by
from topkick.sprint.timers import limit_of
from topkick.sprint.transitions import SprintState, UnitState

DISPATCHABLE = (SprintState.PENDING, SprintState.PARTIAL, SprintState.BACKOFF)


def first_blocker(mission: Mission, unit: Unit, sprint: Sprint, *, has_slot: bool) -> Blocker:
    """Return the blocker that the policy acts on. `has_slot` says that an agent's place is free."""
    return next(order_blockers(mission, unit, sprint, has_slot=has_slot))


def order_blockers(
    mission: Mission, unit: Unit, sprint: Sprint, *, has_slot: bool | None = None
) -> Iterator[Blocker]:
    """Yield at least one blocker; `NextStep` only if there is no other."""
    found = False
    for blocker in _all(mission, unit, sprint, has_slot):
        found = True
        yield blocker
    if not found:
        is_out = sprint.state is SprintState.RUNNING
        yield NextStep(NextMove.CONDITION if is_out else NextMove.ORDER)


def _all(mission: Mission, unit: Unit, sprint: Sprint, has_slot: bool | None) -> Iterator[Blocker]:
    if refs := awaited(mission, sprint):
        yield SprintsOpen(tuple(_awaited(mission, ref) for ref in refs))
    if (gate := unit_gate(mission, unit)) is not None:
        yield gate
    is_deferred = sprint.plan.effective_type is SprintType.DEFERRED  # it needs no agent
    if wide := tuple(_idle(mission) if is_deferred else wide_blockers(mission)):
        yield from wide
    elif sprint.state is SprintState.FATAL and sprint.fatal is not None:
        yield sprint.fatal
    elif not is_deferred:
        yield from _of_order(mission, unit, sprint, has_slot)
    elif sprint.state not in (*DISPATCHABLE, SprintState.RUNNING):
        yield InTransition(unit.handle, sprint.state)


def survey_blocker(mission: Mission, unit: Unit, sprint: Sprint) -> Blocker:
    """Return what blocks the order after its survey. Free places are not counted, since the survey
    has one.
    """
    found = chain(_of_agents(mission), _of_order(mission, unit, sprint, has_slot=True))
    return next(found, NextStep())


def _of_order(
    mission: Mission, unit: Unit, sprint: Sprint, has_slot: bool | None
) -> Iterator[Blocker]:
    found = False
    for blocker in chain(_of_sprint(mission, unit, sprint), _of_places(mission, has_slot)):
        found = True
        yield blocker
    if has_work_to_check(sprint):  # a check needs no tree to itself, and no hold
        return
    if not found and (hold := new_hold(mission, unit, sprint)) is not None:
        yield hold
    if (run := alone_in_tree(mission)) is not None:
        yield TreeTaken(_name(mission, run))


def has_work_to_check(sprint: Sprint) -> bool:
    """Return whether work of an interrupted run, or of an earlier supervisor, must be checked
    before any order.
    """
    return sprint.interrupted is not None or sprint.claim is not None


# --- the whole run -------------------------------------------------------------------------


def wide_blockers(mission: Mission) -> Iterator[Blocker]:
    """Yield what keeps back every next order of the run."""
    yield from _idle(mission)
    if mission.settings is not None:
        yield from _of_agents(mission)


def _idle(mission: Mission) -> Iterator[Blocker]:
    if mission.stance is not Stance.WORKING:
        yield NotWorking(mission.stance, mission.stance_why)
    elif not mission.driven:
        yield NotDriven()


def _of_agents(mission: Mission) -> Iterator[Blocker]:
    down = mission.agents_down.get(_settings(mission).agent.name)
    if down is not None:
        yield down
    if (limit := limit_of(mission)) is not None:
        yield UsageLimited(limit.why, limit.until_us)


# --- the sprint ----------------------------------------------------------------------------


def _of_sprint(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Blocker]:
    if sprint.state not in DISPATCHABLE:
        yield InTransition(unit.handle, sprint.state)
    if unit.state is UnitState.STOPPING:
        yield StopAsked(unit.handle)
    if sprint.hold is not None:
        yield sprint.hold
    if sprint.rest is not None:
        yield sprint.rest
    if sprint.not_before_us > mission.at_us:
        yield Backoff(sprint.not_before_us, f"{unit.handle}/{sprint.id}", sprint.troubles)


def new_hold(
    mission: Mission, unit: Unit, sprint: Sprint
) -> BudgetSpent | DispatchesUsed | Unchecked | None:
    """Return what a person has to move before this sprint may get an order; the policy stores it as
    a hold.
    """
    settings = _settings(mission)
    begun = sprint.state is not SprintState.PENDING
    if spent := spent_by(mission, unit, sprint):
        return BudgetSpent(spent, begun)
    if sprint.counted_dispatches >= settings.max_dispatches:
        return DispatchesUsed(sprint.dispatches, begun)
    by_person = sprint.plan.generated or settings.accept_unchecked
    return Unchecked() if sprint.plan.lacks_check and not by_person else None


def _awaited(mission: Mission, ref: SprintRef) -> AwaitedSprint:
    unit = mission.units.get(ref.unit)
    found = next((s for s in unit.sprints if s.id == ref.sprint), None) if unit else None
    if unit is None or found is None:
        return AwaitedSprint(f"{ref.unit}/{ref.sprint}")
    return AwaitedSprint(f"{unit.handle}/{found.id}", found.state)


# --- places, trees and gates ---------------------------------------------------------------


def _of_places(mission: Mission, has_slot: bool | None) -> Iterator[Blocker]:
    if has_slot:
        return
    busy = busy_runs(mission)
    most = _settings(mission).max_agents
    if has_slot is False or len(busy) >= most:
        yield PlacesTaken(tuple(_name(mission, run) for run in busy), most)


def busy_runs(mission: Mission) -> list[Run]:
    """Return the runs that take an agent's place."""
    return [run for run in mission.runs.values() if run.stage not in WITHOUT_AGENT]


def alone_in_tree(mission: Mission) -> Run | None:
    """Return the run that may build in the shared tree, if there is one (GT-04)."""
    if mission.isolation is not None or not is_gated(mission):
        return None
    runs = mission.runs.values()
    return next((r for r in runs if r.dispatch is not None and r.dispatch.alone), None)


def unit_gate(mission: Mission, unit: Unit) -> GateDue | None:
    """Return the gate that the unit waits for, if any."""
    if unit.state is UnitState.NOT_STARTED:
        return _clearance(mission, unit) or _checkpoint(mission, unit)
    if unit.state not in {UnitState.RUNNING, UnitState.STOPPING} or not awaits_gate(mission, unit):
        return None
    covering = (g.id for g in mission.gates.values() if unit.name in g.units)
    wait = GateWait.COMPLETION if unit.current is None else GateWait.NEXT_SPRINT
    return GateDue(wait, next(covering, ""), phase_of(unit))


def _clearance(mission: Mission, unit: Unit) -> GateDue | None:
    cleared = (g.id for g in mission.gates.values() if g.clears == unit.name)
    gate_id = next(cleared, "")
    return GateDue(GateWait.CLEARANCE, gate_id) if gate_id else None


def _checkpoint(mission: Mission, unit: Unit) -> GateDue | None:
    """Return the checkpoint that the unit waits for, once it waits for nothing else."""
    waited = [mission.units[n] for n in unit.plan.waits_for if n in mission.units]
    held = holding(mission, unit)
    if not held or any(u.state is not UnitState.COMPLETED for u in waited):
        return None
    gate = open_gate(mission, held[0])
    gate_id = gate.id if gate is not None else ""
    return GateDue(GateWait.CHECKPOINT, gate_id, held[0].place, held[0].id)


def _name(mission: Mission, run: Run) -> str:
    unit = mission.units.get(run.unit)
    return f"{unit.handle if unit is not None else run.unit}/{run.sprint}"


def _settings(mission: Mission) -> Settings:
    assert mission.settings is not None, "a mission that runs has settings"
    return mission.settings
