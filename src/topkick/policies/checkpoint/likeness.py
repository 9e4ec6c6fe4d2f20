"""Compare two texts by their significant words, and find names in texts."""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_EMPTY = frozenset(
    """
    about above after again all also and any are based been before being below between both but can
    could does down during each every fast few for from further get gets give given had has have
    having here how into its just like make makes many may more most must need needs new not now off
    once one only other our out over own per provide provided provides same shall should shows since
    some such support supported supporting supports system than that the their them then there these
    they this those through too under until upon use used user users using very via was way were
    what when where which while who will with within without would you your able allow allowed
    allows enable enabled enables app application product feature features high low
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_GENERIC = frozenset({"service", "module", "component", "layer", "server", "client", "subsystem"})


class Likeness(IntEnum):
    NONE = 0
    WEAK = 1
    STRONG = 2


@lru_cache(maxsize=1024)
def significant(text: str) -> frozenset[str]:
    """Return the significant words of a text, stemmed."""
    words = (word.casefold() for word in _WORD.findall(text))
    kept = (w for w in words if len(w) > 2 and w not in _EMPTY and not w[0].isdigit())
    return frozenset(_stem(word) for word in kept)


def likeness(asked: str, given: str) -> Likeness:
    """Return STRONG if the given text has at least half of the wanted words, and more than one."""
    wanted = significant(asked)
    shared = wanted & significant(given)
    if not shared:
        return Likeness.NONE
    enough = len(shared) > 1 or len(wanted) == 1
    return Likeness.STRONG if enough and 2 * len(shared) >= len(wanted) else Likeness.WEAK


def spaced(text: str) -> str:
    """Return the words in one case and number, for searching names."""
    words = (word.casefold() for word in _WORD.findall(text))
    return f" {' '.join(singular(word) for word in words)} "


@dataclass(frozen=True, slots=True)
class Haystack:
    """A text to search many names in: prepared once, as it is and with AuthService in two words."""

    plain: str
    parted: str

    @classmethod
    def of(cls, text: str) -> "Haystack":
        return cls(spaced(text), spaced(_CAMEL.sub(" ", text)))

    def names(self, name: str) -> bool:
        """Return whether the text names it: AuthService, auth-service or its first word match Auth
        Service.
        """
        return _holds(self.plain, spaced(name)) or _holds(
            self.parted, spaced(_CAMEL.sub(" ", name))
        )


def _holds(text: str, name: str) -> bool:
    if name.strip() and name in text:
        return True
    short = " ".join(word for word in name.split() if word not in _GENERIC)
    return 3 < len(short) < len(name.strip()) and f" {short} " in text


def singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _stem(word: str) -> str:
    word = singular(word)
    for ending in ("ation", "ing", "ed", "er", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word[: -len(ending)]
    return word
