"""Read Claude Code's stream-json into the common events."""

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from topkick.agents.transcript.endings import (
    LONG_WAIT_S,
    Ruling,
    by_message,
    by_status,
    by_wait_status,
    by_words,
)
from topkick.agents.transcript.plain_text import (
    Fields,
    amount,
    count,
    identity,
    inner,
    many,
    microusd,
    one_line,
    text,
    texts,
    what_of,
)
from topkick.agents.transcript.resets import epoch_us
from topkick.agents.transcript.resets import resets_at_us as resets_resets_at_us
from topkick.agents.transcript.result import AgentOutput, since
from topkick.agents.vocabulary import (
    AgentQuestion,
    AgentResult,
    Denied,
    Event,
    LimitReached,
    Retrying,
    Started,
    ToolUsed,
    Unknown,
    Used,
)
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Conversation, Usage

# --- how a run ended ---------------------------------------------------------------------------
# Conclude from Claude Code's last `result` line and the events before it.

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
class ResultLine:
    """A `result` line; there may be several, and only the last one counts."""

    reason: str = ""
    is_error: bool = True
    status: int = 0
    stop: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class HeardBefore:
    """The events before the result. `error` is the program's class of the last failure; `retries`
    counts those since the last answer; `limited` is set when a limit was reported, with its reset
    time if known.
    """

    error: str = ""
    retries: int = 0
    limited: bool = False
    resets_at_us: int | None = None
    asked: bool = False


def of_result(
    end: ResultLine, before: HeardBefore, denied: Collection[str], at: datetime
) -> Ruling:
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


def of_error(end: ResultLine, before: HeardBefore, at: datetime) -> Ruling:
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


def _of_status(end: ResultLine) -> Conclusion:
    if end.status == 400 and by_words(end.words) is _C.CONTEXT_EXHAUSTED:
        return _C.CONTEXT_EXHAUSTED
    return by_status(end.status) or _C.PROVIDER_TROUBLE


def _of_limit(end: ResultLine, before: HeardBefore, at: datetime) -> Ruling:
    """Conclude about a rate limit. With an API key no event reports one: the program just does not
    retry when it would have to wait for more than a minute.
    """
    said_so = by_words(end.words) is _C.USAGE_LIMIT
    if not (before.limited or said_so or before.retries == 0):
        return Ruling(_C.PROVIDER_TROUBLE, end.words, proven=True)
    resets = before.resets_at_us
    if resets is None and said_so:
        resets = resets_resets_at_us(end.words, at)
    return Ruling(_C.USAGE_LIMIT, end.words, resets, proven=before.limited)


_QUIET = frozenset(
    {
        *("status", "vcs_state_changed", "task_started", "task_updated", "task_notification"),
        *("background_tasks_changed", "ui_invalidate", "model_refusal_no_fallback"),
        *("hook_started", "hook_progress", "hook_response", "compact_boundary"),
    }
)
_MESSAGES_REMEMBERED = 64
_AFTER_SIGNALS = (0, 129, 130, 143)


