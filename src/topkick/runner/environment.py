"""The environment of agents and checks: an allow-list, what the user adds to it, and its PATH."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

ALWAYS = frozenset(
    {
        "GIT_AUTHOR_EMAIL",
        "GIT_AUTHOR_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_COMMITTER_NAME",
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TOPKICK_PLAN",
        "TZ",
        "USER",
    }
)
PREFIXES = ("LC_", "XDG_")


def allowed(environ: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    names = ALWAYS | set(more)
    return {k: v for k, v in environ.items() if k in names or k.startswith(PREFIXES)}


def secrets_of(environ: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the values of passed variables: known secrets, which are redacted in all output."""
    return tuple(sorted({environ[name] for name in names if environ.get(name)}))


def resolve_program(name: str, path_env: str) -> str | None:
    """Return where a program is found on the given PATH; None if it is not there."""
    places = [Path(name)] if "/" in name else [Path(d, name) for d in path_env.split(":")]
    return next((str(p) for p in places if p.is_file() and os.access(p, os.X_OK)), None)
