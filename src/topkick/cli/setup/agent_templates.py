"""Templates of settings for known agent programs that run unattended.

Each template lets the agent edit, run commands and commit without asking: a question would hang it.
"""

from dataclasses import dataclass

from topkick.engine.agents.program import PLAIN


@dataclass(frozen=True, slots=True)
class AgentTemplate:
    """`models` by tier. `remark` becomes a comment in topkick.toml."""

    name: str
    command: tuple[str, ...]
    prompt: str
    models: tuple[str, str, str]
    pass_env: tuple[str, ...] = ()
    remark: str = ""
    adapter: str = PLAIN


TEMPLATES = (
    AgentTemplate(
        "claude",
        ("claude",),
        "stdin",
        ("haiku", "sonnet", "opus"),
        ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        "It may edit, run commands and commit without asking. Other permissions: readonly, all.",
        adapter="claude",
    ),
    AgentTemplate(
        "codex",
        ("codex",),
        "stdin",
        ("gpt-5.5", "gpt-5.5", "gpt-5.5"),
        ("CODEX_API_KEY", "CODEX_HOME"),
        "It may write in the project and commit; its sandbox forbids the rest.\n"
        "It reports no costs. For a budget in dollars, give its prices in dollars for a million\n"
        "tokens: prices = { input = 1.25, output = 10 }",
        adapter="codex",
    ),
    AgentTemplate(
        "gemini",
        ("gemini",),
        "argument",
        ("gemini-2.5-flash", "gemini-2.5-pro", "gemini-2.5-pro"),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        adapter="gemini",
    ),
    AgentTemplate(
        "opencode",
        ("opencode",),
        "argument",
        ("anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-5"),
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG"),
        "Models are named provider/model, as `opencode models` lists them.",
        adapter="opencode",
    ),
    AgentTemplate(
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
    AgentTemplate(
        "goose",
        ("goose", "run", "--no-session", "--model", "{model}", "-i", "{prompt_file}"),
        "file",
        ("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5"),
        ("GOOSE_PROVIDER", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
        "Not tested with topkick yet: run one small sprint first.",
    ),
)

BY_NAME = {template.name: template for template in TEMPLATES}
