"""`topkick init`: find an agent on PATH and write topkick.toml; never overwrite."""

import difflib
import json
import math
import shlex
import shutil
from pathlib import Path

import click

from topkick.app.agents.configured import untold_cost
from topkick.app.project import (
    CONFIG_NAME,
    PLAN_NAME,
    PlanNotFound,
    exclude_our_files,
    find_project,
)
from topkick.cli import terminal
from topkick.cli.setup.known_agents import BY_NAME, TEMPLATES, AgentTemplate
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.program import PLAIN, AgentProgram
from topkick.engine.errors import UsageError

# --- a fresh topkick.toml ----------------------------------------------------------------------
# Its defaults are explained in it.

TIERS = ("haiku", "sonnet", "opus")


def config_text(template: AgentTemplate, budget_usd: float | None = None) -> str:
    return f"""\
# How topkick runs this project. Every setting: docs/reference/configuration.md

agent = {_text(template.name)}
# ritual = false      # if true, `start` writes an operation name into a plan that has none

{_agent(template)}
[limits]
max_agents = 4        # agents at the same time
max_retries = 3       # attempts per sprint, in all
max_turns = 50        # turns per order
sprint_minutes = 60   # topkick ends an agent after this time
on_limit = "wait"     # when an account's usage limit is reached; or "ask", "wait-until 06:30",
                      # or the name of another agent that takes over
# first_tier = "sonnet"   # instead of choosing the model by the score of each sprint

[budget]
# The most to spend: usd, tokens, minutes; for a sprint, a unit, a run, a day.
{_budget(budget_usd)}

[verify]
# Commands that must pass after every sprint, such as "make lint".
always = []
# on_finding = "ask"  # ask you about a skipped test, a stub … at once; else the agent may fix it
                      # once before topkick asks you

[gate]
# The command that builds and tests the work of all units after each phase. Without it, topkick
# takes the commands of the plan or of the project's manifests.
# command = "make test"
# mode = "ask"      # ask you at each gate whether the run continues; or "off"
"""


def _agent(template: AgentTemplate) -> str:
    remarks = "".join(f"# {line}\n" for line in template.remark.split("\n") if line)
    return f"""\
{_how(template, remarks)}
{_models(template)}
# Agents see few variables of your environment; topkick passes these on if they are set.
pass_env = {_list(template.pass_env)}
"""


def _models(template: AgentTemplate) -> str:
    """Return the models by tier, with a remark on the model after a failed attempt."""
    models = ", ".join(
        f"{tier} = {_text(model)}" for tier, model in zip(TIERS, template.models, strict=True)
    )
    match len(set(template.models)):
        case 1 if not template.models[0]:
            return (
                "# Your command takes no model. If it can, put {model} into it, and name models:\n"
                '# models = { haiku = "small", sonnet = "middle", opus = "large" }'
            )
        case 1:
            told = "One model for all tiers: after a failed attempt, the same model tries again."
        case _:
            told = "After a failed attempt, a stronger model tries."
    return f"# {told}\nmodels = {{ {models} }}"


def _how(template: AgentTemplate, remarks: str) -> str:
    head = f"[agents.{_key(template.name)}]"
    if template.adapter != PLAIN:
        return f"""\
{remarks}{head}
adapter = {_text(template.adapter)}     # the adapter starts, reads and ends the program
command = {_list(template.command)}     # the program, and options of your own"""
    return f"""\
# The command that does one order. It may hold {{prompt}} {{prompt_file}} {{model}} {{tier}}
# {{max_turns}} {{run_id}} {{unit}} {{sprint}} {{project}}. topkick gives the prompt by stdin,
# argument or file.
{remarks}{head}
command = {_list(template.command)}
prompt = {_text(template.prompt)}"""


def _budget(usd: float | None) -> str:
    return "# run = { usd = 20 }" if usd is None else f"run = {{ usd = {usd:g} }}"


def own(name: str, words: list[str]) -> AgentTemplate:
    """Return the template of a user's command; its placeholders show how it takes the prompt."""
    whole = " ".join(words)
    by = "argument" if "{prompt}" in whole else "file" if "{prompt_file}" in whole else "stdin"
    takes_model = "{model}" in whole or "{tier}" in whole
    return AgentTemplate(name, tuple(words), by, TIERS if takes_model else ("", "", ""))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(_text(v) for v in values) + "]"


