"""The names of sprints, commits and fields in state files: ids in cells, ranges, `Label: value`."""

import re
from collections.abc import Iterator

from topkick.plan_format.units.headings import ID, SEGMENT, words

LONGEST_RANGE = 100
_NUMBERED = rf"(?:[A-Za-z]{{1,8}}-)?{SEGMENT}(?:[.-]{SEGMENT}){{0,5}}"
_WORK = r"(?:sprint|sortie)"
_CELL = re.compile(
    rf"^[^\w(]{{0,6}}(?:{_WORK}\s*#?)?(?P<id>{ID})(?:/\d+)?\s*"
    r"(?:$|[(\[](?P<remark>[^()\[\]]{0,80})[)\]]\W*$|(?:[:—–]|-(?=\s)|\s)\s*(?P<name>\S.*)$)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"(?<![\w./-])(?P<first>{_NUMBERED})(?:\s*[–-]\s*(?P<last>{_NUMBERED}))?(?!\w)"
)
_STATED = re.compile(
    rf"{_LISTED.pattern}\s*(?:→|=|:)?\s*"
    r"(?P<state>[✅✓✔☑]|\(?(?:COMPLETED?|DONE|PENDING|PARTIAL|RUNNING|DISPATCHED|BACKOFF|FATAL"
    r"|QUEUED|SKIPPED|DEFERRED|IN[_ ]PROGRESS)\b)",
    re.IGNORECASE,
)
_MENTIONED = re.compile(
    rf"\b{_WORK}s?\s+#?(?P<ids>{_NUMBERED}(?!\w)(?:\s*(?:,|/|&|\+|and)\s*{_NUMBERED}(?!\w)){{0,20}})",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:,|/|&|\+|\band\b)\s*", re.IGNORECASE)
_RANGE = re.compile(r"^(?P<first>[A-Za-z]{0,5}\d{1,6})-(?P<last>[A-Za-z]{0,5}\d{1,6})$")
_CURRENT = re.compile(
    rf"^\W{{0,4}}(?:{_WORK}s?\s+)?(?P<ids>{_NUMBERED}(?:\s*(?:,|&|and)\s*{_NUMBERED}){{0,8}})"
    r"(?:\s+of\s+(?P<total>\d{1,4}))?",
    re.IGNORECASE,
)
_OF = re.compile(r"\bof\s+(\d{1,4})\b")
_TAIL = re.compile(r"^(?P<stem>.*?)(?P<number>\d{1,6})$")
_COMMIT = re.compile(r"(?<![\w/])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?!\w)")
_SAID_COMMIT = re.compile(
    r"\bcommits?\W{1,4}((?:[0-9a-f]{7,40}(?:\W{1,5}(?=[0-9a-f]{7,40}(?!\w)))?){1,8})(?!\w)",
    re.IGNORECASE,
)
_FIELD = re.compile(r"^[^\w(]{0,8}(?P<label>[A-Za-z][\w /#-]{0,40}?)\s*[:：]\s*(?P<value>.*)$")
_MARKUP = re.compile(r"[*`]")


def key(id_: str) -> str:
    """Return the key of a sprint: `S3`, `Sprint 3` and `3` are one."""
    plain = id_.lower()
    return plain[1:] if plain[:1] == "s" and plain[1:2].isdigit() else plain


def sprint_cell(text: str) -> tuple[str, str] | None:
    """Return id and name of a cell such as `3`, `**1a**`, `B2(cont)`, `Sortie 2: Tests`."""
    found = _CELL.match(_MARKUP.sub("", text[:400]).strip().strip("~_"))
    if found is None:
        return None
    return found["id"], (found["name"] or "").strip()


def listed(text: str) -> Iterator[str]:
    """Yield the sprints that a text lists: `EM-1, EM-2`, `S1–S15`."""
    for found in _LISTED.finditer(text[:2_000]):
        yield from _between(found["first"], found["last"])


def stated(text: str) -> Iterator[tuple[str, str]]:
    """Yield sprints with the word right after them: `S1 ✅, S2 (pending)`, `A1–A3 COMPLETED`."""
    for found in _STATED.finditer(text[:2_000]):
        for id_ in _between(found["first"], found["last"]):
            yield id_, found["state"].strip("(")


def mentioned(text: str) -> Iterator[str]:
    """Yield every sprint that a text mentions: `Sprint 3`, `Sorties 1, 2 and 4-7`."""
    for found in _MENTIONED.finditer(text[:20_000]):
        for id_ in _JOINED.split(found["ids"]):
            several = _RANGE.match(id_)
            yield from _between(several["first"], several["last"]) if several else (id_,)


def current(text: str) -> tuple[tuple[str, ...], int | None]:
    """Return sprints and total for `2 of 6`, `1 and 2 of 6`, `EM-3 of 3 (…)`."""
    plain = _MARKUP.sub("", text[:400])
    found = _CURRENT.match(plain)
    total = (found and found["total"]) or next(iter(_OF.findall(plain)), None)
    ids = tuple(_JOINED.split(found["ids"])) if found else ()
    return ids, int(total) if total else None


def commits(text: str) -> tuple[str, ...]:
    """Return every commit in a cell that contains nothing else."""
    return tuple(_COMMIT.findall(text[:2_000]))


def said_commits(text: str) -> tuple[str, ...]:
    """Return hashes that a text calls commits; ids of agents and tasks look the same."""
    said = (found[1] for found in _SAID_COMMIT.finditer(text[:4_000]))
    return tuple(one for part in said for one in _COMMIT.findall(part))


def field(text: str) -> tuple[str, str] | None:
    """Return label and value of `- **Work unit state**: RUNNING`."""
    found = _FIELD.match(_MARKUP.sub("", text[:4_000]))
    return (words(found["label"]), found["value"].strip()) if found else None


def _between(first: str, last: str | None) -> Iterator[str]:
    yield first
    one, other = _TAIL.match(first), _TAIL.match(last or "")
    if one is None or other is None or other["stem"] not in ("", one["stem"]):
        if last:
            yield last
        return
    low, high = int(one["number"]), int(other["number"])
    for number in range(low + 1, min(high, low + LONGEST_RANGE) + 1):
        yield f"{one['stem']}{number}"
