"""Which agent programs are there, in which version, and what they may do."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from topkick.core.agents import PLAIN, AgentProgram
from topkick.core.budgets import Budgets
from topkick.core.errors import UsageError
from topkick.outside.agents import logins
from topkick.outside.agents.logins import Login
from topkick.outside.agents.registry import adapter_named
from topkick.outside.local_runner import resolve_program

VERSION_LIMIT_S = 10.0
TELL_TOKENS_ONLY = ("codex", "gemini")
_NUMBER = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class AgentCheck:
    """`version` is what the program says; `tested` is what its adapter was measured with."""

    name: str
    program: str
    path: str | None
    version: str
    tested: str = ""

    @property
    def number(self) -> str:
        found = _NUMBER.search(self.version)
        return found[0] if found else ""

    @property
    def differs(self) -> bool:
        return bool(self.tested and self.number) and self.number != self.tested


def check_agent(agent: AgentProgram, root: Path, *, ask_version: bool) -> AgentCheck:
    """Only a known program is to be asked for its version: another one might set to work."""
    word = agent.command[0].replace("{project}", str(root))
    here = str(root / word) if "/" in word else word  # agents work at the project's root
    path = resolve_program(here, os.environ.get("PATH", os.defpath))
    version = _version(path) if path is not None and ask_version else ""
    return AgentCheck(agent.name, word, path, version, adapter_named(agent.adapter).tested)


def login_of(agent: AgentProgram) -> Login | None:
    """Whether it has a key or a login; None where nobody knows where to look."""
    return logins.login_of(agent, os.environ)


def permissions_of(agent: AgentProgram) -> str:
    """What it may do without asking; empty for a command of the user's own."""
    return "" if agent.adapter == PLAIN else adapter_named(agent.adapter).permissions(agent)


def untold_cost(agent: AgentProgram, budgets: Budgets) -> str:
    """Why a limit in money cannot be kept with this agent; empty where it can or there is none."""
    if all(b.usd is None for b in (budgets.sprint, budgets.unit, budgets.run, budgets.day)):
        return ""
    if agent.adapter == PLAIN:
        return f"{agent.name} tells no cost, so no limit in dollars holds; set one in minutes"
    if agent.adapter in TELL_TOKENS_ONLY and agent.prices is None:
        return f"{agent.name} tells no cost, so no limit in dollars holds; set its prices"
    return ""


def require_program(agent: AgentProgram, root: Path) -> None:
    """Said before a run is begun, not after its first order."""
    word = agent.command[0].replace("{project}", str(root))
    here = str(root / word) if "/" in word else word  # agents work at the project's root
    if "{" in word or resolve_program(here, os.environ.get("PATH", os.defpath)) is not None:
        return
    where = "" if "/" in word else " on PATH"
    raise UsageError(
        f"The agent '{agent.name}' is the program {word}, and there is no such program{where}.\n"
        f"Install it, or name another in topkick.toml: [agents.{agent.name}] command = ...\n"
        "What is on this machine: topkick doctor"
    )


def _version(path: str) -> str:
    """The first line a program says of its version; empty if it says nothing in time."""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[0][:100] if done.returncode == 0 and lines else ""
