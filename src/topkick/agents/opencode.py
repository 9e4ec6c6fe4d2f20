"""opencode: its command line for an order, and its stream."""

import signal
from collections.abc import Sequence
from datetime import UTC, datetime

from topkick.agents.placement import Permission, permission_of
from topkick.agents.transcript.endings import (
    LONG_WAIT_S,
    TELLING,
    Ruling,
    by_message,
    by_status,
    by_wait_status,
    by_words,
)
from topkick.agents.transcript.plain_text import (
    Fields,
    count,
    identity,
    inner,
    microusd,
    one_line,
    text,
    what_of,
)
from topkick.agents.transcript.resets import after_us, epoch_us, resets_at_us
from topkick.agents.transcript.result import AgentOutput
from topkick.agents.vocabulary import (
    AgentResult,
    Assignment,
    Denied,
    Event,
    Launch,
    LimitReached,
    Started,
    ToolUsed,
    Unknown,
    Used,
)
from topkick.engine.agents.program import (
    AgentExit,
    AgentProgram,
    AgentReport,
    Conclusion,
    Conversation,
    Usage,
)

_PERMISSIONS = {
    "": Permission((), "what its own settings allow; everything, unless they say otherwise"),
    "readonly": Permission(("--agent", "plan"), "reads and plans (its agent plan)"),
}
_ENV = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}
_NAMES = {
    "ContentFilterError": Conclusion.REFUSED,
    "ContextOverflowError": Conclusion.CONTEXT_EXHAUSTED,
    "MessageOutputLengthError": Conclusion.TURN_LIMIT,
    "MessageAbortedError": Conclusion.INTERRUPTED,
    "ProviderAuthError": Conclusion.AUTHENTICATION,
    "ProviderModelNotFoundError": Conclusion.BAD_REQUEST,
}


class Opencode:
    name = "opencode"
    tested = "1.18.33"
    counts_turns = True
    stop_signal = signal.SIGTERM

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch:
        first, *more = program.command or (self.name,)
        own = {"XDG_DATA_HOME": assignment.own_config} if assignment.own_config else {}
        resumes = assignment.resumes
        argv = (
            *(first, "run", "--format", "json", "--model", assignment.model),
            *permission_of(program, _PERMISSIONS).words,
            *(("--session", resumes.id) if resumes is not None else ()),
            *more,
        )
        # As an argument the prompt would arrive in quotes, with its own quotes escaped.
        return Launch(argv, {**_ENV, **own})

    def reader(self, resumed: Conversation | None = None) -> "OpencodeReader":
        return OpencodeReader(resumed)

    def permissions(self, program: AgentProgram) -> str:
        return permission_of(program, _PERMISSIONS).allows


class OpencodeReader:
    """Reads one run. opencode counts every step separately; its last event is a finished step."""

    def __init__(self, resumed: Conversation | None = None) -> None:
        self._heard = AgentOutput(resumed)
        self._sum = Usage()
        self._end: Ruling | None = None

    def feed(self, line: bytes) -> Sequence[Event]:
        fields = self._heard.fields(line)
        if fields is None:
            return self._heard.told(line)
        return [*self._started(fields), *self._event(text(fields, "type"), fields)]

    def _started(self, fields: Fields) -> Sequence[Event]:
        if (at_us := epoch_us(count(fields, "timestamp"))) is not None:
            self._heard.at = datetime.fromtimestamp(at_us / 1_000_000, UTC)
        if self._heard.conversation or not (name := identity(fields, "sessionID")):
            return []
        self._heard.conversation = name
        return [Started(name)]

    def _event(self, kind: str, fields: Fields) -> Sequence[Event]:
        part = inner(fields, "part")
        match kind:
            case "step_start":
                self._end = None
                return [self._heard.turn()]
            case "text":
                return self._heard.says(text(part, "text"))
            case "tool_use":
                return self._tool(one_line(text(part, "tool"), 60), inner(part, "state"))
            case "step_finish":
                return self._finish(part)
            case "error":
                return self._error(inner(fields, "error"))
            case "reasoning":
                return []
            case _:
                return [Unknown(one_line(kind, 60) or "?")]

    def _tool(self, tool: str, state: Fields) -> Sequence[Event]:
        used = ToolUsed(tool, what_of(inner(state, "input")))
        why = one_line(text(state, "error"))
        if "reject" not in why.lower() and "permission" not in why.lower():
            return [used]
        self._heard.denies(tool)
        return [used, Denied(tool, why)]

    def _finish(self, part: Fields) -> Sequence[Event]:
        self._sum = self._sum.plus(_usage(part))
        told = Used(self.usage)
        said = one_line(self._heard.last_said, 400)
        match text(part, "reason"):
            case "stop" if self._heard.denied:
                self._end = Ruling(Conclusion.PERMISSION_DENIED, said, proven=True)
            case "stop":
                self._end = Ruling(Conclusion.FINISHED, said, proven=True)
            case "length":  # one answer was cut off: like a turn limit
                self._end = Ruling(Conclusion.TURN_LIMIT, said, proven=True)
            case "content-filter":
                self._end = Ruling(Conclusion.REFUSED, said, proven=True)
            case _:
                return [told]
        return [told, AgentResult(self._end.conclusion is Conclusion.FINISHED, said)]

    def _error(self, error: Fields) -> Sequence[Event]:
        self._end = self._of_error(text(error, "name"), inner(error, "data"))
        limit: list[Event] = []
        if self._end.conclusion is Conclusion.USAGE_LIMIT:
            limit = [LimitReached(self._end.said, self._end.resets_at_us)]
        return [*limit, AgentResult(False, self._end.said)]

    def _of_error(self, name: str, data: Fields) -> Ruling:
        said, status = one_line(text(data, "message") or name, 400), count(data, "statusCode")
        if name in _NAMES:
            return Ruling(_NAMES[name], said, proven=True)
        wait_s = _seconds(text(inner(data, "responseHeaders"), "retry-after"))
        if status == 429 and wait_s > LONG_WAIT_S:
            resets = after_us(self._heard.now(), wait_s)
            return Ruling(Conclusion.USAGE_LIMIT, said, resets, proven=True)
        if status in (400, 413, 429) and (words := by_words(said)) in TELLING:
            return Ruling(words, said, resets_at_us(said, self._heard.now()))
        if (found := by_status(status)) is not None:
            return Ruling(found, said, proven=True)
        return Ruling(by_message(said) or Conclusion.PROVIDER_TROUBLE, said)

    @property
    def usage(self) -> Usage:
        return self._sum.plus(Usage(turns=self._heard.turns))

    def report(self, ended: AgentExit) -> AgentReport:
        used = self._heard.used_before.plus(self.usage)
        return self._heard.report(self._ruling(ended), ended, self.usage, used)

    def _ruling(self, ended: AgentExit) -> Ruling:
        if self._end is not None:
            return self._end
        if conclusion := by_wait_status(ended, self._heard.answered):
            return Ruling(conclusion, ended.detail)
        if ended.code == 0:
            denied = bool(self._heard.denied)
            return Ruling(Conclusion.PERMISSION_DENIED if denied else Conclusion.INTERRUPTED)
        return self._heard.of_plain_words() or Ruling(Conclusion.CRASHED)


def _usage(part: Fields) -> Usage:
    tokens, cache = inner(part, "tokens"), inner(part, "tokens", "cache")
    read = count(cache, "read")
    return Usage(
        0,
        count(tokens, "input") + read + count(cache, "write"),
        read,
        count(tokens, "output") + count(tokens, "reasoning"),
        microusd(part, "cost"),
    )


def _seconds(value: str) -> float:
    return float(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0.0
