"""Compare the order of the sprints with the best one: which move, and by which rule (AN-01)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from topkick.plans.analysis.model import Bottleneck, Order, OrderCheck, OrderRule, Position
from topkick.plans.refining.graph import SprintGraph
from topkick.plans.refining.prioritizing import Prioritized

HIGH_RISK = 3
OVERTAKES = 20


def order_of(
    prioritized: Prioritized, graph: SprintGraph, bottlenecks: Sequence[Bottleneck]
) -> Order:
    now = {pair: n for n, pair in enumerate(graph.order, start=1)}
    ranked = prioritized.ranked
    found = [Position(row, now[row.unit, row.was], best) for best, row in enumerate(ranked, 1)]
    positions = tuple(sorted(found, key=lambda position: position.now))
    checks = tuple(_checks(positions, {b.sprint for b in bottlenecks}))
    return Order(positions, checks, tuple(_overtakes(positions)), prioritized.refused)


def _checks(
    positions: Sequence[Position], bottlenecks: set[tuple[str, str]]
) -> Iterator[OrderCheck]:
    about = {
        OrderRule.FOUNDATION: [p for p in positions if p.ranked.score.foundation],
        OrderRule.RISK: [p for p in positions if p.ranked.score.risk >= HIGH_RISK],
        OrderRule.BOTTLENECK: [p for p in positions if p.sprint in bottlenecks],
    }
    for rule, found in about.items():
        yield OrderCheck(rule, len(found), tuple(p for p in found if p.best < p.now))


def _overtakes(positions: Sequence[Position]) -> Iterator[tuple[Position, Position]]:
    """Yield neighbouring sprints of a unit that would swap places."""
    count = 0
    for one, other in pairwise(positions):
        lower = one.ranked.score.total < other.ranked.score.total
        if lower and other.best < one.best and one.sprint[0] == other.sprint[0]:
            yield one, other
            count += 1
            if count >= OVERTAKES:
                return
