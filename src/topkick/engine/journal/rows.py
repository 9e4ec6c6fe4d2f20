"""Read the journal's rows and check them against their hashes."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from topkick.engine.codec.chain import EMPTY, GENESIS, Head, Record, link
from topkick.engine.codec.texts import from_bytes
from topkick.engine.errors import JournalDamaged
from topkick.engine.journal import sql
from topkick.engine.journal.database import damaged, translated

BATCH = 4096


@dataclass(frozen=True, slots=True)
class ChainTip:
    """The place where the next record goes."""

    head: Head
    step: int
    epoch: int


def read_tip(db: sqlite3.Connection, path: Path) -> ChainTip:
    with translated(path):
        row = db.execute(sql.HEAD).fetchone()
    if row is None:
        return ChainTip(EMPTY, 0, 0)
    seq, chain, step, epoch = row
    if not (type(chain) is bytes and type(step) is type(epoch) is int):
        raise damaged(path, f"record {seq} cannot be read")
    return ChainTip(Head(seq, chain.hex()), step, epoch)


def chain_at(db: sqlite3.Connection, path: Path, seq: int) -> bytes | None:
    """Return the stored hash of record `seq`; None if there is no such record."""
    if seq == 0:
        return GENESIS
    with translated(path):
        row = db.execute(sql.CHAIN_AT, (seq,)).fetchone()
    return row[0] if row and type(row[0]) is bytes else None


def check_anchor(db: sqlite3.Connection, path: Path, anchor: Head) -> None:
    chain = chain_at(db, path, anchor.seq)
    if chain is not None and chain.hex() == anchor.chain_hex:
        return
    last = read_tip(db, path).head.seq
    raise JournalDamaged(
        f"The journal {path} has a lost tail: it once had record {anchor.seq} "
        f"({anchor.chain_hex[:12]}) and now ends at record {last} without it.\n"
        "Nothing is dispatched: agents may have done work that the journal lost.\n"
        "See: topkick journal check\n"
        "If you restored a backup on purpose: topkick journal repair --accept-lost-tail"
    )


def read_verified(db: sqlite3.Connection, path: Path, after_seq: int) -> Iterator[Record]:
    """Yield the records after `after_seq`, each verified against the chain first.

    They are read in batches, so that a slow reader does not keep SQLite from resetting the log.
    """
    prev = chain_at(db, path, after_seq)
    last = after_seq
    while prev is not None:
        batch, prev = _batch(db, path, last, prev)
        yield from batch
        last += len(batch)
        if len(batch) < BATCH:
            return


def _batch(
    db: sqlite3.Connection, path: Path, last: int, prev: bytes
) -> tuple[list[Record], bytes]:
    batch: list[Record] = []
    try:
        with translated(path):
            for *content, chain in db.execute(sql.RECORDS, (last, BATCH)):
                record = Record(*content)
                last += 1
                if record.seq != last:
                    raise damaged(path, f"record {last} is missing")
                prev = link(prev, record)
                if prev != chain:
                    raise damaged(path, f"record {last} is not what was written")
                batch.append(record)
    except (TypeError, ValueError) as error:  # a number became text, or text is not UTF-8
        raise damaged(path, f"record {last} cannot be read ({error})") from error
    return batch, prev


def read_text(db: sqlite3.Connection, path: Path, sha: str) -> str | None:
    with translated(path):
        row = db.execute(sql.TEXT, (sha,)).fetchone()
    if row is None:
        return None
    if not is_intact(sha, row[0]):
        raise damaged(path, f"text {sha} is not what was written")
    return from_bytes(row[0])


def is_intact(sha: object, body: object) -> bool:
    return isinstance(body, bytes) and sha256(body).hexdigest() == sha
