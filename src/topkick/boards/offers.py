"""The commands that a person may type, laid out alike on every screen."""

from collections.abc import Iterator, Sequence
from typing import Any

from topkick.boards import safe
from topkick.core.standing import Offer


def lines(offers: Sequence[Offer]) -> Iterator[str]:
    """A command on each line, with what it does beside it."""
    wide = max((len(o.command) for o in offers if o.does), default=0)
    for offer in offers:
        command = safe.line(offer.command)
        yield f"{command:<{wide}}  {safe.line(offer.does)}" if offer.does else command


def as_json(offers: Sequence[Offer]) -> list[dict[str, Any]]:
    return [{"command": o.command, "does": o.does or None} for o in offers]
