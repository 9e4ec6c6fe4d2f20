"""Tables in Markdown, with cells that cannot break out of them."""

from collections.abc import Iterable, Sequence

from topkick.boards import safe


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join("---" for _ in header) + "|"]
    lines += ["| " + " | ".join(safe.cell(c) for c in row) + " |" for row in rows]
    return lines
