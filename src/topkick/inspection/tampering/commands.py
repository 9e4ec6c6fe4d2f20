"""A shell command taken apart: which programs it calls, with which words, and where."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_CHARS = 1 << 16
_DEEPEST = 3

_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+|\\\n)
    |(?P<comment>(?<![^\s;&|(])\#[^\n]*)
    |(?P<variable>\$\{[^{}]*\}|\$\([^()]*\))
    |(?P<cut>\d?>&\d?-?|\d?&?>>?|<<?<?|\|\||&&|\|&|[;&|\n()]|!(?=\s)|(?<!\S)[{}](?!\S))
    |(?P<single>'[^']*')
    |(?P<double>"(?:[^"\\]|\\.)*")
    |(?P<escape>\\.)
    |(?P<plain>[^\s'"\\;&|(){}<>\#!$]+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_REDIRECTION = re.compile(r"\d?&?>>?|<<?<?")
_KEYWORDS = frozenset(
    {"then", "do", "else", "elif", "if", "while", "until", "!", "exec", "command"}
)
_WRAPPERS = frozenset(
    {"env", "time", "nice", "timeout", "gtimeout", "sudo", "nohup", "xvfb-run", "stdbuf", "setsid"}
    | {"caffeinate", "dotenv", "bundle", "npx", "bunx", "pnpx", "corepack", "direnv", "ionice"}
)
_RUNNERS = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi", "conda"), ("run",)),
    **dict.fromkeys(("npm", "pnpm", "yarn"), ("exec", "dlx")),
}
_WITH_VALUE = frozenset(
    {"--with", "--python", "-p", "--project", "--directory", "--extra", "--group", "--package"}
    | {
        "-n",
        "--name",
        "-e",
        "--env",
        "-u",
        "-k",
        "-s",
        "--signal",
        "--kill-after",
        "-c",
        "--env-file",
    }
)
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One program with its words; `cwd` is where a `cd` before it led, "" for the start."""

    words: tuple[str, ...]
    cwd: str = ""

    @property
    def program(self) -> str:
        return self.words[0].rpartition("/")[2]


def calls(command: str) -> tuple[ProgramCall, ...]:
    """Every call in it, without assignments, wrappers (`uv run`, `time`) and redirections."""
    return tuple(_calls(command[:MOST_CHARS], "", _DEEPEST))


def _calls(command: str, cwd: str, depth: int) -> Iterator[ProgramCall]:
    for words in _simple_commands(command):
        bare = unwrapped(words)
        if not bare:
            continue
        if bare[0] in ("cd", "pushd") and len(bare) > 1:
            cwd = joined(cwd, bare[1])
            continue
        inner = _inner_script(bare)
        if inner and depth:
            yield from _calls(inner, cwd, depth - 1)
        else:
            yield ProgramCall(bare, cwd)


def _inner_script(words: tuple[str, ...]) -> str:
    if words[0].rpartition("/")[2] not in SHELLS:
        return ""
    for place, word in enumerate(words[1:-1], start=1):
        if not word.startswith("-"):
            return ""
        if word.endswith("c") and not word.startswith("--"):
            return words[place + 1]
    return ""


def _simple_commands(command: str) -> Iterator[tuple[str, ...]]:
    words: list[str] = []
    parts: list[str] | None = None
    swallow = False  # the file name of a redirection is no word
    for match in _TOKEN.finditer(command):
        kind, text = match.lastgroup or "", match.group()
        if kind in ("blank", "comment", "cut"):
            if parts is not None:
                if not swallow:
                    words.append("".join(parts))
                swallow, parts = False, None
            if kind == "cut" and _REDIRECTION.fullmatch(text):
                swallow = True
            elif kind == "cut" and ">&" not in text:
                yield tuple(words)
                words, swallow = [], False
            continue
        parts = [] if parts is None else parts
        parts.append(_unquoted(kind, text))
    if parts is not None and not swallow:
        words.append("".join(parts))
    yield tuple(words)


def _unquoted(kind: str, text: str) -> str:
    match kind:
        case "single":
            return text[1:-1]
        case "double":
            return re.sub(r'\\([\\"$`])', r"\1", text[1:-1])
        case "escape":
            return text[1:]
        case _:
            return text


def simple_commands(command: str) -> Iterator[tuple[str, ...]]:
    """The words of each simple command in it, wrappers and assignments included."""
    return _simple_commands(command[:MOST_CHARS])


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words from the program that does the work on."""
    at = 0
    while at < len(words):
        name = words[at].rpartition("/")[2]
        if _ASSIGNMENT.match(words[at]) or name in _KEYWORDS:
            at += 1
        elif name in _WRAPPERS and at + 1 < len(words):
            at = _past_options(words, at + 1, timed=name in ("timeout", "gtimeout"))
            at += at < len(words) and name == "bundle" and words[at] == "exec"
        elif words[at + 1 : at + 2] and words[at + 1] in _RUNNERS.get(name, ()):
            at = _past_options(words, at + 2, timed=False)
        else:
            break
    return words[at:]


def _past_options(words: tuple[str, ...], at: int, *, timed: bool) -> int:
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    if timed and at < len(words) and words[at][:1].isdigit():
        at += 1
    return at


def joined(cwd: str, path: str) -> str:
    """A path seen from `cwd`, from the top of the tree; "" is the top, and what leaves it."""
    if path.startswith("/"):
        return path
    parts: list[str] = []
    for part in f"{cwd}/{path}".split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def script_of(call: ProgramCall) -> str:
    """The script of a package that `npm test` and its like call, or ""."""
    if call.program not in ("npm", "pnpm", "yarn", "bun"):
        return ""
    rest = [word for word in package_words(call) if not word.startswith("-")]
    if not rest:
        return ""
    if rest[0] in ("run", "run-script", "rum", "urn"):
        return rest[1] if len(rest) > 1 else ""
    if rest[0] in ("t", "tst", "test"):
        return "" if call.program == "bun" else "test"
    if rest[0] in ("start", "stop", "restart"):
        return rest[0]
    known = {"install", "i", "ci", "add", "exec", "dlx", "publish", "pack", "audit", "x", "build"}
    if call.program == "npm" or (rest[0] in known and rest[0] != "build"):
        return ""
    return "" if call.program == "bun" else rest[0]


def package_words(call: ProgramCall) -> tuple[str, ...]:
    """Its words up to `--`, without the options that take a folder."""
    words: list[str] = []
    skip = False
    for word in call.words[1:]:
        if word == "--":
            break
        if skip:
            skip = False
        elif word in ("--prefix", "-C", "--dir", "--cwd", "--workspace", "-w", "--filter"):
            skip = True
        else:
            words.append(word)
    return tuple(words)


def folder_of(call: ProgramCall) -> str:
    """Where it works: its `cwd`, or the folder that an option names."""
    for option in ("--prefix", "-C", "--dir", "--cwd", "--directory", "-d"):
        for place, word in enumerate(call.words[1:-1], start=1):
            if word == option:
                return joined(call.cwd, call.words[place + 1])
        for word in call.words[1:]:
            if word.startswith(option + "=") and option.startswith("--"):
                return joined(call.cwd, word[len(option) + 1 :])
    return call.cwd
