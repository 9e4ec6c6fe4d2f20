"""Refuse texts that work around a failing test before they are posted (EP-31)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from topkick.core.task_files import TaskFile

MOST_SHOWN = 5
_DIRECTIVE = re.compile(r"TEST DIRECTIVE: (\S{3,200})(?:\s.{0,500})?")
_PERSONS = re.compile(r"(?:[-*] )?(CRITIC OVERRIDE|TEST DIRECTIVE):")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of a text, from 1, and what is wrong with it."""

    line: int
    what: str


Scan = Callable[[str], Sequence[Hit]]


def objections(texts: Iterable[str], allowed: Sequence[str], scan: Scan) -> tuple[str, ...]:
    """Return the objections to these texts; tests that a person named by a directive are exempt."""
    found = (said for text in texts for said in _of_text(text, allowed, scan))
    return tuple(dict.fromkeys(found))[:MOST_SHOWN]


def directives(file: TaskFile) -> tuple[str, ...]:
    """Return the tests that a person allows to be skipped or changed, by name."""
    lines = (_DIRECTIVE.fullmatch(line.rstrip()) for line in file.body.split("\n"))
    return tuple(found[1] for found in lines if found is not None)


def _of_text(text: str, allowed: Sequence[str], scan: Scan) -> Iterator[str]:
    lines = text.split("\n")
    for hit in scan(text):
        line = lines[hit.line - 1] if 0 < hit.line <= len(lines) else ""
        if not any(name in line for name in allowed):
            yield f"{hit.what} (in: {' '.join(line.split())[:120]})"
    for line in lines:
        if persons := _PERSONS.match(line.strip()):
            yield f"{persons[1]} is a person's word"
