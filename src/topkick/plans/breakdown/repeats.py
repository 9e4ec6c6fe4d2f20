"""Drop requirements that a document states twice, in a summary and in detail."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from topkick.core.sprint_names import CODE
from topkick.plans.breakdown.model import Requirement

MOST_ALIKE = 24  # only the first tasks that share a word are compared
SAME = 0.7
INSIDE = 0.85
_WORD = re.compile(r"(?=([\u2e80-\u9fff\uac00-\ud7a3]{2}))|([A-Za-z\u00c0-\u1fff][\w.-]{3,})")
_EMPTY = frozenset(
    """
    make sure that provide with from this each every when then must shall should into have will
    their them they able user system support using used uses also only other than which where
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)


def without_repeats(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Keep of equal requirements the most detailed, in the place of the first."""
    kept: list[Requirement] = []
    code: list[frozenset[str]] = []
    words: list[frozenset[str]] = []
    by_word: dict[str, list[int]] = {}
    for one in requirements:
        own, names = _words(one.text), frozenset(CODE.findall(one.text))
        alike = _alike(own, words, by_word)
        same = next((at for at in alike if not names or not code[at] or names & code[at]), None)
        if same is None:
            for word in own:
                by_word.setdefault(word, []).append(len(kept))
            kept.append(one)
            code.append(names)
            words.append(own)
        elif len(own) > len(words[same]):
            kept[same] = one
            words[same] = own | words[same]
    return tuple(sorted(kept, key=lambda one: one.lines))


def _words(text: str) -> frozenset[str]:
    pairs = _WORD.findall(text[:600])
    found = ((wide or word).lower().rstrip(".-") for wide, word in pairs)
    return frozenset(word.removesuffix("s") for word in found if word not in _EMPTY)


def _alike(
    own: frozenset[str], words: Sequence[frozenset[str]], by_word: dict[str, list[int]]
) -> Iterator[int]:
    shared = Counter(at for word in own for at in by_word.get(word, ())[:MOST_ALIKE])
    for at, count in shared.most_common(8):
        other = words[at]
        if count >= SAME * len(own | other):
            yield at
            continue
        fewer = min(len(own), len(other))
        if fewer >= 5 and count >= INSIDE * fewer:
            yield at
