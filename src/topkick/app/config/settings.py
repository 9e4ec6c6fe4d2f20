"""Turn the configuration of a person into the settings of a run."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from topkick.app.config.model import AgentConfig, Config, Words
from topkick.app.project import CONFIG_NAME
from topkick.checks.model import Where
from topkick.engine.agents.program import PLAIN, AgentProgram, Tier
from topkick.engine.errors import UsageError
from topkick.engine.settings import OnLimit, Settings, TreeSetup


def make_settings(
    config: Config,
    *,
    accept_unchecked: bool = False,
    only: Words = (),
    max_agents: int | None = None,
    agent: str | None = None,
) -> Settings:
    limits = config.limits
    chosen = _choose_agent(config, agent)
    when_limited = _on_limit(config, chosen.name)
    return Settings(
        agent=chosen,
        max_agents=max_agents or limits.max_agents,
        max_retries=limits.max_retries,
        max_continuations=limits.max_continuations,
        max_dispatches=limits.max_dispatches,
        max_turns=limits.max_turns,
        first_tier=limits.first_tier,
        sprint_timeout_s=limits.sprint_minutes * 60,
        check_timeout_s=limits.check_minutes * 60,
        stop_patience_s=limits.stop_patience_minutes * 60,
        stop_grace_s=limits.stop_grace_seconds,
        kill_grace_s=limits.kill_grace_seconds,
        stall_poll_s=limits.stall_poll_seconds,
        deferred_poll_s=limits.deferred_poll_seconds,
        verify_always=config.verify.always,
        verify_pass_env=config.verify.pass_env,
        verify_at=Where(config.verify.at),
        verify_prepare=config.verify.prepare,
        on_finding=config.verify.on_finding,
        gate=config.gate.mode,
        gate_commands=config.gate.command,
        gate_timeout_s=config.gate.minutes * 60,
        builds=config.gate.builds,
        build_max_pressure=config.gate.max_pressure,
        build_min_free_mb=config.gate.min_free_mb,
        reconcile=config.reconcile,
        accept_unchecked=accept_unchecked,
        only=only,
        on_event=config.on_event,
        on_sigterm=config.on_sigterm,
        budgets=config.budget,
        on_limit=when_limited.what,
        limit_ends_at_minute=when_limited.minute,
        other_agent=when_limited.agent,
        tree=TreeSetup(config.tree.setup, config.tree.copy, config.tree.link),
    )


@dataclass(frozen=True, slots=True)
class _WhenLimited:
    what: OnLimit
    minute: int | None = None
    agent: AgentProgram | None = None


def _on_limit(config: Config, chosen: str) -> _WhenLimited:
    """`wait`, `ask`, `wait-until 06:30`, or the name of the agent to switch to."""
    said = config.limits.on_limit.strip()
    if said in (OnLimit.WAIT, OnLimit.ASK):
        return _WhenLimited(OnLimit(said))
    if found := re.fullmatch(r"wait-until (\d{1,2}):(\d{2})", said):
        hour, minute = int(found[1]), int(found[2])
        if hour < 24 and minute < 60:
            return _WhenLimited(OnLimit.WAIT_UNTIL, _utc_minute(hour, minute))
    if said and said == chosen:  # that agent took over already, so no other is left
        return _WhenLimited(OnLimit.WAIT)
    if said in config.agents:
        return _WhenLimited(OnLimit.SWITCH, agent=program_named(config, said))
    raise UsageError(
        f'limits.on_limit = "{said}" is not understood. Write "wait", "ask", '
        '"wait-until 06:30", or the name of another agent that is set up here.'
    )


def _utc_minute(hour: int, minute: int) -> int:
    """Convert a local time of day to a minute of the day in UTC, with today's offset."""
    local = datetime.now().astimezone().replace(hour=hour, minute=minute)
    there = local.astimezone(UTC)
    return there.hour * 60 + there.minute


def _choose_agent(config: Config, asked: str | None) -> AgentProgram:
    name = asked or config.agent or (next(iter(config.agents)) if len(config.agents) == 1 else "")
    if not config.agents:
        raise UsageError(
            f"No agent is set up, so no order can be given. Without a {CONFIG_NAME}, write one: "
            "topkick init\nIn an existing one, add a table [agents.NAME] "
            "(docs/reference/configuration.md)."
        )
    if name not in config.agents:
        known = ", ".join(sorted(config.agents))
        what = (
            f"There is no agent '{name}'." if name else "Several agents are set up, none is chosen."
        )
        raise UsageError(f'{what} Choose one with agent = "NAME" in {CONFIG_NAME}: {known}')
    return program_named(config, name)


def program_named(config: Config, name: str) -> AgentProgram:
    """Return the agent of this name, which must be set up."""
    chosen = config.agents[name]
    return AgentProgram(
        name=name,
        command=chosen.command or (chosen.adapter,),
        prompt=chosen.prompt,
        models=_models(chosen),
        pass_env=chosen.pass_env,
        adapter=chosen.adapter,
        permissions=chosen.permissions,
        account=chosen.account,
        prices=chosen.prices,
    )


def _models(chosen: AgentConfig) -> dict[str, str]:
    """Return the models by tier.

    A command that takes no model runs the program's own: one model, without a name.
    """
    named = {tier.value: model for tier, model in chosen.models.items()}
    takes_one = any("{model}" in word or "{tier}" in word for word in chosen.command)
    if named or takes_one or chosen.adapter != PLAIN:
        return named
    return {tier.value: "" for tier in Tier}
