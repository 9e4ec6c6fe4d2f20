"""A plain text table that fits a width: some columns shrink, then some are left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """`least` is how narrow it may get; columns go in the order of `leaves`, 0 stays.

    `ends` keeps the end of a text that is cut: of a model's name that is the telling part.
    """

    title: str
    least: int = 0
    leaves: int = 0
    ends: bool = False


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    shown = list(range(len(columns)))
    widths = _natural(columns, rows)
    while (over := _total(shown, widths) - width) > 0:
        _shrink(columns, shown, widths, over)
        leaving = [n for n in shown if columns[n].leaves]
        if _total(shown, widths) <= width or not leaving:
            break
        shown.remove(min(leaving, key=lambda n: columns[n].leaves))
        widths = _natural(columns, rows)
    header = [c.title for c in columns]
    lines = [header, ["─" * w for w in widths], *rows]
    return [
        (" " * GAP).join(fit(line[n], widths[n], ends=columns[n].ends) for n in shown).rstrip()
        for line in lines
    ]


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    cells = [[c.title for c in columns], *rows]
    return [max(width_of(row[n]) for row in cells) for n in range(len(columns))]


def _total(shown: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[n] for n in shown) + GAP * (len(shown) - 1)


def _shrink(columns: Sequence[Column], shown: Sequence[int], widths: list[int], over: int) -> None:
    """Takes from the widest first, one by one."""
    while over > 0:
        able = [n for n in shown if columns[n].least and widths[n] > columns[n].least]
        if not able:
            return
        widths[max(able, key=lambda n: widths[n])] -= 1
        over -= 1


def fit(text: str, width: int, *, ends: bool = False) -> str:
    """Exactly this many terminal columns."""
    if width_of(text) > width:
        while text and width_of(text) > width - 1:
            text = text[1:] if ends else text[:-1]
        text = f"…{text}" if ends else f"{text}…"
    return text + " " * (width - width_of(text))


def width_of(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
