"""Every way to end that is recorded, for each program, and its name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

# The tool records that it runs, and ends by itself. Not the program `sleep`, which Claude Code
# refuses to run.
BUSY = "echo $$ > tool.pid; exec python3 -c 'import time; time.sleep(40)'"
BUSY_PROMPT = "REHEARSE: " + json.dumps([{"sh": BUSY}, {"text": "done"}])
FAILING_PROMPT = "REHEARSE: " + json.dumps([{"sh": "echo oops >&2; exit 3"}, {"text": "done"}])
ONE_MORE_PROMPT = "REHEARSE: " + json.dumps(
    [{"write": ["more.txt", "more\n"]}, {"sh": "git add -A && git commit -m more"}, {"text": "ok"}]
)
_QUESTION = {
    "id": "db",
    "header": "Database",
    "question": "Which database?",
    "options": [
        {"label": "SQLite", "description": "a file"},
        {"label": "Postgres", "description": "a server"},
    ],
}
ASK_CLAUDE = "REHEARSE: " + json.dumps(
    [
        {"tool": ["AskUserQuestion", {"questions": [{**_QUESTION, "multiSelect": False}]}]},
        {"text": "I wait for your answer."},
    ]
)
ASK_CODEX = "REHEARSE: " + json.dumps(
    [
        {"tool": ["request_user_input", {"questions": [_QUESTION]}]},
        {"text": "I wait for your answer."},
    ]
)
UNKNOWN_ID = "3b9c6a52-0d0e-4a51-8f0e-7f1d2c3b4a59"


@dataclass(frozen=True, slots=True)
class Case:
    """A case; `expected` is the conclusion that an adapter must reach.

    `signal` is sent while a tool runs, or, with `waiting`, while the program waits for the model.
    `stop_after_s` ends a program that would wait forever, as a supervisor does.
    """

    name: str
    expected: str
    scenario: str = "happy"
    prompt: str = "do the sprint"
    flags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    allowed: bool = True
    resumes: str = ""
    signal: str = ""
    waiting: bool = False
    stop_after_s: float = 0.0
    key: bool = True
    model: str = ""
    max_turns: int = 0
    note: str = ""


BOTH = (
    Case("happy", "finished"),
    Case("failing-command", "finished", prompt=FAILING_PROMPT),
    Case("talk", "finished", "talk", note="rc 0 and nothing done: only git can tell"),
    Case("cut-once", "finished", "cut-once"),
    Case("400", "bad request or model", "400"),
    Case("401", "authentication", "401"),
    Case("403", "authentication", "403"),
    Case("404", "bad request or model", "404"),
    Case("too-long", "context exhausted", "too-long"),
    Case("429", "provider trouble", "429"),
    Case("429-retry-after-2", "provider trouble", "429-2"),
    Case("500", "provider trouble", "500"),
    Case("503", "provider trouble", "503"),
    Case("529", "provider trouble", "529"),
    Case("overloaded-in-stream", "provider trouble", "overloaded-in-stream"),
    Case("cut", "provider trouble", "cut"),
    Case("max-tokens", "turn limit", "max-tokens"),
    Case("sigkill-in-tool", "killed", prompt=BUSY_PROMPT, signal="SIGKILL"),
    Case("resume", "finished", prompt=ONE_MORE_PROMPT, resumes="happy"),
    Case("resume-after-sigkill", "finished", prompt="go on", resumes="busy"),
    Case("resume-unknown", "conversation lost", resumes=UNKNOWN_ID),
    Case("no-key", "authentication", key=False),
)

CLAUDE = (
    *BOTH,
    Case("flaky", "finished", "flaky"),
    Case("refusal", "refused", "refusal"),
    Case("asked", "asked for input", prompt=ASK_CLAUDE),
    Case("max-turns", "turn limit", "loop", max_turns=3),
    Case("budget", "budget spent", "loop", flags=("--max-budget-usd", "0.01")),
    Case("429-retry-after-7200", "usage limit", "429-7200"),
    Case("credit", "authentication", "credit"),
    Case("hang", "provider trouble", "hang", env={"API_TIMEOUT_MS": "3000"}),
    Case("denied", "permission denied", allowed=False, note="exits 0 with subtype success"),
    Case("sigterm-in-tool", "interrupted", prompt=BUSY_PROMPT, signal="SIGTERM"),
    Case("sigint-in-tool", "interrupted", prompt=BUSY_PROMPT, signal="SIGINT"),
    Case("sigint-waiting", "interrupted", "hang", signal="SIGINT", waiting=True),
    Case("oauth-usage-limit", "usage limit", "usage-limit", env={"CLAUDE_CODE_OAUTH_TOKEN": "x"}),
    Case("oauth-warned", "finished", "warned", env={"CLAUDE_CODE_OAUTH_TOKEN": "x"}),
)

CODEX = (
    *BOTH,
    Case("flaky", "provider trouble", "flaky", note="429 without retry-after is not retried"),
    Case("refusal", "refused", "refusal", note="a turn that is completed without a word"),
    Case("too-long-in-stream", "context exhausted", "too-long-in-stream"),
    Case("asked", "asked for input", prompt=ASK_CODEX, note="only stderr says so"),
    Case("429-retry-after-7200", "usage limit", "429-7200", stop_after_s=6),
    Case("quota", "authentication", "quota"),
    Case("plan-limit", "usage limit", "plan-limit"),
    Case("hang", "silent", "hang", stop_after_s=6),
    Case("denied", "permission denied", allowed=False, note="only stderr says so; exits 0"),
    Case(
        "commit-denied",
        "finished",
        allowed=False,
        flags=("--sandbox", "workspace-write"),
        note="the sandbox keeps .git read-only; that is often not said at all",
    ),
    Case("code-mode", "finished", model="gpt-6-sol", note="tools by way of one that runs scripts"),
    Case("unknown-model", "finished", model="no-such-model"),
    Case("sigterm-in-tool", "killed", prompt=BUSY_PROMPT, signal="SIGTERM"),
    Case("sigint-in-tool", "interrupted", prompt=BUSY_PROMPT, signal="SIGINT"),
    Case("sigint-waiting", "interrupted", "hang", signal="SIGINT", waiting=True),
)

_SECOND = (
    Case("happy", "finished"),
    Case("failing-command", "finished", prompt=FAILING_PROMPT),
    Case("talk", "finished", "talk", note="rc 0 and nothing done: only git can tell"),
    Case("400", "bad request or model", "400"),
    Case("401", "authentication", "401"),
    Case("403", "authentication", "403"),
    Case("404", "bad request or model", "404"),
    Case("too-long", "context exhausted", "too-long"),
    Case("429-retry-after-2", "provider trouble", "429-2"),
    Case("500", "provider trouble", "500"),
    Case("hang", "silent", "hang", stop_after_s=20),
    Case("sigterm-in-tool", "killed", prompt=BUSY_PROMPT, signal="SIGTERM"),
    Case("sigkill-in-tool", "killed", prompt=BUSY_PROMPT, signal="SIGKILL"),
    Case("resume", "finished", prompt=ONE_MORE_PROMPT, resumes="happy"),
)

GEMINI = (
    *(case for case in _SECOND if case.name != "sigterm-in-tool"),
    Case("429", "provider trouble", "429"),
    Case("503", "provider trouble", "503"),
    Case("cut", "provider trouble", "cut"),
    Case("refusal", "refused", "refusal"),
    Case("max-tokens", "finished", "max-tokens", note="cut off without a word"),
    Case("max-turns", "turn limit", "loop", max_turns=3),
    Case("denied", "finished", allowed=False, note="its tools are just missing"),
    Case("sigterm-in-tool", "interrupted", prompt=BUSY_PROMPT, signal="SIGTERM"),
    Case("resume-unknown", "conversation lost", resumes=UNKNOWN_ID),
    Case("no-key", "authentication", key=False),
)

OPENCODE = (
    *_SECOND,
    Case("refusal", "refused", "refusal"),
    Case("max-tokens", "turn limit", "max-tokens"),
    Case("denied", "permission denied", allowed=False),
    Case("resume-unknown", "conversation lost", resumes="ses_unknown"),
)

CASES: Mapping[str, tuple[Case, ...]] = {
    "claude": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "opencode": OPENCODE,
}
