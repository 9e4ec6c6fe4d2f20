"""The subjects of names: keywords, phrases, and a cast for any mood."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme; `cast` are singular living beings, so that every mood fits each of them.

    `weight` is low for subjects of nearly every plan, such as tests.
    """

    name: str
    keywords: frozenset[str]
    phrases: tuple[str, ...]
    cast: tuple[str, ...]
    weight: int = 3


def theme(name: str, keywords: str, phrases: str, cast: str, weight: int = 3) -> Theme:
    """Make a theme; keywords are separated by blanks (`rate+limit` is two words), the others by
    commas.
    """
    words = frozenset(word.replace("+", " ") for word in keywords.split())
    return Theme(name, words, _listed(phrases), _listed(cast), weight)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


MOODS = _listed(
    "SLEEPLESS, UNHURRIED, CAFFEINATED, POLITE, STUBBORN, WHISPERING, TIPTOEING, GRINNING, DAPPER,"
    "WIDE-AWAKE, BAREFOOT, HUMMING, MOONLIT, UNFLAPPABLE, METICULOUS, PAJAMA-CLAD, MIDNIGHT,"
    "WELL-RESTED, SLIPPERED, SUSPICIOUSLY CALM"
)
