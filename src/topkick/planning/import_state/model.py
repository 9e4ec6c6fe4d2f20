"""The content of another supervisor's state file: claims, none of which is proven yet, and the
words that supervisors use for states.
"""

import re
from dataclasses import dataclass

from topkick.engine.errors import UsageError
from topkick.sprint.transitions import SprintState, UnitState

MOST_SAID = 50_000


class StateFileTooLarge(UsageError):
    """The file is larger than any supervisor writes."""


def refuse_a_flood(said: int) -> None:
    """Raise if sprints are mentioned too often: a short line may list many (`S1–S90`)."""
    if said > MOST_SAID:
        raise StateFileTooLarge(
            f"The state file mentions sprints more than {MOST_SAID} times.\n"
            "Start anew: topkick start"
        )


@dataclass(frozen=True, slots=True)
class BelievedSprint:
    """A sprint in the file; `word` is the file's own word, `state` is None if it is missing or
    unknown.

    `others` are contradicting words for the same sprint elsewhere; `implied` says that the state
    follows from the unit's.
    """

    id: str
    name: str = ""
    state: SprintState | None = None
    word: str = ""
    commits: tuple[str, ...] = ()
    model: str = ""
    attempt: str = ""
    line: int = 0
    others: tuple[str, ...] = ()
    implied: bool = False


