"""Which programs, modules, npm scripts and cargo subcommands a command calls, by its words alone.

Nothing is run for it. What the words do not tell for sure (a variable, a path, a function, a
fallback after `||`) is left out: a warning that is wrong is worse than one that is missing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.checks.missing_tools import MissingKind
from topkick.inspection.tampering.commands import (
    ProgramCall,
    folder_of,
    script_of,
    simple_commands,
    unwrapped,
)

_PLAIN = re.compile(r"[A-Za-z0-9_][\w.+-]*")
_UNSURE = ("||", "()", "<<", "command -v", "which ", "alias ")
_BUILTINS = frozenset((
    "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "declare", "dirs",
    "disown", "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit",
    "export", "false", "fc", "fg", "fi", "for", "function", "getopts", "hash", "help", "history",
    "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd",
    "pwd", "read", "readarray", "readonly", "return", "select", "set", "shift", "shopt", "source",
    "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
))  # fmt: skip
# They bring what they run.
_FETCHERS = frozenset((
    "uv", "uvx", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi", "conda", "npx", "bunx",
    "pnpx", "corepack", "direnv", "dotenv", "bundle", "npm", "pnpm", "yarn",
))  # fmt: skip
_CARGO = frozenset((
    "add", "b", "bench", "build", "c", "check", "clean", "clippy", "config", "d", "doc", "fetch",
    "fix", "fmt", "generate-lockfile", "help", "info", "init", "install", "locate-project",
    "login", "logout", "metadata", "miri", "new", "owner", "package", "pkgid", "publish", "r",
    "remove", "rm", "report", "run", "rustc", "rustdoc", "search", "t", "test", "tree",
    "uninstall", "update", "vendor", "verify-project", "version", "yank",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class WantedTool:
    """`by` is the interpreter of a module; `folder` is where a script's package.json lies."""

    kind: MissingKind
    name: str
    by: str = ""
    folder: str = ""


def wanted_by(command: str) -> tuple[WantedTool, ...]:
    if any(sign in command for sign in _UNSURE):
        return ()
    found = (one for words in simple_commands(command) for one in _wanted(words))
    return tuple(dict.fromkeys(found))


def _wanted(words: tuple[str, ...]) -> Iterator[WantedTool]:
    bare = unwrapped(words)
    wrapped_in = words[: len(words) - len(bare)]
    fetcher = next((word for word in wrapped_in if word in _FETCHERS), "")
    if fetcher:
        yield WantedTool(MissingKind.PROGRAM, fetcher)
        return
    if not bare or not _PLAIN.fullmatch(bare[0]) or bare[0] in _BUILTINS:
        return
    yield WantedTool(MissingKind.PROGRAM, bare[0])
    call = ProgramCall(bare)
    if re.fullmatch(r"python[\d.]*", bare[0]):
        yield from _module(bare)
    elif bare[0] in ("npm", "pnpm") and (script := script_of(call)) not in ("", "start"):
        yield WantedTool(MissingKind.SCRIPT, script, folder=folder_of(call))
    elif bare[0] == "cargo":
        yield from _subcommand(bare)


def _module(words: tuple[str, ...]) -> Iterator[WantedTool]:
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if re.fullmatch(r"-[A-Za-z]*m", words[at]):
            named = words[at + 1 : at + 2]
            yield from (
                WantedTool(MissingKind.MODULE, m, words[0]) for m in named if _PLAIN.fullmatch(m)
            )
            return
        if "c" in words[at]:
            return
        at += 2 if words[at] in ("-W", "-X") else 1


def _subcommand(words: tuple[str, ...]) -> Iterator[WantedTool]:
    named = next((w for w in words[1:] if not w.startswith(("-", "+"))), "")
    if _PLAIN.fullmatch(named) and named not in _CARGO:
        yield WantedTool(MissingKind.SUBCOMMAND, named)
