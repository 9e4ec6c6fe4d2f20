"""Recognise from a failed check's output that a tool is missing.

A check that cannot run says nothing about the work, so no attempt is charged for it and it never
counts as passed: the sprint, or the gate, waits for a person. A shell says so by 126 or 127. A
wrapper does not: `python3 -m ruff` ends with 1, `make lint` with 2, `npm run lint` with 1. What
the wrapper prints is in the table below: one row for each sentence, with what is missing then.

The sentence alone does not say whether the work is at fault. `python3 -m app` prints the same
sentence for a tool that is not installed and for the package that the sprint has to write. Three
questions decide:

1. Is it the work's own? What lies in the tree, or what the plan speaks of apart from its commands
   (a sprint's text, a unit's name or directory), is *owed*: without it the check has failed, and
   the work is charged as for any failing check. A well-known tool (`TOOLS`) is never owed, since
   "write tests with pytest" does not ask for pytest to be written.
2. Could the check run before the first order? The criteria are run then anyway. If one cannot,
   and what it lacks is not owed, the sprint is held before a token is spent.
3. Can a change of the tree be the reason? A program that the command itself calls is found
   outside the tree. An npm script, a make target, a script of the repository, or a program that
   a Makefile calls are of the tree (`of_tree`). A check that could run before the work and lacks
   one of these afterwards was broken by the work: it has failed. Otherwise an agent could turn
   its own failing test into one that "cannot run".

A command that ran tests did run, whatever it printed between them.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from topkick.inspection.tampering.commands import (
    ProgramCall,
    folder_of,
    script_of,
    simple_commands,
    unwrapped,
)
from topkick.plan_format.model import Plan, UnitPlan

LAST_LINES = 12
MOST_WORDS = 20_000

TOOLS = frozenset((
    "alembic", "ansible", "ant", "bandit", "bats", "bazel", "behave", "biome", "black", "brew",
    "bun", "bundle", "cargo", "clang", "clippy", "cmake", "codespell", "commitlint", "composer",
    "coverage", "ctest", "curl", "cypress", "deno", "detekt", "django", "docker", "dotnet",
    "dprint", "eslint", "fd", "flake8", "fmt", "gcc", "git", "go", "golangci-lint", "gradle",
    "hatch", "helm", "hypothesis", "isort", "jest", "jq", "karma", "ktlint", "kubectl",
    "lint-imports", "maturin", "mdformat", "meson", "mix", "mocha", "mvn", "mypy", "nextest",
    "ninja", "node", "nose2", "nox", "npm", "npx", "nyc", "perl", "phpstan", "phpunit", "pip",
    "pip-audit", "pipenv", "playwright", "pnpm", "poetry", "pre-commit", "prettier", "prospector",
    "psql", "pycodestyle", "pydocstyle", "pyflakes", "pylint", "pyright", "pyright-python",
    "pytest", "python", "rake", "redis-cli", "rg", "rspec", "rubocop", "ruby", "ruff", "rustc",
    "rustfmt", "sbt", "semgrep", "shellcheck", "shfmt", "sphinx", "sqlfluff", "sqlite3",
    "stylelint", "swift", "swiftformat", "swiftlint", "tarpaulin", "terraform", "tox", "tsc",
    "tsx", "turbo", "twine", "uv", "uvicorn", "vite", "vitest", "vulture", "webpack", "wget",
    "yamllint", "yarn", "zig", "zsh",
))  # fmt: skip
"""Programs, modules and cargo subcommands that users install; a sprint does not write them."""


class MissingKind(StrEnum):
    PROGRAM = "program"
    MODULE = "module"
    SUBCOMMAND = "cargo subcommand"
    SCRIPT = "script in package.json"
    TARGET = "make target"
    FILE = "file"


MENDED_BY = {
    MissingKind.PROGRAM: "install {name}, and make sure that it is on PATH",
    MissingKind.MODULE: "{by} -m pip install {root}",
    MissingKind.SUBCOMMAND: "cargo install cargo-{name}",
    MissingKind.SCRIPT: 'add "{name}" to the scripts of package.json, or change the command',
    MissingKind.TARGET: "add the target {name} to the Makefile, or change the command",
    MissingKind.FILE: "create {name}, or change the command",
}
IN_TREE = frozenset({MissingKind.SCRIPT, MissingKind.TARGET, MissingKind.FILE})


@dataclass(frozen=True, slots=True)
class Missing:
    """The tool or file that a check lacks, and the command by which a person adds it."""

    kind: MissingKind
    name: str
    by: str = ""
    owed: bool = False
    of_tree: bool = False

    @property
    def what(self) -> str:
        at = f" for {self.by}" if self.kind is MissingKind.MODULE and self.by else ""
        return f"no {self.kind} {self.name}{at}"

    @property
    def told(self) -> str:
        return f"{self.what} ({self.mend})"

    @property
    def mend(self) -> str:
        root = self.name.partition(".")[0]
        return MENDED_BY[self.kind].format(name=self.name, root=root, by=self.by or "python3")


@dataclass(frozen=True, slots=True)
class _Sign:
    tool: str
    pattern: re.Pattern[str]
    kind: MissingKind


def _sign(tool: str, pattern: str, kind: MissingKind) -> _Sign:
    return _Sign(tool, re.compile(pattern, re.MULTILINE), kind)


_PYTHON = r"^(?P<by>\S*python[\d.]*): "
_SH = r"^(?:\S*/)?(?:ba|da|z|k|a)?sh: "
_SIGNS = (
    _sign("python -m M", _PYTHON + r"No module named (?P<name>[\w.]+)$", MissingKind.MODULE),
    _sign(
        "python -m M.N",
        _PYTHON + r"Error while finding module specification for '(?P<name>[\w.]+)'"
        r" \(ModuleNotFoundError: No module named ",
        MissingKind.MODULE,
    ),
    _sign(
        "python FILE", _PYTHON + r"can't open file '(?P<name>[^']+)': \[Errno 2\]", MissingKind.FILE
    ),
    _sign(
        "node FILE",
        r"^Error: Cannot find module '(?P<name>/[^']+)'\n(?=(?s:.*)requireStack: \[\])",
        MissingKind.FILE,
    ),
    _sign("java -jar", r"^Error: Unable to access jarfile (?P<name>\S+)$", MissingKind.FILE),
    _sign("sh FILE", _SH + r"\d+: cannot open (?P<name>\S+): No such file", MissingKind.FILE),
    _sign("bash FILE", r"^bash: (?P<name>[^\s:]+): No such file or directory$", MissingKind.FILE),
    _sign(
        "a shell",
        _SH + r"(?:line )?(?:\d+: )?(?P<name>[^\s:/]+): (?:command )?not found$",
        MissingKind.PROGRAM,
    ),
    _sign("zsh", r"^zsh:(?:\d+:)? command not found: (?P<name>[^\s/]+)$", MissingKind.PROGRAM),
    _sign(
        "make",
        r"^make(?:\[\d+\])?: (?P<name>[^\s:*/]+): No such file or directory$",
        MissingKind.PROGRAM,
    ),
    _sign(
        "make TARGET",
        r"^make(?:\[\d+\])?: \*\*\* No rule to make target [`'](?P<name>[^']+)'\.\s+Stop\.$",
        MissingKind.TARGET,
    ),
    _sign(
        "env, timeout",
        r"^(?:env|nice|xargs|timeout|nohup|setsid|stdbuf): (?:failed to run command )?"
        r"[\u2018'`]?(?P<name>[^\s/\u2019':]+)[\u2019']?: No such file or directory$",
        MissingKind.PROGRAM,
    ),
    _sign("uv run", r"^error: Failed to spawn: `(?P<name>[^`/]+)`", MissingKind.PROGRAM),
    _sign("poetry run", r"^Command not found: (?P<name>[^\s/]+)$", MissingKind.PROGRAM),
    _sign(
        "npm run",
        r"^(?:npm (?:ERR!|error) |\s*ERR_PNPM_NO_SCRIPT\s+)[Mm]issing script: "
        r"[\"']?(?P<name>[\w:.-]+)",
        MissingKind.SCRIPT,
    ),
    _sign("yarn run", r"^error Command \"(?P<name>[\w:.-]+)\" not found\.", MissingKind.SCRIPT),
    _sign("bun run", r"^error: Script not found \"(?P<name>[\w:.-]+)\"", MissingKind.SCRIPT),
    _sign("cargo", r"^error: no such (?:sub)?command: `(?P<name>[\w-]+)`", MissingKind.SUBCOMMAND),
)


def missing_in(
    command: str,
    output: str,
    promised: Collection[str] = (),
    holds: Callable[[str], bool] = lambda _: False,
) -> Missing | None:
    """Find from the end of the output what the failed command lacks; None if it lacks nothing.

    `promised` are the words of the plan, as `words_of` gives them; `holds` tells whether the tree
    has a file or a directory of that name.
    """
    end = "\n".join(output.splitlines()[-LAST_LINES:])
    for sign in _SIGNS:
        if match := sign.pattern.search(end):
            found = match.groupdict()
            return settled(sign.kind, found["name"], command, promised, holds, found.get("by", ""))
    return None


def settled(
    kind: MissingKind,
    name: str,
    command: str,
    promised: Collection[str] = (),
    holds: Callable[[str], bool] = lambda _: False,
    by: str = "",
) -> Missing:
    """Decide whether the work owes what is missing, and whether the tree can be the reason."""
    name = _as_named(command, name) if kind is MissingKind.FILE else name
    root = _plain(name.partition(".")[0]) if kind is MissingKind.MODULE else _plain(name)
    known = kind not in IN_TREE and (root in _KNOWN or name in TOOLS)
    owed = _is_held(kind, name, holds) or (not known and _is_promised(kind, name, promised))
    direct = name in re.findall(r"[\w.:@+/-]+", command)
    of_tree = not direct or kind in IN_TREE or (kind is MissingKind.MODULE and not known)
    return Missing(kind, name, by.rpartition("/")[2], owed, of_tree)


def _as_named(command: str, path: str) -> str:
    """An interpreter tells the whole path of the script that the command names."""
    words = re.findall(r"[\w.@+/-]+", command)
    return next((w for w in words if path == w or path.endswith(f"/{w}")), path)


def _is_promised(kind: MissingKind, name: str, promised: Collection[str]) -> bool:
    match kind:
        case MissingKind.SCRIPT | MissingKind.TARGET:
            return any(_plain(name) in word for word in promised)
        case MissingKind.FILE if name.startswith("/"):
            return False
        case MissingKind.FILE:  # a program by its path is the repository's own
            parts = [part.partition(".")[0] for part in name.split("/")]
            return name.startswith("./") or any(_plain(p) in promised for p in parts if p)
        case _:
            return _plain(name.partition(".")[0]) in promised


def _is_held(kind: MissingKind, name: str, holds: Callable[[str], bool]) -> bool:
    return kind is MissingKind.MODULE and holds(name.partition(".")[0])


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")


_KNOWN = frozenset(_plain(name) for name in TOOLS)


# --- words of the plan -------------------------------------------------------------------------


def words_of(plan: Plan) -> tuple[str, ...]:
    """Return every word of the units and sprints, apart from the commands of their criteria."""
    found = dict.fromkeys(word for unit in plan.units for word in _of_unit(unit))
    return tuple(found)[:MOST_WORDS]


def _of_unit(unit: UnitPlan) -> Iterator[str]:
    yield from _words(f"{unit.name} {unit.directory}")
    for sprint in unit.sprints:
        prose = sprint.text
        for criterion in (*sprint.entry, *sprint.exit):
            for command in filter(None, (criterion.named, criterion.command)):
                prose = prose.replace(command, " ")
        yield from _words(f"{sprint.name} {prose}")


def _words(text: str) -> Iterator[str]:
    for match in re.finditer(r"[^\W\d][\w-]*", text):
        yield _plain(match.group())


# --- prerequisites of a run ----------------------------------------------------------------------
# Programs, modules, npm scripts and cargo subcommands that a command calls, by its words alone:
# nothing is run. What the words do not tell for sure (a variable, a path, a function, a fallback
# after `||`) is left out: a wrong warning is worse than a missing one.


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
