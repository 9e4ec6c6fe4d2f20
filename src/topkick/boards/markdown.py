"""Tables in Markdown, with cells that cannot break out of them."""

from collections.abc import Iterable, Sequence

from topkick.boards import safe


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join("---" for _ in header) + "|"]
    lines += [row(cells) for cells in rows]
    return lines


def row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(safe.cell(cell) for cell in cells) + " |"
