"""Compare what two texts are about, by words, their stems, and names in texts.

Two lists of words carry no meaning of their own: `_EMPTY` for documents of a specification, and
`_COMMON` for plans, in which words like "sprint" and "implement" are everywhere.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
LONGEST = 200_000
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "ed", "er", "es", "s", "e", "y")
_FEW_ENDINGS = ("ation", "ing", "ed", "er", "e")
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
_COMMON = frozenset(
    """
    about above after also able allow allows before being below between both can cannot could
    does done each easy easily ensure ensures every feature features following from full fully
    goal goals have implement implementation implemented include includes including into item
    items least less like list lists make makes many more most must need needed needs only other
    over plan project provide provides requirement requirements shall should some sprint such
    support supports system task tasks than that their them then there these they this those
    through time under until update used user users using valid value values very want when
    where which while will with within without work works would your
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_GENERIC = frozenset({"service", "module", "component", "layer", "server", "client", "subsystem"})


# --- words ---------------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """Return the words of a text, in one case; an underscore separates words."""
    return [word.casefold() for word in _WORD.findall(text)]


def tokens(text: str) -> list[str]:
    """Return the words of a text with `AuthService` as two words."""
    return words(_HUMP.sub(" ", text[:LONGEST]))


def joined(name: str) -> str:
    """Return one form for `user_store`, `UserStore` and `user-store`."""
    return "".join(words(name))


def singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def stem(word: str) -> str:
    """Cut an ending off, roughly: `parsing`, `parsed` and `parses` meet in `pars`."""
    return _cut(word, _ENDINGS, 3)


def telling(text: str) -> frozenset[str]:
    """Return the stems of the words that tell what a sentence of a plan is about."""
    return frozenset(stem(w) for w in tokens(text) if len(w) > 3 and w not in _COMMON)


def _cut(word: str, endings: tuple[str, ...], least: int) -> str:
    """Cut off the first of the endings that leaves at least so many letters."""
    fits = (e for e in endings if word.endswith(e) and len(word) - len(e) >= least)
    return word[: len(word) - len(next(fits, ""))]


# --- texts ---------------------------------------------------------------------------------------


class Likeness(IntEnum):
    NONE = 0
    WEAK = 1
    STRONG = 2


@lru_cache(maxsize=1024)
def significant(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, each without its ending."""
    kept = (w for w in words(text) if len(w) > 2 and w not in _EMPTY and not w[0].isdigit())
    return frozenset(_cut(singular(word), _FEW_ENDINGS, 4) for word in kept)


def likeness(asked: str, given: str) -> Likeness:
    """Compare two texts by their significant words.

    STRONG means that `given` has at least half of those of `asked`, and two or the only one.
    """
    wanted = significant(asked)
    shared = wanted & significant(given)
    if not shared:
        return Likeness.NONE
    enough = len(shared) > 1 or len(wanted) == 1
    return Likeness.STRONG if enough and 2 * len(shared) >= len(wanted) else Likeness.WEAK


def spaced(text: str) -> str:
    """Return the words only, in one case and number, to search for a name in them."""
    return f" {' '.join(singular(word) for word in words(text))} "


@dataclass(frozen=True, slots=True)
class Haystack:
    """A text that many names are looked for in: made once, as it stands and with AuthService in
    two words."""

    plain: str
    parted: str

    @classmethod
    def of(cls, text: str) -> "Haystack":
        return cls(spaced(text), spaced(_HUMP.sub(" ", text)))

    def names(self, name: str) -> bool:
        """Auth Service is named by AuthService, by auth-service, and by its first word."""
        return _holds(self.plain, spaced(name)) or _holds(self.parted, spaced(_HUMP.sub(" ", name)))


def _holds(text: str, name: str) -> bool:
    if name.strip() and name in text:
        return True
    short = " ".join(word for word in name.split() if word not in _GENERIC)
    return 3 < len(short) < len(name.strip()) and f" {short} " in text
