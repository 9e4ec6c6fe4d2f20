"""Conclude how a run ended where the program's own output says little or nothing."""

import re
import signal
from dataclasses import dataclass

from topkick.engine.agents.program import AgentExit, Conclusion, Ending

LONG_WAIT_S = 60.0
"""A provider that asks for a longer wait than this has set a limit, and is not just busy."""

_FAULTS = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGBUS, signal.SIGFPE, signal.SIGSYS}
)
_STATUS = re.compile(r"(?:status(?: code)?:? |\"(?:code|status)\": ?|API Error: )(\d{3})\b")

# In this order: an account without credit also answers 429, an overlong prompt 400.
_WORDS: tuple[tuple[Conclusion, tuple[str, ...]], ...] = (
    (
        Conclusion.CONVERSATION_LOST,
        (
            *("no conversation found", "no rollout found", "session not found"),
            *("is already in use", "invalid session identifier", "error resuming session"),
        ),
    ),
    (
        Conclusion.CONTEXT_EXHAUSTED,
        (
            *("too long", "context window", "context_length", "context length"),
            *("token count", "contextoverflow"),
        ),
    ),
    (
        Conclusion.USAGE_LIMIT,
        (
            *("hit your limit", "usage limit", "usage_limit", "hour limit", "weekly limit"),
            *("session limit", "daily quota", "quota limit"),
        ),
    ),
    (
        Conclusion.AUTHENTICATION,
        (
            *("not logged in", "log in", "login", "sign in", "api key", "api_key", "unauthorized"),
            *("authentication", "billing", "credit", "quota exceeded", "insufficient_quota"),
            *("spend cap", "upgrade to plus", "refresh token", "auth method", "forbidden"),
            "missing environment variable",
        ),
    ),
    # A cut-off ends one answer, not the conversation: like a turn limit.
    (Conclusion.TURN_LIMIT, ("max_output_tokens", "output token", "max session turns")),
    (Conclusion.REFUSED, ("safety", "refusal", "usage policy", "content policy", "blocked due")),
    (
        Conclusion.PROVIDER_TROUBLE,
        (
            *("timed out", "timeout", "disconnected", "connection", "network", "overloaded"),
            *("at capacity", "high demand", "terminated", "rate limit", "fetch failed"),
            *("econn", "socket", "unavailable", "too many requests", "internal server error"),
        ),
    ),
    (
        Conclusion.BAD_REQUEST,
        (
            *("invalid_request", "model not found", "model_not_found", "unknown model", "model: "),
            *("unsupported", "not supported", "does not exist", "root/sudo", "unknown option"),
            *("unexpected argument", "unknown argument", "error loading config", "not found"),
        ),
    ),
)
TELLING = (
    Conclusion.CONVERSATION_LOST,
    Conclusion.CONTEXT_EXHAUSTED,
    Conclusion.USAGE_LIMIT,
    Conclusion.AUTHENTICATION,
    Conclusion.TURN_LIMIT,
)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A conclusion about a run; it is `proven` if an event made for machines says so."""

    conclusion: Conclusion
    said: str = ""
    resets_at_us: int | None = None
    proven: bool = False


def by_status(status: int) -> Conclusion | None:
    """Conclude from an HTTP status alone; a 429 may still turn out to be a usage limit."""
    match status:
        case 401 | 402 | 403 | 407:
            return Conclusion.AUTHENTICATION
        case 413:
            return Conclusion.CONTEXT_EXHAUSTED
        case 408 | 409 | 425 | 429:
            return Conclusion.PROVIDER_TROUBLE
        case _ if 500 <= status < 600:
            return Conclusion.PROVIDER_TROUBLE
        case _ if 400 <= status < 500:
            return Conclusion.BAD_REQUEST
    return None


def by_words(message: str) -> Conclusion | None:
    """Conclude from the text of an error message; in other messages the words mean nothing."""
    message = message[:4_000].lower()
    for conclusion, words in _WORDS:
        if any(word in message for word in words):
            return conclusion
    return None


def status_in(message: str) -> int:
    found = _STATUS.search(message[:4_000])
    return int(found[1]) if found else 0


def by_message(message: str) -> Conclusion | None:
    """Conclude from free text; where one status has many meanings, the words decide."""
    words, status = by_words(message), status_in(message)
    if status in (0, 400, 413, 429) and words in TELLING:
        return words
    return by_status(status) or words


def by_wait_status(
    ended: AgentExit, answered: bool, waits: Conclusion | None = None
) -> Conclusion | None:
    """Conclude from the wait status, for a stream without an end of its own.

    `answered`: the model has said something. `waits`: the last event was that the program waits for
    its provider. Return None for a process that exited by itself: then the adapter decides.
    """
    match ended.how:
        case Ending.CANNOT_START:
            return Conclusion.CRASHED
        case Ending.LOST:
            return Conclusion.KILLED
        case Ending.SIGNALED:
            return Conclusion.CRASHED if ended.signal in _FAULTS else Conclusion.KILLED
        case Ending.STOPPED | Ending.DEADLINE:
            return waits or (Conclusion.INTERRUPTED if answered else Conclusion.SILENT)
        case Ending.EXITED:
            return None
