"""Reads settings from TOML, JSON with comments and INI into flat paths and values."""

import json
import re
import tomllib
from dataclasses import dataclass

_IDENTITIES = ("module", "files", "path", "name")
MOST_BYTES = 1 << 18
"""Nobody writes settings of that length; a file that is longer is not read."""
_DEEPEST = 40
_MOST = 20_000
_JSON_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))'
    r"|(?P<comma>,)|(?P<close>[\]}])|(?P<blank>\s+)|(?P<other>[^\s\"/,\]}\\]+|\\.|.)",
    re.DOTALL,
)

Value = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """`path` leads to it; a value is a word or a list of words, as written."""

    path: tuple[str, ...]
    value: Value


def read_toml(text: str) -> tuple[Setting, ...] | None:
    try:
        return flat(tomllib.loads(text.replace("\r\n", "\n")))
    except (ValueError, RecursionError):
        return None


def read_json(text: str) -> tuple[Setting, ...] | None:
    """JSON as editors accept it: with comments and trailing commas."""
    kept: list[str] = []
    comma = False
    for match in _JSON_TOKEN.finditer(text.removeprefix("\ufeff")):
        kind = match.lastgroup
        if kind in ("comment", "blank"):
            continue
        if comma and kind != "close":
            kept.append(",")
        comma = kind == "comma"
        if not comma:
            kept.append(match.group())
    try:
        return flat(json.loads("".join(kept) or "{}"))
    except (ValueError, RecursionError):
        return None


def flat(tree: object) -> tuple[Setting, ...]:
    """Every value with its path; lists of plain values stay together."""
    found: list[Setting] = []
    waiting: list[tuple[tuple[str, ...], object]] = [((), tree)]
    while waiting and len(found) < _MOST:
        path, node = waiting.pop()
        if len(path) > _DEEPEST:
            continue
        if isinstance(node, dict):
            waiting += [((*path, str(key)), inner) for key, inner in reversed(node.items())]
        elif isinstance(node, list) and any(isinstance(item, dict | list) for item in node):
            found += [Setting(path, _severity(node))] if _is_rule(node) else []
            inner = [item for item in node if isinstance(item, dict | list)]
            waiting += [((*path, _identity(item, n)), item) for n, item in enumerate(inner)]
        elif isinstance(node, list):
            found.append(Setting(path, tuple(_word(item) for item in node)))
        else:
            found.append(Setting(path, _word(node)))
    return tuple(found)


def _is_rule(node: list[object]) -> bool:
    """An ESLint rule with options: `["error", {...}]`."""
    return bool(node) and not isinstance(node[0], dict | list)


def _severity(node: list[object]) -> Value:
    return (_word(node[0]),)


def _identity(item: object, number: int) -> str:
    if isinstance(item, dict):
        for name in _IDENTITIES:
            if name in item:
                return _word(item[name])
    return f"#{number}"


def _word(node: object) -> str:
    match node:
        case bool():
            return "true" if node else "false"
        case None:
            return ""
        case list():
            return ",".join(_word(item) for item in node if not isinstance(item, dict | list))
        case _:
            return str(node)


def read_ini(text: str) -> tuple[Setting, ...]:
    """Sections, keys, and lines that continue a value because they are indented."""
    found: dict[tuple[str, ...], list[str]] = {}
    section, last = "", None
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if line[0] in " \t" and last is not None:
            found[last].append(_without_comment(bare))
        elif bare.startswith("[") and "]" in bare:
            section, last = bare[1 : bare.index("]")].strip(), None
        else:
            key, value = _pair(bare)
            last = (section, key) if section else (key,)
            found[last] = [_without_comment(value)] if value else []
    return tuple(Setting(path, "\n".join(parts)) for path, parts in found.items())


def _pair(line: str) -> tuple[str, str]:
    places = [place for place in (line.find("="), line.find(":")) if place > 0]
    if not places:
        return line, ""
    return line[: min(places)].strip(), line[min(places) + 1 :].strip()


def _without_comment(text: str) -> str:
    for mark in (" #", " ;"):
        text = text.partition(mark)[0]
    return text.strip()


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line at which the last part of the path stands, after those before it; 0 if nowhere."""
    lines = text.split("\n")
    at, found = 0, 0
    for part in path:
        name = re.compile(rf"(?<![\w-]){re.escape(part)}(?![\w-])")
        for number in range(at, len(lines)):
            if name.search(lines[number]):
                at = number
                found = number + 1
                break
    return found
