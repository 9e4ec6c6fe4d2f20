"""The sentences of a plan's text, and which of them forbid something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from topkick.text.markdown import unfenced

MOST_WORDS = 400
"""Nobody writes a longer sentence by which a person could be held."""
LONGEST_LEAD = 300
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_WORD = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|[\w./\-:]+(?:\(\))?|[^\w\s]")
_INNER_WORD = re.compile(r"[\w./-]+")
_PROHIBITION = re.compile(
    r"\b(?:do not|don['’]t|never|must not|mustn['’]t|may not|should not|shouldn['’]t|shall not"
    r"|not to|without \w+ing|instead of|rather than|avoid|forbidden|refrain|nor|neither"
    r"|not (?:skip|remove|delete|drop|change|edit|touch|modify|weaken|disable|loosen|lower)\w*)\b",
    re.IGNORECASE,
)
# These may also tell why something is to be done: "skip it because it does not run here".
_REFUSAL = re.compile(
    r"\b(?:does not|cannot|can not|can['’]t|not be|no need|no|nothing|none|unchanged|untouched"
    r"|alone|as (?:it|they) (?:is|are)|keep|preserve|stays?|remains?)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?:\b(?:because|since|which|until)\b|: | \().*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`words` are lower case and bare, `known` the same; `is_free`: no prohibition in it."""

    text: str
    words: tuple[str, ...]
    is_free: bool
    known: frozenset[str]


@lru_cache(maxsize=4)
def sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(
        _sentence(piece)
        for block in _blocks(text)
        for piece in _SENTENCE_END.split(block)
        if piece.strip()
    )


def _sentence(text: str) -> Sentence:
    is_free = not _PROHIBITION.search(text) and not _REFUSAL.search(_REASON.sub("", text))
    bare = tuple(bare for word in _WORD.findall(text) for bare in _bare(word))
    return Sentence(text, bare, is_free and len(bare) <= MOST_WORDS, frozenset(bare))


def _bare(word: str) -> Iterator[str]:
    """`fail_under = 80` names `fail_under`."""
    bare = word.strip('`"').removesuffix("()").strip().lower()
    yield bare.rstrip(".:") or bare or word
    if "=" in bare or ": " in bare:
        yield from _INNER_WORD.findall(bare)


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs and list items outside of fences, each item behind the line that leads it in."""
    block: list[str] = []
    lead = ""
    for line in unfenced(text.split("\n")):
        is_item = bool(_ITEM.match(line))
        if is_item or not line.strip() or line.startswith("#"):
            if block:
                yield " ".join(block)
                lead = _lead(block[-1]) if block[-1].endswith(":") else lead
            block = []
        if not line.strip():
            continue
        if is_item:
            block = [lead, _item(line)] if lead else [_item(line)]
        elif line.startswith("#"):
            lead = ""
        else:
            lead = lead if block else ""
            block.append(line.strip())
    if block:
        yield " ".join(block)


def _lead(line: str) -> str:
    """It is repeated for every item; of a long one it is not known what it says of them."""
    return line if len(line) <= LONGEST_LEAD else "Do not:"


def _item(line: str) -> str:
    return _ITEM.sub("", line, count=1).strip()
