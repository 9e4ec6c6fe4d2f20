"""Compute in which round each sprint can run, as if all took equally long."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan
from topkick.planning.analysis.model import Pace
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.evaluation import Evaluated, Read, evaluated
from topkick.planning.refinement.graph import SprintGraph
from topkick.planning.refinement.priorities import Prioritized, prioritized

# --- refine ------------------------------------------------------------------------------------
# Give a plan the best order and shape that a program can find.

ROUNDS = 6


@dataclass(frozen=True, slots=True)
class ImprovedPlan:
    """The result; `order` is that of the original plan, `shape` counts the changes of all
    rounds.
    """

    text: str
    order: Prioritized
    shape: Evaluated


def improved(text: str, read: Read, around: Surroundings, max_turns: int) -> ImprovedPlan:
    """Repeat until nothing changes: split or merged sprints may need new places."""
    order = prioritized(text, read(text))
    shape = evaluated(order.text, read, around, max_turns)
    for _ in range(ROUNDS):
        again = prioritized(shape.text, read(shape.text))
        more = evaluated(again.text, read, around, max_turns)
        if more.text == shape.text:
            break
        shape = _added(shape, more)
    return ImprovedPlan(shape.text, order, shape)


def _added(shape: Evaluated, more: Evaluated) -> Evaluated:
    return replace(
        more,
        before=shape.before,
        splits=shape.splits + more.splits,
        merges=shape.merges + more.merges,
        proposed=shape.proposed + more.proposed,
        sharpened=shape.sharpened + more.sharpened,
        checked_before=shape.checked_before,
    )


Ends = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class WorkRounds:
    """The rounds; `at` is the earliest round of every sprint.

    `needs` are edges inside units and between single sprints; a unit that waits for others does so
    with its `heads`, for their `tails`. Each unit has two nodes of its own in `edges`, after the
    sprints, so that there are few edges.
    """

    needs: tuple[tuple[int, ...], ...]
    waits: Mapping[str, tuple[str, ...]]
    heads: Ends
    tails: Ends
    edges: tuple[tuple[int, ...], ...]
    at: tuple[int, ...]

    @classmethod
    def of(cls, graph: SprintGraph, *, in_order: bool) -> "WorkRounds":
        """Compute the rounds; with `in_order` a unit runs its sprints one after another, as topkick
        does.
        """
        homes: dict[str, list[int]] = {}
        for n, (unit, _) in enumerate(graph.order):
            homes.setdefault(unit, []).append(n)
        needs = [[*found] for found in graph.needs]
        if in_order:
            for found in homes.values():
                for one, other in pairwise(found):
                    needs[other].append(one)
        settled = tuple(tuple(dict.fromkeys(found)) for found in needs)
        heads, tails = _ends(homes, settled)
        waits = {u: tuple(w for w in graph.units[u] if w in homes) for u in homes}
        edges = _edges(settled, waits, heads, tails)
        return cls(settled, waits, heads, tails, edges, _earliest(edges, len(settled)))

    def pace(self) -> Pace:
        counts: dict[int, int] = {}
        for n in range(len(self.needs)):
            counts[self.at[n]] = counts.get(self.at[n], 0) + 1
        return Pace(max(counts.values()), len(counts))

    def longest(self) -> tuple[int, ...]:
        """Return the longest chain; of several the first in the plan."""
        count = len(self.needs)
        node = max(range(count), key=lambda n: (self.at[n], -n))
        chain = [node]
        while self.edges[node]:
            ends = [self.at[one] + (one < count) for one in self.edges[node]]
            latest = [
                one for one, end in zip(self.edges[node], ends, strict=True) if end == max(ends)
            ]
            node = min(latest)
            chain += [node] if node < count else []
        return tuple(reversed(chain))

    def waiters(self) -> list[int]:
        """Return how many sprints wait directly for each one."""
        found = [0] * len(self.needs)
        for needed in self.needs:
            for one in needed:
                found[one] += 1
        for unit, others in self.waits.items():
            for other in others:
                for one in self.tails[other]:
                    found[one] += len(self.heads[unit])
        return found

    def direct(self) -> tuple[tuple[int, ...], ...]:
        """Return every edge between two sprints, for drawings with few of them."""
        found = [[*needed] for needed in self.needs]
        for unit, others in self.waits.items():
            for n in self.heads[unit]:
                found[n].extend(one for other in others for one in self.tails[other])
        return tuple(tuple(sorted({*needed})) for needed in found)


def _ends(homes: Mapping[str, Sequence[int]], needs: Sequence[Sequence[int]]) -> tuple[Ends, Ends]:
    """Return each unit's sprints that need no other of it, and those that no other of it needs."""
    heads: dict[str, tuple[int, ...]] = {}
    tails: dict[str, tuple[int, ...]] = {}
    for unit, found in homes.items():
        own = set(found)
        needed = {one for n in found for one in needs[n]}
        heads[unit] = tuple(n for n in found if not own.intersection(needs[n]))
        tails[unit] = tuple(n for n in found if n not in needed)
    return heads, tails


def _edges(
    needs: Sequence[Sequence[int]], waits: Mapping[str, Sequence[str]], heads: Ends, tails: Ends
) -> tuple[tuple[int, ...], ...]:
    begins = {unit: len(needs) + 2 * n for n, unit in enumerate(waits)}
    edges = [[*found] for found in needs]
    for unit, others in waits.items():
        for n in heads[unit]:
            edges[n].append(begins[unit])
        edges.append([begins[other] + 1 for other in others])
        edges.append([*tails[unit]])
    return tuple(map(tuple, edges))


def _earliest(edges: Sequence[Sequence[int]], count: int) -> tuple[int, ...]:
    rounds = [0] * len(edges)
    for one, n in _edges_in_order(edges):
        rounds[n] = max(rounds[n], rounds[one] + (one < count))
    return tuple(rounds)


# --- the order when the plan runs --------------------------------------------------------------
# A unit runs its sprints one after another.


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


def sequel_of(reading: PlanReading, graph: SprintGraph) -> Sequel:
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
    before = [0] * len(after)
    for one, n in _edges_in_order(after):
        before[n] |= before[one] | 1 << one
    return tuple(before)


def _edges_in_order(after: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield each edge as (earlier node, later node), after all edges that lead to the earlier."""
    waiting = [len(found) for found in after]
    follows = [list[int]() for _ in after]
    for n, found in enumerate(after):
        for one in found:
            follows[one].append(n)
    ready = [n for n, left in enumerate(waiting) if not left]
    while ready:
        one = ready.pop()
        for n in follows[one]:
            yield one, n
            waiting[n] -= 1
            if not waiting[n]:
                ready.append(n)
