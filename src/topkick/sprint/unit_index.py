"""Indexes over the units of a mission: which are ready, held, startable, and so on.

Everything here is derived from `mission.units` and `mission.runs`; nothing is journaled. An index
belongs to one state of the mission, known by the identity of these two mappings, which are never
changed in place. `index_of` returns the index of any state: the last one if it belongs to that
state, else a new one. `advance` carries the last index over to the next state by looking only at
the units that were touched in between (engine/worklist.py says which those are).
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import IntEnum

from topkick.engine.agents.runs import Run
from topkick.plan_format.model import SprintType
from topkick.sprint.model import Mission, Unit
from topkick.sprint.transitions import UnitState


class Trait(IntEnum):
    """A property of a unit that some rule looks for among all units."""

    READY = 0  # RUNNING, with a sprint to do and no run
    DEFERRED = 1  # READY, and its sprint waits for a condition, without an agent
    RESTING = 2  # READY, and its sprint has a time before which it may not begin
    STARTABLE = 3  # NOT_STARTED, and every unit that it waits for is COMPLETED
    HELD = 4  # the unit or one of its sprints is on hold
    UNGATED = 5  # RUNNING, with finished work that has passed no gate
    RECHECKED = 6  # BLOCKED, and its FATAL sprint must be checked once more
    UNMERGED = 7  # has checked commits that are not on the mission's branch


def done_by(mission: Mission, unit: Unit) -> int:
    """Return how many of the unit's sprints are in the common work: completed in a shared tree,
    merged with clones.
    """
    return unit.at if mission.isolation is None else unit.integrated


def _is_ready(_m: Mission, unit: Unit, run: Run | None) -> bool:
    return unit.state is UnitState.RUNNING and run is None and unit.current is not None


def _is_deferred(m: Mission, unit: Unit, run: Run | None) -> bool:
    if unit.current is None or not _is_ready(m, unit, run):
        return False
    return unit.current.plan.effective_type is SprintType.DEFERRED


def _is_resting(m: Mission, unit: Unit, run: Run | None) -> bool:
    if unit.current is None or not _is_ready(m, unit, run):
        return False
    return unit.current.not_before_us > 0


def _is_startable(m: Mission, unit: Unit, _run: Run | None) -> bool:
    if unit.state is not UnitState.NOT_STARTED:
        return False
    return all(_is_completed(m.units.get(name)) for name in unit.plan.waits_for)


def _is_completed(unit: Unit | None) -> bool:
    return unit is not None and unit.state is UnitState.COMPLETED


def _is_held(_m: Mission, unit: Unit, _run: Run | None) -> bool:
    return bool(unit.hold) or any(sprint.hold for sprint in unit.sprints)


def _is_ungated(m: Mission, unit: Unit, _run: Run | None) -> bool:
    return unit.state is UnitState.RUNNING and done_by(m, unit) > unit.gated


def _is_rechecked(_m: Mission, unit: Unit, _run: Run | None) -> bool:
    if unit.state is not UnitState.BLOCKED:
        return False
    return unit.current is not None and unit.current.recheck


def _is_unmerged(m: Mission, unit: Unit, _run: Run | None) -> bool:
    if m.isolation is None:
        return False
    return any(s.outcome is not None for s in unit.sprints[unit.integrated : unit.at + 1])


_HOLDS: Mapping[Trait, Callable[[Mission, Unit, Run | None], bool]] = {
    Trait.READY: _is_ready,
    Trait.DEFERRED: _is_deferred,
    Trait.RESTING: _is_resting,
    Trait.STARTABLE: _is_startable,
    Trait.HELD: _is_held,
    Trait.UNGATED: _is_ungated,
    Trait.RECHECKED: _is_rechecked,
    Trait.UNMERGED: _is_unmerged,
}
assert list(_HOLDS) == list(Trait), "every trait has its test, in the same order"
_TESTS = tuple(_HOLDS.values())


class UnitIndex:
    """The units of one state of a mission, by trait and by name.

    `place` is a unit's position in the plan, `dependents` are the units that wait for a unit to
    be COMPLETED, `awaiting` those with a sprint that waits for one of its sprints, `directories`
    the units that work in each directory. These four change only with the plan.
    """

    def __init__(self, mission: Mission) -> None:
        units = mission.units
        self.names = tuple(units)
        self.place = {name: n for n, name in enumerate(units)}
        self.by_handle = {u.handle.lower(): name for name, u in units.items()}
        self.dependents = _inverted((name, u.plan.waits_for) for name, u in units.items())
        self.awaiting = _inverted((name, _waits_of(u)) for name, u in units.items())
        self.directories = _inverted((name, (u.plan.directory,)) for name, u in units.items())
        self.places_of_work = tuple(sorted(self.directories))
        self._belongs_to(mission)
        self._having: list[list[int]] = [[] for _ in Trait]
        self._traits = [(False,) * len(Trait)] * len(self.names)
        for name in self.names:
            self._refresh(mission, name)

    def is_of(self, mission: Mission) -> bool:
        same = self._units is mission.units and self._runs is mission.runs
        return same and self._isolated is (mission.isolation is not None)

    def having(self, trait: Trait) -> Iterator[Unit]:
        """Return the units with this trait, in the plan's order."""
        return (self._units[self.names[place]] for place in self._having[trait])

    def has(self, trait: Trait) -> bool:
        return bool(self._having[trait])

    def in_order(self, names: Iterable[str]) -> list[Unit]:
        """Return these units in the plan's order; names that are no units are left out."""
        known = sorted(self.place[name] for name in names if name in self.place)
        return [self._units[self.names[place]] for place in known]

    def with_run(self) -> Iterator[str]:
        return (name for name in self.run_by_unit if name in self.place)

    def follow(self, mission: Mission, touched: Collection[str]) -> None:
        """Update the index for a later state in which only the touched units have changed."""
        concerned = set(self._concerned(mission, touched))
        self._belongs_to(mission)
        for name in concerned:
            self._refresh(mission, name)

    def differences(self, other: "UnitIndex") -> Iterator[str]:
        """Name each part in which two indexes differ; for checks."""
        for name, mine in vars(self).items():
            if mine != vars(other)[name]:
                yield name.strip("_")

    def _concerned(self, mission: Mission, touched: Collection[str]) -> Iterator[str]:
        for name in touched:
            if name not in self.place:
                continue
            yield name
            if self._units[name].state is not mission.units[name].state:
                yield from self.dependents.get(name, ())

    def _belongs_to(self, mission: Mission) -> None:
        self._units, self._runs = mission.units, mission.runs
        self._isolated = mission.isolation is not None
        self.run_by_unit = {run.unit: run for run in mission.runs.values()}

    def _refresh(self, mission: Mission, name: str) -> None:
        unit, run, place = mission.units[name], self.run_by_unit.get(name), self.place[name]
        was = self._traits[place]
        now = tuple(holds(mission, unit, run) for holds in _TESTS)
        if was == now:
            return
        self._traits[place] = now
        for places, had, has in zip(self._having, was, now, strict=True):
            if has and not had:
                insort(places, place)
            elif had and not has:
                del places[bisect_left(places, place)]


def _inverted(named: Iterable[tuple[str, Iterable[str]]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for name, others in named:
        for other in others:
            found.setdefault(other, {})[name] = None
    return {other: tuple(names) for other, names in found.items()}


def _waits_of(unit: Unit) -> Iterator[str]:
    return (ref.unit for sprint in unit.sprints for ref in sprint.plan.waits_for)


_last: list[UnitIndex] = []


def index_of(mission: Mission) -> UnitIndex:
    if not _last or not _last[0].is_of(mission):
        _last[:] = [UnitIndex(mission)]
    return _last[0]


def advance(before: Mission, after: Mission, touched: Collection[str] | None) -> None:
    """Carry the index of `before` over to `after`; with None for `touched`, any unit may have
    changed.
    """
    if not _last or not _last[0].is_of(before):
        return
    if touched is None:
        _last.clear()
    else:
        _last[0].follow(after, touched)
