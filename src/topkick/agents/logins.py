"""Check whether a program has a key or a login, as far as that shows without asking its
provider.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from topkick.agents.placement import KEYS
from topkick.engine.agents.program import AgentProgram
from topkick.runner.environment import allowed

NAMED_SO = ("_KEY", "_TOKEN")


@dataclass(frozen=True, slots=True)
class Login:
    """The credentials of a program: `found` names them; if it is empty, `advice` says what to
    do.
    """

    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    """The file in which a program keeps its login: below a variable's directory, or below the
    home.
    """

    variable: str
    instead: str
    file: str
    advice: str


_KNOWN = {
    "claude": _Known(
        "CLAUDE_CONFIG_DIR",
        ".claude",
        ".credentials.json",
        "log in: run claude and type /login; or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN",
    ),
    "codex": _Known(
        "CODEX_HOME", ".codex", "auth.json", "log in: codex login; or set CODEX_API_KEY"
    ),
    "gemini": _Known(
        "GEMINI_CLI_HOME",
        "",
        ".gemini/oauth_creds.json",
        "log in: run gemini once; or set GEMINI_API_KEY",
    ),
    "opencode": _Known(
        "XDG_DATA_HOME",
        ".local/share",
        "opencode/auth.json",
        "log in: opencode auth login; or set the key of its provider",
    ),
}


def login_of(program: AgentProgram, environ: Mapping[str, str]) -> Login | None:
    """Return the login; None for a program whose login file is not known.

    Only variables that the agent will get are considered.
    """
    known = _KNOWN.get(program.adapter)
    if known is None:
        return None
    seen = allowed(environ, program.pass_env)
    wanted = KEYS.get(program.adapter)
    keys = [name for name in program.pass_env if seen.get(name) and _is_key(name, wanted)]
    if keys:
        return Login(f"key in {keys[0]}")
    home = Path(seen.get("HOME") or "/")
    file = Path(seen.get(known.variable) or home / known.instead) / known.file
    if file.is_file():
        return Login(f"logged in ({file})")
    named = (n for n, v in environ.items() if v and n.endswith(NAMED_SO) and n not in seen)
    unpassed = [name for name in named if name in known.advice]
    if unpassed:
        return Login(
            "", f"{unpassed[0]} is set, but not passed on to the agent: add it to pass_env"
        )
    return Login("", f"{known.advice} (and list it in pass_env)")


def _is_key(name: str, wanted: tuple[str, ...] | None) -> bool:
    """Return whether a variable is a key; programs with many providers accept any name with such an
    ending.
    """
    return name.endswith(NAMED_SO) if wanted is None else name in wanted
