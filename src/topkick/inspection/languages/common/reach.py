"""Which parts of a tree never run: what comes after a `return`, or under `if false`."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from topkick.inspection.languages.common.syntax import Node, SourceText

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Dead:
    """Spans of bytes, in order and without overlaps."""

    spans: tuple[Span, ...]

    def holds(self, node: Node) -> bool:
        at = bisect_right(self.spans, (node.start, 1 << 60)) - 1
        return at >= 0 and self.spans[at][0] <= node.start < self.spans[at][1]


def dead(
    source: SourceText,
    blocks: frozenset[str],
    ends: Callable[[Node], bool],
    others: Iterable[Node] = (),
    stays: frozenset[str] = frozenset(),
) -> Dead:
    """`others` are known to be dead already; `stays` are kinds that are found from anywhere."""
    spans = [(node.start, node.end) for node in others]
    for block in source.of_kind(*blocks):
        is_over = False
        for child in block.children:
            if is_over and child.kind not in stays:
                spans.append((child.start, child.end))
            is_over = is_over or ends(child)
    return Dead(_merged(spans))


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
