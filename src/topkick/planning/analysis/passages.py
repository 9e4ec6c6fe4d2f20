"""The sentences of a plan, each with its line, its heading and its sprint, and an index of texts by
the names and the stems of words in them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from topkick.plan_format.document import PlanReading
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.structure import (
    ItemList,
    Paragraph,
    Quote,
    Section,
    Table,
    flattened,
    sections,
    with_unix_lines,
)
from topkick.plan_format.units.headings import label_line, words
from topkick.text.markdown import without_front_matter
from topkick.text.similarity import telling, tokens

MOST = 50_000
LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence; `under` is the nearest heading, `column` the header of a table's cell."""

    text: str
    line: int
    under: str
    sprint: Pair | None = None
    column: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class DocumentBody:
    """The plan's text; `parts` are all sections, `passages` all sentences outside fences, in
    order.
    """

    parts: tuple[Section, ...]
    passages: tuple[Passage, ...]
    owners: "Owners"

    def under(self, part: Section) -> Iterator[Passage]:
        """Yield the passages between that heading and the next."""
        if part.heading is None:
            return
        first = bisect_right(self.passages, part.heading.line, key=lambda passage: passage.line)
        for n in range(first, len(self.passages)):
            if self.passages[n].line >= part.end:
                return
            yield self.passages[n]

    def outside(self) -> Iterator[Section]:
        """Yield sections that belong to no sprint."""
        for part in self.parts:
            if part.heading and self.owners.at(part.heading.line) is None:
                yield part


@dataclass(slots=True)
class Owners:
    """Finds the sprint that a line belongs to."""

    starts: list[int] = field(default_factory=list)
    spans: list[tuple[int, Pair]] = field(default_factory=list)

    @classmethod
    def of(cls, reading: PlanReading) -> "Owners":
        found = sorted(
            (said.first or said.plan.line, said.behind or said.plan.line + 1, pair)
            for pair, said in reading.sprints.items()
        )
        return cls([first for first, _, _ in found], [(behind, p) for _, behind, p in found])

    def at(self, line: int) -> Pair | None:
        n = bisect_right(self.starts, line) - 1
        return self.spans[n][1] if n >= 0 and line < self.spans[n][0] else None


def body_of(text: str, reading: PlanReading) -> DocumentBody:
    lines = with_unix_lines(text).split("\n")
    parts = sections("\n".join(without_front_matter(lines)))
    owners = Owners.of(reading)
    return DocumentBody(parts, tuple(islice(_passages(parts, owners), MOST)), owners)


def _passages(parts: Sequence[Section], owners: Owners) -> Iterator[Passage]:
    for part in parts:
        for text, line, column, row in sentences(part):
            yield Passage(text[:LONGEST], line, part.title, owners.at(line), column, row)


def points(part: Section) -> Iterator[tuple[str, int]]:
    """Yield the list items and table rows of a section."""
    for block in part.blocks:
        if isinstance(block, ItemList):
            yield from ((item.text, item.line) for item in flattened(block.items))
        elif isinstance(block, Table):
            yield from ((" | ".join(row.cells), row.line) for row in block.rows)


def paragraphs(part: Section) -> Iterator[tuple[str, int]]:
    for block in part.blocks:
        if isinstance(block, Paragraph):
            yield " ".join(block.lines), block.line


def sentences(part: Section) -> Iterator[tuple[str, int, str, str]]:
    """Yield text and line, and for a table cell its header and row."""
    for block in part.blocks:
        match block:
            case Paragraph() | Quote():
                for n, text in enumerate(block.lines, start=block.line):
                    yield text, n, "", ""
            case ItemList():
                for item in flattened(block.items):
                    yield item.text, item.line, "", ""
            case Table():
                yield from _cells(block)
            case _:
                pass


def _cells(table: Table) -> Iterator[tuple[str, int, str, str]]:
    for row in table.rows:
        whole = " | ".join(row.cells)[:LONGEST]
        for column, cell in zip(table.header, row.cells, strict=False):
            yield cell, row.line, words(column), whole


def said_behind_label(text: str) -> str:
    """Return "a parser" for `**Goal**: a parser`; other texts stay as they are."""
    found = label_line(text)
    return found[1] if found and found[1] else text


def _named(words: Sequence[str]) -> Iterator[str]:
    """Yield each word, alone and joined with up to three that follow: a file's name in prose."""
    for n, word in enumerate(words):
        yield word
        if n + 1 < len(words):
            yield word + words[n + 1]
        if n + 2 < len(words):
            yield word + words[n + 1] + words[n + 2]
        if n + 3 < len(words):
            yield word + words[n + 1] + words[n + 2] + words[n + 3]


@dataclass(frozen=True, slots=True)
class Index:
    """An index of texts by names and by stems of words; a set of texts is a bit mask."""

    names: Mapping[str, int]
    stems: Mapping[str, int]
    count: int

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Index":
        names: dict[str, int] = {}
        stems: dict[str, int] = {}
        count = 0
        for n, text in enumerate(texts):
            bit, count = 1 << n, n + 1
            for name in _named(tokens(text)):
                names[name] = names.get(name, 0) | bit
            for word in telling(text):
                stems[word] = stems.get(word, 0) | bit
        return cls(names, stems, count)
