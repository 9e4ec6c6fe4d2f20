"""Why a work unit has not begun."""

from collections.abc import Iterator

from topkick.boards import gates, safe
from topkick.boards.reason import RESUME, Reason, of_the_run, page_of
from topkick.core.mission import Mission, Unit
from topkick.core.readiness import is_left_out, needs_clearance
from topkick.core.transitions import UnitState


def not_begun(mission: Mission, unit: Unit) -> tuple[Reason, ...]:
    """At least one."""
    soon = Reason("LP-02", "it begins at the supervisor's next step")
    return tuple(_not_begun(mission, unit)) or (soon,)


def _not_begun(mission: Mission, unit: Unit) -> Iterator[Reason]:
    if is_left_out(mission, unit):
        yield Reason("LP-02", "left out by --only", RESUME, person=True)
    waited = [mission.units[n] for n in unit.plan.waits_for if n in mission.units]
    open_ones = [u for u in waited if u.state is not UnitState.COMPLETED]
    if open_ones:
        names = ", ".join(_standing(u) for u in open_ones)
        first = f"topkick explain {open_ones[0].handle}"
        yield Reason("GT-01", f"waits for {names}", first)
        return
    if unit.hold:
        why = safe.line(unit.hold.splitlines()[0], 200)
        yield Reason("GT-01", f"what it builds on does not verify: {why}", RESUME, person=True)
        return
    if gate := gates.waits_for(mission, unit):
        yield Reason("GT-01", f"waits for {gate}", page_of(gate))
        return
    yield from of_the_run(mission)
    if commands := needs_clearance(mission, unit):
        shown = ", ".join(f"`{safe.line(c, 60)}`" for c in commands[:3])
        yield Reason("GT-01", f"before it begins {shown} must pass")


def _standing(unit: Unit) -> str:
    """`U1 parser (RUNNING, sprint 2/5)`."""
    of = len(unit.sprints)
    at = f", sprint {min(unit.at + 1, of)}/{of}" if unit.state is not UnitState.NOT_STARTED else ""
    return f"{unit.handle} {safe.line(unit.name, 40)} ({unit.state}{at})"
