"""Read records without the program's codec: what was written must be what was understood."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

from topkick.engine.codec.texts import Text

TAG = "is"


def differs(value: object, body: str) -> str:
    """Return where the value differs from the body; empty if nowhere."""
    return _differs(value, json.loads(body), type(value).__name__)


def _differs(value: Any, plain: Any, where: str) -> str:
    if isinstance(value, Text):
        return "" if plain == value.sha256 else where
    if isinstance(value, Enum):
        return "" if plain == value.value else where
    if is_dataclass(value):
        return _of_fields(value, plain, where)
    if isinstance(value, tuple):
        same = isinstance(plain, list) and len(plain) == len(value)
        pairs = zip(value, plain, strict=True) if same else ()
        found = (_differs(v, p, f"{where}[]") for v, p in pairs)
        return next(filter(None, found), "") if same else where
    if isinstance(value, Mapping):
        same = isinstance(plain, dict) and plain.keys() == value.keys()
        found = (_differs(v, plain[k], f"{where}[{k}]") for k, v in value.items() if same)
        return next(filter(None, found), "") if same else where
    return "" if type(plain) is type(value) and plain == value else where


def _of_fields(value: Any, plain: Any, where: str) -> str:
    """Compare fields; an omitted one has its default, and no unknown one is written."""
    if not isinstance(plain, dict):
        return where
    known = fields(value)
    if extra := plain.keys() - {f.name for f in known} - {TAG}:
        return f"{where}.{min(extra)}"
    for f in known:
        mine, name = getattr(value, f.name), f"{where}.{f.name}"
        if f.name not in plain:
            if mine != _default(f):
                return name
        elif found := _differs(mine, plain[f.name], name):
            return found
    return ""


def _default(f: Field[Any]) -> object:
    if f.default_factory is not MISSING:
        return f.default_factory()
    return f.default
