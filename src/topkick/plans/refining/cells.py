"""Find a cell of a table in a draft by the header of its column."""

from topkick.plans.refining.source import Draft, Span
from topkick.text.markdown import cell_spans


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
