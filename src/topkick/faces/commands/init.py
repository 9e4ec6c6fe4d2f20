"""`topkick init`: finds an agent on PATH and writes topkick.toml; never overwrites."""

import difflib
import math
import shlex
import shutil
from pathlib import Path

import click

from topkick.core.agents import AgentProgram
from topkick.core.budgets import Budget, Budgets
from topkick.core.errors import UsageError
from topkick.faces import terminal
from topkick.faces.agent_templates import BY_NAME, TEMPLATES, Template
from topkick.faces.config_text import config_text, own
from topkick.faces.example_plan import EXAMPLE_PLAN
from topkick.wiring.agents import untold_cost
from topkick.wiring.project import (
    CONFIG_NAME,
    PLAN_NAME,
    PlanNotFound,
    exclude_our_files,
    find_project,
)


@click.command("init")
@click.option("--agent", metavar="NAME", help=f"One of: {', '.join(BY_NAME)}.")
@click.option("--command", "words", metavar="'...'", help="A command of your own as the agent.")
@click.option(
    "--budget", "usd", type=click.FloatRange(min=0, min_open=True), metavar="USD",
    help="What a run may cost at most, in dollars.",
)  # fmt: skip
@click.option("--example", is_flag=True, help=f"Also write a small {PLAN_NAME} to try.")
def command(agent: str | None, words: str | None, usd: float | None, example: bool) -> int:
    """Find an agent program on PATH and write topkick.toml beside the plan.

    Nothing that exists is overwritten.

    \b
    Example: topkick init --example
    Example: topkick init --command './my-agent.sh {prompt_file}'
    """
    root = _root()
    if example and (root / CONFIG_NAME).exists() and not (root / PLAN_NAME).exists():
        _plan(root, example=True)
        return 0
    path = root / CONFIG_NAME
    if path.exists() and agent is None and words is None and not _on_path():
        raise UsageError(f"{path} is there already and stays as it is. Next: topkick plan show")
    template = _choose(root, agent, words)
    if usd is not None and not math.isfinite(usd):
        raise UsageError("--budget needs an amount in dollars, such as 20")
    if path.exists():
        raise UsageError(_difference(path, config_text(template, usd)))
    usd = usd or _ask_budget()
    path.write_text(config_text(template, usd), "utf-8")
    terminal.say(f"Wrote {path} with the agent '{template.name}': {' '.join(template.command)}")
    program = AgentProgram(template.name, template.command, adapter=template.adapter)
    if why := untold_cost(program, Budgets(run=Budget(usd=usd))):
        terminal.say(f"But {why} (in {CONFIG_NAME}).")
    _plan(root, example=example)
    return 0


def _root() -> Path:
    """Beside the plan where there is one, else here."""
    try:
        return find_project().root
    except PlanNotFound:
        return Path.cwd().resolve()


def _choose(root: Path, agent: str | None, words: str | None) -> Template:
    if words is not None:
        return _own(root, agent, words)
    if agent is not None:
        if agent not in BY_NAME:
            known = ", ".join(BY_NAME)
            raise UsageError(f"'{agent}' is none of {known}. Your own program: --command '...'")
        return BY_NAME[agent]
    found = _on_path()
    if not found:
        raise UsageError(
            f"No agent program is on PATH (looked for {', '.join(BY_NAME)}).\n"
            "Install one, or name your own: topkick init --command './my-agent.sh {prompt_file}'"
        )
    return found[0] if len(found) == 1 or not terminal.is_there() else _ask(found)


def _on_path() -> list[Template]:
    return [t for t in TEMPLATES if shutil.which(t.command[0]) is not None]


def _own(root: Path, agent: str | None, words: str) -> Template:
    """A program of the project itself is named from the root: agents start in other directories."""
    try:
        split = shlex.split(words)
    except ValueError as error:
        raise UsageError(f"--command cannot be read as words: {error}") from error
    if not split:
        raise UsageError("--command is empty. Example: --command './my-agent.sh {prompt_file}'")
    name, program = agent or Path(split[0]).stem, Path(split[0])
    if "/" in split[0] and not program.is_absolute() and program.resolve().is_relative_to(root):
        split[0] = f"{{project}}/{program.resolve().relative_to(root)}"
    return own(name, split)


def _ask(found: list[Template]) -> Template:
    terminal.say("Agents on PATH:")
    for number, template in enumerate(found, start=1):
        terminal.say(f"  {number}. {template.name}")
    chosen = click.prompt("Which one", type=click.IntRange(1, len(found)), default=1)
    return found[chosen - 1]


def _ask_budget() -> float | None:
    """Asked once, where somebody can answer; there is no limit unless one is said."""
    if not terminal.is_there():
        return None
    said: str = click.prompt(
        "What may a run cost at most, in dollars (enter: no limit)", default="", show_default=False
    )
    try:
        usd = float(said.strip().lstrip("$") or "0")
    except ValueError:
        terminal.say(f"'{said}' is no number: no limit is set. Change it in {CONFIG_NAME}.")
        return None
    return usd if usd > 0 and math.isfinite(usd) else None


def _difference(path: Path, text: str) -> str:
    there = path.read_text("utf-8", "replace").splitlines()
    lines = list(difflib.unified_diff(there, text.splitlines(), str(path), "init", lineterm=""))
    if not lines:
        return f"{path} is there already, exactly as init would write it. Next: topkick plan show"
    head = f"{path} is there already and stays as it is. What init would change:"
    return "\n".join([head, *lines])


def _plan(root: Path, *, example: bool) -> None:
    path = root / PLAN_NAME
    if example and not path.exists():
        path.write_text(EXAMPLE_PLAN, "utf-8")
        terminal.say(f"Wrote {path}")
    if not path.exists():
        terminal.say(f"Next: write {PLAN_NAME} (topkick init --example makes a small one), then")
        terminal.say("      topkick plan show")
        return
    exclude_our_files(find_project(path))
    terminal.say("Next: topkick plan show")
