"""Stretches of time, as pairs of moments, and what is left of them without others."""

from collections.abc import Iterable, Sequence

Span = tuple[int, int]


def merged(spans: Iterable[Span]) -> list[Span]:
    """In order, without overlaps and without empty ones."""
    found: list[Span] = []
    for begin, end in sorted(s for s in spans if s[0] < s[1]):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def length_us(spans: Iterable[Span]) -> int:
    return sum(end - begin for begin, end in merged(spans))


def without(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """Return the parts of `spans` that are in none of the others."""
    left = merged(spans)
    for hole in merged(others):
        left = [part for span in left for part in _cut(span, hole)]
    return left


def _cut(span: Span, hole: Span) -> Sequence[Span]:
    if hole[1] <= span[0] or span[1] <= hole[0]:
        return (span,)
    parts = ((span[0], hole[0]), (hole[1], span[1]))
    return tuple(p for p in parts if p[0] < p[1])
