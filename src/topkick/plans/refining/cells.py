"""The cells of a table's row, as places in its line."""

import re
from itertools import pairwise

from topkick.plans.refining.source import Draft, Span

_BAR = re.compile(r"(?<!\\)\|")


def cell_spans(text: str) -> list[Span]:
    """From one bar to the next, those that are escaped left out."""
    bars = [found.start() for found in _BAR.finditer(text)]
    edges = [*([] if text.lstrip().startswith("|") else [-1]), *bars]
    if not text.rstrip().endswith("|"):
        edges.append(len(text))
    return [(first + 1, behind) for first, behind in pairwise(edges)]


def cell_at(draft: Draft, row: int, headers: tuple[str, ...]) -> Span | None:
    """Return the cell of that row below one of these headers."""
    top = row
    while top > 1 and "|" in draft[top - 1]:
        top -= 1
    if top == row:
        return None
    titles = [draft[top][a:b].strip(" *`").lower() for a, b in cell_spans(draft[top])]
    column = next((n for n, title in enumerate(titles) if title in headers), None)
    cells = cell_spans(draft[row])
    return cells[column] if column is not None and column < len(cells) else None
