"""Permissions of agents, named by one word in the settings; every adapter has its own few."""

from collections.abc import Mapping
from dataclasses import dataclass

from topkick.core.agents import AgentProgram
from topkick.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Permission:
    """Command line options, and a description of what they allow."""

    words: tuple[str, ...]
    allows: str


def permission_of(program: AgentProgram, known: Mapping[str, Permission]) -> Permission:
    """Return the permission that the settings name; the empty word names the default."""
    if program.permissions in known:
        return known[program.permissions]
    words = ", ".join(f'"{word}"' for word in known if word)
    raise UsageError(
        f'The agent {program.name} has permissions = "{program.permissions}", which its adapter '
        f"does not know. Take one of {words}, or leave the line out."
    )
