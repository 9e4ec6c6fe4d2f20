"""Claude Code: its command line for an order."""

import signal

from topkick.agents.claude.stream import ClaudeReader
from topkick.agents.placement import Permission, permission_of
from topkick.agents.vocabulary import Assignment, Launch
from topkick.engine.agents.program import AgentProgram, Conversation

_PERMISSIONS = {
    # Without Bash it could not commit; without any flag it denies everything and exits with 0.
    "": Permission(
        ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,Write"),
        "edits files and runs commands (acceptEdits; Bash, Edit, Read, Write)",
    ),
    "readonly": Permission(
        ("--permission-mode", "dontAsk", "--allowedTools", "Read,Grep,Glob"),
        "reads only (dontAsk; Read, Grep, Glob)",
    ),
    "plan": Permission(("--permission-mode", "plan"), "reads and plans (plan)"),
    "all": Permission(
        ("--permission-mode", "bypassPermissions"),
        "everything (bypassPermissions; as root only in a sandbox)",
    ),
}
_ENV = {
    # Its own ten retries occupy a slot for three minutes; the supervisor waits without one.
    "CLAUDE_CODE_MAX_RETRIES": "2",
    # With background tasks it keeps running after its result, for up to ten minutes.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "API_TIMEOUT_MS": "600000",
}


class Claude:
    name = "claude"
    tested = "2.1.325"
    counts_turns = False
    stop_signal = signal.SIGTERM

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch:
        first, *more = program.command or (self.name,)
        own = {"CLAUDE_CONFIG_DIR": assignment.own_config} if assignment.own_config else {}
        argv = (
            *(first, "-p", "--output-format", "stream-json", "--verbose"),
            *("--model", assignment.model, "--max-turns", str(assignment.max_turns)),
            *permission_of(program, _PERMISSIONS).words,
            *_budget(assignment),
            *_conversation(assignment),
            *more,
        )
        return Launch(argv, {**_ENV, **own})

    def reader(self, resumed: Conversation | None = None) -> ClaudeReader:
        return ClaudeReader(resumed)

    def permissions(self, program: AgentProgram) -> str:
        return permission_of(program, _PERMISSIONS).allows


def _conversation(assignment: Assignment) -> tuple[str, str]:
    if assignment.resumes is not None:
        return "--resume", assignment.resumes.id
    return "--session-id", assignment.new_conversation


def _budget(assignment: Assignment) -> tuple[str, ...]:
    if assignment.max_cost_usd is None:
        return ()
    return "--max-budget-usd", f"{assignment.max_cost_usd:.6g}"
