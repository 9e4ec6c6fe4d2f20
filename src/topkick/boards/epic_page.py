"""An epic on the terminal: how it stands, its work items, what was decided last, what is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.boards import safe
from topkick.boards.columns import Column, lay_out

ROWS_TOLD = 5
COLUMNS = (
    Column("Item", least=12),
    Column("Status"),
    Column("Worker", leaves=2),
    Column("Title", least=16),
    Column("Review surface", least=16, leaves=3),
    Column("Notes", least=16, leaves=1),
)


@dataclass(frozen=True, slots=True)
class ItemLine:
    id: str
    status: str
    worker: str
    title: str
    surface: str
    said: str


@dataclass(frozen=True, slots=True)
class RowLine:
    tick: str
    decision: str
    found: str
    notes: str


@dataclass(frozen=True, slots=True)
class EpicPage:
    """What is shown; all of it is text that others wrote."""

    id: str
    title: str
    status: str
    phase: str
    items: tuple[ItemLine, ...]
    rows: tuple[RowLine, ...]
    asked: tuple[str, ...]
    next: str


def lines(page: EpicPage, width: int) -> Iterator[str]:
    head = f"{safe.line(page.id)}  {safe.line(page.title, 100)}"
    yield head if page.title != page.id else safe.line(page.id)
    phase = f" ({safe.line(page.phase)})" if page.phase else ""
    yield f"Status: {safe.line(page.status)}{phase}"
    if page.items:
        yield ""
        yield from _table(page.items, width)
    if page.rows:
        yield from ("", "Last decisions")
    for row in page.rows[-ROWS_TOLD:]:
        said = f"{safe.line(row.decision, 80)} [{safe.line(row.found, 20)}] {safe.line(row.notes)}"
        yield safe.cut(f"  {safe.line(row.tick, 20)} {said}", width)
    if page.asked:
        yield from ("", "For a person to decide")
    for question in page.asked:
        yield safe.cut(f"  {safe.line(question, 300)}", max(width, 60))
    yield from ("", safe.line(page.next, 200))


def _table(items: Sequence[ItemLine], width: int) -> Iterator[str]:
    cells = [(i.id, i.status, i.worker, i.title, i.surface, i.said) for i in items]
    rows = [tuple(safe.line(cell, 80) for cell in row) for row in cells]
    yield from lay_out(COLUMNS, rows, width)
