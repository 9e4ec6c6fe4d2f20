"""Codex: its command line for an order."""

import signal

from topkick.core.agents import AgentProgram, Conversation
from topkick.outside.agents.codex_stream import CodexReader
from topkick.outside.agents.permissions import Permission, permission_of
from topkick.outside.agents.vocabulary import Assignment, Launch

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
