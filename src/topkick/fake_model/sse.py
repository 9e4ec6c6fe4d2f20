"""Server-sent events, and helpers that the protocols share."""

import json
import secrets
from collections.abc import Mapping
from typing import Any


def event(data: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def new_id(prefix: str) -> str:
    return f"{prefix}{secrets.token_hex(10)}"


def text_of(content: object) -> str:
    """Return the text of a content that is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))
