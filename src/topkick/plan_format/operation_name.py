"""The form of an operation's name: `OPERATION` and two to four words, and no plain title."""

import re

PREFIX = "OPERATION "
LONGEST = 60
_WORD = r"[A-Z0-9](?:[A-Z0-9'-]{0,24}[A-Z0-9])?"
_NAME = re.compile(rf"OPERATION(?: {_WORD}){{2,4}}")
_LETTERS = re.compile(r"[^\W\d_]{4,}")
_ASKED = re.compile(rf"OPERATION(?: {_WORD}){{1,8}}")


def is_operation_name(name: str) -> bool:
    return len(name) <= LONGEST and _NAME.fullmatch(name) is not None


def is_literal(name: str, title: str) -> bool:
    """Return whether the name uses a word of the plan's title: a name is a metaphor."""
    said = set(_LETTERS.findall(title[:1000].upper()))
    return not said.isdisjoint(_LETTERS.findall(name.removeprefix(PREFIX)))


def without_prefix(name: str) -> str:
    """Return `NIGHT OWL` for `OPERATION NIGHT OWL`, for short places such as branch names."""
    short = name[len(PREFIX) :].strip() if name.upper().startswith(PREFIX) else ""
    return short or name


def name_in(answer: str, title: str) -> str:
    """Return the first good name in a model's answer; empty if there is none."""
    for line in answer[:20_000].split("\n")[:200]:
        for found in _ASKED.finditer(line.replace("’", "'")):
            if is_operation_name(found[0]) and not is_literal(found[0], title):
                return found[0]
    return ""
