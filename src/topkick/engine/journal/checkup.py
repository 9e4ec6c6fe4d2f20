"""Check a journal completely and describe each finding in a sentence."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from topkick.engine.codec.chain import Head, Record
from topkick.engine.errors import TopkickError
from topkick.engine.journal import sql
from topkick.engine.journal.command_queue import check_inbox
from topkick.engine.journal.database import open_read_only, translated
from topkick.engine.journal.rows import check_anchor, is_intact, read_verified

CHECKS_SHOWN = 20

Names = Callable[[Record], Iterable[str]]
"""Returns the hashes of the texts that a record names."""


def no_names(_record: Record) -> Iterable[str]:
    return ()


def check(
    path: Path, anchor: Head | None, names: Names = no_names, *, count_letters: bool = True
) -> list[str]:
    """Return the findings, most basic first; empty when the journal can be trusted.

    With `count_letters=False` a journal may have fewer commands than were once seen.
    """
    try:
        db = open_read_only(path)
    except TopkickError as error:
        return [str(error)]
    with closing(db):
        findings = [*_guarded(_pages(db, path)), *_guarded(_records(db, path))]
        findings += _guarded(_texts(db, path))
        findings += _guarded(_named_texts(db, path, names))
        findings += _guarded(_inbox(db, path, count_letters=count_letters))
        if anchor is not None:
            findings += _guarded(_anchored(db, path, anchor))
    return list(dict.fromkeys(findings))


def _guarded(findings: Iterator[str]) -> list[str]:
    """Return the findings, up to and including the damage that ended the search."""
    found: list[str] = []
    try:
        found.extend(findings)
    except TopkickError as error:
        found.append(str(error))
    return found


def _pages(db: sqlite3.Connection, path: Path) -> Iterator[str]:
    with translated(path):
        for (line,) in db.execute(f"PRAGMA integrity_check({CHECKS_SHOWN})"):
            if line != "ok":
                yield f"SQLite says: {line}"


def _records(db: sqlite3.Connection, path: Path) -> Iterator[str]:
    step = epoch = 0
    for record in read_verified(db, path, 0):
        if record.epoch < epoch:
            yield f"record {record.seq} is of epoch {record.epoch}, after one of epoch {epoch}"
        if record.step not in (step, step + 1):
            yield f"record {record.seq} is of step {record.step}, after one of step {step}"
        step, epoch = record.step, record.epoch
    with translated(path):
        row = db.execute(sql.GET_META, ("epoch",)).fetchone()
    if row is None or not str(row[0]).isdecimal() or int(row[0]) < epoch:
        yield f"the journal's epoch is {row and row[0]}, but its last record is of epoch {epoch}"


def _texts(db: sqlite3.Connection, path: Path) -> Iterator[str]:
    with translated(path):
        for sha, body in db.execute(sql.ALL_TEXTS):
            if not is_intact(sha, body):
                yield f"text {sha} is not what was written"


def _named_texts(db: sqlite3.Connection, path: Path, names: Names) -> Iterator[str]:
    for record in read_verified(db, path, 0):
        for sha in names(record):
            with translated(path):
                found = db.execute(sql.TEXT, (sha,)).fetchone()
            if found is None:
                yield f"record {record.seq} names text {sha}, which is missing"


def _inbox(db: sqlite3.Connection, path: Path, *, count_letters: bool) -> Iterator[str]:
    check_inbox(db, path, as_noted=count_letters)
    yield from ()


def _anchored(db: sqlite3.Connection, path: Path, anchor: Head) -> Iterator[str]:
    check_anchor(db, path, anchor)
    yield from ()
