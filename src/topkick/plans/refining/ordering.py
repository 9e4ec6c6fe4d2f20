"""The best order of a unit's sprints: highest priority first, as far as dependencies allow."""

import math
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from topkick.plans.refining.graph import SprintGraph
from topkick.plans.refining.scores import Score


def best_order(graph: SprintGraph, scores: Sequence[Score], unit: str) -> tuple[int, ...]:
    """Return the order; chains move as a whole, by the score of their first, ties keep their order.

    A first chain that keeps its place stays the first.

    All edges inside a unit lead from an earlier sprint to a later one, so none is ever broken.
    """
    chains = graph.chains[unit]
    home = {n: at for at, chain in enumerate(chains) for n in chain}
    later: dict[int, set[int]] = {at: set() for at in range(len(chains))}
    waiting = [0] * len(chains)
    for n, at in home.items():
        for before in graph.needs[n]:
            other = home.get(before, at)
            if other != at and at not in later[other]:
                later[other].add(at)
                waiting[at] += 1
    ready = [(_rank(graph, scores, chains, at), at) for at, left in enumerate(waiting) if not left]
    heapify(ready)
    order: list[int] = []
    while ready:
        _, at = heappop(ready)
        order.extend(chains[at])
        for other in later[at]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heappush(ready, (_rank(graph, scores, chains, other), other))
    return tuple(order)


def _rank(
    graph: SprintGraph, scores: Sequence[Score], chains: Sequence[tuple[int, ...]], at: int
) -> float:
    first = chains[at][0]
    return -math.inf if first in graph.kept_first else -scores[first].total
