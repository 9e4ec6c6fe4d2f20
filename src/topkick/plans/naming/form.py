"""What an operation's name looks like: `OPERATION` and two to four words, and no plain title."""

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
    """Whether it takes a word from the plan's title: a name is a metaphor."""
    said = set(_LETTERS.findall(title[:1000].upper()))
    return not said.isdisjoint(_LETTERS.findall(name.removeprefix(PREFIX)))


def without_prefix(name: str) -> str:
    """`OPERATION NIGHT OWL` is `NIGHT OWL` where space is short, as in the name of a branch."""
    short = name[len(PREFIX) :].strip() if name.upper().startswith(PREFIX) else ""
    return short or name


def name_in(answer: str, title: str) -> str:
    """The first good name in what a model said; nothing if there is none."""
    for line in answer[:20_000].split("\n")[:200]:
        for found in _ASKED.finditer(line.replace("’", "'")):
            if is_operation_name(found[0]) and not is_literal(found[0], title):
                return found[0]
    return ""
