"""The front matter of a plan: the operation's name in it, and the hash that leaves the name out.

The name may change during a run; every other byte of the content belongs to the plan's identity.
A name is `OPERATION` and two to four words, and a metaphor: no word of the plan's title.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from topkick.text.markdown import front_matter_end

PREFIX = "OPERATION "
LONGEST = 60
_WORD = r"[A-Z0-9](?:[A-Z0-9'-]{0,24}[A-Z0-9])?"
_NAME = re.compile(rf"OPERATION(?: {_WORD}){{2,4}}")
_LETTERS = re.compile(r"[^\W\d_]{4,}")
_ASKED = re.compile(rf"OPERATION(?: {_WORD}){{1,8}}")
_MARK = "\ufeff"
_FEATURE_NAME = re.compile(r"feature_name\s*:\s*(.*)$")


# --- the form of a name ------------------------------------------------------------------------


def is_operation_name(name: str) -> bool:
    return len(name) <= LONGEST and _NAME.fullmatch(name) is not None


def is_literal(name: str, title: str) -> bool:
    """Return whether the name uses a word of the plan's title: a name is a metaphor."""
    said = set(_LETTERS.findall(title[:1000].upper()))
    return not said.isdisjoint(_LETTERS.findall(name.removeprefix(PREFIX)))


def without_prefix(name: str) -> str:
    """Return `NIGHT OWL` for `OPERATION NIGHT OWL`, for short places such as branch names."""
    short = name[len(PREFIX) :].strip() if name.upper().startswith(PREFIX) else ""
    return short or name


def name_in(answer: str, title: str) -> str:
    """Return the first good name in a model's answer; empty if there is none."""
    for line in answer[:20_000].split("\n")[:200]:
        for found in _ASKED.finditer(line.replace("’", "'")):
            if is_operation_name(found[0]) and not is_literal(found[0], title):
                return found[0]
    return ""


# --- the name in a text ------------------------------------------------------------------------


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


def feature_name_in(text: str) -> str:
    """Return the name in the front matter; empty if there is none."""
    return front_matter(_lines(text)).feature_name


def with_feature_name(text: str, name: str) -> str:
    """Insert or replace the `feature_name:` line and change no other byte; add front matter if
    there is none.

    A text that begins with `---` and never closes it has no front matter.
    """
    assert is_operation_name(name)
    mark = _MARK if text.startswith(_MARK) else ""
    lines = text.removeprefix(_MARK).split("\n")
    length = front_matter_end(lines)
    back = "\r" if lines[0].endswith("\r") else ""
    line = f"feature_name: {name}{back}"
    if not length:
        return mark + "\n".join([f"---{back}", line, f"---{back}", back, *lines])
    at = next((n for n in range(1, length) if _FEATURE_NAME.match(lines[n])), None)
    if at is None:
        return mark + "\n".join([*lines[: length - 1], line, *lines[length - 1 :]])
    ending = "\r" if lines[at].endswith("\r") else ""
    return mark + "\n".join([*lines[:at], f"feature_name: {name}{ending}", *lines[at + 1 :]])


# --- the identity of a plan --------------------------------------------------------------------


def content_hash(text: str) -> str:
    """Return the hash that identifies a plan; line endings and `feature_name` are ignored."""
    lines = _lines(text)
    return hashed(front_matter(lines), lines)


def hashed(front: Front, lines: Sequence[str]) -> str:
    """Return the hash of the content without the operation's name, which may change."""
    others = [line for line in front.others if line.strip()]
    head = ["---", *others, "---"] if others else []
    text = "\n".join(lines[front.length :]).lstrip("\n")
    return sha256("\n".join([*head, text]).encode("utf-8", "surrogatepass")).hexdigest()


def same_but_for_the_name(one: str, other: str) -> bool:
    """Return whether two texts are the same plan."""
    return content_hash(one) == content_hash(other)


def _lines(text: str) -> list[str]:
    return text.removeprefix(_MARK).replace("\r\n", "\n").split("\n")
