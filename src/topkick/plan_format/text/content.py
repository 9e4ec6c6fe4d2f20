"""The identity of a plan: the hash of its content, without its operation's name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from topkick.text.markdown import front_matter_end

_FEATURE_NAME = re.compile(r"^feature_name\s*:\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter: its number of lines, the name in it, and its other lines."""

    length: int = 0
    feature_name: str = ""
    others: tuple[str, ...] = ()


def front_matter(lines: Sequence[str]) -> Front:
    length = front_matter_end(lines)
    inside = lines[1 : max(length - 1, 1)]
    named = [found for line in inside if (found := _FEATURE_NAME.match(line))]
    others = tuple(line for line in inside if not _FEATURE_NAME.match(line))
    return Front(length, named[0][1].strip().strip("\"'") if named else "", others)


def content_hash(text: str) -> str:
    """Return the hash that identifies a plan; line endings and `feature_name` are ignored."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return hashed(front_matter(lines), lines)


def hashed(front: Front, lines: Sequence[str]) -> str:
    """Return the hash of the content without the operation's name, which may change."""
    others = [line for line in front.others if line.strip()]
    head = ["---", *others, "---"] if others else []
    text = "\n".join(lines[front.length :]).lstrip("\n")
    return sha256("\n".join([*head, text]).encode("utf-8", "surrogatepass")).hexdigest()
