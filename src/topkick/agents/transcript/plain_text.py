"""Read output of agent programs: fields of JSON events, and texts made safe for one line.

A JSON value of an unexpected type counts as missing.
"""

import json
import re
import unicodedata
from collections.abc import Mapping

from topkick.text.escape import cut

Fields = Mapping[str, object]

NONE: Fields = {}
COUNT_MAX = 10**15
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}")


def parsed(line: bytes) -> Fields | None:
    """Return the object on a line, or None if there is none."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def inner(fields: Fields, *keys: str) -> Fields:
    for key in keys:
        value = fields.get(key)
        if not isinstance(value, dict):
            return NONE
        fields = value
    return fields


def many(fields: Fields, key: str) -> list[Fields]:
    value = fields.get(key)
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def texts(fields: Fields, key: str) -> list[str]:
    value = fields.get(key)
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def amount(fields: Fields, key: str) -> float | None:
    """Return a number between 0 and COUNT_MAX; JSON allows numbers that no program counts to."""
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= COUNT_MAX else None  # NaN is not between


def count(fields: Fields, key: str) -> int:
    return int(amount(fields, key) or 0)


def microusd(fields: Fields, key: str) -> int | None:
    dollars = amount(fields, key)
    return None if dollars is None else min(round(dollars * 1_000_000), COUNT_MAX)


def identity(fields: Fields, key: str) -> str:
    """Return an id that is safe as a word of a command line, else an empty text."""
    value = text(fields, key)
    return value if _ID.fullmatch(value) else ""


# --- texts for one line --------------------------------------------------------------------------


LINE_CHARS = 200
SAID_CHARS = 4_000
ANSWER_CHARS = 1 << 18
ARGUMENT_MAX_BYTES = 100_000
"""Linux limits one command line argument to 128 KiB."""

_BLANKS = re.compile(r"\s+")
_TELLING = (
    *("command", "file_path", "filePath", "path", "pattern", "url", "query"),
    *("description", "prompt", "name"),
)


def one_line(value: str, chars: int = LINE_CHARS) -> str:
    """Remove control characters and line breaks, and limit the length."""
    shown = _BLANKS.sub(" ", _plain(value[: 4 * chars])).strip()
    return cut(shown, chars)


def said(value: str) -> str:
    """Shorten a longer text and keep its lines."""
    lines = (_plain(line).rstrip() for line in value[:SAID_CHARS].split("\n"))
    shown = "\n".join(lines).strip("\n")
    return shown + "…" if len(value) > SAID_CHARS else shown


def whole(value: str) -> str:
    """Return the complete text if `said` would cut it, up to a limit; else an empty text."""
    if len(value) <= SAID_CHARS:
        return ""
    return value[-ANSWER_CHARS:].encode("utf-8", "replace").decode()


def shown_line(line: bytes) -> str:
    """Decode and shorten a line that was not made for machines."""
    return one_line(line[: 8 * LINE_CHARS].decode("utf-8", "replace"), 2 * LINE_CHARS)


def what_of(given: Fields) -> str:
    """Describe a tool's input by its most telling field."""
    for key in _TELLING:
        if value := text(given, key):
            return one_line(value)
    return next((one_line(v) for v in given.values() if isinstance(v, str) and v), "")


def _plain(value: str) -> str:
    """Replace characters that cannot be shown, such as terminal codes, or stored, such as
    surrogates.
    """
    if value.isprintable():
        return value
    return "".join(c if c.isprintable() else _stand_in(c) for c in value)


def _stand_in(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) == "Cs" else " "
