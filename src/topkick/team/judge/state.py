"""The progress, findings and failures of a wake, in the mission's notebook."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.engine import messages as h
from topkick.engine.codec.codec import Codec
from topkick.sprint.model import Mission
from topkick.team.bus.model import Message
from topkick.team.judge import report as words
from topkick.team.judge.checklist import JudgeCheck
from topkick.team.judge.findings import ArtifactRead, JudgeFinding, StageEntry
from topkick.team.settings import JudgeSettings

AT, HELLO, CURSOR = "at", "hello", "cursor"
_HELLO_AFTER, _PURPOSE = "hello after", "purpose"
_WAKE, _DRAFT, _REMEMBERED = "wake", "draft", "remembered"


class JudgeStep(StrEnum):
    """The next step. Each step can be repeated and then finds its earlier result."""

    LISTENING = "listening"
    REPLYING = "replying"
    LEAVING = "leaving"
    CLAIMING = "claiming"
    ORIENTING = "orienting"
    READING = "reading"
    CHECKING = "checking"
    WRITING = "writing"
    TELLING = "telling"


class Hello(StrEnum):
    """The greeting, once for each start, independent of other work."""

    DUE = "due"
    LISTING = "listing"
    SAYING = "saying"
    SAID = "said"


class Purpose(StrEnum):
    """The purpose of the current read or post, so that a new start knows it."""

    WAKE = "wake"
    HELLO = "hello"
    ALARM = "alarm"


@dataclass(frozen=True, slots=True)
class WakeRequest:
    """The current request; `why` says why it failed, if it did."""

    number: int
    task_id: str = ""
    scope: tuple[str, ...] = ()
    progress: str = ""
    request_id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """The content of the report; `open` are checks still to do, as the role spec had them when the
    wake began.
    """

    findings: tuple[JudgeFinding, ...] = ()
    read: tuple[ArtifactRead, ...] = ()
    missing: tuple[str, ...] = ()
    open: tuple[JudgeCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """The accumulator: all judgments, in order."""

    entries: tuple[StageEntry, ...] = ()


_CODEC = Codec(WakeRequest, ReportDraft, Remembered)


def judge_of(mission: Mission) -> JudgeSettings:
    assert mission.settings is not None
    assert mission.settings.judge is not None
    return mission.settings.judge


def at(mission: Mission) -> JudgeStep:
    return JudgeStep(mission.notebook.get(AT, JudgeStep.LISTENING))


def go(where: JudgeStep) -> h.NoteTaken:
    return h.NoteTaken(AT, where)


def hello(mission: Mission) -> Hello:
    return Hello(mission.notebook.get(HELLO, Hello.DUE))


def greet(how: Hello) -> h.NoteTaken:
    return h.NoteTaken(HELLO, how)


def purpose(mission: Mission) -> Purpose:
    return Purpose(mission.notebook.get(_PURPOSE, Purpose.WAKE))


def on(purpose: Purpose) -> h.NoteTaken:
    return h.NoteTaken(_PURPOSE, purpose)


def back(mission: Mission) -> tuple[h.NoteTaken, ...]:
    """Return to the wake, unless another purpose is set."""
    return (on(Purpose.WAKE),) if purpose(mission) is not Purpose.WAKE else ()


def hello_after(mission: Mission) -> int:
    """Return the last message that was on the bus before the greeting."""
    return int(mission.notebook.get(_HELLO_AFTER, "0"))


def note_hello_after(number: int) -> h.NoteTaken:
    return h.NoteTaken(_HELLO_AFTER, str(number))


def cursor(mission: Mission) -> int:
    """Return the number of the last message that is completely handled."""
    return int(mission.notebook.get(CURSOR, "0"))


def past(number: int) -> h.NoteTaken:
    return h.NoteTaken(CURSOR, str(number))


def wake(mission: Mission) -> WakeRequest:
    found = _read(mission, _WAKE, WakeRequest.__name__)
    assert isinstance(found, WakeRequest)
    return found


def woken(by: WakeRequest) -> h.NoteTaken:
    return _note(_WAKE, by)


def draft(mission: Mission) -> ReportDraft:
    found = _read(mission, _DRAFT, ReportDraft.__name__)
    assert isinstance(found, ReportDraft)
    return found


def drafted(what: ReportDraft) -> h.NoteTaken:
    return _note(_DRAFT, what)


def remembered(mission: Mission) -> tuple[StageEntry, ...]:
    if _REMEMBERED not in mission.notebook:
        return ()
    found = _read(mission, _REMEMBERED, "Remembered")
    assert isinstance(found, Remembered)
    return found.entries


def remember(entries: tuple[StageEntry, ...]) -> h.NoteTaken:
    return _note(_REMEMBERED, Remembered(entries))


def _read(mission: Mission, key: str, kind: str) -> object:
    return _CODEC.decode(kind, mission.notebook[key])


def _note(key: str, value: WakeRequest | ReportDraft | Remembered) -> h.NoteTaken:
    return h.NoteTaken(key, _CODEC.encode(value)[1])


# --- failures over all wakes (CK-06) -----------------------------------------------------------


Events = Sequence[h.Event]
ERRORS_TO_ALERT = 3
REST_US = 10_000_000
MOST_DOUBLED = 6
PLACE = "the session"
_ERRORS, _LAST, _TOLD, _RESTS = "errors", "last error", "errors told", "rests"


def errors(mission: Mission) -> int:
    return int(mission.notebook.get(_ERRORS, "0"))


def one_more_error(mission: Mission, why: str) -> Events:
    number = h.NoteTaken(_ERRORS, str(errors(mission) + 1))
    return (number, h.NoteTaken(_LAST, why[:300]))


def alarm_events(mission: Mission) -> tuple[Message, ...]:
    """Return a message for the coordinator, once for every three failures."""
    due = errors(mission) - int(mission.notebook.get(_TOLD, "0")) >= ERRORS_TO_ALERT
    last = mission.notebook.get(_LAST, "").rstrip(".")
    return (words.alert(errors(mission), last),) if due else ()


def note_alarm(mission: Mission) -> Events:
    return (h.NoteTaken(_TOLD, str(errors(mission))),)


def rest(mission: Mission, why: str) -> Events:
    """Back off, because a full disk may have room later; the request stays open."""
    rests = int(mission.notebook.get(_RESTS, "0"))
    until_us = mission.at_us + REST_US * 2 ** min(rests, MOST_DOUBLED)
    return (
        *one_more_error(mission, why),
        h.NoteTaken(_RESTS, str(rests + 1)),
        h.LimitMet(PLACE, why, until_us),
        h.Decided("", PLACE, "Retry later", why),
    )


def recovered(mission: Mission) -> Events:
    """Reset the backoff after a success."""
    return (h.NoteTaken(_RESTS, "0"),) if mission.notebook.get(_RESTS, "0") != "0" else ()


def is_resting(mission: Mission) -> bool:
    limit = mission.limits.get(PLACE)
    return limit is not None and limit.until_us > mission.at_us
