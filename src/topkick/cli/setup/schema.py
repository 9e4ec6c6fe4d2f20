"""`topkick schema NAME`: print the JSON Schema of an agent's answer."""

import json

import click

from topkick.cli import terminal
from topkick.engine.agents.json_schema import Schema
from topkick.engine.errors import UsageError
from topkick.epic.answers import SCHEMAS as EPIC
from topkick.kanban.prompts import SCHEMAS as KANBAN
from topkick.team.judge.agent_checks import SCHEMAS as CHECKPOINT
from topkick.team.pipeline.prompts import SCHEMAS as PIPELINE
from topkick.text import escape


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schema of an answer; without a name, list the schemas.

    \b
    Example: topkick schema kanban-manager > manager.schema.json
    """
    known = {schema.name: schema for schema in _all()}
    if name is None:
        for schema in known.values():
            terminal.say(f"{schema.name:<20} {schema.title}")
        return 0
    if name not in known:
        raise UsageError(f"There is no schema '{escape.line(name, 60)}'. Known: {', '.join(known)}")
    terminal.say(json.dumps(known[name].body, indent=2))
    return 0


def _all() -> tuple[Schema, ...]:
    return (*KANBAN, *EPIC, *CHECKPOINT, *PIPELINE)
