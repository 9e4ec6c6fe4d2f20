"""How known agent programs are started without a person in front of them.

Each lets the agent edit, run commands and commit, and nothing asks: a question would hang it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Template:
    """`models` by tier. `remark` becomes a comment in topkick.toml."""

    name: str
    command: tuple[str, ...]
    prompt: str
    models: tuple[str, str, str]
    pass_env: tuple[str, ...] = ()
    remark: str = ""


TEMPLATES = (
    Template(
        "claude",
        (
            *("claude", "-p", "--model", "{model}", "--max-turns", "{max_turns}"),
            *("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,Write"),
        ),
        "stdin",
        ("haiku", "sonnet", "opus"),
        ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        "Without Bash among the allowed tools it could not commit, and no sprint would pass.",
    ),
    Template(
        "codex",
        (
            *("codex", "exec", "--model", "{model}", "--sandbox", "workspace-write"),
            *("--add-dir", "{project}/.git", "-"),
        ),
        "stdin",
        ("gpt-5.5", "gpt-5.5", "gpt-5.5"),
        ("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
        "Its sandbox makes .git read-only unless it is added: no commit would succeed.\n"
        "In a linked worktree add the main repository's .git too.",
    ),
    Template(
        "gemini",
        (
            *("gemini", "--model", "{model}", "--approval-mode", "yolo", "--skip-trust"),
            *("-p", "{prompt}"),
        ),
        "argument",
        ("gemini-2.5-flash", "gemini-2.5-pro", "gemini-2.5-pro"),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GEMINI_CLI_NO_RELAUNCH"),
        "It does not see your global git identity: set user.name and user.email in the repository.",
    ),
    Template(
        "opencode",
        ("opencode", "run", "--model", "{model}", "{prompt}"),
        "argument",
        ("anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-5"),
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG"),
        "Models are named provider/model, as `opencode models` lists them.",
    ),
    Template(
        "aider",
        (
            *("aider", "--model", "{model}", "--message-file", "{prompt_file}", "--yes-always"),
            *("--no-check-update", "--no-pretty", "--no-fancy-input", "--no-show-release-notes"),
        ),
        "file",
        ("haiku", "sonnet", "opus"),
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
        "It edits and commits but runs no commands of its own.",
    ),
    Template(
        "goose",
        ("goose", "run", "--no-session", "--model", "{model}", "-i", "{prompt_file}"),
        "file",
        ("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5"),
        ("GOOSE_PROVIDER", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
        "Not tried by us yet: run one small sprint first.",
    ),
)

BY_NAME = {template.name: template for template in TEMPLATES}