@dataclass(frozen=True, slots=True)
class BelievedUnit:
    """A unit in the file; `current` are the sprints it is at, by id or position.

    `total` is the stated number of sprints.
    """

    name: str
    state: UnitState | None = None
    word: str = ""
    current: tuple[str, ...] = ()
    total: int | None = None
    sprints: tuple[BelievedSprint, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Handover:
    """The state file; `loose` are sprints without a stated unit.

    `decisions` and `needs` count the rows of its log and its registry of needs.
    """

    title: str = ""
    units: tuple[BelievedUnit, ...] = ()
    loose: tuple[BelievedSprint, ...] = ()
    overall: str = ""
    max_retries: int | None = None
    decisions: int = 0
    needs: int = 0
    not_understood: tuple[NotUnderstood, ...] = ()

    @property
    def sprints(self) -> tuple[BelievedSprint, ...]:
        return (*(s for u in self.units for s in u.sprints), *self.loose)


LONGEST = 400


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of words for a sprint and for a work unit, and the reason."""

    words: tuple[str, ...]
    sprint: SprintState
    unit: UnitState
    why: str


MEANINGS = (
    Meaning(
        (
            "COMPLETED", "COMPLETE", "DONE", "FINISHED", "PASS", "PASSED", "SUCCESS", "SUCCEEDED",
            "VERIFIED", "VERIFIED COMPLETED", "VERIFIED COMPLETE", "CLOSED", "MERGED", "SHIPPED",
            "LANDED", "ACCEPTED", "ALL COMPLETE", "ALL COMPLETED", "RECONCILIATION COMPLETE",
            "PACKAGE COMPLETE", "MISSION COMPLETE", "MISSION COMPLETED", "READY TO SHIP",
        ),
        SprintState.COMPLETED, UnitState.COMPLETED,
        "It says that the work is done; topkick checks that before it continues.",
    ),
    Meaning(
        (
            "PENDING", "NOT STARTED", "NOT STARTED YET", "NOT DONE", "NOT COMPLETE",
            "NOT COMPLETED", "TODO", "TO DO", "TBD", "OPEN", "NEXT", "UPCOMING", "PLANNED",
            "SCHEDULED", "QUEUED", "WAITING", "GATED", "LOCKED", "UNLOCKED", "ELIGIBLE", "READY",
            "READY FOR DISPATCH", "READY TO DISPATCH", "READY TO START", "REPLAN", "IDLE",
        ),
        SprintState.PENDING, UnitState.NOT_STARTED,
        "No agent has begun it.",
    ),
    Meaning(
        (
            "SKIPPED", "SKIP", "DEFERRED", "DEFERRED EXTERNAL", "DELEGATED", "POSTPONED",
            "PARKED", "DROPPED", "CANCELLED", "CANCELED", "CANCELED WITH HANDOFF", "ABANDONED",
            "OUT OF SCOPE", "REMOVED", "OBSOLETE",
        ),
        SprintState.PENDING, UnitState.NOT_STARTED,
        "It was left out on purpose and is not done; topkick runs it while it is in the plan.",
    ),
    Meaning(
        ("PAUSED", "ON HOLD", "STOPPED", "HALTED", "SUSPENDED", "INTERRUPTED"),
        SprintState.PENDING, UnitState.STOPPED,
        "It was stopped and has not continued.",
    ),
    Meaning(
        ("STOPPING", "DRAINING"),
        SprintState.RUNNING, UnitState.STOPPING,
        "It was being stopped; its agent is gone.",
    ),
    Meaning(
        ("DISPATCHED", "DISPATCHING", "ASSIGNED", "LAUNCHED", "SENT"),
        SprintState.DISPATCHED, UnitState.RUNNING,
        "An agent was dispatched; the agent is gone, and its work is in the tree.",
    ),
    Meaning(
        (
            "RUNNING", "IN PROGRESS", "INPROGRESS", "ACTIVE", "STARTED", "ONGOING", "UNDERWAY",
            "WIP", "WORKING", "EXECUTING", "IN FLIGHT", "UPLOAD IN FLIGHT", "CURRENT",
        ),
        SprintState.RUNNING, UnitState.RUNNING,
        "An agent was working on it; the agent is gone, and its work is in the tree.",
    ),
    Meaning(
        (
            "PARTIAL", "PARTIALLY COMPLETE", "PARTIALLY COMPLETED", "PARTIALLY DONE", "INCOMPLETE",
            "COMPLETED WITH GAP", "COMPLETED WITH GAPS", "COMPLETED PARTIAL",
            "COMPLETED INACCURATE", "COMPLETED WITH ISSUES", "CODE COMPLETE", "VERIFYING",
            "VERIFICATION", "REVIEW", "IN REVIEW", "AWAITING REVIEW", "NEEDS REVIEW",
            "CONTINUATION", "PARTIAL SALVAGE",
        ),
        SprintState.PARTIAL, UnitState.RUNNING,
        "The state file says that a part of it is done.",
    ),
    Meaning(
        (
            "BACKOFF", "FAILED", "FAIL", "FAILURE", "ERROR", "RETRY", "RETRYING", "REJECTED",
            "RESET", "TIMED OUT", "TIMEOUT",
        ),
        SprintState.BACKOFF, UnitState.RUNNING,
        "It failed, and a retry was due.",
    ),
    Meaning(
        ("KILLED", "TERMINATED", "LOST", "CRASHED"),
        SprintState.BACKOFF, UnitState.KILLED,
        "Its agent was killed.",
    ),
    Meaning(
        ("FATAL", "BLOCKED", "STUCK", "ESCALATED", "NEEDS HUMAN", "ROLLBACK"),
        SprintState.FATAL, UnitState.BLOCKED,
        "The earlier supervisor gave it up, and it waited for a person.",
    ),
)  # fmt: skip

SIGNS = {
    "✅": "COMPLETED", "✓": "COMPLETED", "✔": "COMPLETED", "☑": "COMPLETED", "🟢": "COMPLETED",
    "[X]": "COMPLETED", "☐": "PENDING", "[ ]": "PENDING", "⬜": "PENDING", "⚪": "PENDING",
    "🔒": "LOCKED", "▶": "RUNNING", "⏳": "RUNNING", "🔄": "RUNNING", "🚧": "RUNNING",
    "🟡": "RUNNING", "🟠": "PARTIAL", "⚠": "PARTIAL", "⏸": "PAUSED", "⏭": "SKIPPED",
    "❌": "FAILED", "✗": "FAILED", "✘": "FAILED", "⛔": "BLOCKED", "🚫": "BLOCKED",
    "🔴": "BLOCKED",
}  # fmt: skip
"""Signs that stand for a word; they count only without a word."""

_KNOWN = {word: meaning for meaning in MEANINGS for word in meaning.words}
_MOST_WORDS = max(len(word.split()) for word in _KNOWN)
_STRUCK = re.compile(r"~~[^~]*~~")
_MARKUP = re.compile(r"[*`~]|\ufe0f")
_ARROW = re.compile(r"→|->|=>|⇒|➜")
_REMARK = re.compile(r"\s*[(（;,.:]\s*|\s+[—–-]+\s+|\s*[—–]\s*")
_NOT_WORDS = re.compile(r"[^A-Z0-9]+")


@dataclass(frozen=True, slots=True)
class StateWord:
    """A known word with its meaning."""

    word: str
    meaning: Meaning


def understood(text: str) -> StateWord | None:
    """Return the state word that a text begins with; of several joined by arrows, the last.

    Struck out text does not count, nor does text after a dash or in brackets.
    """
    text = _MARKUP.sub("", _STRUCK.sub(" ", text[:LONGEST])).strip().upper()
    main = next((part for part in _REMARK.split(text) if part.strip()), "")
    last = _ARROW.split(main)[-1]
    return _by_words(last) or _by_sign(last)


def exactly(text: str) -> StateWord | None:
    """Return the state word if every word is known, for texts that may also be names."""
    text = _MARKUP.sub("", text[:LONGEST]).strip().upper()
    main = next((part for part in _REMARK.split(text) if part.strip()), "")
    last = _ARROW.split(main)[-1]
    plain = " ".join(_NOT_WORDS.sub(" ", last).split())
    return StateWord(plain, _KNOWN[plain]) if plain in _KNOWN else None if plain else _by_sign(last)


def says_no_state(text: str) -> bool:
    """Return whether the text is a dash, `n/a` or empty."""
    plain = _NOT_WORDS.sub(" ", _MARKUP.sub("", text).upper()).strip()
    return plain in {"", "N A", "NONE", "NA"} and _by_sign(text) is None


def _by_words(text: str) -> StateWord | None:
    """Return the longest known phrase that the text begins with."""
    words = _NOT_WORDS.sub(" ", text).split()[:_MOST_WORDS]
    for count in range(len(words), 0, -1):
        phrase = " ".join(words[:count])
        if phrase in _KNOWN:
            return StateWord(phrase, _KNOWN[phrase])
    return None


def _by_sign(text: str) -> StateWord | None:
    for sign, word in SIGNS.items():
        if sign in text:
            return StateWord(sign, _KNOWN[word])
    return None
