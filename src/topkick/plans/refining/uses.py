"""Decide what a sentence does with its paths: create them, need them, or only name them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from topkick.core.sprint_names import PATH, names_in

LONGEST = 4_000
_MAKES = """
create creates created write writes implement implements generate generates build define introduce
scaffold produce produces emit emits new establish author draft
"""
_NEEDS = """
modify modifies update edit extend refactor delete remove read review audit rename move patch
rewrite migrate from open inspect replace amend adjust fix
"""
# after these words a path is only named: adding to a file may create or change it
_ONLY_NAMES = """
add adds put to into use using via see per run not never without instead don't no like matching
following if when whether unless with
"""
_ROLE_WORD = re.compile(
    rf"(?<![\w./-])(?:{'|'.join(f'{_MAKES} {_NEEDS} {_ONLY_NAMES}'.split())})(?![\w/-])",
    re.IGNORECASE,
)
_MAKING = frozenset(_MAKES.split())
_NEEDING = frozenset(_NEEDS.split())
_EXISTS = re.compile(
    r"\btest -[ef]\b|\[ -[ef] |\bls -|\b(?:exists?|present|created|written|generated|produced"
    r"|in place|checked in|committed)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no longer|no|without|absent|removed?|deleted?|missing|doesn't|don't|gone"
    r"|untouched|unchanged)\b|! test|test ! |\[ ! ",
    re.IGNORECASE,
)
_AROUND = "<>{}*$"
_OUTSIDE = ("/", "~", "..", "@", "-", "+")
_STAND_INS = re.compile(
    r"(?:^|[/._-])(?:foo|bar|baz|xxx+|yyyy|nn+|your|example)(?=[/._-]|$)", re.IGNORECASE
)


class Role(Enum):
    MAKES = auto()
    NEEDS = auto()
    NAMES = auto()


@dataclass(frozen=True, slots=True)
class Use:
    path: str
    role: Role


def uses_in_task(text: str) -> Iterator[Use]:
    """Decide by the last telling word before the path."""
    text = text[:LONGEST]
    said = [(found.start(), found[0].lower()) for found in _ROLE_WORD.finditer(text)]
    for path, start in _paths(text):
        before = [word for at, word in said if at < start]
        yield Use(path, _role(before[-1] if before else ""))


def _role(word: str) -> Role:
    if word in _MAKING:
        return Role.MAKES
    return Role.NEEDS if word in _NEEDING else Role.NAMES


def uses_in_entry(text: str) -> Iterator[Use]:
    """Yield what an entry criterion requires to exist, unless it says the opposite."""
    text = text[:LONGEST]
    role = Role.NAMES if _DENIES.search(text) else Role.NEEDS
    yield from (Use(path, role) for path, _ in _paths(text))


def uses_in_exit(text: str) -> Iterator[Use]:
    text = text[:LONGEST]
    makes = _EXISTS.search(text) and not _DENIES.search(text)
    yield from (Use(path, Role.MAKES if makes else Role.NAMES) for path, _ in _paths(text))


def _paths(text: str) -> Iterator[tuple[str, int]]:
    """Yield literal paths inside the project, without placeholders."""
    known = names_in(text).files
    for found in PATH.finditer(text):
        path = found[0].removeprefix("./")
        around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
        if path not in known or path.startswith(_OUTSIDE) or "../" in path:
            continue
        if not any(mark in _AROUND for mark in around) and not _STAND_INS.search(path):
            yield path, found.start()
