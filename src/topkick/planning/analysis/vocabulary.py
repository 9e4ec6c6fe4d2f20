"""An index of the texts of a plan by the names and the stems of words in them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.text.similarity import telling, tokens


def _named(words: Sequence[str]) -> Iterator[str]:
    """Yield each word, alone and joined with up to three that follow: a file's name in prose."""
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
    """An index of texts by names and by stems of words; a set of texts is a bit mask."""

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
