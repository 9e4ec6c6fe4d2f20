"""Failures over the judge's wakes: counted, reported at every third, and survived (CK-06)."""

from collections.abc import Sequence

from topkick.engine import messages as h
from topkick.sprint.model import Mission
from topkick.team.bus.model import Message
from topkick.team.judge import report as words

Events = Sequence[h.Event]
ERRORS_TO_ALERT = 3
REST_US = 10_000_000
MOST_DOUBLED = 6
PLACE = "the session"
_ERRORS, _LAST, _TOLD, _RESTS = "errors", "last error", "errors told", "rests"


def count(mission: Mission) -> int:
    return int(mission.notebook.get(_ERRORS, "0"))


def one_more(mission: Mission, why: str) -> Events:
    number = h.NoteTaken(_ERRORS, str(count(mission) + 1))
    return (number, h.NoteTaken(_LAST, why[:300]))


def alarm_events(mission: Mission) -> tuple[Message, ...]:
    """Return a message for the coordinator, once for every three failures."""
    due = count(mission) - int(mission.notebook.get(_TOLD, "0")) >= ERRORS_TO_ALERT
    last = mission.notebook.get(_LAST, "").rstrip(".")
    return (words.alert(count(mission), last),) if due else ()


def told(mission: Mission) -> Events:
    return (h.NoteTaken(_TOLD, str(count(mission))),)


def rest(mission: Mission, why: str) -> Events:
    """Back off, because a full disk may have room later; the request stays open."""
    rests = int(mission.notebook.get(_RESTS, "0"))
    until_us = mission.at_us + REST_US * 2 ** min(rests, MOST_DOUBLED)
    return (
        *one_more(mission, why),
        h.NoteTaken(_RESTS, str(rests + 1)),
        h.LimitMet(PLACE, why, until_us),
        h.Decided("", PLACE, "Tried again in a moment", why),
    )


def over(mission: Mission) -> Events:
    """Reset the backoff after a success."""
    return (h.NoteTaken(_RESTS, "0"),) if mission.notebook.get(_RESTS, "0") != "0" else ()


def is_resting(mission: Mission) -> bool:
    limit = mission.limits.get(PLACE)
    return limit is not None and limit.until_us > mission.at_us
