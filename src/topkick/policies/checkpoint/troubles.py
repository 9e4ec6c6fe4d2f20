"""What goes wrong over the judge's wakes: counted, told at every third, and outlived (CK-06)."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.bus import Message
from topkick.core.model import Mission
from topkick.policies.checkpoint import words

Events = Sequence[h.Event]
ERRORS_TO_ALERT = 3
REST_US = 10_000_000
PLACE = "the session"
_ERRORS, _LAST, _TOLD = "errors", "last error", "errors told"


def count(mission: Mission) -> int:
    return int(mission.notebook.get(_ERRORS, "0"))


def one_more(mission: Mission, why: str) -> Events:
    number = h.NoteTaken(_ERRORS, str(count(mission) + 1))
    return (number, h.NoteTaken(_LAST, why[:300]))


def alarm(mission: Mission) -> tuple[Message, ...]:
    """For the coordinator, once for every three."""
    due = count(mission) - int(mission.notebook.get(_TOLD, "0")) >= ERRORS_TO_ALERT
    return (words.alert(count(mission), mission.notebook.get(_LAST, "")),) if due else ()


def told(mission: Mission) -> Events:
    """What was said on the bus had the alarm in it, if there was one."""
    return (h.NoteTaken(_TOLD, str(count(mission))),) if alarm(mission) else ()


def rest(mission: Mission, why: str) -> Events:
    """A full disk may have room in a moment; the request stays open until it is dealt with."""
    return (
        *one_more(mission, why),
        h.LimitMet(PLACE, why, mission.at_us + REST_US),
        h.Decided("", PLACE, "Tried again in a moment", why),
    )


def is_resting(mission: Mission) -> bool:
    limit = mission.limits.get(PLACE)
    return limit is not None and limit.until_us > mission.at_us
