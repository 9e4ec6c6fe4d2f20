"""Conclude how a run of Claude Code ended, from its last `result` line and the events before it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from topkick.core.agents import Conclusion
from topkick.outside.agents.endings import Ruling, by_message, by_status, by_words
from topkick.outside.agents.resets import resets_at_us

_C = Conclusion

ASKING = frozenset({"AskUserQuestion", "ExitPlanMode"})
"""Tools that ask the user a question, which is never answered here."""

_REASONS = {
    "max_turns": _C.TURN_LIMIT,
    "budget_exhausted": _C.BUDGET_SPENT,
    "prompt_too_long": _C.CONTEXT_EXHAUSTED,
    "aborted_tools": _C.INTERRUPTED,
    "aborted_streaming": _C.INTERRUPTED,
}
_STOPS = {
    "refusal": _C.REFUSED,
    "model_context_window_exceeded": _C.CONTEXT_EXHAUSTED,
}
_CLASSES = {
    "authentication_failed": _C.AUTHENTICATION,
    "oauth_org_not_allowed": _C.AUTHENTICATION,
    "billing_error": _C.AUTHENTICATION,
    "model_not_found": _C.BAD_REQUEST,
    # One answer was cut off three times. The conversation still has room, unlike after a prompt
    # that is too long, so the work done counts, as after a turn limit.
    "max_output_tokens": _C.TURN_LIMIT,
}


@dataclass(frozen=True, slots=True)
class End:
    """A `result` line; there may be several, and only the last one counts."""

    reason: str = ""
    is_error: bool = True
    status: int = 0
    stop: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Before:
    """The events before the result. `error` is the program's class of the last failure; `retries`
    counts those since the last answer; `limited` is set when a limit was reported, with its reset
    time if known.
    """

    error: str = ""
    retries: int = 0
    limited: bool = False
    resets_at_us: int | None = None
    asked: bool = False


def of_result(end: End, before: Before, denied: Collection[str], at: datetime) -> Ruling:
    """Conclude from a result; `subtype` is ignored, because it is "success" for every API error."""
    if end.stop in _STOPS:
        return Ruling(_STOPS[end.stop], end.words, proven=True)
    if end.reason in _REASONS:
        return Ruling(_REASONS[end.reason], end.words, proven=True)
    if end.is_error:
        return of_error(end, before, at)
    if set(denied) - ASKING:
        return Ruling(_C.PERMISSION_DENIED, end.words, proven=True)
    return Ruling(_C.ASKED if before.asked else _C.FINISHED, end.words, proven=True)


def of_error(end: End, before: Before, at: datetime) -> Ruling:
    if before.error in _CLASSES:
        return Ruling(_CLASSES[before.error], end.words, proven=True)
    if before.error == "rate_limit" or end.status == 429 or before.limited:
        return _of_limit(end, before, at)
    if end.status:
        return Ruling(_of_status(end), end.words, proven=True)
    if before.error == "invalid_request":
        return Ruling(_C.BAD_REQUEST, end.words, proven=True)
    if before.error or end.reason == "api_error":
        return Ruling(_C.PROVIDER_TROUBLE, end.words, proven=True)
    return Ruling(by_message(end.words) or _C.CRASHED, end.words)


def _of_status(end: End) -> Conclusion:
    if end.status == 400 and by_words(end.words) is _C.CONTEXT_EXHAUSTED:
        return _C.CONTEXT_EXHAUSTED
    return by_status(end.status) or _C.PROVIDER_TROUBLE


def _of_limit(end: End, before: Before, at: datetime) -> Ruling:
    """Conclude about a rate limit. With an API key no event reports one: the program just does not
    retry when it would have to wait for more than a minute.
    """
    said_so = by_words(end.words) is _C.USAGE_LIMIT
    if not (before.limited or said_so or before.retries == 0):
        return Ruling(_C.PROVIDER_TROUBLE, end.words, proven=True)
    resets = before.resets_at_us
    if resets is None and said_so:
        resets = resets_at_us(end.words, at)
    return Ruling(_C.USAGE_LIMIT, end.words, resets, proven=before.limited)
