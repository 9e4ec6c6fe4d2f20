"""The order when the plan runs: a unit runs its sprints one after another."""

from collections.abc import Sequence
from dataclasses import dataclass

from topkick.core.plan import SprintPlan
from topkick.plans.document import Reading
from topkick.plans.refining.graph import SprintGraph


@dataclass(frozen=True, slots=True)
class Sequel:
    """Sprints by their number in the graph.

    `before[n]` are those done before n begins, as bits; nothing comes before those in `first`, and
    nothing after those in `last`.
    """

    sprints: tuple[SprintPlan, ...]
    before: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]


def sequel_of(reading: Reading, graph: SprintGraph) -> Sequel:
    sprints = tuple(sprint for unit in reading.plan.units for sprint in unit.sprints)
    after = [list[int]() for _ in sprints]
    starts: dict[str, tuple[int, int]] = {}
    at = 0
    for unit in reading.plan.units:
        starts[unit.name] = (at, at + len(unit.sprints) - 1)
        at += len(unit.sprints)
    for unit in reading.plan.units:
        begin, end = starts[unit.name]
        for n in range(begin + 1, end + 1):
            after[n].append(n - 1)
        after[begin].extend(starts[name][1] for name in graph.units[unit.name] if name in starts)
    for n, needed in enumerate(graph.needs):
        after[n].extend(one for one in needed if graph.order[one][0] != graph.order[n][0])
    before = _closed(after)
    waited_for = 0
    for bits in before:
        waited_for |= bits
    return Sequel(
        sprints,
        before,
        tuple(n for n, bits in enumerate(before) if not bits),
        tuple(n for n in range(len(sprints)) if not waited_for >> n & 1),
    )


def _closed(after: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return all that comes before, directly or not. A plan with a cycle was refused when it was
    read.
    """
    waiting = [len(found) for found in after]
    follows = [list[int]() for _ in after]
    for n, found in enumerate(after):
        for one in found:
            follows[one].append(n)
    before = [0] * len(after)
    ready = [n for n, left in enumerate(waiting) if not left]
    while ready:
        one = ready.pop()
        for n in follows[one]:
            before[n] |= before[one] | 1 << one
            waiting[n] -= 1
            if not waiting[n]:
                ready.append(n)
    return tuple(before)
