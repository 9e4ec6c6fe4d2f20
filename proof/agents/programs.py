"""The command line and environment of each program for a scripted run, without the user's own."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proof.agents.cases import Case

DUMMY_KEY = "sk-dummy"


@dataclass(frozen=True, slots=True)
class Command:
    """The command; `files` must be in the home before the start; stdin is closed after the text."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One start of a program. `conversation` is resumed, or new where it can be chosen."""

    program: str
    case: Case
    base_url: str
    home: str
    conversation: str
    resumes: bool = False


def claude(run: Run) -> Command:
    case = run.case
    argv = [
        *(run.program, "-p", case.prompt, "--output-format", "stream-json", "--verbose"),
        *("--model", case.model or "claude-sonnet-4-5"),
        *("--setting-sources", "", "--strict-mcp-config"),
        *("--resume" if run.resumes else "--session-id", run.conversation),
    ]
    if case.allowed:
        argv += ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Edit,Read"]
    if case.max_turns:
        argv += ["--max-turns", str(case.max_turns)]
    switches = (
        *("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
        *("DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"),
    )
    env = {"ANTHROPIC_BASE_URL": run.base_url, "CLAUDE_CODE_MAX_RETRIES": "2", **case.env}
    if case.key and "CLAUDE_CODE_OAUTH_TOKEN" not in env:
        env["ANTHROPIC_API_KEY"] = DUMMY_KEY
    env |= dict.fromkeys(switches, "1")
    return Command((*argv, *case.flags), {**_bare(run.home), **env})


def codex(run: Run) -> Command:
    case = run.case
    provider = (
        f'{{name="scripted",base_url="{run.base_url}/v1",env_key="SCRIPTED_KEY",'
        'wire_api="responses",supports_websockets=false,'
        "request_max_retries=2,stream_max_retries=2}"
    )
    argv = [run.program, "exec", *(["resume"] if run.resumes else []), "--json"]
    argv += ["-m", case.model or "gpt-5.5"]
    for setting in (
        'model_provider="scripted"',
        f"model_providers.scripted={provider}",
        "analytics.enabled=false",
        "check_for_update_on_startup=false",
    ):
        argv += ["-c", setting]
    for feature in ("plugins", "apps", "unbounded_connection_retries"):
        argv += ["--disable", feature]
    if case.allowed:
        argv.append("--dangerously-bypass-approvals-and-sandbox")
    argv += [*case.flags, *([run.conversation] if run.resumes else []), case.prompt]
    key = {"SCRIPTED_KEY": DUMMY_KEY} if case.key else {}
    return Command(tuple(argv), {**_bare(run.home), **key, **case.env})


def gemini(run: Run) -> Command:
    case = run.case
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": 2,
        },
        "model": {"maxSessionTurns": case.max_turns or 20},
    }
    argv = [
        *(run.program, "-p", case.prompt, "--output-format", "stream-json", "--skip-trust"),
        *("--model", case.model or "gemini-2.5-pro"),
        *("--resume" if run.resumes else "--session-id", run.conversation),
    ]
    if case.allowed:
        argv += ["--approval-mode", "yolo"]
    env = {
        "GOOGLE_GEMINI_BASE_URL": run.base_url,
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    if case.key:
        env["GEMINI_API_KEY"] = DUMMY_KEY
    files = {".gemini/settings.json": json.dumps(settings)}
    return Command((*argv, *case.flags), {**_bare(run.home), **env, **case.env}, files)


def opencode(run: Run) -> Command:
    case = run.case
    argv = [run.program, "run", "--format", "json", "--model", "scripted/fake-1"]
    argv += ["--session", run.conversation] if run.resumes else []
    switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")
    env = {f"OPENCODE_DISABLE_{switch}": "1" for switch in switches}
    env["OPENCODE_CONFIG_CONTENT"] = json.dumps(_opencode_settings(run))
    # As an argument the prompt would arrive in quotes, with its own quotes escaped.
    env |= {**_bare(run.home), **case.env}
    return Command((*argv, *case.flags), env, stdin=case.prompt)


def _opencode_settings(run: Run) -> Mapping[str, Any]:
    model = {
        "name": "fake-1",
        "tool_call": True,
        "limit": {"context": 200_000, "output": 8_000},
        "cost": {"input": 3, "output": 15},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{run.base_url}/v1", "apiKey": DUMMY_KEY},
        "models": {"fake-1": model},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["scripted"],
        "model": "scripted/fake-1",
        "small_model": "scripted/fake-1",
        "permission": {"*": "allow" if run.case.allowed else "ask"},
        "provider": {"scripted": provider},
    }


COMMANDS: Mapping[str, Callable[[Run], Command]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
}
CHOOSE_CONVERSATION = frozenset({"claude", "gemini"})


def _bare(home: str) -> dict[str, str]:
    """Return a minimal environment; Codex warns about a home below the temporary directory."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "TMPDIR": f"{home}/tmp",
        "LANG": "C.UTF-8",
    }
