"""The dependency graph of a plan: the longest chain, parallel work, bottlenecks."""

from collections.abc import Iterator, Mapping, Sequence

from topkick.plans.analysis.drawing import drawing_of
from topkick.plans.analysis.model import Bottleneck, Cluster, Shape
from topkick.plans.analysis.rounds import Rounds
from topkick.plans.document import Reading
from topkick.plans.refining.graph import SprintGraph
from topkick.plans.refining.layers import better_layers
from topkick.plans.refining.scores import Score
from topkick.plans.waiting import Pair

BLOCKED_BY_NARROW = 2  # this many sprints wait directly for a bottleneck
BOTTLENECKS = 5
MEMBERS = 12
CLUSTERS = 40


def shape_of(
    reading: Reading, graph: SprintGraph, scores: Sequence[Score], labels: Mapping[Pair, str]
) -> Shape:
    loose = Rounds.of(graph, in_order=False)
    strict = Rounds.of(graph, in_order=True)
    apart = tuple(_apart(graph, loose, labels))
    return Shape(
        critical=tuple(graph.order[n] for n in loose.longest()),
        clusters=(*_together(reading, strict), *apart),
        bottlenecks=tuple(_bottlenecks(graph, loose, scores)),
        current=strict.pace(),
        maximum=loose.pace(),
        missed=apart,
        layers=better_layers(reading),
        drawing=drawing_of(reading, loose, labels),
    )


def _together(reading: Reading, strict: Rounds) -> Iterator[Cluster]:
    """Yield units that begin in the same round."""
    begins: dict[int, list[str]] = {}
    at = 0
    for unit in reading.plan.units:
        begins.setdefault(strict.at[at], []).append(unit.name)
        at += len(unit.sprints)
    for first in sorted(begins):
        if len(begins[first]) > 1:
            members = tuple(begins[first][:MEMBERS])
            yield Cluster(f"From round {first + 1} on", members, of_units=True)


def _apart(graph: SprintGraph, loose: Rounds, labels: Mapping[Pair, str]) -> Iterator[Cluster]:
    """Yield sprints of one unit that could run in one round, as neither needs the other."""
    groups: dict[tuple[str, int], list[str]] = {}
    for n, pair in enumerate(graph.order):
        groups.setdefault((pair[0], loose.at[n]), []).append(labels[pair])
    found = [(unit, members) for (unit, _), members in groups.items() if len(members) > 1]
    for unit, members in found[:CLUSTERS]:
        yield Cluster(unit, tuple(members[:MEMBERS]))


def _bottlenecks(
    graph: SprintGraph, loose: Rounds, scores: Sequence[Score]
) -> Iterator[Bottleneck]:
    narrow = [n for n, count in enumerate(loose.waiters()) if count >= BLOCKED_BY_NARROW]
    narrow.sort(key=lambda n: (-graph.dependents(n), n))
    for n in narrow[:BOTTLENECKS]:
        blocks = tuple(graph.order[one] for one in graph.held_up(n))
        yield Bottleneck(graph.order[n], blocks, scores[n].reason())
