"""The progress and findings of a wake, in the mission's notebook."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.core import happenings as h
from topkick.core.codec import Codec
from topkick.core.judges import JudgeSettings
from topkick.core.mission import Mission
from topkick.policies.checkpoint.accumulator import ArtifactRead, Entry
from topkick.policies.checkpoint.checklist import Check
from topkick.policies.checkpoint.findings import Finding

AT, HELLO, CURSOR = "at", "hello", "cursor"
_HELLO_AFTER, _PURPOSE = "hello after", "purpose"
_WAKE, _DRAFT, _REMEMBERED = "wake", "draft", "remembered"


class At(StrEnum):
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
class Wake:
    """The current request; `why` says why it failed, if it did."""

    number: int
    task_id: str = ""
    scope: tuple[str, ...] = ()
    progress: str = ""
    request_id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of the report; `open` are checks still to do, as the role spec had them when the
    wake began.
    """

    findings: tuple[Finding, ...] = ()
    read: tuple[ArtifactRead, ...] = ()
    missing: tuple[str, ...] = ()
    open: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """The accumulator: all judgments, in order."""

    entries: tuple[Entry, ...] = ()


_CODEC = Codec(Wake, Draft, Remembered)


def judge_of(mission: Mission) -> JudgeSettings:
    assert mission.settings is not None
    assert mission.settings.judge is not None
    return mission.settings.judge


def at(mission: Mission) -> At:
    return At(mission.notebook.get(AT, At.LISTENING))


def go(where: At) -> h.NoteTaken:
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


def wake(mission: Mission) -> Wake:
    found = _read(mission, _WAKE, "Wake")
    assert isinstance(found, Wake)
    return found


def woken(by: Wake) -> h.NoteTaken:
    return _note(_WAKE, by)


def draft(mission: Mission) -> Draft:
    found = _read(mission, _DRAFT, "Draft")
    assert isinstance(found, Draft)
    return found


def drafted(what: Draft) -> h.NoteTaken:
    return _note(_DRAFT, what)


def remembered(mission: Mission) -> tuple[Entry, ...]:
    if _REMEMBERED not in mission.notebook:
        return ()
    found = _read(mission, _REMEMBERED, "Remembered")
    assert isinstance(found, Remembered)
    return found.entries


def remember(entries: tuple[Entry, ...]) -> h.NoteTaken:
    return _note(_REMEMBERED, Remembered(entries))


def _read(mission: Mission, key: str, kind: str) -> object:
    return _CODEC.decode(kind, mission.notebook[key])


def _note(key: str, value: Wake | Draft | Remembered) -> h.NoteTaken:
    return h.NoteTaken(key, _CODEC.encode(value)[1])
