"""Source text as tokens without comments, and as clauses: what is asked or done at one place."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Token(NamedTuple):
    """`start` is the offset in the UTF-8 bytes of the file. There may be a million of them, and
    a tuple is made three times as fast as a frozen dataclass."""

    text: str
    line: int
    start: int
    is_string: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    line: int
    text: str
    column: int = 0
    is_alone: bool = True


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of code between `;`, `{`, `and`…: strings are taken out and shown as «0», «1»."""

    line: int
    code: str
    strings: tuple[str, ...]

    @property
    def text(self) -> str:
        shown = self.code
        for number, string in enumerate(self.strings):
            shown = shown.replace(f"«{number}»", f'"{string}"', 1)
        return shown[:160]


CUTS = frozenset(("{", "}", ";", "&&", "||", "and", "or"))
JOINS = frozenset("+-*/%=<>.,?&|^!~\\([")
MOST_PIECES = 400
LONGEST = 300


def glued(texts: Iterable[str]) -> str:
    """Texts one after the other, with a blank only where two words would become one."""
    pieces: list[str] = []
    last = ""
    for text in texts:
        if last and text and _is_word(last[-1]) and _is_word(text[0]):
            pieces.append(" ")
        pieces.append(text)
        last = text or last
    return "".join(pieces)


def unquoted(text: str) -> str:
    """What a string literal of any of the languages says."""
    return text.lstrip("rbfuRBFU#@").strip("\"'`#")


def clauses(tokens: Iterable[Token]) -> Iterator[Clause]:
    pieces: list[Token] = []
    depth, last = 0, None
    for token in tokens:
        if pieces and last is not None and _ends_before(token, last, depth):
            yield _clause(pieces)
            pieces = []
        last = token
        if not token.is_string and token.text in CUTS:
            depth = 0 if token.text in "{};" else depth
            if pieces:
                yield _clause(pieces)
            pieces = []
            continue
        depth = _deeper(depth, token)
        pieces.append(token)
    if pieces:
        yield _clause(pieces)


def _ends_before(token: Token, last: Token, depth: int) -> bool:
    if depth == 0 and token.line != last.line:
        goes_on = last.text[-1:] in JOINS and not last.is_string
        return not goes_on and not token.text.startswith((".", "?", "|", "&", "="))
    return False


def _deeper(depth: int, token: Token) -> int:
    if token.is_string:
        return depth
    if token.text in ("(", "["):
        return depth + 1
    return max(0, depth - 1) if token.text in (")", "]") else depth


def _clause(tokens: list[Token]) -> Clause:
    strings: list[str] = []
    texts: list[str] = []
    for token in tokens[:MOST_PIECES]:
        if token.is_string:
            texts.append(f"«{len(strings)}»")
            strings.append(unquoted(token.text[:LONGEST]))
        else:
            texts.append(token.text[:LONGEST])
    return Clause(tokens[0].line, glued(texts), tuple(strings))


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter in "_$"
