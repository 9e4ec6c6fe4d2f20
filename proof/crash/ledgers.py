"""Read the journal and the run directories from outside, with plain sqlite3 and JSON."""

import json
import os
import re
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Ledgers = Mapping[str, tuple[str, ...]]
"""Named lists that may only ever grow at their end."""

TRIES = 20
AGAIN_S = 0.05
SECOND_LOOKS = 5
_Found = TypeVar("_Found")
_ANCHOR = re.compile(rb"<!-- topkick journal ([0-9]+) ([0-9a-f]{64}) -->")
_NO_RECORD = (0, "0" * 64)
_SUM = b', "sum": '
_SEALED = ("order.json", "exit.json", "stop.json", "claim", "agent")
_MAY_BE_EMPTY = re.compile(
    r"output(\.\d+)?|.*\.log|.*-wal|.*-shm|.*\.tmp|claim\.\d+|.*\.new.*|respawner\.lock"
)
"""Files that may be empty; `respawner.lock` is only locked, never written or read."""


class Row(NamedTuple):
    seq: int
    at_s: float
    kind: str
    body: Any


def journals(state: Path) -> list[Path]:
    return [path for path in _files(state) if path.name == "journal.db"]


def stamp(state: Path) -> object:
    """Return a value that differs when a journal may have been written to."""
    places = [path for journal in journals(state) for path in journal.parent.glob("journal.db*")]
    with suppress(FileNotFoundError):
        written = [(str(p), p.stat()) for p in places if not p.name.endswith("-shm")]
        return [(name, found.st_size, found.st_mtime_ns) for name, found in written]
    return object()  # moved away meanwhile: differs from everything before


def rows(state: Path) -> list[Row]:
    """Return the rows of all journals, the oldest first."""
    return _steadily(lambda: [row for journal in journals(state) for row in _rows(journal)])


def _rows(journal: Path) -> list[Row]:
    with _opened(journal) as db:
        question = "SELECT seq, at_us / 1e6, kind, body FROM records ORDER BY seq"
        found = db.execute(question).fetchall()
    return [Row(seq, at_s, kind, json.loads(body)) for seq, at_s, kind, body in found]


def _steadily(look: Callable[[], _Found]) -> _Found:
    """Retry a read: a journal may be moved to the archive, or be created, meanwhile."""
    for _ in range(TRIES):
        with suppress(sqlite3.OperationalError):
            return look()
        time.sleep(AGAIN_S)
    return look()


def ledgers(state: Path) -> Ledgers:
    """Return every record by its chain, and every answer; a journal is identified by its creation
    time.

    A journal in which no run has begun has promised nothing: `start` was killed before it answered.
    """
    return _steadily(lambda: _ledgers(state))


def _ledgers(state: Path) -> Ledgers:
    found: dict[str, tuple[str, ...]] = {}
    for journal in journals(state):
        with _opened(journal) as db:
            found.update(_promises(db))
    return found


def _promises(db: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    ((born,),) = db.execute("SELECT value FROM meta WHERE key = 'created_at_us'").fetchall()
    if not db.execute("SELECT 1 FROM records WHERE kind = 'MissionBegan' LIMIT 1").fetchall():
        return
    name = f"journal {born}"
    chains = db.execute("SELECT chain FROM records ORDER BY seq")
    yield name, tuple(chain.hex() for (chain,) in chains)
    for letter, kind in db.execute("SELECT id, kind FROM inbox"):
        yield f"{name} letter {letter}", (kind,)
    answered = "SELECT id, outcome, refusal FROM inbox WHERE outcome NOT NULL"
    for letter, outcome, refusal in db.execute(answered):
        yield f"{name} answer {letter}", (outcome, refusal)


def _opened(journal: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=20.0))


def lost_between(before: Ledgers, after: Ledgers) -> list[str]:
    """Return what was there and no longer is; a list that grew has lost nothing."""
    lost = []
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            lost.append(f"{name} is gone")
        elif now[: len(was)] != was:
            kept = next((i for i, (x, y) in enumerate(zip(was, now, strict=False)) if x != y), 0)
            lost.append(
                f"{name}: {len(was)} records were seen, {kept or len(now)} of them are left"
            )
    return lost


def seen_after(before: Ledgers, look: Callable[[], Ledgers]) -> Ledgers:
    """Look again for missing content: a journal may be on its way to the archive."""
    for _ in range(SECOND_LOOKS):
        now = look()
        if not lost_between(before, now):
            return now
        time.sleep(AGAIN_S)
    return look()


def unanchored(board: Path, seen: Ledgers) -> list[str]:
    """Return a state file that names a record which no journal has."""
    with suppress(FileNotFoundError):
        match = _ANCHOR.search(board.read_bytes()[:4096])
        if match is None:
            return [f"{board.name} carries no head of the journal"]
        seq, chain = int(match[1]), match[2].decode()
        if (seq, chain) == _NO_RECORD:  # `start` wrote it, before the journal's first record
            return []
        if not any(len(c) >= seq > 0 and c[seq - 1] == chain for c in seen.values()):
            return [f"{board.name} has seen record {seq}, which no journal has"]
    return []


# --- state files ---------------------------------------------------------------------------


def half_files(state: Path, board: Path) -> list[str]:
    """Return state files that are empty, cut off or don't match their checksum."""
    found = [] if not board.exists() or _ANCHOR.search(board.read_bytes()[:4096]) else [board]
    mattering = [path for path in _files(state) if not _MAY_BE_EMPTY.fullmatch(path.name)]
    found += [path for path in mattering if _is_half(path)]
    return [str(path.relative_to(board.parent)) for path in found]


def _files(state: Path) -> list[Path]:
    """Return the files; skip a directory that is moved away meanwhile."""
    found = [Path(place, name) for place, _, names in os.walk(state) for name in names]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _is_half(path: Path) -> bool:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return False
    if path.name == "prompt" and not path.with_name("order.json").exists():
        return False  # written again before there is an order to read it
    if path.name in _SEALED:
        return not _is_sealed(data)
    if path.name == "holder.json":
        return not _is_json(data)
    return not data


def _is_sealed(data: bytes) -> bool:
    body, _, tail = data.rpartition(_SUM)
    body += b"}"
    return tail == b"%d}" % zlib.crc32(body) and _is_json(body)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
