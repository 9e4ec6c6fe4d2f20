"""Find the sprints that mention a requirement (AN-01).

They are found by a path, a name, or most of the requirement's telling words. It is only a mention:
whether the work is enough, a reader must judge.
"""

import math
from collections.abc import Iterator, Sequence

from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.model import Coverage, Given, Statement
from topkick.planning.analysis.passages import Index
from topkick.planning.breakdown.model import Confidence
from topkick.sprint.dispatch.names import names_in
from topkick.text.similarity import joined, telling

SHARE = 0.5  # share of a requirement's words by weight, where rare words weigh more
SHOWN = 3
REQUIREMENTS = 500
SHORTEST_NAME = 4
NAMED_BY_FEW = 3  # a name that more than a third of the sprints use is an ordinary word


def coverage_of(
    given: Given, goals: Sequence[Statement], index: Index, order: Sequence[Pair]
) -> tuple[Coverage, ...]:
    """Return the coverage of the requirements document; without one, of the plan's own goals."""
    if given.requirements:
        wanted = [
            (one.text, one.lines.first, one.confidence is Confidence.EXPLICIT)
            for one in given.requirements[:REQUIREMENTS]
        ]
    else:
        wanted = [(goal.text, goal.line, False) for goal in goals[:REQUIREMENTS]]
    return tuple(
        Coverage(text, line, tuple(order[n] for n in mentioned_by(text, index)), explicit)
        for text, line, explicit in wanted
        if telling(text)
    )


def mentioned_by(text: str, index: Index) -> tuple[int, ...]:
    """Return at most three sprints that mention it most, in the order of the plan."""
    weights = {word: _weight(index, word) for word in telling(text)}
    whole = sum(weights.values())
    shares: dict[int, float] = {}
    for word, weight in weights.items():
        for n in _bits(index.stems.get(word, 0)):
            shares[n] = shares.get(n, 0.0) + weight / whole
    for n in _by_names(text, index):
        shares[n] = max(shares.get(n, 0.0), 1.0)
    enough = sorted((n for n, share in shares.items() if share >= SHARE), key=lambda n: -shares[n])
    return tuple(sorted(enough[:SHOWN]))


def _weight(index: Index, word: str) -> float:
    """Return a word's weight; words that no sprint uses weigh as much as the rarest."""
    return 1.0 + math.log((1 + index.count) / (1 + index.stems.get(word, 0).bit_count()))


def _by_names(text: str, index: Index) -> Iterator[int]:
    for name in names_in(text).all:
        short = joined(name.rpartition("/")[2].partition(".")[0])
        found = index.names.get(short, 0) if len(short) >= SHORTEST_NAME else 0
        if found.bit_count() <= max(1, index.count // NAMED_BY_FEW):
            yield from _bits(found)


def _bits(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
