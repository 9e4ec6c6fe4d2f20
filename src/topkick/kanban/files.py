"""Texts of new boards and tasks in the canonical form."""

import re
from collections.abc import Iterable

from topkick.text import escape
from topkick.text.yaml import written, written_items

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