class ClaudeReader:
    def __init__(self, resumed: Conversation | None = None) -> None:
        self._heard = AgentOutput(resumed)
        self._before = HeardBefore()
        self._end: ResultLine | None = None
        self._waits: Conclusion | None = None
        self._messages: deque[str] = deque(maxlen=_MESSAGES_REMEMBERED)
        self._seen = Usage()
        self._told = Usage()
        self._total_microusd: int | None = None

    # --- the stream ------------------------------------------------------------------------

    def feed(self, line: bytes) -> Sequence[Event]:
        fields = self._heard.fields(line)
        if fields is None:
            return self._heard.told(line)
        kind, subtype = text(fields, "type"), text(fields, "subtype")
        self._heard.at = _time(fields) or self._heard.at
        self._heard.conversation = identity(fields, "session_id") or self._heard.conversation
        match kind:
            case "system":
                return self._system(subtype, fields)
            case "assistant":
                return self._assistant(fields)
            case "rate_limit_event":
                return self._rate_limit(inner(fields, "rate_limit_info"))
            case "result":
                return self._result(fields)
            case "user" | "stream_event" | "tool_progress":
                return []
            case _:
                return [Unknown(one_line(f"{kind}/{subtype}".strip("/") or "?", 60))]

    def _system(self, subtype: str, fields: Fields) -> Sequence[Event]:
        match subtype:
            case "init":
                return [self._init(fields)]
            case "api_retry":
                return [self._retry(fields)]
            case "permission_denied":
                tool = one_line(text(fields, "tool_name"), 60)
                self._heard.denies(tool)
                return [Denied(tool, one_line(text(fields, "message")))]
            case "informational":
                return self._heard.says(text(fields, "content"))
            case _ if subtype in _QUIET:
                return []
            case _:
                return [Unknown(one_line(f"system/{subtype}", 60))]

    def _init(self, fields: Fields) -> Started:
        """Handle a start; a second one means more work after a background task, so the end is not
        final.
        """
        self._end = None
        self._heard.model = one_line(text(fields, "model"), 80)
        self._heard.version = one_line(text(fields, "claude_code_version"), 40)
        mode = one_line(text(fields, "permissionMode"), 40)
        return Started(self._heard.conversation, self._heard.model, self._heard.version, mode)

    def _retry(self, fields: Fields) -> Retrying:
        status, wait_s = count(fields, "error_status"), count(fields, "retry_delay_ms") / 1000
        self._before = replace(self._before, retries=self._before.retries + 1)
        self._waits = by_status(status) or Conclusion.PROVIDER_TROUBLE
        if status == 429 and wait_s > LONG_WAIT_S:
            self._waits = Conclusion.USAGE_LIMIT
        why = one_line(f"{status or ''} {text(fields, 'error')}")
        return Retrying(why, count(fields, "attempt"), count(fields, "max_retries"), wait_s)

    def _rate_limit(self, info: Fields) -> Sequence[Event]:
        if text(info, "status") != "rejected":
            return []
        resets = epoch_us(amount(info, "resetsAt"))
        self._before = replace(self._before, limited=True, resets_at_us=resets)
        why = text(info, "rateLimitType").replace("_", " ") or "usage limit"
        return [LimitReached(one_line(why), resets)]

    def _assistant(self, fields: Fields) -> Sequence[Event]:
        message = inner(fields, "message")
        if text(message, "model") == "<synthetic>" or text(fields, "error"):
            # The program reports its own errors as if they were the model's answers.
            error = text(fields, "error") or self._before.error
            self._before = replace(self._before, error=one_line(error, 60))
            return []
        events: list[Event] = []
        if (name := identity(message, "id")) not in self._messages:
            self._messages.append(name)
            events += self._answer(fields, message)
        for block in many(message, "content"):
            events += self._block(block)
        return events

    def _answer(self, fields: Fields, message: Fields) -> Sequence[Event]:
        self._before, self._waits = HeardBefore(asked=self._before.asked), None
        self._seen = self._seen.plus(_usage(inner(message, "usage")))
        of_subagent = bool(text(fields, "parent_tool_use_id"))
        turn = [] if of_subagent else [self._heard.turn()]
        return [*turn, Used(self.usage)]

    def _block(self, block: Fields) -> Sequence[Event]:
        kind, tool, given = text(block, "type"), text(block, "name"), inner(block, "input")
        if kind == "text":
            return self._heard.says(text(block, "text"))
        if kind != "tool_use":
            return []
        self._before = replace(self._before, asked=tool in ASKING)
        if tool in ASKING:
            return [AgentQuestion(_question(given))]
        return [ToolUsed(one_line(tool, 60), what_of(given))]

    def _result(self, fields: Fields) -> Sequence[Event]:
        reason, flag = text(fields, "terminal_reason"), fields.get("is_error")
        self._end = ResultLine(
            reason=reason,
            is_error=flag is True or (flag is not False and reason != "completed"),
            status=count(fields, "api_error_status"),
            stop=text(fields, "stop_reason"),
            words=one_line(text(fields, "result") or "; ".join(texts(fields, "errors")), 400),
        )
        self._told = _most(self._told, _usage(inner(fields, "usage")))
        total = microusd(fields, "total_cost_usd")
        self._total_microusd = self._total_microusd if total is None else total
        for denial in many(fields, "permission_denials"):
            self._heard.denies(text(denial, "tool_name"))
        ruling = self._of_result(self._end)
        limit: list[Event] = []
        if ruling.conclusion is Conclusion.USAGE_LIMIT and not self._before.limited:
            limit = [LimitReached(ruling.said, ruling.resets_at_us)]
        ok = ruling.conclusion is Conclusion.FINISHED
        return [Used(self.usage), *limit, AgentResult(ok, self._end.words)]

    # --- conclusions -----------------------------------------------------------------------

    @property
    def usage(self) -> Usage:
        """The usage of the run; some results lack the last answer, so the greater count is
        taken.
        """
        tokens = replace(_most(self._seen, self._told), turns=self._heard.turns)
        if self._total_microusd is None:
            return tokens
        before = Usage(cost_microusd=self._heard.used_before.cost_microusd)
        cost = since(Usage(cost_microusd=self._total_microusd), before).cost_microusd
        return replace(tokens, cost_microusd=cost)

    def report(self, ended: AgentExit) -> AgentReport:
        before, total = self._heard.used_before, self._total_microusd
        cost = before.cost_microusd if total is None else total
        used = replace(before.plus(self.usage), cost_microusd=cost)
        return self._heard.report(self._ruling(ended), ended, self.usage, used)

    def _ruling(self, ended: AgentExit) -> Ruling:
        if self._end is not None:
            return self._of_result(self._end)
        if conclusion := by_wait_status(ended, self._heard.answered, self._waits):
            return Ruling(conclusion, ended.detail)
        if ended.code in _AFTER_SIGNALS:
            return Ruling(Conclusion.INTERRUPTED)
        if self._before.error:
            return of_error(ResultLine(), self._before, self._heard.now())
        if self._heard.answered:  # plain text after answers comes from its tools
            return Ruling(Conclusion.CRASHED)
        return self._heard.of_plain_words() or Ruling(Conclusion.CRASHED)

    def _of_result(self, end: ResultLine) -> Ruling:
        return of_result(end, self._before, self._heard.denied, self._heard.now())


def _usage(told: Fields) -> Usage:
    """Return the usage; tokens read from or written to a cache count as input."""
    read = count(told, "cache_read_input_tokens")
    fresh = count(told, "input_tokens") + count(told, "cache_creation_input_tokens")
    return Usage(0, fresh + read, read, count(told, "output_tokens"))


def _most(one: Usage, other: Usage) -> Usage:
    return Usage(
        0,
        max(one.input_tokens, other.input_tokens),
        max(one.cached_tokens, other.cached_tokens),
        max(one.output_tokens, other.output_tokens),
    )


def _question(given: Fields) -> str:
    asked = "; ".join(filter(None, (text(q, "question") for q in many(given, "questions"))))
    return one_line(asked or text(given, "plan") or what_of(given))


def _time(fields: Fields) -> datetime | None:
    try:
        when = datetime.fromisoformat(text(fields, "timestamp")[:40])
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo is not None else None
