"""Which agent programs are there, for `doctor` and `init`."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from topkick.core.agents import PLAIN, AgentProgram
from topkick.core.errors import UsageError
from topkick.outside.agents.registry import adapter_named
from topkick.outside.local_runner import resolve_program

VERSION_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class AgentCheck:
    name: str
    program: str
    path: str | None
    version: str


def check_program(name: str, program: str) -> AgentCheck:
    path = resolve_program(program, os.environ.get("PATH", os.defpath))
    return AgentCheck(name, program, path, _version(path) if path is not None else "")


def permissions_of(agent: AgentProgram) -> str:
    """What it may do without asking; empty for a command of the user's own."""
    return "" if agent.adapter == PLAIN else adapter_named(agent.adapter).permissions(agent)


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
