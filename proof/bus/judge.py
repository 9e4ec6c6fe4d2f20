"""Judge the bus at the end, from the ledgers and the files alone."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proof.bus.ledger import Known
from proof.bus.reader import Seen, number, read


def findings(session: Path, known: Known, watched: dict[str, Any]) -> Iterator[str]:
    yield from watched["findings"]
    seen = Seen(words=dict(watched["words"]))
    there = read(session / ".msg" / "messages.jsonl", seen)
    yield from sorted(seen.findings)
    yield from _of_messages(there, known)
    yield from _of_states(session, there)


def _of_messages(there: list[dict[str, Any]], known: Known) -> Iterator[str]:
    by_words = {said["summary"]: said["id"] for said in there}
    for words, count in Counter(said["summary"] for said in there).items():
        if count > 1:
            yield f"{words} stands {count} times"
        if words not in known.meant:
            yield f"{words} stands, and nobody meant it"
    for words, id_ in known.acknowledged.items():
        if id_ not in known.taken_away and by_words.get(words) != id_:
            yield f"{words} was acknowledged as {id_}, and stands as {by_words.get(words)}"
    for id_, count in Counter(known.acknowledged.values()).items():
        if count > 1:
            yield f"{id_} was given {count} times"


def _of_states(session: Path, there: list[dict[str, Any]]) -> Iterator[str]:
    """Check that meta.json is the merge of the messages, computed here again."""
    states: dict[str, dict[str, Any]] = {}
    for said in there:
        if said["type"] == "state_update":
            states.setdefault(said["from"], {}).update(said["data"], _updated_at=said["ts"])
    written = json.loads((session / ".msg" / "meta.json").read_text())
    if written["role_state"] != states:
        wrong = [n for n in states if written["role_state"].get(n) != states[n]]
        yield f"meta.json differs from the messages for {len(wrong)} roles, {wrong[:3]}"


def given_again(seen_before: dict[str, str], there: list[dict[str, Any]]) -> Iterator[str]:
    """Check that every number after a clear is new."""
    highest = max((number(id_) for id_ in seen_before), default=0)
    for said in there:
        if number(said["id"]) <= highest:
            yield f"{said['id']} was given again after the bus was cleared"
