"""The known agents: templates of their settings, agents set up here, and each other adapter.

Each template lets the agent edit, run commands and commit without asking: a question would hang it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from topkick.agents.registry import known
from topkick.app.config.file import load_config_at
from topkick.app.config.model import Config
from topkick.app.config.settings import program_named
from topkick.app.project import CONFIG_NAME, PlanNotFound, find_project
from topkick.engine.agents.budgets import Budgets
from topkick.engine.agents.program import PLAIN, TIERS, AgentProgram, PromptBy, Tier
from topkick.engine.errors import UsageError
from topkick.engine.settings import Settings


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


# --- --first -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Here:
    """The settings in force, and the directory that they are for; there may be no project."""

    root: Path
    config: Config


@dataclass(frozen=True, slots=True)
class KnownAgent:
    program: AgentProgram
    configured: bool
    chosen: bool = False


def settings_here() -> Here:
    try:
        root = find_project().root
    except PlanNotFound:
        root = Path.cwd().resolve()
    return Here(root, load_config_at(root / CONFIG_NAME))


def all_agents(config: Config) -> Iterator[KnownAgent]:
    """Yield the agents that are set up, then the adapters under other names."""
    chosen = config.agent or (next(iter(config.agents)) if len(config.agents) == 1 else "")
    for name in config.agents:
        yield KnownAgent(program_named(config, name), configured=True, chosen=name == chosen)
    for adapter in known():
        if adapter not in config.agents:
            yield KnownAgent(_unconfigured(adapter), configured=False)


def agent_named(here: Here, name: str) -> AgentProgram:
    """Return the agent that is set up under this name, or an adapter's agent with its defaults."""
    config = here.config
    if name in config.agents:
        program = program_named(config, name)
        words = (word.replace("{project}", str(here.root)) for word in program.command)
        return replace(program, command=tuple(words))
    if name == PLAIN:
        raise UsageError(
            f'"{PLAIN}" is the adapter for any program, so topkick needs to know yours. Set it up: '
            "topkick init --command './my-agent.sh {prompt_file}'"
        )
    if name not in known() and name not in BY_NAME:
        names = sorted({*config.agents, *known(), *BY_NAME} - {PLAIN})
        raise UsageError(f"There is no agent '{name}'. Known: {', '.join(names)}")
    return _unconfigured(name)


def _unconfigured(name: str) -> AgentProgram:
    template = BY_NAME.get(name)
    return _of_template(template) if template else AgentProgram(name, (name,), adapter=name)


def _of_template(template: AgentTemplate) -> AgentProgram:
    return AgentProgram(
        name=template.name,
        command=template.command,
        prompt=PromptBy(template.prompt),
        models={tier.value: m for tier, m in zip(TIERS, template.models, strict=True)},
        pass_env=template.pass_env,
        adapter=template.adapter,
    )


# --- the settings of a single order --------------------------------------------------------------


def trial_settings(config: Config, program: AgentProgram) -> Settings:
    """Return the settings of a trial: the limits of a sprint apply to it too."""
    limits = config.limits
    return Settings(
        agent=program,
        max_turns=limits.max_turns,
        first_tier=limits.first_tier,
        sprint_timeout_s=limits.sprint_minutes * 60,
        stop_grace_s=limits.stop_grace_seconds,
        kill_grace_s=limits.kill_grace_seconds,
        budgets=Budgets(sprint=config.budget.sprint),
    )


def tier_of(settings: Settings, model: str | None) -> Tier:
    """Return the tier that `model` names, or else that of a run's first order, or the smallest."""
    if model in set(Tier):
        return Tier(model)
    return settings.first_tier or Tier.HAIKU
