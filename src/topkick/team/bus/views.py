"""The answers of a bus's operations: JSON in the bus format, and lines for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from topkick.team.bus.model import Member, Message, Page, parsed, pretty, write_line
from topkick.text import escape

FOUND_NOTHING = 1
MISUSED = 2


@dataclass(frozen=True, slots=True)
class BusReply:
    """The answer to one call: `text` is for people, `body` for programs, as JSON text."""

    text: str
    body: str = field(repr=False)
    exit_code: int = 0

    @property
    def success(self) -> bool:
        return self.exit_code == 0


def _made(text: str, result: object) -> BusReply:
    return BusReply(escape.block(text), json.dumps({"success": True, "result": result}))


def failed(error: str, exit_code: int = MISUSED) -> BusReply:
    return BusReply(escape.block(error), json.dumps({"success": False, "error": error}), exit_code)


def required(operation: str, what: str, option: str) -> BusReply:
    body = json.dumps({"success": False, "error": f'{operation} requires "{what}"'})
    return BusReply(f"topkick bus {operation} needs {option}.", body, MISUSED)


def posted(message: Message) -> BusReply:
    said = f"Logged {_named(message)}"
    return _made(said, {"id": message.id, "message": said})


def read(message: Message) -> BusReply:
    data = f"\n{pretty(parsed(message.data))}" if message.data else ""
    return _made(message.line + data, as_json(message))


def not_found(name: str) -> BusReply:
    return failed(
        f"Message {name} not found. List the messages: topkick bus list SESSION", FOUND_NOTHING
    )


def listed(page: Page) -> BusReply:
    lines = [message.line for message in page.messages]
    said = "\n".join(escape.line(line) for line in lines) or "No messages recorded yet."
    if page.total > len(lines):
        said += f"\n({len(lines)} of {page.total}; more: --last N)"
    result = {
        "total": page.total,
        "showing": len(lines),
        "messages": [as_json(message) for message in page.messages],
        "formatted": "\n".join(lines),
    }
    return _made(said, result)


def status(members: Sequence[Member], total: int) -> BusReply:
    if not members:
        said = "No messages recorded yet."
        return _made(said, {"members": [], "summary": said})
    formatted = "\n".join(_member(member) for member in members)
    told = [
        {
            "member": member.name,
            "lastSeen": member.last_seen,
            "lastAction": member.last_action,
            "messageCount": member.count,
        }
        for member in members
    ]
    return _made(formatted, {"members": told, "total_messages": total, "formatted": formatted})


def _member(member: Member) -> str:
    clock = Message(member.name, ts=member.last_seen).clock
    name = escape.line(member.name)
    said = f"{name:<12} | last: {clock} | msgs: {member.count} | {escape.line(member.last_action)}"
    return said.rstrip()


def state(role: str, found: Mapping[str, object] | None) -> BusReply:
    if found is None:
        said = f'No state found for role "{role}"'
        return _made(said, {"role": role, "state": None, "message": said})
    return _made(pretty(found), {"role": role, "state": found})


def states(found: Mapping[str, Mapping[str, object]]) -> BusReply:
    said = pretty(found) if found else "No role has a state yet."
    return _made(said, {"role_state": found})


def deleted(message: Message) -> BusReply:
    said = f"Deleted {_named(message)}"
    return _made(said, {"deleted": message.id, "message": said})


def cleared(count: int) -> BusReply:
    said = f"Cleared {count} messages." if count else "There are no messages to clear."
    return _made(said, {"cleared": count, "message": said})


def as_json(message: Message) -> object:
    """Return the message as it is in the file."""
    return parsed(write_line(message))


def _named(message: Message) -> str:
    words = f"{message.id}: [{message.sender} -> {message.to}] {message.summary}"
    return escape.line(words)
