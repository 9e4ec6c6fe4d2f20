"""Read JSON that a program printed; a value of an unexpected type counts as missing."""

import json
import re
from collections.abc import Mapping

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
