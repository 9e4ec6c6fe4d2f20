"""Write a name into the front matter of a plan without changing any other byte."""

import re

from topkick.plans.naming.form import is_operation_name

_MARK = "\ufeff"
_FEATURE_NAME = re.compile(r"feature_name\s*:")
_CLOSING = ("---", "...")


def with_feature_name(text: str, name: str) -> str:
    """Insert or replace the `feature_name:` line; add front matter if there is none.

    A text that begins with `---` and never closes it has no front matter.
    """
    assert is_operation_name(name)
    mark = _MARK if text.startswith(_MARK) else ""
    lines = text.removeprefix(_MARK).split("\n")
    end = _end(lines)
    back = "\r" if lines[0].endswith("\r") else ""
    line = f"feature_name: {name}{back}"
    if end is None:
        return mark + "\n".join([f"---{back}", line, f"---{back}", back, *lines])
    at = next((n for n in range(1, end) if _FEATURE_NAME.match(lines[n])), None)
    if at is None:
        return mark + "\n".join([*lines[:end], line, *lines[end:]])
    ending = "\r" if lines[at].endswith("\r") else ""
    return mark + "\n".join([*lines[:at], f"feature_name: {name}{ending}", *lines[at + 1 :]])


def feature_name_in(text: str) -> str:
    """Return the name in the front matter; empty if there is none."""
    lines = text.removeprefix(_MARK).split("\n")
    found = (line for line in lines[1 : _end(lines) or 0] if _FEATURE_NAME.match(line))
    return next(found, ":").partition(":")[2].strip().strip("\"'")


def same_but_for_the_name(one: str, other: str) -> bool:
    """Return whether two texts are the same plan, by its hash."""
    return _nameless(one) == _nameless(other)


def _nameless(text: str) -> tuple[list[str], str]:
    lines = text.removeprefix(_MARK).replace("\r\n", "\n").split("\n")
    end = _end(lines)
    behind = 0 if end is None else end + 1
    head = [line for line in lines[1 : end or 1] if line.strip() and not _FEATURE_NAME.match(line)]
    return head, "\n".join(lines[behind:]).lstrip("\n")


def _end(lines: list[str]) -> int | None:
    """The line that closes the front matter, as the reader of plans sees it."""
    if lines[0].rstrip() != "---":
        return None
    return next((n for n in range(1, len(lines)) if lines[n].rstrip() in _CLOSING), None)
