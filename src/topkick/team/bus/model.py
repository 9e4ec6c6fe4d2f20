"""Messages of a session's bus, one JSON object per line, in the format that other tools use.

A line that is not a message is skipped: one bad line must not cost the others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from json import JSONDecoder, JSONEncoder
from typing import Any, TypeGuard

from topkick.engine.errors import UsageError

COORDINATOR = "coordinator"
EVERYBODY = "all"
MESSAGE = "message"
STATE_UPDATE = "state_update"
SHUTDOWN = "shutdown"

LONGEST_LINE_CHARS = 1 << 20
LONGEST_NAME_CHARS = 200
LARGEST_NUMBER = 10**15 - 1
DEEPEST = 100
LONGEST_INDENTED_CHARS = 20_000
FEWEST_SHOWN, SHOWN, MOST_SHOWN = 1, 20, 100

_ID = re.compile(r"MSG-([0-9]{1,15})")
_ID_IN_LINE = re.compile(r'"id"\s*:\s*"MSG-([0-9]{1,15})"')
_CLOCK = re.compile(r"....-..-..[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})")
_BLANKS = re.compile(r"\s+")


class NotJson(ValueError):
    """The text is not JSON, or other programs could not read it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `data` is JSON text, empty if there is none. Number 0 means not posted yet."""

    sender: str
    to: str = COORDINATOR
    type: str = MESSAGE
    summary: str = ""
    data: str = ""
    number: int = 0
    ts: str = ""

    @property
    def id(self) -> str:
        return f"MSG-{self.number:03d}"

    @property
    def fields(self) -> Mapping[str, object]:
        """The parsed data; empty if it is not an object."""
        try:
            value = parsed(self.data) if self.data else None
        except NotJson:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def clock(self) -> str:
        found = _CLOCK.match(self.ts)
        return found[1] if found else "--:--:--"

    @property
    def line(self) -> str:
        """The message on one line, for people and for answers of the format."""
        words = f"{self.sender} -> {self.to} ({self.type}) {self.summary}"
        return f"{self.id} [{self.clock}] {_BLANKS.sub(' ', words).strip()}"


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """A filter for messages; an empty field matches every message."""

    sender: str = ""
    to: str = ""
    type: str = ""

    def has(self, message: Message) -> bool:
        return (
            self.sender in ("", message.sender)
            and self.to in ("", message.to)
            and self.type in ("", message.type)
        )


@dataclass(frozen=True, slots=True)
class Page:
    """The last of the matching messages; `total` counts all of them."""

    total: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A sender or recipient; `last_seen` is when it last wrote, or was first named."""

    name: str
    last_seen: str
    last_action: str = ""
    count: int = 0


# --- JSON ----------------------------------------------------------------------------------------


def _refuse(constant: str) -> None:
    raise NotJson(f"{constant} is not a JSON value")


_DECODER = JSONDecoder(parse_constant=_refuse)
_PLAIN = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ESCAPED = JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_SORTED = JSONEncoder(sort_keys=True, allow_nan=False)


def parsed(text: str) -> Any:
    """Return the JSON value; raise NotJson for anything else, however deep or hostile."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def data_of(value: object) -> str:
    """Return a value as the text for a message's `data`; the order of keys is kept."""
    try:
        text = _PLAIN.encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotJson(str(error)) from error
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: escaped, it survives
        return _ESCAPED.encode(value)
    return text


def pretty(value: object) -> str:
    """Return indented JSON, unless it is so long that deep indents would blow it up."""
    text = data_of(value)
    if len(text) > LONGEST_INDENTED_CHARS:
        return text
    return JSONEncoder(indent=2, allow_nan=False).encode(value)


def _is_too_deep(value: object) -> bool:
    """Return whether the value is nested deeper than every program can read."""
    level, depth = [value], 0
    while level:
        depth += 1
        inner = (v.values() if isinstance(v, dict) else v for v in level if _holds_more(v))
        level = [child for children in inner for child in children]
    return depth > DEEPEST


def _holds_more(value: object) -> TypeGuard[dict[str, object] | list[object]]:
    return isinstance(value, dict | list)


# --- lines ---------------------------------------------------------------------------------------


def read_line(line: str) -> Message | None:
    """Return the message on a line; None without a JSON object, number or sender, or if it is too
    long.
    """
    if len(line) > LONGEST_LINE_CHARS:
        return None
    try:
        said = parsed(line.strip().removeprefix("\ufeff"))
        data = data_of(said["data"]) if isinstance(said, dict) and "data" in said else ""
    except NotJson:
        return None
    if not isinstance(said, dict):
        return None
    number, sender = number_of(_text(said, "id")), _text(said, "from")
    if number is None or not sender:
        return None
    message = Message(
        sender=sender,
        to=_text(said, "to") or COORDINATOR,
        type=_text(said, "type") or MESSAGE,
        summary=_text(said, "summary"),
        data="" if data == "null" else data,
        number=number,
        ts=_text(said, "ts"),
    )
    return message if message.summary else replace(message, summary=default_summary(message))


