"""The text of a plan as lines that can be changed one by one and otherwise stay as they are, and
the labels and list items of a sprint in them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from topkick.plan_format.document import PlanReading
from topkick.plan_format.units.headings import Label, label_line, label_of
from topkick.text.markdown import cell_spans, fenced, heading, unfenced

Span = tuple[int, int]  # the first line, and the line after the last


@dataclass(slots=True)
class EditedText:
    """Every line of a text, and its replacement: itself, other lines, or nothing.

    Lines are counted from 1, as everywhere. A text keeps its line endings.
    """

    lines: list[list[str]]
    end: str = ""
    changed: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, text: str) -> "EditedText":
        lines = text.split("\n")
        windows = len(lines) > 1 and lines[0].endswith("\r")
        return cls([[line] for line in lines], "\r" if windows else "")

    def __getitem__(self, line: int) -> str:
        """Return the present line without its ending."""
        found = self.lines[line - 1]
        return (found[0] if len(found) == 1 else "\n".join(found)).removesuffix("\r")

    def __setitem__(self, line: int, text: str) -> None:
        if text == self[line]:
            return
        end = "\r" if self.lines[line - 1] and self.lines[line - 1][-1].endswith("\r") else ""
        self.lines[line - 1] = [text + end]
        self.changed.add(line)

    def insert_behind(self, line: int, texts: Sequence[str]) -> None:
        self.lines[line - 1].extend(text + self.end for text in texts)
        self.changed.add(line)

    def remove(self, lines: Iterable[int]) -> None:
        for line in lines:
            self.lines[line - 1] = []
            self.changed.add(line)

    def text(self, moves: Sequence[tuple[Span, Span]] = ()) -> str:
        """Return the whole text; `moves` say which span moves to the place of which."""
        if not moves:
            return "\n".join(line for lines in self.lines for line in lines)
        comes = {there[0]: (there, here) for here, there in moves}
        found: list[str] = []
        at = 1
        while at <= len(self.lines):
            there, here = comes.get(at, ((at, at + 1), (at, at + 1)))
            moved = [line for lines in self.lines[here[0] - 1 : here[1] - 1] for line in lines]
            found.extend(self._ended(moved) if here != there else moved)
            at = there[1]
        if not (self.lines[-1] and self.lines[-1][-1].endswith("\r")) and found:
            found[-1] = found[-1].removesuffix(self.end)
        return "\n".join(found)

    def _ended(self, lines: list[str]) -> list[str]:
        """Add a line ending to the file's last line, which may have had none."""
        if lines and self.end and not lines[-1].endswith(self.end):
            lines[-1] += self.end
        return lines


def core_of(draft: EditedText, span: Span) -> Span:
    """Return the span without trailing blank lines and rules, which stay when blocks move."""
    first, behind = span
    while behind - 1 > first and _parts_blocks(draft, behind - 1):
        behind -= 1
    return first, behind


def _parts_blocks(draft: EditedText, line: int) -> bool:
    """Return whether the line separates blocks; `---` right below words makes them a heading."""
    text = draft[line].strip()
    return not text or (text in ("---", "***", "___") and not draft[line - 1].strip())


def refusal(reading: PlanReading) -> str:
    """Return why such a plan is not rewritten: table rows and groups of tasks are not blocks."""
    if all(said.first for said in reading.sprints.values()):
        return ""
    return (
        f"topkick found the sprints by {reading.sprint_rule}, so no sprint has lines of its own "
        "to rewrite. Give each sprint a heading such as '### Sprint 1: Name'."
    )


# --- cells of a table --------------------------------------------------------------------------
# Find a cell in a draft by the header of its column.


def cell_at(draft: EditedText, row: int, headers: tuple[str, ...]) -> Span | None:
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


_ITEM = re.compile(r"^(?P<lead> {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:(?P<box>\[[ xX]\])[ \t]+)?\S")


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """The lines from a label to the next; `plain` if it contains at most one list."""

    label: Label
    first: int
    behind: int
    items: tuple[Span, ...] = ()
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The parts of a sprint; the head is its heading with the text before the first label."""

    span: Span
    parts: tuple[LabelledPart, ...]
    head_behind: int

    def part(self, label: Label) -> LabelledPart | None:
        return next((part for part in self.parts if part.label is label), None)

    def count(self, label: Label) -> int:
        return sum(part.label is label for part in self.parts)


def anatomy(draft: EditedText, span: Span) -> Anatomy:
    """Split the sprint's block `span`; text in fences is never a label."""
    starts = _labels(draft, span)
    ends = [*(line for line, _ in starts[1:]), *([span[1]] if starts else [])]
    parts = tuple(
        _part(draft, label, line, behind)
        for (line, label), behind in zip(starts, ends, strict=True)
    )
    return Anatomy(span, parts, starts[0][0] if starts else span[1])


def _labels(draft: EditedText, span: Span) -> Sequence[tuple[int, Label]]:
    found: list[tuple[int, Label]] = []
    lines = [draft[line] for line in range(span[0] + 1, span[1])]
    for line, text in enumerate(unfenced(lines), start=span[0] + 1):
        if not text or _ITEM.match(text) or text[:1] in (" ", "\t"):
            continue
        read = heading(text)
        said = (label_of(read.title) or Label.OTHER, "") if read else label_line(text)
        if said is not None:
            found.append((line, said[0]))
    return found


def _part(draft: EditedText, label: Label, first: int, behind: int) -> LabelledPart:
    while behind - 1 > first and not draft[behind - 1].strip():
        behind -= 1
    starts: list[int] = []
    plain = True
    lines = [draft[line] for line in range(first + 1, behind)]
    fences = zip(lines, fenced(lines), strict=True)
    for line, (text, fence) in enumerate(fences, start=first + 1):
        if fence is None and _ITEM.match(text):
            starts.append(line)
        begun = starts and (line == starts[-1] or text[:1] in (" ", "\t"))
        plain = plain and bool(begun or not text.strip())
    ends = [*starts[1:], behind]
    items = tuple(zip(starts, ends, strict=True)) if starts else ()
    return LabelledPart(label, first, behind, items, plain)


def item_lead(text: str) -> tuple[str, bool]:
    """Return what a list item begins with, and whether it has a box."""
    found = _ITEM.match(text)
    return (found["lead"], found["box"] is not None) if found else ("- ", False)
