"""Split the lines of a sprint into labels, list items, and the rest."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from topkick.plan_format.units.labels import Label, label_line, label_of
from topkick.planning.refinement.source import EditedText, Span
from topkick.text.markdown import fenced, heading, unfenced

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
