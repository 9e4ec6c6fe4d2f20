"""What a name can be about: words that tell it, phrases of its own, and a cast for any mood."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """`cast` are singular living beings, so that every mood fits each of them.

    `weight` is low for what nearly every plan speaks of, such as tests.
    """

    name: str
    keywords: frozenset[str]
    phrases: tuple[str, ...]
    cast: tuple[str, ...]
    weight: int = 3


def theme(name: str, keywords: str, phrases: str, cast: str, weight: int = 3) -> Theme:
    """Keywords are parted by blanks (`rate+limit` is two words in a row), the others by commas."""
    words = frozenset(word.replace("+", " ") for word in keywords.split())
    return Theme(name, words, _listed(phrases), _listed(cast), weight)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


MOODS = _listed(
    "SLEEPLESS, UNHURRIED, CAFFEINATED, POLITE, STUBBORN, WHISPERING, TIPTOEING, GRINNING, DAPPER,"
    "WIDE-AWAKE, BAREFOOT, HUMMING, MOONLIT, UNFLAPPABLE, METICULOUS, PAJAMA-CLAD, MIDNIGHT,"
    "WELL-RESTED, SLIPPERED, SUSPICIOUSLY CALM"
)
