"""Decide which agent may build in a tree that several units share (GT-02, GT-04)."""

from topkick.engine.agents.runs import WITHOUT_AGENT
from topkick.plan_format.model import SprintType
from topkick.sprint.blockers.order import DISPATCHABLE
from topkick.sprint.gates.due import awaits_gate, is_gated
from topkick.sprint.model import Mission, Unit
from topkick.sprint.readiness import awaited
from topkick.sprint.transitions import UnitState
from topkick.sprint.unit_index import done_by


def may_build(mission: Mission, unit: Unit) -> bool:
    """Return whether the unit's agent may build and test: it works in a clone, or it is alone in
    the shared tree and no other unit could begin there now.
    """
    if mission.isolation is not None or not is_gated(mission):
        return True
    assert mission.settings is not None
    others = (u for u in mission.units.values() if u is not unit)
    if any(r.stage not in WITHOUT_AGENT and r.unit != unit.name for r in mission.runs.values()):
        return False
    return mission.settings.max_agents == 1 or not any(_could_begin(mission, u) for u in others)


def with_ungated_work(mission: Mission, unit: Unit) -> tuple[str, ...]:
    """Return the other units whose work is in the shared tree and has not passed a gate yet."""
    if mission.isolation is not None or not is_gated(mission):
        return ()
    others = (u for u in mission.units.values() if u is not unit)
    return tuple(u.name for u in others if done_by(mission, u) > u.gated)


def _could_begin(mission: Mission, unit: Unit) -> bool:
    sprint = unit.current
    if unit.state is not UnitState.RUNNING or sprint is None or awaits_gate(mission, unit):
        return False
    waits = sprint.hold or sprint.rest or awaited(mission, sprint)
    is_agents = sprint.plan.effective_type is not SprintType.DEFERRED
    return not waits and is_agents and sprint.state in DISPATCHABLE
