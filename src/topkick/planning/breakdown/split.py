"""Split a requirement into atomic tasks by the split table: one concern, one place each (BD-02)."""

import re
from collections.abc import Iterator, Sequence

from topkick.planning.breakdown.language.verbs import VERBS, is_order
from topkick.planning.breakdown.model import BreakdownTask, Requirement
from topkick.sprint.dispatch.names import PATH

MOST_PIECES = 6
_INTEGRATES = re.compile(
    r"^(?P<verb>create|build|implement|add|write|develop)\s(?P<what>.{3,120}?)\sand\s"
    r"(?P<into>integrate|wire|connect|register|hook)(?:\s(?:it|them))?\s(?P<with>(?:with|into|to|up)\s.{3,})$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:,\s+and\s+|\s+and\s+|;\s+(?:and\s+)?|,\s+then\s+)(?=[A-Za-z-]{3,20}\s)")
_PRONOUN = re.compile(
    r"^\w+\s+(?:it|them|its|their|this|that|these|those|both|each)\b", re.IGNORECASE
)
_CONDITION = re.compile(r"\s(?:when|if|while|once|after|before|unless)\s[^;.]{3,240}$")
_HANGING = re.compile(r"\b(?:that|which|to|must|should|can|will|when|if|so)\s[^,;.]{0,80}$")
_WHOLE = re.compile(r"^(?:make|let|give|provide|ensure|implement)\b", re.IGNORECASE)
_SUPPORTS = re.compile(
    r"^(?P<lead>add support for|support|integrate with|provide support for)\s"
    r"(?P<list>[^():;]{5,200})$",
    re.IGNORECASE,
)
_LIST = re.compile(r",\s+(?:and\s+|or\s+)?|\s+and\s+")
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__)(?:/|$)|[._-](?:test|spec)\.|Tests?\.\w+$|test_"
)
_SETTINGS = re.compile(r"\.(?:toml|ya?ml|json|ini|cfg|env|lock|plist|gradle)$")
_TYPES = re.compile(
    r"(?:types?|models?|schema|interfaces?|protocols?|errors?)\.\w+$", re.IGNORECASE
)
_KINDS = (("tests", _TESTS), ("configuration", _SETTINGS), ("types", _TYPES))


def split(requirement: Requirement) -> tuple[BreakdownTask, ...]:
    """Return at least one task; each is complete in itself."""
    pieces = _by_places(requirement.text) or [
        piece for half in _integration(requirement.text) for piece in _conjunction(half)
    ]
    pieces = [one for piece in pieces for one in _supports(piece)]
    if len(pieces) > MOST_PIECES:
        pieces = [requirement.text]
    return tuple(BreakdownTask(_capital(piece), requirement.lines) for piece in pieces)


def _integration(text: str) -> Iterator[str]:
    """Split `Create X and integrate it with Y`."""
    found = _INTEGRATES.match(text)
    if found is None or " and " in found["what"]:
        yield text
        return
    yield f"{found['verb']} {found['what']}"
    yield f"{found['into']} {found['what']} {found['with']}"


def _conjunction(text: str) -> Iterator[str]:
    """Split if both sides are orders of their own; `Install and configure X` is one."""
    begin = 0
    if _WHOLE.match(text):
        yield text
        return
    condition = _CONDITION.search(text)
    told = condition[0] if condition else ""
    for found in _JOINED.finditer(text):
        before, behind = text[begin : found.start()], text[found.end() :]
        if _stands_alone(before) and _stands_alone(behind) and _outside(text, found.start()):
            yield before if _CONDITION.search(before) else f"{before}{told}"
            begin = found.end()
    yield text[begin:]


def _stands_alone(text: str) -> bool:
    words = text.split()
    return len(words) >= 3 and is_order(text) and not _PRONOUN.match(text)


def _outside(text: str, at: int) -> bool:
    """Return whether the position is outside brackets, code, quotations and dependent clauses."""
    head = text[:at]
    closed = head.count("(") == head.count(")") and head.count("`") % 2 == 0
    hanging = _HANGING.search(head)
    return closed and head.count('"') % 2 == 0 and not hanging and ": " not in head


def _supports(text: str) -> Iterator[str]:
    """Split `Add support for A, B and C`, unless they are names of one kind of thing."""
    found = _SUPPORTS.match(text)
    items = [item.strip() for item in _LIST.split(found["list"]) if item.strip()] if found else []
    independent = len(items) > 2 and all(2 <= len(item.split()) <= 5 for item in items)
    if found is None or not independent or any(i.split()[0].lower() in VERBS for i in items):
        yield text
        return
    yield from (f"{found['lead']} {item}" for item in items)


def _by_places(text: str) -> list[str]:
    """Split by directory if files are in several directories, or more than three."""
    paths = list(dict.fromkeys(p for p in PATH.findall(text) if "/" in p and ".." not in p))
    if len(paths) < 2:
        return []
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(path.rpartition("/")[0], []).append(path)
    if len(groups) == 1:
        if len(paths) <= 3:
            return []
        groups = _by_kind(paths)
    if not 1 < len(groups) <= MOST_PIECES:
        return []
    return [f"{text} — this task: {_named(group)}" for group in groups.values()]


def _by_kind(paths: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        kind = next((name for name, pattern in _KINDS if pattern.search(path)), "logic")
        groups.setdefault(kind, []).append(path)
    return groups


def _named(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


def _capital(text: str) -> str:
    text = text.strip().rstrip(" .,;")
    return text[:1].upper() + text[1:]
