"""The supervisor's side of the journal: one transaction a step, under its own epoch."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Self

from topkick.core.chain import Entry, Head, Record, link
from topkick.core.errors import AnotherSupervisor, UsageError
from topkick.core.texts import to_bytes
from topkick.outside.ground.files import fsync_dir
from topkick.outside.journal import sql
from topkick.outside.journal.database import (
    beside,
    connect,
    damaged,
    open_existing,
    roll_back,
    translated,
    unavailable,
)
from topkick.outside.journal.rows import (
    Letter,
    Tip,
    check_anchor,
    is_intact,
    read_text,
    read_tip,
    read_unanswered,
    read_verified,
)

NOTHING: Mapping[str, str] = {}
NO_ANSWERS: Mapping[int, str] = {}


class Journal:
    """Open for appending. `records()` proves the chain; opening looked at the anchor only."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self._file = _identity(path)
        self._tip = read_tip(db, path)
        self._epoch: int | None = None
        self._in_doubt = False

    @classmethod
    def create(cls, path: Path, now_us: int) -> Self:
        """A new journal, complete or not there at all."""
        if path.exists() or path.is_symlink():
            raise UsageError(f"There is a journal already: {path}. Go on with: topkick resume")
        log = beside(path, "-wal")
        if log.exists() and log.stat().st_size:  # SQLite would mix it into the new one
            raise damaged(path, "the file is gone, and its write-ahead log is still there")
        _build(beside(path, ".new"), path.parent, now_us)
        try:
            beside(path, ".new").rename(path)
            fsync_dir(path.parent)
        except OSError as error:
            raise unavailable(path, error.strerror or str(error)) from error
        return cls.open(path, anchor=None)

    @classmethod
    def open(cls, path: Path, *, anchor: Head | None) -> Self:
        db = open_existing(path)
        try:
            with translated(path):
                db.execute("PRAGMA journal_mode=WAL")  # a restored backup may have lost it
            if anchor is not None:
                check_anchor(db, path, anchor)
            return cls(db, path)
        except BaseException:
            db.close()
            raise

    def close(self) -> None:
        with suppress(sqlite3.Error):  # all that counts was committed
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def head(self) -> Head:
        return self._tip.head

    def records(self, after_seq: int = 0) -> Iterator[Record]:
        """Verified records, oldest first; raises JournalDamaged at the first that is not whole."""
        return read_verified(self._db, self._path, after_seq)

    def text(self, sha: str) -> str | None:
        return read_text(self._db, self._path, sha)

    def unanswered(self) -> list[Letter]:
        return read_unanswered(self._db, self._path)

    def begin_epoch(self, holder: str) -> int:
        """From here on every other holder's write is refused."""
        with translated(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._check_unchanged()
                epoch = max(self._stored_epoch(), self._tip.epoch) + 1
                self._db.execute(sql.SET_META, ("epoch", str(epoch)))
                self._db.execute(sql.SET_META, ("holder", holder))
                self._db.execute("COMMIT")
            except BaseException:
                roll_back(self._db)
                raise
        self._epoch = epoch
        return epoch

    def append(
        self,
        at_us: int,
        entries: Sequence[Entry],
        texts: Mapping[str, str] = NOTHING,
        answers: Mapping[int, str] = NO_ANSWERS,
    ) -> Head:
        """One step: all of it is durable when this returns, or none of it."""
        if not (entries or texts or answers):
            return self.head
        self._check_place()
        with translated(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                epoch = self._check_epoch()
                tip = self._write_records(at_us, epoch, entries)
                self._write_texts(texts)
                self._write_answers(answers, tip.step)
            except BaseException:
                roll_back(self._db)
                raise
            self._commit(tip)
        return self.head

    def _check_place(self) -> None:
        """SQLite would go on writing into a file that is no longer there for anyone else."""
        if self._in_doubt:
            raise unavailable(self._path, "a write before this one may or may not have happened")
        if _identity(self._path) != self._file:
            raise unavailable(self._path, "it was moved, removed or replaced while in use")

    def _check_unchanged(self) -> None:
        if read_tip(self._db, self._path) != self._tip:
            raise AnotherSupervisor(
                "Another supervisor wrote to the journal while this one was starting. "
                "See: topkick status"
            )

    def _stored_epoch(self) -> int:
        row = self._db.execute(sql.GET_META, ("epoch",)).fetchone()
        if row is None or not str(row[0]).isdecimal():
            raise damaged(self._path, "it does not say which epoch it is in")
        return int(row[0])

    def _check_epoch(self) -> int:
        if self._epoch is None:
            raise ValueError("append before begin_epoch")
        if (stored := self._stored_epoch()) != self._epoch:
            (holder,) = self._db.execute(sql.GET_META, ("holder",)).fetchone() or ("someone",)
            raise AnotherSupervisor(
                f"Another supervisor took over this project: {holder} (epoch {stored}, ours was "
                f"{self._epoch}). This one stops here. See: topkick status"
            )
        return stored

    def _write_records(self, at_us: int, epoch: int, entries: Sequence[Entry]) -> Tip:
        tip = read_tip(self._db, self._path)
        if tip != self._tip:
            raise damaged(self._path, f"record {tip.head.seq} was written by nobody we know")
        if not entries:
            return tip
        prev, seq, step = bytes.fromhex(tip.head.chain_hex), tip.head.seq, tip.step + 1
        for entry in entries:
            seq += 1
            record = Record(seq, step, epoch, at_us, entry.kind, entry.body)
            prev = link(prev, record)
            row = (seq, step, epoch, at_us, entry.kind, entry.body, prev)
            self._db.execute(sql.ADD_RECORD, row)
        return Tip(Head(seq, prev.hex()), step, epoch)

    def _write_texts(self, texts: Mapping[str, str]) -> None:
        for sha, body in texts.items():
            raw = to_bytes(body)
            if not is_intact(sha, raw):
                raise ValueError(f"the text under {sha} has another hash")
            self._db.execute(sql.ADD_TEXT, (sha, raw))

    def _write_answers(self, answers: Mapping[int, str], step: int) -> None:
        for letter, answer in answers.items():
            if self._db.execute(sql.ANSWER, (answer, step, letter)).rowcount != 1:
                raise ValueError(f"letter {letter} does not wait for an answer")

    def _commit(self, tip: Tip) -> None:
        """A commit that reports failure may have happened: what is stored decides."""
        try:
            self._db.execute("COMMIT")
        except sqlite3.Error:
            self._in_doubt = True
            roll_back(self._db)
            stored = read_tip(self._db, self._path)
            self._in_doubt = tip == self._tip  # without a new record nothing tells
            if self._in_doubt or stored != tip:
                raise
        self._tip = tip


def _build(draft: Path, state_dir: Path, now_us: int) -> None:
    """Write the empty tables into a file of their own, readable by its owner only."""
    try:
        for leftover in (draft, beside(draft, "-wal"), beside(draft, "-shm")):
            leftover.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise unavailable(draft, error.strerror or str(error)) from error
    with translated(draft), closing(connect(draft, "mode=rw")) as db:
        (mode,) = db.execute("PRAGMA journal_mode=WAL").fetchone()
        if mode != "wal":
            raise unavailable(draft, "this file system cannot hold a write-ahead log")
        db.executescript(f"BEGIN IMMEDIATE; {sql.TABLES} COMMIT;")
        facts = {
            "schema": sql.SCHEMA_VERSION,
            "created_at_us": now_us,
            "state_dir": state_dir.absolute(),
            "epoch": 0,
        }
        db.executemany(sql.SET_META, [(key, str(value)) for key, value in facts.items()])


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
