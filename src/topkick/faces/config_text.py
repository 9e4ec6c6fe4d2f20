"""The text of a fresh topkick.toml, with its defaults explained."""

import json

from topkick.core.agents import PLAIN
from topkick.faces.agent_templates import Template

TIERS = ("haiku", "sonnet", "opus")


def config_text(template: Template, budget_usd: float | None = None) -> str:
    return f"""\
# How topkick runs this project. Every setting: docs/reference/configuration.md

agent = {_text(template.name)}
# ritual = false      # else `start` writes an operation name into a plan that has none

{_agent(template)}
[limits]
max_agents = 4        # at work at the same time
max_retries = 3       # attempts a sprint, in all
max_turns = 50        # turns an order
sprint_minutes = 60   # an agent is ended after this long
on_limit = "wait"     # when an account's usage limit is reached; or "ask", "wait-until 06:30",
                      # or the name of another agent to go on with
# first_tier = "sonnet"   # instead of choosing the model by the weight of each sprint

[budget]
# What may be spent: usd, tokens, minutes; for a sprint, a unit, a run, a day.
{_budget(budget_usd)}

[verify]
# Commands that must be green after every sprint, such as "make lint".
always = []
# on_finding = "ask"  # show a skipped test, a stub … to you at once; else the agent may put it
                      # right once before you are asked

[gate]
# What builds and tests everybody's work together after each phase; without it, what the plan or
# the project's manifests call for.
# command = "make test"
# mode = "ask"      # a person says at each gate whether it goes on; or "off"
"""


def _agent(template: Template) -> str:
    remarks = "".join(f"# {line}\n" for line in template.remark.split("\n") if line)
    return f"""\
{_how(template, remarks)}
{_models(template)}
# Agents see few variables of your environment; these are passed on where they are set.
pass_env = {_list(template.pass_env)}
"""


def _models(template: Template) -> str:
    """The models by tier, and what a failed attempt does with them."""
    models = ", ".join(
        f"{tier} = {_text(model)}" for tier, model in zip(TIERS, template.models, strict=True)
    )
    match len(set(template.models)):
        case 1 if not template.models[0]:
            return (
                "# Your command takes no model. If it can, put {model} into it, and name them:\n"
                '# models = { haiku = "small", sonnet = "middle", opus = "large" }'
            )
        case 1:
            told = "One model for all tiers: a failed attempt is followed by the same model."
        case _:
            told = "A failed attempt is followed by a stronger model."
    return f"# {told}\nmodels = {{ {models} }}"


def _how(template: Template, remarks: str) -> str:
    head = f"[agents.{_key(template.name)}]"
    if template.adapter != PLAIN:
        return f"""\
{remarks}{head}
adapter = {_text(template.adapter)}     # knows how it is started, read and ended
command = {_list(template.command)}     # the program, and words of your own for it"""
    return f"""\
# The command that takes one order. It may hold {{prompt}} {{prompt_file}} {{model}} {{tier}}
# {{max_turns}} {{run_id}} {{unit}} {{sprint}} {{project}}. The prompt comes by stdin, argument or
# file.
{remarks}{head}
command = {_list(template.command)}
prompt = {_text(template.prompt)}"""


def _budget(usd: float | None) -> str:
    return "# run = { usd = 20 }" if usd is None else f"run = {{ usd = {usd:g} }}"


def own(name: str, words: list[str]) -> Template:
    """A command of the user's own; how it takes the prompt is seen from its placeholders."""
    whole = " ".join(words)
    by = "argument" if "{prompt}" in whole else "file" if "{prompt_file}" in whole else "stdin"
    takes_model = "{model}" in whole or "{tier}" in whole
    return Template(name, tuple(words), by, TIERS if takes_model else ("", "", ""))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(_text(v) for v in values) + "]"


def _key(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else _text(name)
