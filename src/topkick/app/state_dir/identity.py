"""Find the author of commits: some agent programs hide the user's git settings from their tools."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from topkick.app.project import PLAN_VARIABLE

LIMIT_S = 5.0
_SAYS = {"user.name": ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"),
         "user.email": ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")}  # fmt: skip


def environment_of(root: Path, plan: Path) -> dict[str, str]:
    """Return the environment from which agents and checks get their variables."""
    own = commit_identity(root, os.environ)
    return {**os.environ, **own, PLAN_VARIABLE: os.fspath(plan)}


def commit_identity(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the identity that git would use at the root, without variables already set."""
    found = {
        variable: value
        for key, variables in _SAYS.items()
        if (value := _asked(root, key, environ))
        for variable in variables
    }
    return {name: value for name, value in found.items() if name not in environ}


def _asked(root: Path, key: str, environ: Mapping[str, str]) -> str:
    """Ask `git config`, which reads the settings and runs nothing from the tree."""
    try:
        done = subprocess.run(
            ["git", "config", "--get", key],
            cwd=root,
            env={**environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def who_commits(root: Path) -> tuple[str, str]:
    """Return a name and an address, each empty if git knows none."""
    known = {**os.environ, **commit_identity(root, os.environ)}
    return known.get("GIT_AUTHOR_NAME", ""), known.get("GIT_AUTHOR_EMAIL", "")
