"""The known agents: those set up here, and each other adapter with its default settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from topkick.agents.registry import known
from topkick.app.config.file import load_config_at
from topkick.app.config.model import Config
from topkick.app.config.settings import program_named
from topkick.app.project import CONFIG_NAME, PlanNotFound, find_project
from topkick.cli.setup.agent_templates import BY_NAME, AgentTemplate
from topkick.engine.agents.program import PLAIN, TIERS, AgentProgram, PromptBy
from topkick.engine.errors import UsageError


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
    """Yield the agents that are set up, then each adapter whose name none of them has."""
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
