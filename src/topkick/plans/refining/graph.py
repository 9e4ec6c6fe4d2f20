"""The dependencies of sprints: the order that a plan states, and the order it implies.

Inside a unit a sprint comes after those that it names, and after those that write a file which it
names. A sprint that says nothing about what it waits for stays right after the one before it, so
the two form one `chain` and move together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.core.plan import SprintPlan, UnitPlan
from topkick.core.sprint_names import PATH, said_by
from topkick.plans.criteria import needs_nothing
from topkick.plans.document import Reading
from topkick.plans.references import names_sprint
from topkick.plans.sprints import SprintReading
from topkick.plans.waiting import Pair

SHARED_BY_MOST = 12  # a file that more sprints name (README.md) orders none of them


@dataclass(frozen=True, slots=True)
class SprintGraph:
    """`needs` are direct edges between sprints, by number; `units` are those between units.

    `order` lists the sprints unit by unit, each unit in its present order; those in `kept_first`
    are the first of their unit and don't say what they wait for.
    """

    order: tuple[Pair, ...]
    needs: tuple[tuple[int, ...], ...]
    units: Mapping[str, tuple[str, ...]]
    chains: Mapping[str, tuple[tuple[int, ...], ...]]
    holds_up: tuple[int, ...]  # sets as bits
    kept_first: frozenset[int] = frozenset()

    def dependents(self, at: int) -> int:
        """Return how many sprints wait for this one, directly or not."""
        return self.holds_up[at].bit_count()

    def held_up(self, at: int) -> Iterator[int]:
        bits = self.holds_up[at]
        while bits:
            lowest = bits & -bits
            yield lowest.bit_length() - 1
            bits ^= lowest


def graph_of(reading: Reading) -> SprintGraph:
    units = reading.plan.units
    order = tuple((unit.name, sprint.id) for unit in units for sprint in unit.sprints)
    at = {pair: n for n, pair in enumerate(order)}
    needs: list[list[int]] = [[] for _ in order]
    chains: dict[str, tuple[tuple[int, ...], ...]] = {}
    for before, after in reading.after:
        if before[0] == after[0] and before in at and after in at:
            needs[at[after]].append(at[before])
    for unit in units:
        first = at[unit.name, unit.sprints[0].id]
        for later, earlier in _by_files(unit.sprints):
            needs[first + later].append(first + earlier)
        chains[unit.name] = tuple(_chains(unit, first, needs, reading))
        for sprint in unit.sprints:
            refs = ((ref.unit, ref.sprint) for ref in sprint.waits_for)
            needs[at[unit.name, sprint.id]].extend(at[pair] for pair in refs if pair in at)
    settled = tuple(tuple(dict.fromkeys(found)) for found in needs)
    waits = {unit.name: unit.waits_for for unit in units}
    kept_first = frozenset(
        at[unit.name, unit.sprints[0].id]
        for unit in units
        if _keeps_its_place(unit.sprints[0], reading.sprints[unit.name, unit.sprints[0].id])
    )
    return SprintGraph(order, settled, waits, chains, _holds_up(units, settled), kept_first)


def _by_files(sprints: Sequence[SprintPlan]) -> Iterator[tuple[int, int]]:
    """Yield (later, earlier) if one of the two writes a file that both name."""
    named = [said_by(sprint) for sprint in sprints]
    writers: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    for n, said in enumerate(named):
        written = said.order.files | said.exit.files
        for path in sorted(written | said.entry.files):
            earlier = [*writers.get(path, ()), *(readers.get(path, ()) if path in written else ())]
            if len(earlier) < SHARED_BY_MOST:
                yield from ((n, one) for one in earlier)
            (writers if path in written else readers).setdefault(path, []).append(n)


def _chains(
    unit: UnitPlan, first: int, needs: list[list[int]], reading: Reading
) -> Iterator[tuple[int, ...]]:
    chain: list[int] = []
    for n, sprint in enumerate(unit.sprints, start=first):
        if chain and _keeps_its_place(sprint, reading.sprints[unit.name, sprint.id]):
            needs[n].append(n - 1)
            chain.append(n)
            continue
        if chain:
            yield tuple(chain)
        chain = [n]
    yield tuple(chain)


def _keeps_its_place(sprint: SprintPlan, said: SprintReading) -> bool:
    """Return whether the sprint doesn't say what comes before it, or only in prose."""
    if sprint.waits_for or (said.free and not said.depends):
        return False
    told = [
        names_sprint(r.text) or PATH.search(r.text) or needs_nothing(r.text) for r in said.depends
    ]
    return not (told and all(told))


def _holds_up(units: Sequence[UnitPlan], needs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return for each sprint the set of those that wait for it, directly or not.

    A unit that waits for another does so with all its sprints, through two nodes of its own, so
    that there are few edges.
    """
    count = len(needs)
    begins = {unit.name: count + 2 * n for n, unit in enumerate(units)}
    edges: list[list[int]] = [[*found] for found in needs] + [[] for _ in range(2 * len(units))]
    at = 0
    for unit in units:
        begin = begins[unit.name]
        for n in range(at, at + len(unit.sprints)):
            edges[n].append(begin)
            edges[begin + 1].append(n)
        edges[begin].extend(begins[name] + 1 for name in unit.waits_for if name in begins)
        at += len(unit.sprints)
    return tuple(_reached(edges, count))


def _reached(needs: Sequence[Sequence[int]], count: int) -> list[int]:
    waiting = [0] * len(needs)
    for before in needs:
        for one in before:
            waiting[one] += 1
    ready = [n for n, left in enumerate(waiting) if left == 0]
    holds_up = [0] * len(needs)
    while ready:
        last = ready.pop()
        bits = holds_up[last] | (1 << last if last < count else 0)
        for one in needs[last]:
            holds_up[one] |= bits
            waiting[one] -= 1
            if waiting[one] == 0:
                ready.append(one)
    return holds_up[:count]