def number_in(line: str) -> int:
    """Return the number on a line that is not a message, or 0.

    The line may be torn or of a newer format; its number counts as used.
    """
    found = _ID_IN_LINE.search(line[:LONGEST_LINE_CHARS])
    return int(found[1]) if found else 0


def _text(said: Mapping[str, object], key: str) -> str:
    value = said.get(key)
    return value if isinstance(value, str) else ""


def write_line(message: Message) -> str:
    """Return the message as one line without newline, its fields in the usual order."""
    said: dict[str, object] = {
        "id": message.id,
        "ts": message.ts,
        "from": message.sender,
        "to": message.to,
        "type": message.type,
        "summary": message.summary,
    }
    if message.data:
        said["data"] = parsed(message.data)
    return data_of(said)


def number_of(name: str) -> int | None:
    """Return 7 for MSG-007; None if it is not the id of a message."""
    found = _ID.fullmatch(name.strip())
    return int(found[1]) or None if found else None


def default_summary(message: Message) -> str:
    return f"[{message.sender}] {message.type} -> {message.to}"


def same_words(a: Message, b: Message) -> bool:
    """Return whether two messages are equal except for number and time; key order in `data` is
    ignored.
    """
    return (a.sender, a.to, a.type, a.summary) == (b.sender, b.to, b.type, b.summary) and (
        a.data == b.data or _in_order(a.data) == _in_order(b.data)
    )


def _in_order(data: str) -> str:
    try:
        return _SORTED.encode(parsed(data)) if data else ""
    except NotJson:
        return data


def ready(message: Message) -> Message:
    """Return the message as it will be read again: defaults filled in, `data` in one form.

    Raise UsageError for a message that the bus does not accept.
    """
    for what, name in (("from", message.sender), ("to", message.to), ("type", message.type)):
        _require_name(what, name)
    try:
        value = parsed(message.data) if message.data else None
        data = data_of(value) if message.data else ""
        whole = replace(message, data=data, summary=message.summary or default_summary(message))
        line = write_line(replace(whole, number=LARGEST_NUMBER))
    except NotJson as error:
        raise UsageError(f"The data of a message must be JSON: {error}") from error
    if _is_too_deep(value):
        raise UsageError(f"The data of a message may be nested at most {DEEPEST} deep.")
    if len(line) + len(message.ts) + 32 > LONGEST_LINE_CHARS:
        raise UsageError(
            f"A message of {len(line)} characters is too long for the bus, which takes "
            f"{LONGEST_LINE_CHARS}. Put the content into a file and name its path in data.ref."
        )
    again = read_line(line)
    assert again is not None, "what was just written can be read"
    return replace(again, number=message.number, ts=message.ts)


def _require_name(what: str, name: str) -> None:
    if not name:
        raise UsageError(f'A message needs "{what}".')
    if len(name) > LONGEST_NAME_CHARS or not name.isprintable():
        raise UsageError(
            f'"{what}" must be one line of at most {LONGEST_NAME_CHARS} printable characters.'
        )


# --- many messages -------------------------------------------------------------------------------


def read_lines(text: str) -> Iterator[Message]:
    for line in text.split("\n"):
        message = read_line(line) if line else None
        if message is not None:
            yield message


def page(messages: Iterable[Message], wanted: MessageFilter, last: int = SHOWN) -> Page:
    if not FEWEST_SHOWN <= last <= MOST_SHOWN:
        raise UsageError(
            f'"last" must be a number from {FEWEST_SHOWN} to {MOST_SHOWN}, not {last}.'
        )
    found = [message for message in messages if wanted.has(message)]
    return Page(len(found), tuple(found[-last:]))


def members(messages: Iterable[Message]) -> tuple[Member, ...]:
    """Return the members, last seen first."""
    seen: dict[str, Member] = {}
    for message in messages:
        for name in (message.sender, message.to):
            seen.setdefault(name, Member(name, message.ts))
        count = seen[message.sender].count + 1
        action = f"sent {message.type} -> {message.to}"
        seen[message.sender] = Member(message.sender, message.ts, action, count)
    return tuple(sorted(seen.values(), key=lambda member: member.last_seen, reverse=True))


def in_place(wanted: Iterable[Message], there: Iterable[Message]) -> tuple[Message | None, ...]:
    """Return for each wanted message an existing one with the same words, used once, or None."""
    left = list(there)
    found: list[Message | None] = []
    for message in wanted:
        place = next((i for i, other in enumerate(left) if same_words(message, other)), None)
        found.append(None if place is None else left.pop(place))
    return tuple(found)
