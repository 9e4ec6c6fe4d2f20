"""Parts of a blocker: the mover that can end it, and the commands a person may type."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

REASON = '"..."'
"""Placeholder in an offered command for a text that the person has to write."""


class Mover(StrEnum):
    """The person, part or event that ends a wait."""

    AT_WORK = "at work"
    TIME = "time"
    OTHERS = "others"
    SUPERVISOR = "supervisor"
    PERSON = "person"


class Intent(IntEnum):
    """The purpose of a command. Offers are always listed in this order."""

    LOOK = 1
    UNDO = 2
    GO_ON = 3
    LET_PASS = 4


@dataclass(frozen=True, slots=True)
class Offer:
    """One command that a person may type: the words after `topkick`."""

    intent: Intent
    argv: tuple[str, ...]

    @property
    def verb(self) -> str:
        return self.argv[0]

    @property
    def command(self) -> str:
        return " ".join(("topkick", *self.argv))


def look(*argv: str) -> Offer:
    return Offer(Intent.LOOK, argv)


def undo(*argv: str) -> Offer:
    return Offer(Intent.UNDO, argv)


def go_on(*argv: str) -> Offer:
    return Offer(Intent.GO_ON, argv)


def let_pass(*argv: str) -> Offer:
    return Offer(Intent.LET_PASS, argv)
