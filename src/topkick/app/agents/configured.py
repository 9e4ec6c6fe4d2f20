"""Find agent programs, their versions, and what they may do."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from topkick.agents import logins
from topkick.agents.logins import Login
from topkick.agents.registry import adapter_named
from topkick.engine.agents.budgets import Budgets
from topkick.engine.agents.program import PLAIN, AgentProgram
from topkick.engine.errors import UsageError
from topkick.runner.environment import resolve_program

VERSION_LIMIT_S = 10.0
TELL_TOKENS_ONLY = ("codex", "gemini")
_NUMBER = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class AgentCheck:
    """An agent program; `version` is its own output, `tested` is the adapter's tested version."""

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
    """Check a program; only a known one is asked for its version, because another might start to
    work.
    """
    word = agent.command[0].replace("{project}", str(root))
    here = str(root / word) if "/" in word else word  # agents work at the project's root
    path = resolve_program(here, os.environ.get("PATH", os.defpath))
    version = _version(path) if path is not None and ask_version else ""
    return AgentCheck(agent.name, word, path, version, adapter_named(agent.adapter).tested)


def login_of(agent: AgentProgram) -> Login | None:
    """Return the program's key or login; None if the place of its login is unknown."""
    return logins.login_of(agent, os.environ)


def permissions_of(agent: AgentProgram) -> str:
    """Return what the agent may do without asking; empty for the user's own command."""
    return "" if agent.adapter == PLAIN else adapter_named(agent.adapter).permissions(agent)


def untold_cost(agent: AgentProgram, budgets: Budgets) -> str:
    """Return why a limit in money cannot be enforced with this agent; empty if it can or there is
    none.
    """
    if all(b.usd is None for b in (budgets.sprint, budgets.unit, budgets.run, budgets.day)):
        return ""
    if agent.adapter == PLAIN:
        return (
            f"{agent.name} reports no cost, so limits in dollars have no effect; set one in minutes"
        )
    if agent.adapter in TELL_TOKENS_ONLY and agent.prices is None:
        return f"{agent.name} reports no cost, so limits in dollars have no effect; set its prices"
    return ""


def require_program(agent: AgentProgram, root: Path) -> None:
    """Raise if the program is missing, before a run begins."""
    word = agent.command[0].replace("{project}", str(root))
    here = str(root / word) if "/" in word else word  # agents work at the project's root
    if "{" in word or resolve_program(here, os.environ.get("PATH", os.defpath)) is not None:
        return
    where = "" if "/" in word else " on PATH"
    raise UsageError(
        f"The agent '{agent.name}' needs the program {word}, and there is none{where}. "
        "Nothing was started.\n"
        f"Install it, or name another in topkick.toml: [agents.{agent.name}] command = ...\n"
        "Check this machine: topkick doctor"
    )


def _version(path: str) -> str:
    """Return the first line of a program's version; empty if it prints nothing in time."""
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
