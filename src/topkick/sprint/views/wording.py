"""Words that several pages share: durations, models, commands, record numbers.

The duration of a run is wall time from its start until it finished or stopped, pauses included.
The time that agents were at work is another figure (with several at once it is longer) and is never
called the duration of the run.
"""

from collections.abc import Iterator

from topkick.engine.agents.program import Tier
from topkick.sprint import status
from topkick.sprint.model import Mission, Overall
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import NONE

# --- the run ------------------------------------------------------------------------------


def elapsed_us(mission: Mission, now_us: int) -> int:
    """Return the duration until now; of a run that has ended, stopped or is blocked, until then."""
    if not mission.began_at_us:
        return 0
    return max(0, min(now_us, _ended_us(mission, now_us)) - mission.began_at_us)


def elapsed(mission: Mission, now_us: int) -> str:
    """Return the duration as `45 s`, `12 min` or `2 h 11`; empty before the start."""
    return fmt.lasted(elapsed_us(mission, now_us)) if mission.began_at_us else ""


def _ended_us(mission: Mission, now_us: int) -> int:
    match status.overall(mission):
        case Overall.COMPLETED:
            return max((u.moved_at_us for u in mission.units.values()), default=mission.at_us)
        case Overall.STOPPED | Overall.KILLED | Overall.BLOCKED:
            return mission.at_us
        case Overall.RUNNING | Overall.STOPPING:
            return now_us


# --- names, commands, records --------------------------------------------------------------


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
