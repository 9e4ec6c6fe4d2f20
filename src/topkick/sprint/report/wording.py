"""Names, commands and record numbers as the reports write them."""

from collections.abc import Iterator

from topkick.engine.agents.program import Tier
from topkick.text import escape
from topkick.text.format import NONE


def model(tier: Tier, name: str) -> str:
    """Return a tier with its model, `sonnet (claude-sonnet-4-5)`; the tier alone if the model has
    no other name.
    """
    shown = escape.prose(escape.line(name, 60))
    return (shown or NONE) if shown in {"", tier.value} else f"{tier.value} ({shown})"


def person(by: str) -> str:
    return escape.prose(escape.line(by, 60)) or "a person"


def code(command: str, limit: int = 160) -> str:
    """Return the command in backticks, with a fence that the command itself cannot close."""
    shown = escape.line(command, limit)
    fence = "`"
    while fence in shown:
        fence += "`"
    blank = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def paragraphs(*lines: str) -> Iterator[str]:
    """Yield each line as its own paragraph; Markdown would join lines that follow each other."""
    for line in lines:
        yield line
        yield ""


def records(*seqs: int) -> str:
    """Return record numbers, `record 12` or `records 12, 40`; missing ones are left out."""
    known = list(dict.fromkeys(seq for seq in seqs if seq))
    if not known:
        return "no record"
    return f"record{'s' * (len(known) > 1)} {', '.join(map(str, known))}"
