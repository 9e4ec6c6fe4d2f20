"""Write a name into the front matter of a plan without changing any other byte."""

import re

from topkick.plan_format.operation_name import is_operation_name
from topkick.text.markdown import front_matter_end

_MARK = "\ufeff"
_FEATURE_NAME = re.compile(r"feature_name\s*:")


def with_feature_name(text: str, name: str) -> str:
    """Insert or replace the `feature_name:` line; add front matter if there is none.

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


def feature_name_in(text: str) -> str:
    """Return the name in the front matter; empty if there is none."""
    lines = text.removeprefix(_MARK).split("\n")
    found = (line for line in lines[: front_matter_end(lines)] if _FEATURE_NAME.match(line))
    return next(found, ":").partition(":")[2].strip().strip("\"'")


def same_but_for_the_name(one: str, other: str) -> bool:
    """Return whether two texts are the same plan, by its hash."""
    return _nameless(one) == _nameless(other)


def _nameless(text: str) -> tuple[list[str], str]:
    lines = text.removeprefix(_MARK).replace("\r\n", "\n").split("\n")
    length = front_matter_end(lines)
    head = [line for line in lines[:length] if line.strip() and not _FEATURE_NAME.match(line)]
    return head[1:-1], "\n".join(lines[length:]).lstrip("\n")
