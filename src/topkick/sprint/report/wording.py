"""Names, commands and record numbers as the reports write them."""

from collections.abc import Iterator

from topkick.engine.agents.program import Tier
from topkick.text import escape
from topkick.text.format import NONE


def model(tier: Tier, name: str) -> str:
    """`sonnet (claude-sonnet-4-5)`; the tier alone where the model has no other name."""
    shown = escape.prose(escape.line(name, 60))
    return (shown or NONE) if shown in {"", tier.value} else f"{tier.value} ({shown})"


def person(by: str) -> str:
    return escape.prose(escape.line(by, 60)) or "a person"


def code(command: str, limit: int = 160) -> str:
    """In backticks that it cannot end itself."""
    shown = escape.line(command, limit)
    fence = "`"
    while fence in shown:
        fence += "`"
    blank = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def paragraphs(*lines: str) -> Iterator[str]:
    """Each for itself: lines that follow each other would be run together."""
    for line in lines:
        yield line
        yield ""


def records(*seqs: int) -> str:
    """`record 12`, `records 12, 40`; those that are not there are left out."""
    known = list(dict.fromkeys(seq for seq in seqs if seq))
    if not known:
        return "no record"
    return f"record{'s' * (len(known) > 1)} {', '.join(map(str, known))}"
