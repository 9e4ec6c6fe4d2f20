"""Markdown line by line: fences, headings, list items, table rows and front matter.

`plan_format.structure` parses whole documents with markdown-it, which takes a quarter of a second
to load. The readers here are for code that needs one kind of line, must keep every byte of the
rest, or has to start quickly. Both follow CommonMark: nothing in a fence is a heading, an item or a
row.

All readers are linear in the text and expect lines that were split at `\\n` only.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from topkick.text import escape

# A backtick fence has no other backtick in its line; ```code``` in a sentence is no fence.
_FENCE = re.compile(
    r"\s*(?P<quote>(?:>\s?)*)\s*(?P<mark>`{3,}(?=[^`]*$)|~{3,})\s*(?P<word>\S*)", re.DOTALL
)
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))??(?:[ \t]+#+)?\s*$")
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>[-*+]|\d{1,9}[.)])[ \t]+(?:(?P<box>\[[ xX]\])[ \t]+)?(?P<text>.*)"
)
_CODE_INDENT = 4
_ITEM_FIRST = frozenset("-*+0123456789")
_BAR = re.compile(r"\\.|\|", re.DOTALL)
_ESCAPED = re.compile(r"\\([|\\])")
_RULE = re.compile(r"[|:\- \t\r]{3,}")
_MARK = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,})(?P<info>[^`]*)$")
_HOLDERS = frozenset({"", "markdown", "md", "mdx", "text", "txt", "prompt", "template"})
_LONG = "`" * 40


# --- fences --------------------------------------------------------------------------------------


def fenced(lines: Sequence[str]) -> Iterator[str | None]:
    """Return for each line None if it is outside fences, else the word that its fence begins with.

    The lines that open and close a fence belong to it. A fence in a quotation or in a list item
    ends with it, even if it is not closed.
    """
    mark, word, quoted = "", "", False
    column, item_column = 0, 0
    for line in unnested(lines):
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if mark and bare and (indent < column or (quoted and bare[0] != ">")):
            mark = ""
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found and indent >= (column if mark else item_column) + _CODE_INDENT:
            found = None
        if mark:
            yield word
            ends = found and found["mark"].startswith(mark) and not found["word"]
            mark = "" if found and ends and bool(found["quote"]) is quoted else mark
        elif found:
            mark, word, quoted = found["mark"], found["word"].lower(), bool(found["quote"])
            column = min(indent, item_column)
            yield word
        else:
            yield None
            if bare[:1] in _ITEM_FIRST and (begun := item(line)):
                item_column = len(begun.lead)
            elif bare and not indent:
                item_column = 0


def unfenced(lines: Sequence[str]) -> list[str]:
    """Return the lines with an empty one in place of each that belongs to a fence."""
    return [
        "" if word is not None else line for line, word in zip(lines, fenced(lines), strict=True)
    ]


def unnested(lines: Sequence[str]) -> list[str]:
    """Return the lines with longer marks around each fence that holds other fences.

    CommonMark ends a fence at the first bare mark, so the inner fence of a quoted document ends
    the outer one, and everything after it is read inside out. Where the marks balance as a person
    counts them, the outer pair is made longer. No line is added or removed.
    """
    found = list(lines)
    marks = [(n, m) for n, line in enumerate(lines) if "```" in line and (m := _MARK.match(line))]
    at = 0
    balanced = True
    while at < len(marks):
        close, nested = _closing(marks, at, balanced)
        if close is None:
            # without an end that balances the rest is read as CommonMark does
            if not balanced:
                break
            balanced = False
            continue
        if nested:
            for number, mark in (marks[at], marks[close]):
                found[number] = f"{mark['indent']}{_LONG}{mark['info']}"
        at = close + 1
    return found


def _closing(
    marks: Sequence[tuple[int, re.Match[str]]], at: int, balanced: bool
) -> tuple[int | None, bool]:
    """Return the mark that ends the fence opened at `at`, and whether it holds other fences."""
    first = marks[at][1]
    holds = balanced and first["mark"] == "```" and _word(first["info"]) in _HOLDERS
    depth, nested = 1, False
    for number in range(at + 1, len(marks)):
        mark = marks[number][1]
        if mark["info"].strip():
            depth += holds
            nested = nested or holds
        elif len(mark["mark"]) >= len(first["mark"]):
            depth -= 1
            if depth == 0:
                return number, nested
    return None, False


def _word(info: str) -> str:
    return info.strip().split(" ", 1)[0].lower()


# --- headings and items --------------------------------------------------------------------------


class HeadingLine(NamedTuple):
    level: int
    title: str


def heading(line: str) -> HeadingLine | None:
    """Read `## Title ##`. Headings that are underlined are none here."""
    found = _HEADING.match(line) if "#" in line[:4] else None
    return HeadingLine(len(found["marks"]), (found["title"] or "").strip()) if found else None


class ItemLine(NamedTuple):
    """`lead` is all that stands before the text but the box; `box` is `[ ]`, `[x]` or empty."""

    indent: str
    lead: str
    box: str
    text: str


def item(line: str) -> ItemLine | None:
    """Read the first line of a list item."""
    found = _ITEM.match(line)
    if found is None:
        return None
    at = found.start("box") if found["box"] else found.start("text")
    return ItemLine(found["indent"], line[:at], found["box"] or "", found["text"])


# --- tables --------------------------------------------------------------------------------------


def is_table_rule(line: str) -> bool:
    """Return whether the line is the one below the header of a table: `|---|---|`."""
    return "|" in line and "-" in line and _RULE.fullmatch(line) is not None


def cell_spans(line: str) -> list[tuple[int, int]]:
    """Return where each cell of a row begins and ends, between bars that are not escaped."""
    bars = [found.start() for found in _BAR.finditer(line) if found[0] == "|"]
    edges = [*([] if line.lstrip().startswith("|") else [-1]), *bars]
    if not bars or bars[-1] != len(line.rstrip()) - 1:
        edges.append(len(line))
    return [(first + 1, end) for first, end in pairwise(edges)]


def cells(line: str) -> tuple[str, ...]:
    """Return the texts of a row's cells, with bars and backslashes no longer escaped."""
    if not line.strip():
        return ()
    texts = (line[first:end].strip() for first, end in cell_spans(line))
    return tuple(_ESCAPED.sub(r"\1", text) if "\\" in text else text for text in texts)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Write a table with cells that cannot break out of it."""
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join("---" for _ in header) + "|"]
    lines += [row(texts) for texts in rows]
    return lines


def row(texts: Sequence[str]) -> str:
    """Write one row of a table."""
    return "| " + " | ".join(escape.cell(text) for text in texts) + " |"


# --- front matter --------------------------------------------------------------------------------


def front_matter_end(lines: Sequence[str]) -> int:
    """Return how many lines the front matter takes up, with both of its marks; 0 without any.

    A text that begins with `---` and never closes it has no front matter.
    """
    if lines[0].rstrip() != "---":
        return 0
    closing = (n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "..."))
    return next(closing, 0)


def without_front_matter(lines: Sequence[str]) -> list[str]:
    """Return the lines with empty ones in place of the front matter, so that numbers stay."""
    end = front_matter_end(lines)
    return [""] * end + list(lines[end:])
