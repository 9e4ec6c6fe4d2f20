"""Read the bus while it is written, by the format alone: a file with a JSON object per line.

No code of topkick is used here.
"""

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proof.bus.ledger import Known

TORN = '{"torn": "'
EVERY_S = 0.2


@dataclass
class Seen:
    """Everything that was ever on the bus, by id, and what was wrong with it."""

    words: dict[str, str] = field(default_factory=dict)
    readings: int = 0
    bad_lines: set[str] = field(default_factory=set)
    findings: set[str] = field(default_factory=set)


def number(id_: str) -> int:
    return int(id_.removeprefix("MSG-"))


def lines_of(path: Path) -> list[str]:
    """Return the whole lines; the last one may be incomplete."""
    try:
        return path.read_text().split("\n")[:-1]
    except FileNotFoundError:
        return []


def read(path: Path, seen: Seen) -> list[dict[str, Any]]:
    """Read once, as any tool of the format does: bad lines are skipped."""
    found = []
    for line in lines_of(path):
        try:
            said = json.loads(line)
            found.append(said)
            _check_words(said, seen)
        except ValueError:
            seen.bad_lines.add(line)
            if line and not line.startswith(TORN):
                seen.findings.add(f"a line that nobody wrote: {line[:120]}")
    ids = [number(said["id"]) for said in found]
    if sorted(set(ids)) != ids:
        seen.findings.add("ids do not increase from line to line")
    seen.readings += 1
    return found


def _check_words(said: dict[str, Any], seen: Seen) -> None:
    before = seen.words.setdefault(said["id"], said["summary"])
    if before != said["summary"]:
        seen.findings.add(f"{said['id']} was {before} and is {said['summary']}")


def watch(session: Path, ledgers: Path, stop: Path, out: Path) -> None:
    """Read until `stop` exists; a message acknowledged before a read must be in it."""
    path, seen, known = session / ".msg" / "messages.jsonl", Seen(), Known(ledgers)
    while True:
        is_last = stop.exists()
        known.read_on()
        there = {said["id"] for said in read(path, seen)}
        before = dict(known.acknowledged)
        known.read_on()  # again: a message may be deleted meanwhile
        for words, id_ in before.items():
            if id_ not in there and id_ not in known.taken_away:
                seen.findings.add(f"{words} was acknowledged as {id_} and could not be read")
        if is_last:
            break
        time.sleep(EVERY_S)
    said = {
        "words": seen.words,
        "readings": seen.readings,
        "bad_lines": len(seen.bad_lines),
        "findings": sorted(seen.findings),
    }
    draft = out.with_suffix(".draft")
    draft.write_text(json.dumps(said))
    os.rename(draft, out)
