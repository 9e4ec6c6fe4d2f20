"""How a mission stands: its overall status, and what only a person can move."""

from collections.abc import Iterator
from dataclasses import dataclass

from topkick.core.model import (
    Mission,
    Overall,
    Proof,
    Sprint,
    SprintState,
    Stance,
    Unit,
    UnitState,
)
from topkick.core.orders import orders, wake_at_us


@dataclass(frozen=True, slots=True)
class Need:
    """Something that waits for a person, and the command that would move it."""

    handle: str
    what: str
    command: str


@dataclass(frozen=True, slots=True)
class Tally:
    total: int = 0
    done: int = 0
    checked: int = 0
    unchecked: int = 0
    accepted: int = 0


def overall(mission: Mission) -> Overall:
    if mission.stance is Stance.KILLED:
        return Overall.KILLED
    if mission.units and all(u.state is UnitState.COMPLETED for u in mission.units.values()):
        return Overall.COMPLETED
    if mission.stance is Stance.STOPPING:
        draining = any(u.state is UnitState.STOPPING for u in mission.units.values())
        return Overall.STOPPING if draining or mission.runs else Overall.STOPPED
    if asked_for_is_done(mission):
        return Overall.STOPPED
    if mission.driven and is_at_rest(mission):
        return Overall.BLOCKED
    return Overall.RUNNING


def asked_for_is_done(mission: Mission) -> bool:
    """With --only, the rest of the plan is left alone on purpose."""
    only = mission.settings.only if mission.settings is not None else ()
    return bool(only) and all(
        u.state is UnitState.COMPLETED for u in mission.units.values() if u.name in only
    )


def is_at_rest(mission: Mission) -> bool:
    """Nothing runs and no time alone will move anything."""
    return not orders(mission, mission.at_us) and wake_at_us(mission) is None


def handle(unit: Unit, sprint: Sprint) -> str:
    return f"{unit.handle}/{sprint.id}"


def needs(mission: Mission) -> tuple[Need, ...]:
    return (*_down(mission), *(n for u in mission.units.values() for n in _of_unit(mission, u)))


def _down(mission: Mission) -> Iterator[Need]:
    for agent, why in mission.agents_down.items():
        yield Need(agent, why, "topkick doctor, then topkick resume")


def _of_unit(mission: Mission, unit: Unit) -> Iterator[Need]:
    sprint = unit.current
    match unit.state:
        case UnitState.BLOCKED if sprint is not None:
            x = handle(unit, sprint)
            yield Need(x, f"FATAL: {sprint.fatal_why}", f'topkick retry {x} --note "..."')
        case UnitState.STOPPED | UnitState.KILLED:
            yield Need(unit.handle, unit.state.value, "topkick resume")
        case UnitState.RUNNING if sprint is not None:
            yield from _of_sprint(unit, sprint)
        case UnitState.NOT_STARTED:
            yield from _of_waiting(mission, unit)
        case _:
            return


def _of_sprint(unit: Unit, sprint: Sprint) -> Iterator[Need]:
    x = handle(unit, sprint)
    if sprint.state is SprintState.PARTIAL and sprint.rest:
        yield Need(x, sprint.rest, f'topkick accept {x} --why "..."')
    elif sprint.hold:
        yield Need(x, sprint.hold.splitlines()[0], "topkick resume")


def _of_waiting(mission: Mission, unit: Unit) -> Iterator[Need]:
    """A unit left out by --only, and not one that merely waits its turn."""
    only = mission.settings.only if mission.settings is not None else ()
    if only and unit.name not in only and asked_for_is_done(mission):
        yield Need(unit.handle, "left out by --only", "topkick resume")


def tally(mission: Mission) -> Tally:
    sprints = [s for u in mission.units.values() for s in u.sprints]
    done = [s for s in sprints if s.state is SprintState.COMPLETED]

    def count(proof: Proof) -> int:
        return sum(s.proof is proof for s in done)

    return Tally(
        total=len(sprints),
        done=len(done),
        checked=count(Proof.CHECKED),
        unchecked=count(Proof.UNCHECKED),
        accepted=count(Proof.ACCEPTED),
    )
