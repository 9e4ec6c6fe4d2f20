"""Codex: its command line for an order."""

import json
import re
import signal
from collections.abc import Sequence
from dataclasses import replace

from topkick.agents.placement import Permission, permission_of
from topkick.agents.transcript.endings import Ruling, by_message, by_wait_status, status_in
from topkick.agents.transcript.plain_text import (
    Fields,
    count,
    identity,
    inner,
    many,
    one_line,
    text,
    what_of,
)
from topkick.agents.transcript.resets import resets_at_us
from topkick.agents.transcript.result import AgentOutput, since
from topkick.agents.vocabulary import (
    AgentQuestion,
    AgentResult,
    Assignment,
    Denied,
    Event,
    Launch,
    LimitReached,
    Retrying,
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

# --- the stream of `codex exec --json` ---------------------------------------------------------
# Read its events into the common events, and conclude how a run ended.

_TOOLS = frozenset(
    {"command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search"}
)
_QUIET = frozenset({"reasoning", "todo_list"})
_RECONNECTING = re.compile(r"Reconnecting\W+(?:(\d{1,4})/(\d{1,4}))?")
_OPEN_MAX = 1_000
# Only its log, on stderr, says that a tool was denied to the model.
_KEPT_BACK = re.compile(rb"\S+ +ERROR codex_core::tools::router: error=(.{1,400})")


class CodexReader:
    """Reads one run. Codex counts tokens for the whole thread, over several runs."""

    def __init__(self, resumed: Conversation | None = None) -> None:
        self._heard = AgentOutput(resumed)
        self._open: set[str] = set()
        self._total: Usage | None = None
        self._finished = False
        self._failed = ""
        self._waits: Conclusion | None = None
        self._did = False
        self._asked = False

    # --- the stream ------------------------------------------------------------------------

    def feed(self, line: bytes) -> Sequence[Event]:
        fields = self._heard.fields(line)
        if fields is None:
            return self._kept_back(line) or self._heard.told(line)
        match text(fields, "type"):
            case "thread.started":
                self._heard.conversation = identity(fields, "thread_id")
                return [Started(self._heard.conversation)]
            case "turn.started":
                return []
            case "item.started" | "item.updated" | "item.completed" as kind:
                return self._item(kind, inner(fields, "item"))
            case "turn.completed":
                return self._completed(inner(fields, "usage"))
            case "turn.failed":
                return self._fail(text(inner(fields, "error"), "message") or "no reason given")
            case "error":
                return self._trouble(text(fields, "message"))
            case kind:
                return [Unknown(one_line(kind, 60) or "?")]

    def _kept_back(self, line: bytes) -> Sequence[Event]:
        if (found := _KEPT_BACK.match(line)) is None:
            return []
        why = one_line(found[1].decode("utf-8", "replace"))
        if "request_user_input" in why:
            self._asked = True
            return [AgentQuestion(why)]
        if "rejected" not in why and "sandbox" not in why:
            return []
        tool = "edit" if "patch" in why else "shell"
        self._heard.denies(tool)
        return [Denied(tool, why)]

    def _item(self, when: str, item: Fields) -> Sequence[Event]:
        kind = text(item, "type")
        if kind in _TOOLS:
            return self._tool(when, kind, item)
        self._waits = None
        match kind:
            case "agent_message" if when == "item.completed":
                return self._heard.says(text(item, "text"))
            case "error":  # only a remark: the work continues
                return self._heard.told(text(item, "message").encode("utf-8", "replace"))
            case "agent_message":
                return []
            case _ if kind in _QUIET:
                return []
            case _:
                return [Unknown(one_line(f"{when}/{kind}", 60))]

    def _tool(self, when: str, kind: str, item: Fields) -> Sequence[Event]:
        """Count a tool use as an answer of the model; some tools are reported only when they are
        done.
        """
        self._waits = None
        name, begun = text(item, "id"), text(item, "id") in self._open
        if when == "item.completed":
            self._open.discard(name)
            self._did = self._did or text(item, "status") == "completed"
            self._asked = False
        elif len(self._open) < _OPEN_MAX:
            self._open.add(name)
        if begun:
            return []
        return [self._heard.turn(), ToolUsed(_name(kind, item), _what(item))]

    def _completed(self, told: Fields) -> Sequence[Event]:
        self._finished, self._waits = True, None
        self._total = Usage(
            0,
            count(told, "input_tokens"),
            count(told, "cached_input_tokens"),
            count(told, "output_tokens"),
        )
        turn, said = self._heard.turn(), one_line(self._heard.last_said, 400)
        ok = self._of_finish().conclusion is Conclusion.FINISHED
        return [turn, Used(self.usage), AgentResult(ok, said)]

    def _trouble(self, message: str) -> Sequence[Event]:
        """Handle an error; reconnection attempts are reported as errors, and the last one also as a
        failure.
        """
        if (found := _RECONNECTING.match(message)) is None:
            self._failed = self._failed or message or "no reason given"
            return []
        limited = status_in(message) == 429
        self._waits = Conclusion.USAGE_LIMIT if limited else Conclusion.PROVIDER_TROUBLE
        return [Retrying(one_line(message), int(found[1] or 0), int(found[2] or 0))]

    def _fail(self, message: str) -> Sequence[Event]:
        self._failed, self._finished, self._waits = message, False, None
        ruling = self._of_failure()
        limit: list[Event] = []
        if ruling.conclusion is Conclusion.USAGE_LIMIT:
            limit = [LimitReached(ruling.said, ruling.resets_at_us)]
        return [*limit, AgentResult(False, ruling.said)]

    # --- conclusions -----------------------------------------------------------------------

    @property
    def _did_nothing(self) -> bool:
        """True for one empty answer, which is all that a refusal leaves."""
        return self._heard.turns <= 1 and not self._heard.last_said

    @property
    def usage(self) -> Usage:
        before = self._heard.used_before
        if self._total is None:
            return Usage(turns=self._heard.turns)
        return replace(since(self._total, replace(before, turns=0)), turns=self._heard.turns)

    def report(self, ended: AgentExit) -> AgentReport:
        before = self._heard.used_before
        total = self._total if self._total is not None else before
        used = replace(total, turns=before.turns + self._heard.turns)
        return self._heard.report(self._ruling(ended), ended, self.usage, used)

    def _ruling(self, ended: AgentExit) -> Ruling:
        if self._finished:
            return self._of_finish()
        if self._failed:
            return self._of_failure()
        if conclusion := by_wait_status(ended, self._heard.answered, self._waits):
            return Ruling(conclusion, ended.detail)
        if ended.code == 101:
            return Ruling(Conclusion.CRASHED)  # a Rust panic
        if self._heard.conversation or ended.code == 0:
            return Ruling(Conclusion.INTERRUPTED)  # as after SIGINT: exit code 1 and no event
        return self._heard.of_plain_words() or Ruling(Conclusion.CRASHED)

    def _of_finish(self) -> Ruling:
        if self._asked:
            return Ruling(Conclusion.ASKED, self._heard.last_said)
        if self._heard.denied and not self._did:
            return Ruling(Conclusion.PERMISSION_DENIED, self._heard.last_said)
        if self._did_nothing:
            return Ruling(Conclusion.REFUSED, "the model gave an empty answer")
        return Ruling(Conclusion.FINISHED, self._heard.last_said, proven=True)

    def _of_failure(self) -> Ruling:
        """Conclude from a failure, which has no code but only text, sometimes the provider's JSON
        answer.
        """
        words = one_line(_message(self._failed), 400)
        found = by_message(self._failed) or by_message(words) or Conclusion.PROVIDER_TROUBLE
        limited = found is Conclusion.USAGE_LIMIT
        return Ruling(found, words, resets_at_us(words, self._heard.now()) if limited else None)


def _message(failed: str) -> str:
    try:
        body = json.loads(failed) if failed.startswith("{") else None
    except (ValueError, RecursionError):
        return failed
    if not isinstance(body, dict):
        return failed
    return text(inner(body, "error"), "message") or text(body, "message") or failed


def _name(kind: str, item: Fields) -> str:
    if kind == "mcp_tool_call":
        return one_line(f"{text(item, 'server')}/{text(item, 'tool')}", 60)
    return {"command_execution": "shell", "file_change": "edit"}.get(kind, kind.replace("_", " "))


def _what(item: Fields) -> str:
    if changes := many(item, "changes"):
        return one_line(", ".join(filter(None, (text(c, "path") for c in changes[:8]))))
    return (
        what_of(inner(item, "arguments"))
        or one_line(text(item, "command"))
        or what_of({"query": text(item, "query")})
    )


_PERMISSIONS = {
    "": Permission(
        ("--sandbox", "workspace-write"),
        "edits files and runs commands within the project and its .git (workspace-write)",
    ),
    "readonly": Permission(("--sandbox", "read-only"), "reads only (read-only sandbox)"),
    "all": Permission(
        ("--dangerously-bypass-approvals-and-sandbox",), "everything, without a sandbox"
    ),
}
# The number of retries is a setting of the provider, and codex refuses to start if its built-in
# provider is changed. Users with a provider of their own set request_max_retries there.
_QUIETER = (
    *("-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false"),
    *("--disable", "plugins", "--disable", "apps", "--disable", "unbounded_connection_retries"),
)


class Codex:
    name = "codex"
    tested = "0.166.0"
    counts_turns = True
    stop_signal = signal.SIGINT  # the only signal after which its tools end too

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch:
        first, *more = program.command or (self.name,)
        own = {"CODEX_HOME": assignment.own_config} if assignment.own_config else {}
        resumes = assignment.resumes
        argv = (
            *(first, "exec", "--json", "--model", assignment.model),
            *permission_of(program, _PERMISSIONS).words,
            *_writable(program, assignment),
            *_QUIETER,
            *more,
            *(("resume", resumes.id) if resumes is not None else ()),
            "-",
        )
        return Launch(argv, own)

    def reader(self, resumed: Conversation | None = None) -> CodexReader:
        return CodexReader(resumed)

    def permissions(self, program: AgentProgram) -> str:
        return permission_of(program, _PERMISSIONS).allows


def _writable(program: AgentProgram, assignment: Assignment) -> tuple[str, ...]:
    """Return options that allow commits: the sandbox keeps .git read-only, and codex runs without
    git only with a flag.
    """
    if not assignment.git_dirs:
        return ("--skip-git-repo-check",)
    if program.permissions:
        return ()
    return tuple(word for place in assignment.git_dirs for word in ("--add-dir", place))
