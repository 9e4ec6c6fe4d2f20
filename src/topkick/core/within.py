"""Copy a mission with one part of it changed."""

from collections.abc import Callable

from topkick.core.evolve import evolve
from topkick.core.mission import Mission, Sprint, Unit
from topkick.core.runs import Run
from topkick.core.transitions import SprintState


def with_run(m: Mission, run_id: str, change: Callable[[Run], Run]) -> Mission:
    return evolve(m, runs={**m.runs, run_id: change(m.runs[run_id])})


def with_sprint(m: Mission, unit: str, sprint: str, change: Callable[[Sprint], Sprint]) -> Mission:
    found = m.units[unit]
    return with_unit(m, put(found, change(found.sprints[place_of(found, sprint)])))


def with_unit(m: Mission, unit: Unit) -> Mission:
    return evolve(m, units={**m.units, unit.name: unit})


def put(unit: Unit, sprint: Sprint) -> Unit:
    """Return the unit with this sprint in its place, its pointer at the first sprint not
    completed.
    """
    at = unit.at
    place = place_of(unit, sprint.id)
    sprints = (*unit.sprints[:place], sprint, *unit.sprints[place + 1 :])
    while at < len(sprints) and sprints[at].state is SprintState.COMPLETED:
        at += 1
    return evolve(unit, sprints=sprints, at=at)


def place_of(unit: Unit, sprint_id: str) -> int:
    """Return the sprint's index, which is nearly always the current one."""
    if unit.current is not None and unit.current.plan.id == sprint_id:
        return unit.at
    return next(n for n, s in enumerate(unit.sprints) if s.plan.id == sprint_id)
