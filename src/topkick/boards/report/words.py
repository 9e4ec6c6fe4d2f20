"""Numbers and names as the reports write them: the same figures always in the same words."""

from collections.abc import Iterator

from topkick.boards import safe
from topkick.core.agents import Tier
from topkick.core.budgets import MICRO

MINUTE_US = 60 * MICRO
HOUR_US = 60 * MINUTE_US
NONE = "—"
TIMES = "\u00d7"  # not the letter x
BAR = 16


def plain(number: float, digits: int = 1) -> str:
    """Without zeros that say nothing: 12, 12.5."""
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(us: int) -> str:
    """45 seconds, 12.5 minutes, 2.2 hours."""
    if us < MINUTE_US:
        return _with_noun(plain(us / MICRO), "second")
    if us <= HOUR_US:
        return _with_noun(plain(us / MINUTE_US), "minute")
    return _with_noun(plain(us / HOUR_US, 2), "hour")


def _with_noun(number: str, noun: str) -> str:
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def minutes(us: float | None) -> str:
    return NONE if us is None else f"{us / MINUTE_US:.1f}min"


def hours(us: float) -> str:
    return f"{us / HOUR_US:.2f}h"


def percent(part: float | None) -> str:
    return NONE if part is None else f"{part * 100:.0f}%"


def signed_percent(part: float) -> str:
    return f"{part * 100:+.0f}%"


def times(number: float | None, digits: int = 2) -> str:
    return NONE if number is None else f"{plain(number, digits)}{TIMES}"


def average(number: float | None) -> str:
    return NONE if number is None else f"{number:.1f}"


def bar(part: float, width: int = BAR) -> str:
    full = min(width, int(part * width + 0.5))
    return "█" * full + "░" * (width - full)


def model(tier: Tier, name: str) -> str:
    """`sonnet (claude-sonnet-4-5)`; the tier alone where the model has no other name."""
    shown = safe.prose(safe.line(name, 60))
    return (shown or NONE) if shown in {"", tier.value} else f"{tier.value} ({shown})"


def person(by: str) -> str:
    return safe.prose(safe.line(by, 60)) or "a person"


def code(command: str, limit: int = 160) -> str:
    """In backticks that it cannot end itself."""
    shown = safe.line(command, limit)
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
