"""Texts of boards and tasks: new files in the canonical form, and the work items of a design."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from topkick.text import escape
from topkick.text.yaml import inline_items, scalar, written, written_items

_NUMBER = re.compile(r"(\d{1,9})-")
_NO_WORD = re.compile(r"[^\w\s-]")
LONGEST_SLUG = 60


def next_number(names: Iterable[str]) -> int:
    """Return one more than the highest number; boards and tasks share numbers, and the first
    is 0.
    """
    numbers = [int(found[1]) for name in names if (found := _NUMBER.match(name))]
    return max(numbers) + 1 if numbers else 0


def slug(title: str) -> str:
    return escape.slug(_NO_WORD.sub("", title))[:LONGEST_SLUG].strip("-") or "untitled"


def new_board(title: str, request: str, current: str, created: str) -> str:
    return f"""\
---
type: kanban
title: {written(title)}
created: {written(created)}
phase: design
current: {written(current)}
tasks: {written_items((current,))}
---

# Kanban: {_line(title)}

## Request
{request.strip() or title}

## Plan Adjustment Log
"""


def first_task(title: str, request: str, board: str, created: str) -> str:
    """Return the first task, which designs the work items."""
    return new_task(
        f"Populate work items: {title}",
        assignee="Architect",
        kind="design",
        priority="high",
        board=board,
        created=created,
        description=request.strip() or title,
    )


def new_task(
    title: str,
    *,
    assignee: str,
    kind: str,
    priority: str,
    board: str,
    created: str,
    description: str,
    dependencies: tuple[str, ...] = (),
    refers: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
) -> str:
    named = "\n".join(f"- {file}" for file in files)
    return f"""\
---
assignee: {assignee}
expertise: []
skills: []
type: {kind}
priority: {priority}
state: todo
dependencies: {written_items(dependencies)}
refers: {written_items((board, *refers))}
kanban: {written(board)}
created: {written(created)}
---

# Task: {_line(title)}

## Context

## Files
{named}

## Description
{description}

## Work Items
<!-- start workitems -->
work_items: []
<!-- end workitems -->

## Work Log
"""


def _line(text: str) -> str:
    return " ".join(text.split())


# --- work items of a design --------------------------------------------------------------------


MOST_ITEMS = 100
MOST_LINES = 5_000
_KEY = re.compile(r"([A-Za-z_]{1,40}):(?:[ \t]|$)")
_ARCHITECTS = "core types"


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A work item; `after` are other items of the list, by number or by words."""

    description: str
    files: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    priority: str = "medium"
    notes: str = ""

    @property
    def is_adequate(self) -> bool:
        return bool(self.description and self.files and self.domains)

    @property
    def needs_architect(self) -> bool:
        domains = any("architecture" in domain.casefold() for domain in self.domains)
        return domains or _ARCHITECTS in self.description.casefold()


def read_items(text: str) -> tuple[WorkItem, ...]:
    lines = [line for line in text.split("\n")[:MOST_LINES] if not line.strip().startswith("```")]
    return tuple(_item(block) for block in _blocks(lines)[:MOST_ITEMS])


def _blocks(lines: list[str]) -> list[list[str]]:
    """Return each item's lines, with the first dash replaced by a blank."""
    blocks: list[list[str]] = []
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        dashed = line.lstrip().startswith("- ")
        if dashed and (depth is None or indent <= depth):
            depth = indent
            blocks.append([line.replace("- ", "  ", 1)])
        elif blocks and line.strip():
            blocks[-1].append(line)
    return blocks


def _item(block: list[str]) -> WorkItem:
    fields = dict(_fields(block))

    def one(key: str) -> str:
        return " ".join(fields.get(key, ()))

    return WorkItem(
        description=one("description"),
        files=fields.get("files", ()),
        domains=fields.get("related_domains", ()),
        after=fields.get("dependencies", ()),
        priority=one("priority").casefold() or "medium",
        notes="\n".join(fields.get("notes", ())),
    )


def _fields(block: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield keys at the item's own depth; deeper lines belong to the key before."""
    depth = len(block[0]) - len(block[0].lstrip())
    starts = [n for n, line in enumerate(block) if _is_key(line, depth)]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=False):
        key, _, rest = block[start].strip().partition(":")
        yield key, _values(rest, block[start + 1 : end])


def _is_key(line: str, depth: int) -> bool:
    own_depth = len(line) - len(line.lstrip()) == depth
    return own_depth and _KEY.match(line.strip()) is not None


def _values(rest: str, below: list[str]) -> tuple[str, ...]:
    listed = inline_items(" ".join([rest, *below])) if rest.strip().startswith("[") else None
    if listed is not None:
        return listed
    one = scalar(rest)
    if one is not None and one not in {"|", ">", "|-", ">-"}:
        return (one,)
    if below and below[0].lstrip().startswith("- "):
        found = (scalar(line.strip()[1:]) for line in below)
        return tuple(item for item in found if item is not None)
    return tuple(line.strip() for line in below)
