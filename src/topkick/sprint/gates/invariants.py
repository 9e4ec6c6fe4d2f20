"""Invariants of gates, for every state and every move."""

from collections.abc import Iterator

from topkick.engine import messages as h
from topkick.engine.agents.runs import Dispatch
from topkick.plan_format.model import SprintType
from topkick.sprint.checkpoint.due import holding
from topkick.sprint.gates.model import GateKind, GateMode
from topkick.sprint.model import Mission, Stance
from topkick.sprint.readiness import needs_clearance
from topkick.sprint.transitions import UnitCause


def of_state(mission: Mission) -> Iterator[str]:
    builds = [g for g in mission.gates.values() if g.kind is GateKind.BUILD and g.verdict is None]
    if len(builds) > 1:
        yield "GT-02: two build gates at once"
    if any(g.kind is GateKind.CLEARANCE and g.verdict for g in mission.gates.values()):
        yield "GT-01: a clearance waits for a person"


def of_moves(before: Mission, events: tuple[h.Event, ...], after: Mission) -> Iterator[str]:
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
                    yield f"GT-01: {name} began and what it builds on was never cleared"
                for held in holding(after, after.units[name]):
                    yield f"CK-14: {name} began and {held.id} has not let it"
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
        yield f"GT-04: {mine.unit} was given out while {alone} may build"
    if order.alone and others:
        yield f"GT-04: {mine.unit} may build and {[r.unit for r in others]} are at work"
    plan = after.sprint(mine.unit, mine.sprint).plan
    heavy = {c.command for c in plan.checks if c.builds}
    if plan.type is SprintType.CODE and not order.alone and heavy != set(order.held):
        yield f"GT-02: {mine.unit}/{mine.sprint} builds where others are at work"
