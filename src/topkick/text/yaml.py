"""The few forms of YAML that front matter uses: scalars, and lists of them."""

import json
import re

_NOTHING = frozenset({"", "null", "Null", "NULL", "~"})
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+ -]{0,200}")
_TAKEN = frozenset({"true", "false", "yes", "no", "on", "off", "null", "~"})
_COMMENT = re.compile(r"(?:^|[ \t])#")
_KEY = re.compile(r"([A-Za-z_][\w.-]{0,79})[ \t]*:(?:[ \t]|\r?$)")
MOST_ITEMS = 1000


def key_of(line: str) -> str | None:
    """Return the key that a line begins with, if any."""
    found = _KEY.match(line)
    return found[1] if found else None


def scalar(raw: str) -> str | None:
    """Return the value after a colon or a dash; None for nothing."""
    text = raw.strip()
    if text[:1] in {'"', "'"}:
        end = _quote_end(text)
        return _unquoted(text[: end + 1]) if end > 0 else text
    comment = _COMMENT.search(text)
    text = text[: comment.start()].rstrip() if comment else text
    return None if text in _NOTHING else text


def written(value: str | None) -> str:
    """Return a scalar to write after a colon: bare where that is safe, else quoted."""
    if value is None:
        return "null"
    bare = _PLAIN.fullmatch(value) and value == value.strip() and value.lower() not in _TAKEN
    return value if bare else json.dumps(value, ensure_ascii=False)


def inline_items(raw: str) -> tuple[str, ...] | None:
    """Return the items of `[a, 'b c']`, or None if it is not such a list."""
    text = raw.strip()
    if not text.startswith("["):
        return None
    parts, now, quote = [], "", ""
    for char in text[1:]:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not now.strip():
            quote = char
        elif char == "]":
            break
        elif char == ",":
            parts.append(now)
            now = ""
            continue
        now += char
    found = [scalar(part) for part in (*parts, now)[:MOST_ITEMS]]
    return tuple(item for item in found if item is not None)


def written_items(items: tuple[str, ...]) -> str:
    return "[" + ", ".join(_in_list(item) for item in items) + "]"


def _in_list(item: str) -> str:
    text = written(item)
    return text if text.startswith('"') or "," not in text else json.dumps(item)


def _quote_end(text: str) -> int:
    """Return where the quoted beginning of a text ends; -1 if it does not."""
    quote, at = text[0], 1
    while at < len(text):
        if quote == '"' and text[at] == "\\":
            at += 2
        elif text[at] != quote:
            at += 1
        elif quote == "'" and text[at : at + 2] == "''":
            at += 2
        else:
            return at
    return -1


def _unquoted(text: str) -> str | None:
    inside = text[1:-1]
    if text[0] == "'":
        return inside.replace("''", "'") or None
    try:
        value = json.loads(text)
    except ValueError:
        value = inside
    return str(value) or None
