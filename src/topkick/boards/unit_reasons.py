"""Why a work unit stands where it stands, and what of the whole run is stuck or waits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from topkick.boards import gates
from topkick.boards.beginning import not_begun
from topkick.boards.reason import RESUME, Reason, needs_of, of_needs, of_the_run, page_of
from topkick.boards.reasons import of_sprint
from topkick.core import standing
from topkick.core.gating import awaits_gate
from topkick.core.mission import Mission, Sprint, Unit
from topkick.core.readiness import to_integrate
from topkick.core.runs import Stage
from topkick.core.standing import Need
from topkick.core.transitions import SprintState, UnitState


def of_unit(
    mission: Mission, unit: Unit, needs: Sequence[Need] | None = None
) -> tuple[Reason, ...]:
    """Nothing for what is completed; else at least one."""
    if unit.state is UnitState.COMPLETED:
        return ()
    needs = needs_of(mission, needs)
    asked = tuple(of_needs(mission, needs, unit.handle))
    found = tuple(_of_unit(mission, unit, needs))
    told = (*asked, *(r for r in found if not _is_said(r, asked)))
    return told or (Reason("LP-02", "it goes on at the supervisor's next step"),)


def _is_said(reason: Reason, asked: Sequence[Reason]) -> bool:
    """In other words, perhaps: a person is asked for the same."""
    return any(reason.what.endswith(a.what) or reason.rule == a.rule for a in asked)


def _of_unit(mission: Mission, unit: Unit, needs: Sequence[Need]) -> Iterator[Reason]:
    match unit.state:
        case UnitState.NOT_STARTED:
            yield from not_begun(mission, unit)
        case UnitState.RUNNING | UnitState.STOPPING if unit.current is None:
            yield from _all_done(mission, unit)
        case UnitState.STOPPED | UnitState.KILLED if unit.current is None:
            yield Reason("SD-04", unit.state.value, RESUME, person=True)
        case (
            UnitState.RUNNING
            | UnitState.STOPPING
            | UnitState.BLOCKED
            | UnitState.STOPPED
            | UnitState.KILLED
        ):
            if unit.current is not None:
                yield from of_sprint(mission, unit, unit.current, needs)
        case UnitState.COMPLETED:
            return
        case _:
            assert_never(unit.state)


def _all_done(mission: Mission, unit: Unit) -> Iterator[Reason]:
    """Its sprints are completed, and it is not yet."""
    run = mission.run_of(unit.name)
    if run is not None and run.stage is Stage.INTEGRATING:
        yield Reason("GT-06", "its work is being merged with that of the others", at_work=True)
        return
    finished = to_integrate(mission, unit)
    if finished is not None and not finished.hold:
        yield Reason("GT-06", "its work is merged next")
        yield from of_the_run(mission)
    elif awaits_gate(mission, unit):
        gate = gates.waits_for(mission, unit) or f"the gate of {gates.phase(unit)}"
        moves = page_of(gate)
        yield Reason("GT-02", f"its sprints are done; it waits for {gate}", moves)
        yield from of_the_run(mission)


# --- the whole run -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waiting:
    """`handle` may be a unit's, a sprint's or a gate's; the name of an agent has no page."""

    handle: str
    name: str
    reasons: tuple[Reason, ...]
    has_page: bool = True

    @property
    def needs_a_person(self) -> bool:
        return any(reason.person for reason in self.reasons)

    @property
    def is_at_work(self) -> bool:
        return any(reason.at_work for reason in self.reasons)


def of_all(mission: Mission) -> tuple[Waiting, ...]:
    """What waits for a person first, then what waits for others, then what is under way."""
    needs = standing.needs(mission)
    found = [*_of_gates_and_agents(mission, needs), *_of_units(mission, needs)]
    return tuple(sorted(found, key=lambda w: (not w.needs_a_person, w.is_at_work)))


def _of_gates_and_agents(mission: Mission, needs: Sequence[Need]) -> Iterator[Waiting]:
    handles = {u.handle for u in mission.units.values()}
    others = [n.handle for n in needs if n.handle.partition("/")[0] not in handles]
    for name in dict.fromkeys(others):
        found = tuple(of_needs(mission, needs, name))
        yield Waiting(name, "", found, has_page=name in mission.gates)


def _of_units(mission: Mission, needs: Sequence[Need]) -> Iterator[Waiting]:
    for unit in mission.units.values():
        if unit.state is UnitState.COMPLETED:
            continue
        found = of_unit(mission, unit, needs)
        sprint = _of_whom(unit)
        x = standing.handle(unit, sprint) if sprint is not None else unit.handle
        yield Waiting(x, unit.name, found)


def _of_whom(unit: Unit) -> Sprint | None:
    """Its sprint, where it is about that one."""
    begun = unit.state in {UnitState.RUNNING, UnitState.STOPPING, UnitState.BLOCKED}
    sprint = unit.current
    if sprint is None or sprint.state is SprintState.COMPLETED:
        return None
    return sprint if begun else None
