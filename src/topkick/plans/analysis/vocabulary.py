"""Normalise words for comparison: lower case, without endings, and joined as in names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
LONGEST = 200_000
_COMMON = """
about above after also able allow allows before being below between both can cannot could
does done each easy easily ensure ensures every feature features following from full fully
goal goals have implement implementation implemented include includes including into item
items least less like list lists make makes many more most must need needed needs only other
over plan project provide provides requirement requirements shall should some sprint such
support supports system task tasks than that their them then there these they this those
through time under until update used user users using valid value values very want when
where which while will with within without work works would your
"""
_COMMON_WORDS = frozenset(_COMMON.split())


def tokens(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(_HUMP.sub(" ", text[:LONGEST]))]


def joined(name: str) -> str:
    """Return one name for `user_store`, `UserStore` and `user-store`."""
    return "".join(_WORD.findall(name)).lower()


def telling(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a sentence is about."""
    return frozenset(
        stem(word) for word in tokens(text) if len(word) > 3 and word not in _COMMON_WORDS
    )


def stem(word: str) -> str:
    """Return a rough stem: `pars` for `parsing`, `parsed` and `parses`."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ers", "ed", "er", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _named(words: Sequence[str]) -> Iterator[str]:
    """Yield each word alone, and two and three neighbours joined, to find file names in prose."""
    for n, word in enumerate(words):
        yield word
        if n + 1 < len(words):
            yield word + words[n + 1]
        if n + 2 < len(words):
            yield word + words[n + 1] + words[n + 2]
        if n + 3 < len(words):
            yield word + words[n + 1] + words[n + 2] + words[n + 3]


@dataclass(frozen=True, slots=True)
class Index:
    """The texts in which a name or stem occurs; sets of texts as bits."""

    names: Mapping[str, int]
    stems: Mapping[str, int]
    count: int

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Index":
        names: dict[str, int] = {}
        stems: dict[str, int] = {}
        count = 0
        for n, text in enumerate(texts):
            bit, count = 1 << n, n + 1
            for name in _named(tokens(text)):
                names[name] = names.get(name, 0) | bit
            for word in telling(text):
                stems[word] = stems.get(word, 0) | bit
        return cls(names, stems, count)
