"""Find code inside a text: what is between two runs of the same number of backticks
(CommonMark).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_RUN = re.compile(r"`+")
_BLANKS = re.compile(r"\s+")
_LINE_END = re.compile(r"[ \t]*\n[ \t]*")


class ProsePart(NamedTuple):
    """Some prose and the code after it; the last part has no code."""

    prose: str
    ticks: str = ""
    code: str = ""


def parts_of(text: str) -> Iterator[ProsePart]:
    if "``" not in text:  # nearly always true
        pieces = text.split("`")
        paired = len(pieces) - (len(pieces) % 2 == 0)
        for n in range(0, paired - 1, 2):
            yield ProsePart(pieces[n], "`", pieces[n + 1])
        yield ProsePart("`".join(pieces[paired - 1 :]))
        return
    runs = [(found.start(), found.end()) for found in _RUN.finditer(text)]
    later: dict[int, list[int]] = {}
    for n in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[n][1] - runs[n][0], []).append(n)
    at = n = 0
    while n < len(runs):
        start, end = runs[n]
        same = later[end - start]
        while same and same[-1] <= n:
            same.pop()
        if same:
            close = same.pop()
            yield ProsePart(text[at:start], text[start:end], text[end : runs[close][0]])
            at, n = runs[close][1], close
        n += 1
    yield ProsePart(text[at:])


def on_one_line(text: str) -> str:
    """Collapse blanks in prose; blanks inside code belong to the command."""
    if "`" not in text:
        return " ".join(text.split())
    folded = (
        f"{_BLANKS.sub(' ', part.prose)}{part.ticks}{_LINE_END.sub(' ', part.code)}{part.ticks}"
        for part in parts_of(text)
    )
    return "".join(folded).strip()
