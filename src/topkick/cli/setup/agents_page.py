"""The pages of `agents list` and `agents try`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topkick.agents.registry import adapter_named
from topkick.app.agents.configured import AgentCheck
from topkick.app.agents.trial import Trial
from topkick.app.config.model import Config
from topkick.cli.setup.checkup import checked, try_first
from topkick.cli.setup.known_agents import KnownAgent
from topkick.engine.agents.budgets import Budgets
from topkick.engine.agents.program import PLAIN, AgentProgram, Tier
from topkick.engine.settings import Settings
from topkick.text import columns, escape
from topkick.text.columns import Column

COLUMNS = (
    Column("Agent", least=8),
    Column("Adapter", leaves=1),
    Column("Program", least=12, ends=True),
    Column("Version"),
    Column("Tested"),
    Column("Account", least=8, leaves=2),
)


@dataclass(frozen=True, slots=True)
class AgentRow:
    known: KnownAgent
    check: AgentCheck
    permissions: str


def row(known: KnownAgent, root: Path) -> AgentRow:
    program = known.program
    may = adapter_named(program.adapter).permissions(program)
    if program.adapter == PLAIN and not known.configured:
        return AgentRow(known, AgentCheck(PLAIN, "any", None, ""), may)
    return AgentRow(known, checked(program, root), may)


def page(rows: Sequence[AgentRow], width: int) -> list[str]:
    wide = max(columns.width_of(_name(row)) for row in rows)
    may = [f"  {columns.fit(_name(row), wide)}  {escape.line(row.permissions)}" for row in rows]
    hints = [hint for row in rows for hint in _hints(row)]
    return [
        *columns.lay_out(COLUMNS, [_cells(row) for row in rows], width),
        *("", "What the agents may do without asking:", *may),
        *(["", *hints] if hints else []),
    ]


def _name(row: AgentRow) -> str:
    return escape.line(row.known.program.name, 40)


def _cells(row: AgentRow) -> tuple[str, ...]:
    program, check = row.known.program, row.check
    any_program = program.adapter == PLAIN and not row.known.configured
    path = check.path or ("any program" if any_program else "not found")
    mark = "* " if row.known.chosen else ""
    return (
        f"{mark}{_name(row)}",
        escape.line(program.adapter),
        escape.line(path),
        escape.line(check.number or check.version, 20) or "—",
        check.tested or "—",
        escape.line(program.shares_limits_as) if row.known.configured else "—",
    )


def _hints(row: AgentRow) -> Iterator[str]:
    name, check = _name(row), row.check
    if row.known.chosen:
        yield f"* Runs use {name}."
    if row.known.configured and check.path is None:
        program = escape.line(check.program)
        yield f"{name}: no program {program}; install it, or correct [agents] in topkick.toml"
    if check.differs:
        yield f"{name}: version {check.number}, tested is {check.tested}; {try_first(check)}"


def as_json(row: AgentRow) -> dict[str, Any]:
    program, check = row.known.program, row.check
    return {
        "name": program.name,
        "adapter": program.adapter,
        "configured": row.known.configured,
        "chosen": row.known.chosen,
        "program": check.program,
        "path": check.path,
        "version": check.number or check.version or None,
        "tested": check.tested or None,
        "differs": check.differs,
        "permissions": row.permissions,
        "account": program.shares_limits_as,
        "models": dict(program.models),
    }


# --- before a trial ----------------------------------------------------------------------------


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


def before_trial(trial: Trial) -> Iterator[str]:
    settings = trial.settings
    agent, budget = settings.agent, settings.budgets.sprint
    yield f"Agent   {escape.line(agent.name)} ({escape.line(trial.model, 60)})"
    yield f"May     {escape.line(adapter_named(agent.adapter).permissions(agent), 160)}"
    yield f"Where   {escape.line(str(trial.directory))}"
    usd = f", ${budget.usd:g}" if budget.usd is not None else ""
    yield f"Limits  {settings.max_turns} turns, {settings.sprint_timeout_s / 60:g} min{usd}"