def _key(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else _text(name)


# --- a first plan to try topkick with ----------------------------------------------------------
# Two work units, one after the other.

EXAMPLE_PLAN = """\
# EXECUTION_PLAN.md — Hello

A first plan. Change it to your own work: one goal a sprint, and exit criteria that a machine
can check.

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| greeting  | .         | 2       | 0     | none         |
| letter    | .         | 1       | 1     | greeting     |

## greeting

### Sprint 1: The words

**Tasks**:
1. Write `greeting/words.txt` with one friendly greeting a line, at least three.

**Exit criteria**:
- [ ] `test -s greeting/words.txt` passes
- [ ] `test "$(wc -l < greeting/words.txt)" -ge 3` passes

### Sprint 2: The program

**Tasks**:
1. Write `greeting/greet.sh`, which prints a greeting from that file and the name it is given.

**Exit criteria**:
- [ ] `sh greeting/greet.sh Ada | grep -q Ada` passes

## letter

### Sprint 1: A letter

**Tasks**:
1. Write `letter/letter.md`, a short letter that begins with the output of `greeting/greet.sh Ada`.

**Exit criteria**:
- [ ] `grep -q Ada letter/letter.md` passes
"""


@click.command("init")
@click.option("--agent", metavar="NAME", help=f"One of: {', '.join(BY_NAME)}.")
@click.option("--command", "words", metavar="'...'", help="Your own command as the agent.")
@click.option(
    "--budget", "usd", type=click.FloatRange(min=0, min_open=True), metavar="USD",
    help="The most that a run may cost, in dollars.",
)  # fmt: skip
@click.option("--example", is_flag=True, help=f"Also write a small {PLAN_NAME} to try.")
def command(agent: str | None, words: str | None, usd: float | None, example: bool) -> int:
    """Find an agent program on PATH and write topkick.toml next to the plan.

    Existing files are not overwritten.

    \b
    Example: topkick init --example
             topkick init --command './my-agent.sh {prompt_file}'
    """
    root = _root()
    if example and (root / CONFIG_NAME).exists() and not (root / PLAN_NAME).exists():
        _plan(root, example=True)
        return 0
    path = root / CONFIG_NAME
    if path.exists() and agent is None and words is None and not _on_path():
        raise UsageError(f"{path} exists and was not changed. Next: topkick plan show")
    template = _choose(root, agent, words)
    if usd is not None and not math.isfinite(usd):
        raise UsageError(
            "--budget needs an amount in dollars, and nothing was written. "
            "Example: topkick init --budget 20"
        )
    if path.exists():
        raise UsageError(_difference(path, config_text(template, usd)))
    usd = usd or _ask_budget()
    path.write_text(config_text(template, usd), "utf-8")
    terminal.say(f"Wrote {path} with the agent '{template.name}': {' '.join(template.command)}")
    program = AgentProgram(template.name, template.command, adapter=template.adapter)
    if why := untold_cost(program, Budgets(run=Budget(usd=usd))):
        terminal.say(f"But {why} in {CONFIG_NAME}.")
    _plan(root, example=example)
    return 0


def _root() -> Path:
    """Return the directory of the plan; without a plan, the current directory."""
    try:
        return find_project().root
    except PlanNotFound:
        return Path.cwd().resolve()


def _choose(root: Path, agent: str | None, words: str | None) -> AgentTemplate:
    if words is not None:
        return _own(root, agent, words)
    if agent is not None:
        if agent not in BY_NAME:
            known = ", ".join(BY_NAME)
            raise UsageError(
                f"init does not know the agent '{agent}', so nothing was written. Known: {known}.\n"
                "Your own program: topkick init --command './my-agent.sh {prompt_file}'"
            )
        return BY_NAME[agent]
    found = _on_path()
    if not found:
        raise UsageError(
            f"No agent program is on PATH (looked for {', '.join(BY_NAME)}).\n"
            "Nothing was written. Install one, or name your own program: "
            "topkick init --command './my-agent.sh {prompt_file}'"
        )
    return found[0] if len(found) == 1 or not terminal.is_there() else _ask(found)


def _on_path() -> list[AgentTemplate]:
    return [t for t in TEMPLATES if shutil.which(t.command[0]) is not None]


def _own(root: Path, agent: str | None, words: str) -> AgentTemplate:
    """Name a program inside the project by {project}: agents start in other directories."""
    try:
        split = shlex.split(words)
    except ValueError as error:
        raise UsageError(
            f"--command cannot be split into words ({error}), so nothing was written. "
            "Example: topkick init --command './my-agent.sh {prompt_file}'"
        ) from error
    if not split:
        raise UsageError(
            "--command is empty, so nothing was written. "
            "Example: topkick init --command './my-agent.sh {prompt_file}'"
        )
    name, program = agent or Path(split[0]).stem, Path(split[0])
    if "/" in split[0] and not program.is_absolute() and program.resolve().is_relative_to(root):
        split[0] = f"{{project}}/{program.resolve().relative_to(root)}"
    return own(name, split)


def _ask(found: list[AgentTemplate]) -> AgentTemplate:
    terminal.say("Agents on PATH:")
    for number, template in enumerate(found, start=1):
        terminal.say(f"  {number}. {template.name}")
    chosen = click.prompt("Which agent", type=click.IntRange(1, len(found)), default=1)
    return found[chosen - 1]


def _ask_budget() -> float | None:
    """Ask once for a budget if there is a terminal; without an answer there is no limit."""
    if not terminal.is_there():
        return None
    said: str = click.prompt(
        "The most that a run may cost, in dollars (Enter: no limit)", default="", show_default=False
    )
    try:
        usd = float(said.strip().lstrip("$") or "0")
    except ValueError:
        terminal.say(
            f"'{said}' is not a number, so no limit is set. Set one in {CONFIG_NAME}: [budget]"
        )
        return None
    return usd if usd > 0 and math.isfinite(usd) else None


def _difference(path: Path, text: str) -> str:
    there = path.read_text("utf-8", "replace").splitlines()
    lines = list(difflib.unified_diff(there, text.splitlines(), str(path), "init", lineterm=""))
    if not lines:
        return f"{path} exists, exactly as init would write it. Next: topkick plan show"
    head = f"{path} exists and was not changed. What init would change:"
    return "\n".join([head, *lines])


def _plan(root: Path, *, example: bool) -> None:
    path = root / PLAN_NAME
    if example and not path.exists():
        path.write_text(EXAMPLE_PLAN, "utf-8")
        terminal.say(f"Wrote {path}")
    if not path.exists():
        terminal.say(f"Next: write {PLAN_NAME} (a small one to try: topkick init --example), then")
        terminal.say("      topkick plan show")
        return
    exclude_our_files(find_project(path))
    terminal.say("Next: topkick plan show")
