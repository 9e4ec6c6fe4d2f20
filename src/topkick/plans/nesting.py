"""Fences that hold fences, as people write them, made readable for a Markdown parser.

CommonMark ends a fence at the first bare mark, so the inner fence of a quoted document ends the
outer one and everything behind it is turned inside out. Where the marks balance as a person would
count them, the outer pair is made longer; no line is added or taken away.
"""

import re
from collections.abc import Sequence

_MARK = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,})(?P<info>[^`]*)$")
_HOLDERS = frozenset({"", "markdown", "md", "mdx", "text", "txt", "prompt", "template"})
_LONG = "`" * 40


def unnested(lines: Sequence[str]) -> list[str]:
    found = list(lines)
    marks = [(n, m) for n, line in enumerate(lines) if "```" in line and (m := _MARK.match(line))]
    at = 0
    balanced = True
    while at < len(marks):
        close, nested = _close(marks, at, balanced)
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


def _close(
    marks: Sequence[tuple[int, re.Match[str]]], at: int, balanced: bool
) -> tuple[int | None, bool]:
    """The mark that ends the fence begun at `at`, and whether it holds other fences."""
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
