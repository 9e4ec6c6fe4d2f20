"""The hash chain over the journal's records, and its head as it is kept outside the journal.

Each record stores the SHA-256 of the previous record's hash and its own content; the first one
builds on GENESIS. So a record that was changed, removed or reordered breaks the chain at that
place, and a reader can name the first record that is not what was written. The chain cannot show
that records are missing at the end: what is left is a valid, shorter chain. For that, the last
record's number and hash (`Head`) are also written to the header of the state file, the anchor. A
journal that lacks the anchored record has lost its tail.

The chain guards against damage and mistakes, not against an attacker who may write both files: such
a writer can compute a new chain.
"""

import re
from dataclasses import dataclass
from hashlib import sha256

GENESIS = bytes(32)
_ANCHOR = re.compile(
    r"^<!-- topkick journal (0|[1-9][0-9]{0,17}) ([0-9a-f]{64}) -->[ \t\r]*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Head:
    """The number of the last record, and the hash over it and all records before it."""

    seq: int
    chain_hex: str


EMPTY = Head(0, GENESIS.hex())


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the journal; all records of one step are written in one transaction."""

    seq: int
    step: int
    epoch: int
    at_us: int
    kind: str
    body: str


@dataclass(frozen=True, slots=True)
class ChainEntry:
    """A record that a step wants written: the kind of a fact or event, and its text."""

    kind: str
    body: str


def link(prev: bytes, record: Record) -> bytes:
    """Return the hash of a record on top of `prev`; the kind's length separates kind and body."""
    where = (record.seq, record.step, record.epoch, record.at_us, len(record.kind))
    line = "%d %d %d %d %d %s%s" % (*where, record.kind, record.body)  # noqa: UP031  the quickest way
    return sha256(prev + line.encode()).digest()


def anchor_line(head: Head) -> str:
    return f"<!-- topkick journal {head.seq} {head.chain_hex} -->"


def find_anchor(text: str) -> Head | None:
    """Return the first anchor of a file, which is in the header, above any text of an agent."""
    match = _ANCHOR.search(text)
    return Head(int(match[1]), match[2]) if match else None
