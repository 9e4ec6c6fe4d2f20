"""`topkick agents`: list the agent programs, and try one with a single order."""

import json
import shlex
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from topkick.app.agents.configured import require_program
from topkick.app.agents.event_lines import Transcript, summary
from topkick.app.agents.trial import Trial, Tried, try_out
from topkick.cli import terminal
from topkick.cli.setup import agents_page
from topkick.cli.setup.known_agents import Here, agent_named, all_agents, settings_here
from topkick.engine.agents.program import Conclusion
from topkick.engine.errors import TopkickError, UsageError


@click.group("agents")
def command() -> None:
    """List agent programs, or try one of them.

    \b
    Example: topkick agents list
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def list_(as_json: bool) -> int:
    """List agents and adapters: program, version, tested version, permissions.

    \b
    Example: topkick agents list
    """
    here = settings_here()
    rows = [agents_page.row(known, here.root) for known in all_agents(here.config)]
    if as_json:
        click.echo(json.dumps([agents_page.as_json(row) for row in rows], indent=2))
    else:
        click.echo("\n".join(agents_page.page(rows, terminal.width())))
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
    for line in agents_page.before_trial(trial):
        terminal.say(line)
    _agree(name, prompt, yes=yes)
    transcript = Transcript(terminal.utc_offset_s(), trial.secrets)
    tried = try_out(trial, lambda event: _say(transcript.line(event)))
    return _concluded(tried, trial.secrets)


def _trial(here: Here, name: str, prompt: str, model: str | None) -> Trial:
    settings = agents_page.trial_settings(here.config, agent_named(here, name))
    tier = agents_page.tier_of(settings, model)
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
