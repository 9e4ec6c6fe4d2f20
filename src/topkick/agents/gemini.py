"""Gemini CLI: its command line for an order, and its stream."""

import signal
from collections.abc import Sequence
from dataclasses import replace

from topkick.agents.placement import Permission, permission_of
from topkick.agents.transcript.endings import Ruling, by_message, by_status, by_wait_status
from topkick.agents.transcript.plain_text import (
    ARGUMENT_MAX_BYTES,
    Fields,
    count,
    identity,
    inner,
    one_line,
    text,
    what_of,
)
from topkick.agents.transcript.result import AgentOutput
from topkick.agents.vocabulary import (
    AgentResult,
    Assignment,
    Event,
    Launch,
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
    Ending,
    Usage,
)

_PERMISSIONS = {
    "": Permission(("--approval-mode", "yolo"), "everything (yolo)"),
    "all": Permission(("--approval-mode", "yolo"), "everything (yolo)"),
    "edits": Permission(("--approval-mode", "auto_edit"), "edits files, no commands (auto_edit)"),
    "readonly": Permission(("--approval-mode", "default"), "reads only (no tool that asks)"),
}
_ENV = {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false"}
_TYPES = {
    "FatalTurnLimitedError": Conclusion.TURN_LIMIT,
    "FatalAuthenticationError": Conclusion.AUTHENTICATION,
    "FatalUntrustedWorkspaceError": Conclusion.PERMISSION_DENIED,
    "FatalCancellationError": Conclusion.INTERRUPTED,
}
_CODES = {
    **{status % 256: by_status(status) for status in (400, 401, 403, 429, 500, 502, 503, 504)},
    41: Conclusion.AUTHENTICATION,
    42: Conclusion.CONVERSATION_LOST,
    53: Conclusion.TURN_LIMIT,
    55: Conclusion.PERMISSION_DENIED,
}
"""Gemini exits with the HTTP status modulo 256, which looks like a signal and is none."""


class Gemini:
    name = "gemini"
    tested = "0.61.0"
    counts_turns = True  # its own limit is in the user's settings file
    stop_signal = signal.SIGTERM

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch:
        first, *more = program.command or (self.name,)
        own = {"GEMINI_CLI_HOME": assignment.own_config} if assignment.own_config else {}
        resumes = assignment.resumes
        whose = (
            ("--resume", resumes.id) if resumes else ("--session-id", assignment.new_conversation)
        )
        short = len(assignment.prompt.encode()) <= ARGUMENT_MAX_BYTES
        argv = (
            *(first, "--output-format", "stream-json", "--model", assignment.model),
            *permission_of(program, _PERMISSIONS).words,
            *("--skip-trust", *whose, *more),
            *((f"--prompt={assignment.prompt}",) if short else ()),
        )
        return Launch(argv, {**_ENV, **own}, prompt_on_stdin=not short)

    def reader(self, resumed: Conversation | None = None) -> "GeminiReader":
        return GeminiReader(resumed)

    def permissions(self, program: AgentProgram) -> str:
        return permission_of(program, _PERMISSIONS).allows


class GeminiReader:
    """Reads one run. Gemini counts each run separately, and reports neither turns nor cost."""

    def __init__(self, resumed: Conversation | None = None) -> None:
        self._heard = AgentOutput(resumed)
        self._answering = False
        self._looped = False
        self._blocked = ""
        self._end: Ruling | None = None
        self._told = Usage()

    def feed(self, line: bytes) -> Sequence[Event]:
        fields = self._heard.fields(line)
        if fields is None:
            return self._heard.told(line)
        match text(fields, "type"):
            case "init":
                self._heard.conversation = identity(fields, "session_id")
                self._heard.model = one_line(text(fields, "model"), 80)
                return [Started(self._heard.conversation, self._heard.model)]
            case "message" if text(fields, "role") == "assistant":
                return [*self._answer(), *self._heard.says(text(fields, "content"))]
            case "message" | "tool_result":
                self._answering = False
                return []
            case "tool_use":
                tool = one_line(text(fields, "tool_name"), 60)
                return [*self._answer(), ToolUsed(tool, what_of(inner(fields, "parameters")))]
            case "error":
                return self._error(fields)
            case "result":
                return self._result(fields)
            case kind:
                return [Unknown(one_line(kind, 60) or "?")]

    def _answer(self) -> Sequence[Event]:
        """Count a turn once: several texts and tool uses may belong to one answer of the model."""
        begun, self._answering = self._answering, True
        return [] if begun else [self._heard.turn()]

    def _error(self, fields: Fields) -> Sequence[Event]:
        message = text(fields, "message")
        if text(fields, "severity") == "warning":
            self._looped = self._looped or "loop detected" in message.lower()
        else:
            self._blocked = one_line(message, 400)
        return self._heard.says(message)

    def _result(self, fields: Fields) -> Sequence[Event]:
        stats = inner(fields, "stats")
        self._told = Usage(
            0, count(stats, "input_tokens"), count(stats, "cached"), count(stats, "output_tokens")
        )
        self._end = self._of_result(text(fields, "status"), inner(fields, "error"))
        ok = self._end.conclusion is Conclusion.FINISHED
        return [Used(self.usage), AgentResult(ok, self._end.said)]

    def _of_result(self, status: str, error: Fields) -> Ruling:
        said = one_line(text(error, "message"), 400) or self._blocked
        if text(error, "type") in _TYPES:
            return Ruling(_TYPES[text(error, "type")], said, proven=True)
        if status != "success":
            return Ruling(by_message(said) or Conclusion.PROVIDER_TROUBLE, said)
        if self._looped:  # it stopped itself, as at a turn limit
            return Ruling(Conclusion.TURN_LIMIT, "Loop detected, stopping execution", proven=True)
        return Ruling(Conclusion.FINISHED, one_line(self._heard.last_said, 400), proven=True)

    @property
    def usage(self) -> Usage:
        return replace(self._told, turns=self._heard.turns)

    def report(self, ended: AgentExit) -> AgentReport:
        used = self._heard.used_before.plus(self.usage)
        return self._heard.report(self._ruling(ended), ended, self.usage, used)

    def _ruling(self, ended: AgentExit) -> Ruling:
        code = _CODES.get(ended.code or 0) if ended.how is Ending.EXITED else None
        if self._end is not None:
            return self._end if code is None else _with_code(self._end, code)
        if conclusion := by_wait_status(ended, self._heard.answered):
            return Ruling(conclusion, ended.detail)
        if code is not None:
            return Ruling(code, self._heard.plain[-1] if self._heard.plain else "")
        if ended.code == 0:
            return Ruling(Conclusion.INTERRUPTED)  # also after any signal that it catches
        return self._heard.of_plain_words() or Ruling(Conclusion.CRASHED)


def _with_code(end: Ruling, code: Conclusion) -> Ruling:
    """Let the exit code decide, except for a prompt that is too long (400) and a limit (429)."""
    too_long = end.conclusion is Conclusion.CONTEXT_EXHAUSTED and code is Conclusion.BAD_REQUEST
    limit = end.conclusion is Conclusion.USAGE_LIMIT and code is Conclusion.PROVIDER_TROUBLE
    return end if end.proven or too_long or limit else replace(end, conclusion=code)
