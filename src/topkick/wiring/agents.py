"""Which agent programs are there, for `doctor` and `init`."""

import os
import subprocess
from dataclasses import dataclass

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
