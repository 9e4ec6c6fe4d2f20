"""`topkick agents`: list the agent programs, and try one with a single order."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from topkick.agents.registry import adapter_named
from topkick.app.agents.configured import AgentCheck, require_program
from topkick.app.agents.event_lines import Transcript, summary
from topkick.app.agents.trial import Trial, Tried, try_out
from topkick.cli import terminal
from topkick.cli.setup.doctor import checked, try_first
from topkick.cli.setup.known_agents import (
    Here,
    KnownAgent,
    agent_named,
    all_agents,
    settings_here,
    tier_of,
    trial_settings,
)
from topkick.engine.agents.program import PLAIN, Conclusion
from topkick.engine.errors import TopkickError, UsageError
from topkick.text import columns, escape
from topkick.text.columns import Column


@click.group("agents")
def command() -> None:
    """List agent programs, or try one of them.

    \b
    Example: topkick agents list
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def list_(as_json: bool) -> int:
    """List agents and adapters with versions and permissions.

    \b
    Example: topkick agents list
    """
    here = settings_here()
    rows = [row_of(known, here.root) for known in all_agents(here.config)]
    if as_json:
        click.echo(json.dumps([row_as_json(row) for row in rows], indent=2))
    else:
        click.echo("\n".join(page(rows, terminal.width())))
    return 0


def _names(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete agent names; offer none if the settings cannot be read."""
    try:
        agents = [known.program.name for known in all_agents(settings_here().config)]
    except TopkickError:
        return []
    return [CompletionItem(name) for name in agents if name.startswith(begun)]


@command.command("try")
@click.argument("name", shell_complete=_names)
@click.argument("prompt")
@click.option("--model", metavar="M", help="The model: its name, or haiku, sonnet, opus.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def try_(name: str, prompt: str, model: str | None, yes: bool) -> int:
    """Give an agent one order in this directory and show what it does.

    The agent may change files here, and its provider may charge for it. Ctrl-C ends it. Exit 1
    if the agent does not finish.

    \b
    Example: topkick agents try claude "Say hello"
    """
    if not prompt.strip():
        raise UsageError(
            "The order is empty, so no agent was started. "
            'Example: topkick agents try claude "Say hello"'
        )
    here = settings_here()
    trial = _trial(here, name, prompt, model)
    require_program(trial.settings.agent, Path.cwd())
    for line in before_trial(trial):
        terminal.say(line)
    _agree(name, prompt, yes=yes)
    transcript = Transcript(terminal.utc_offset_s(), trial.secrets)
    tried = try_out(trial, lambda event: _say(transcript.line(event)))
    return _concluded(tried, trial.secrets)


def _trial(here: Here, name: str, prompt: str, model: str | None) -> Trial:
    settings = trial_settings(here.config, agent_named(here, name))
    tier = tier_of(settings, model)
    named = settings.agent.model_for(tier) if model is None or model == tier else model
    return Trial(settings, prompt, named, tier, Path.cwd().resolve())


def _agree(name: str, prompt: str, *, yes: bool) -> None:
    if yes:
        return
    if not terminal.is_there():
        raise UsageError(
            "There is no terminal to ask in, so no agent was started. Add --yes: "
            f"topkick agents try {shlex.quote(name)} --yes {shlex.quote(prompt)}"
        )
    if not click.confirm("The agent's provider may charge for this. Start it?", default=False):
        raise click.Abort


def _say(line: str) -> None:
    if line:
        terminal.say(line)


def _concluded(tried: Tried, secrets: tuple[str, ...]) -> int:
    terminal.say("")
    terminal.say(summary(tried.report, secrets))
    for line in _also(tried):
        terminal.say(line)
    return 0 if tried.report.conclusion is Conclusion.FINISHED and not tried.stopped else 1


def _also(tried: Tried) -> list[str]:
    lines = (
        [f"The agent was denied: {', '.join(tried.report.denied)}"] if tried.report.denied else []
    )
    lines += [f"topkick ended the agent early: {tried.stopped}"] if tried.stopped else []
    pids = ", ".join(map(str, tried.survivors))
    return (
        [*lines, f"These processes could not be ended and are still alive: {pids}"]
        if pids
        else lines
    )


# --- pages ---------------------------------------------------------------------------------------


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


def row_of(known: KnownAgent, root: Path) -> AgentRow:
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


def row_as_json(row: AgentRow) -> dict[str, Any]:
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


def before_trial(trial: Trial) -> Iterator[str]:
    settings = trial.settings
    agent, budget = settings.agent, settings.budgets.sprint
    yield f"Agent   {escape.line(agent.name)} ({escape.line(trial.model, 60)})"
    yield f"May     {escape.line(adapter_named(agent.adapter).permissions(agent), 160)}"
    yield f"Where   {escape.line(str(trial.directory))}"
    usd = f", ${budget.usd:g}" if budget.usd is not None else ""
    yield f"Limits  {settings.max_turns} turns, {settings.sprint_timeout_s / 60:g} min{usd}"
