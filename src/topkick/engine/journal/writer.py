"""The supervisor's side of the journal: one transaction per step, under its own epoch.

The journal is a SQLite file with a write-ahead log and `synchronous=FULL`: when `append` returns,
the step is on disk, and only then does the supervisor act on it. A step is one or more records with
their hash chain (`engine/codec/chain.py`), the texts that they name, and the answers to queued
commands.
All of it is in one transaction, so a crash leaves the whole step or nothing of it.

What happens if it is killed here?

- Before COMMIT: SQLite rolls the step back at the next opening. The supervisor had not acted on it;
  it decides again.
- After COMMIT: the step is replayed, and the supervisor carries out the orders that follow from it.
- COMMIT reports an error (disk full, I/O error): the step may be stored or not. The writer
  remembers the expected tip as its doubt. Before the next attempt it reads the stored tip: if that
  is the doubted step, the step counts as written, so the same step given again is written once.
- During `create`: the journal is built in a draft file and renamed into place, so an incomplete
  journal is never seen under its name.

Two supervisors. The project lock keeps them apart, but a lock can be lost with a replaced
directory. So `begin_epoch` stores a higher epoch, and every append checks in its transaction that
the stored epoch is still its own. A supervisor that was overtaken gets AnotherSupervisor and stops
without acting. The writer also checks that the file at its path is still the one that it opened,
because SQLite would go on writing to a deleted file.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from topkick.engine.codec.chain import ChainEntry, Head, Record, link
from topkick.engine.codec.texts import to_bytes
from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.files import fsync_dir
from topkick.engine.journal import sql
from topkick.engine.journal.command_queue import (
    NOTE,
    QueueAnswer,
    QueuedCommand,
    answer_letter,
    check_inbox,
    read_unanswered,
)
from topkick.engine.journal.database import (
    beside,
    damaged,
    has_log,
    open_existing,
    open_read_only,
    roll_back,
    translated,
    unavailable,
)
from topkick.engine.journal.draft import build
from topkick.engine.journal.rows import (
    ChainTip,
    check_anchor,
    is_intact,
    read_text,
    read_tip,
    read_verified,
)

NOTHING: Mapping[str, str] = {}
NO_ANSWERS: Mapping[int, QueueAnswer] = {}


class Journal:
    """The journal, open for appending. Opening checks anchor and inbox; `records()` proves the
    chain.

    Until the first epoch begins, a second, read-only connection stays open: it keeps SQLite from
    folding the write-ahead log into the file, so a journal that is found damaged stays as it is.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, guard: sqlite3.Connection) -> None:
        self._db = db
        self._guard = guard
        self._path = path
        self._file = _identity(path)
        self._tip = read_tip(db, path)
        self._epoch: int | None = None
        self._doubt: ChainTip | None = None

    @classmethod
    def create(cls, path: Path, now_us: int) -> Self:
        """Create a new journal; a crash leaves a complete one or none."""
        if path.exists() or path.is_symlink():
            raise UsageError(
                f"There is already a journal: {path}. No run was started. Continue: topkick resume"
            )
        if has_log(path):  # SQLite would apply it to the new file
            raise damaged(path, "the file is gone, but its write-ahead log is still there")
        crash_points.here("journal.before-create")
        build(beside(path, ".new"), path.parent, now_us)
        crash_points.here("journal.before-publish")
        try:
            beside(path, NOTE).unlink(missing_ok=True)  # left by an earlier journal
            beside(path, ".new").rename(path)
            fsync_dir(path.parent)
        except OSError as error:
            raise unavailable(path, error.strerror or str(error)) from error
        crash_points.here("journal.after-create")
        return cls.open(path, anchor=None)

    @classmethod
    def open(cls, path: Path, *, anchor: Head | None) -> Self:
        guard = open_read_only(path)
        try:
            if anchor is not None:
                check_anchor(guard, path, anchor)
            check_inbox(guard, path)
            return cls(open_existing(path), path, guard)
        except BaseException:
            guard.close()
            raise

    def close(self) -> None:
        with suppress(sqlite3.Error):  # everything important is committed
            self._db.close()
        with suppress(sqlite3.Error):
            self._guard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def head(self) -> Head:
        return self._tip.head

    def records(self, after_seq: int = 0) -> Iterator[Record]:
        """Yield verified records, oldest first; raise JournalDamaged at the first that is not
        intact.
        """
        return read_verified(self._db, self._path, after_seq)

    def text(self, sha: str) -> str | None:
        return read_text(self._db, self._path, sha)

    def unanswered(self) -> list[QueuedCommand]:
        """Return the commands that wait for an answer; raise if another supervisor has taken over.

        Every turn of the loop begins with this call, so an overtaken supervisor learns of it here.
        """
        self.require_ours()
        return read_unanswered(self._db, self._path)

    def require_ours(self) -> None:
        """Raise if another supervisor has taken over, or the file was replaced; called before
        acting.
        """
        if self._epoch is None:
            return
        if _identity(self._path) != self._file:
            raise AnotherSupervisor(
                f"The journal {self._path} was moved, removed or replaced while this supervisor "
                "worked. This supervisor ends; its agents continue. See: topkick status"
            )
        with translated(self._path):
            self._check_epoch()

    def begin_epoch(self, holder: str) -> int:
        """Start a new epoch; from here on the writes of every earlier holder are refused."""
        with translated(self._path):
            self._db.execute("PRAGMA journal_mode=WAL")  # a restored backup may have lost it
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._check_unchanged()
                epoch = max(self._stored_epoch(), self._tip.epoch) + 1
                self._db.execute(sql.SET_META, ("epoch", str(epoch)))
                self._db.execute(sql.SET_META, ("holder", holder))
                crash_points.here("journal.before-epoch")
                self._db.execute("COMMIT")
            except BaseException:
                roll_back(self._db)
                raise
        crash_points.here("journal.after-epoch")
        self._epoch = epoch
        self._guard.close()
        return epoch

    def append(
        self,
        at_us: int,
        entries: Sequence[ChainEntry],
        texts: Mapping[str, str] = NOTHING,
        answers: Mapping[int, QueueAnswer] = NO_ANSWERS,
    ) -> Head:
        """Write one step: all of it is durable when this returns, or none of it.

        After a JournalUnavailable the same step may be given again: it is written once.
        """
        if not entries:
            if texts or answers:
                raise ValueError("a step needs at least one record")
            return self.head
        records, tip = self._next(at_us, entries)
        self._check_place()
        with translated(self._path):
            if self._doubt is not None and self._happened(tip):
                return self.head
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._check_epoch()
                self._write_records(records)
                self._write_texts(texts)
                for letter, answer in answers.items():
                    answer_letter(self._db, self._path, letter, answer, tip.step)
            except BaseException:
                roll_back(self._db)
                raise
            self._commit(tip)
        return self.head

    def _next(
        self, at_us: int, entries: Sequence[ChainEntry]
    ) -> tuple[list[tuple[Record, bytes]], ChainTip]:
        """Return the step's records, each with its hash in the chain, and the tip after them."""
        if self._epoch is None:
            raise ValueError("append before begin_epoch")
        head, step = self._tip.head, self._tip.step + 1
        prev, records = bytes.fromhex(head.chain_hex), []
        for seq, entry in enumerate(entries, head.seq + 1):
            record = Record(seq, step, self._epoch, at_us, entry.kind, entry.body)
            prev = link(prev, record)
            records.append((record, prev))
        return records, ChainTip(Head(head.seq + len(entries), prev.hex()), step, self._epoch)

    def _check_place(self) -> None:
        """Raise if the file was replaced: SQLite would keep writing to the deleted one."""
        if _identity(self._path) != self._file:
            raise unavailable(self._path, "it was moved, removed or replaced while in use")

    def _check_unchanged(self) -> None:
        if read_tip(self._db, self._path) != self._tip:
            raise AnotherSupervisor(
                "Another supervisor wrote to the journal while this one was starting, so this one "
                "ends. See: topkick status"
            )

    def _stored_epoch(self) -> int:
        row = self._db.execute(sql.GET_META, ("epoch",)).fetchone()
        if row is None or not str(row[0]).isdecimal():
            raise damaged(self._path, "it has no number of its epoch")
        return int(row[0])

    def _check_epoch(self) -> None:
        if (stored := self._stored_epoch()) != self._epoch:
            (holder,) = self._db.execute(sql.GET_META, ("holder",)).fetchone() or ("someone",)
            raise AnotherSupervisor(
                f"Another supervisor took over this project: {holder} (epoch {stored}; this one "
                f"had {self._epoch}). This supervisor ends. See: topkick status"
            )

    def _write_records(self, records: Sequence[tuple[Record, bytes]]) -> None:
        tip = read_tip(self._db, self._path)
        if tip != self._tip:
            raise damaged(self._path, f"record {tip.head.seq} was written by an unknown process")
        for r, chain in records:
            row = (r.seq, r.step, r.epoch, r.at_us, r.kind, r.body, chain)
            self._db.execute(sql.ADD_RECORD, row)

    def _write_texts(self, texts: Mapping[str, str]) -> None:
        for sha, body in texts.items():
            raw = to_bytes(body)
            if not is_intact(sha, raw):
                raise ValueError(f"the text under {sha} has another hash")
            self._db.execute(sql.ADD_TEXT, (sha, raw))

    def _commit(self, tip: ChainTip) -> None:
        """Commit the step; if that reports a failure, what is stored decides."""
        crash_points.here("journal.before-commit")
        try:
            self._db.execute("COMMIT")
        except sqlite3.Error:
            self._doubt = tip
            if not self._happened(tip):
                raise
        crash_points.here("journal.after-commit")
        self._tip = tip

    def _happened(self, tip: ChainTip) -> bool:
        """Return whether the step in doubt is stored; if that cannot be read, the doubt stays."""
        roll_back(self._db)
        if self._db.in_transaction:
            raise unavailable(self._path, "a failed write could not be rolled back")
        if read_tip(self._db, self._path) != self._doubt:
            self._doubt = None
            return False
        if tip != self._doubt:
            raise unavailable(self._path, "a write that was reported as failed did succeed")
        self._tip, self._doubt = tip, None
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
