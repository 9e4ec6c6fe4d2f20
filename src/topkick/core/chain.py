"""The hash chain over the journal's records, and its head as it is carried outside."""

from dataclasses import dataclass
from hashlib import sha256

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True)
class Head:
    """The last record and the hash over it and all before it."""

    seq: int
    chain_hex: str


EMPTY = Head(0, GENESIS.hex())


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the journal; all records of one step were written together."""

    seq: int
    step: int
    epoch: int
    at_us: int
    kind: str
    body: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What a step wants written: the kind of a happening, and its text."""

    kind: str
    body: str


def link(prev: bytes, record: Record) -> bytes:
    """The hash of a record on top of `prev`; the kind's length keeps it apart from the body."""
    where = (record.seq, record.step, record.epoch, record.at_us, len(record.kind))
    line = "%d %d %d %d %d %s%s" % (*where, record.kind, record.body)  # noqa: UP031  the quickest way
    return sha256(prev + line.encode()).digest()
