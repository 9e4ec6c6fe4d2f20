"""The text of a fresh topkick.toml, with its defaults explained."""

import json

from topkick.faces.agent_templates import Template

TIERS = ("haiku", "sonnet", "opus")


def config_text(template: Template) -> str:
    remarks = "".join(f"# {line}\n" for line in template.remark.split("\n") if line)
    models = ", ".join(
        f"{tier} = {_text(model)}" for tier, model in zip(TIERS, template.models, strict=True)
    )
    return f"""\
# How topkick runs this project. Every setting: docs/reference/configuration.md

agent = {_text(template.name)}

# The command that takes one order. It may hold {{prompt}} {{prompt_file}} {{model}} {{tier}}
# {{max_turns}} {{run_id}} {{unit}} {{sprint}} {{project}}. The prompt comes by stdin, argument or
# file.
{remarks}[agents.{_key(template.name)}]
command = {_list(template.command)}
prompt = {_text(template.prompt)}
# A failed attempt is followed by a stronger model.
models = {{ {models} }}
# Agents see few variables of your environment; these are passed on where they are set.
pass_env = {_list(template.pass_env)}

[limits]
max_agents = 4        # at work at the same time
max_retries = 3       # attempts a sprint, in all
max_turns = 50        # turns an order, where the agent knows them
sprint_minutes = 60   # an agent is ended after this long
first_tier = "sonnet"

[verify]
# Commands that must be green after every sprint, such as "make lint".
always = []
"""


def own(name: str, words: list[str]) -> Template:
    """A command of the user's own; how it takes the prompt is seen from its placeholders."""
    whole = " ".join(words)
    by = "argument" if "{prompt}" in whole else "file" if "{prompt_file}" in whole else "stdin"
    return Template(name, tuple(words), by, TIERS)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(_text(v) for v in values) + "]"


def _key(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else _text(name)
