"""Read the needs and the created files in a unit's PROGRESS.md (RP-05)."""

import re
from collections.abc import Iterator

MOST_CHARS = 200_000
MOST_NEEDS = 100
MOST_NAMES = 2_000
LONGEST = 500
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_NEEDS = re.compile(r"cross[- ](?:package|unit|module|repository|repo)s? needs?", re.IGNORECASE)
_OVER = re.compile(r"final state|resolved", re.IGNORECASE)
_FILES = re.compile(r"files created", re.IGNORECASE)
_TESTS = re.compile(r"\btests?\b", re.IGNORECASE)
_ITEM = re.compile(r"\s{0,3}(?:[-*+]|\d+[.)])\s+(.*)")
_NOTHING = re.compile(r"\W*(?:none|nothing|n/?a)\b.*|\W*", re.IGNORECASE | re.DOTALL)
_DONE = re.compile(r"~~|✅|^\[x\]|\bresolved\b", re.IGNORECASE)
_SOURCE = re.compile(r"[`\s]*(?P<where>(?:[^`\s/]*/)*)(?P<stem>[^`\s/.]+)\.\w+")
_TYPE = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Z][A-Za-z0-9]{5,}")


def needs_listed(text: str) -> tuple[str, ...]:
    """Return the open needs; struck out or resolved ones are skipped."""
    found = (item for item in _items(text[:MOST_CHARS], _NEEDS) if not _NOTHING.fullmatch(item))
    open_ones = (_plain(item) for item in found if not _DONE.search(item))
    return tuple(dict.fromkeys(item for item in open_ones if item))[:MOST_NEEDS]


def types_defined(text: str) -> tuple[str, ...]:
    """Return names of types, from the source files listed as created."""
    found = (_SOURCE.match(item) for item in _items(text[:MOST_CHARS], _FILES))
    made = {path["stem"] for path in found if path and not _TESTS.search(path["where"])}
    return tuple(sorted(name for name in made if _TYPE.fullmatch(name)))[:MOST_NAMES]


def _items(text: str, wanted: re.Pattern[str]) -> Iterator[str]:
    """Yield the bullets below a heading, with the lines that belong to each."""
    level, item = 0, ""
    for line in (*text.split("\n"), "# end"):
        heading, bullet = _HEADING.match(line), _ITEM.match(line)
        if item and (heading or bullet or not line.strip()):
            yield item[:LONGEST]
            item = ""
        if heading is not None:
            level = _level(heading, level, wanted)
        elif level and bullet is not None:
            item = bullet[1].strip()
        elif item:
            item = f"{item}\n{line.strip()}"


def _level(heading: re.Match[str], within: int, wanted: re.Pattern[str]) -> int:
    """Return the depth of the heading that items are taken from; 0 where they are not."""
    depth, title = len(heading[1]), heading[2]
    if wanted.search(title) and not _OVER.search(title):
        return depth
    is_below = bool(within) and depth > within
    return within if is_below and not (wanted is _FILES and _TESTS.search(title)) else 0


def _plain(item: str) -> str:
    return re.sub(r"^\[ \]\s*", "", item).strip()
