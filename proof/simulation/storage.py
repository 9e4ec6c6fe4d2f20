"""The journal's disk: the real SQLite file, with calls that fail, lie, or are the last ones."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from topkick.engine.codec.chain import Head
from topkick.engine.journal import database, sql

_real_connect = sqlite3.connect


class Disk:
    """The present faults of the disk."""

    def __init__(
        self,
        seam: Callable[[str], None],
        now_s: Callable[[], float],
        struck: Callable[[str], None] = lambda _what: None,
    ) -> None:
        self._struck = struck
        self._full_told_s = 0.0
        self._seam = seam
        self._now_s = now_s
        self.full_until_s = 0.0
        self.unreadable_until_s = 0.0
        self.commit_faults: list[str] = []
        self.failures = 0

    def is_full(self) -> bool:
        return self._now_s() < self.full_until_s

    def heal(self) -> None:
        self.full_until_s = self.unreadable_until_s = 0.0
        self.commit_faults.clear()

    def commit(self, real: Callable[[], sqlite3.Cursor]) -> sqlite3.Cursor:
        self._seam("journal: before commit")
        if self.is_full():
            if self._full_told_s != self.full_until_s:
                self._full_told_s = self.full_until_s
                self._struck("fault disk full")
            raise self._trouble("database or disk is full", sqlite3.SQLITE_FULL)
        fault = self.commit_faults.pop(0) if self.commit_faults else ""
        if fault:
            self._struck(f"fault {fault}")
        if fault == "fsync error":
            raise self._trouble("disk I/O error", sqlite3.SQLITE_IOERR)
        done = real()
        if fault == "commit lies twice":
            self.unreadable_until_s = self._now_s() + 5.0
        if fault:
            raise self._trouble("disk I/O error", sqlite3.SQLITE_IOERR)
        self._seam("journal: after commit")
        return done

    def read(self, real: Callable[[], sqlite3.Cursor]) -> sqlite3.Cursor:
        if self._now_s() < self.unreadable_until_s:
            raise self._trouble("disk I/O error", sqlite3.SQLITE_IOERR)
        return real()

    def _trouble(self, text: str, code: int) -> sqlite3.OperationalError:
        self.failures += 1
        error = sqlite3.OperationalError(text)
        error.sqlite_errorcode = code
        return error


@contextmanager
def on_disk(disk: Disk) -> Iterator[None]:
    """Route every connection that the journal opens in the block through this disk."""

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *args: object) -> sqlite3.Cursor:  # type: ignore[override]
            run = super().execute
            if statement == "COMMIT":
                return disk.commit(lambda: run(statement))
            if statement == sql.HEAD:
                return disk.read(lambda: run(statement))
            return run(statement, *args)  # type: ignore[arg-type]

    def connect(*args: object, **kwargs: object) -> sqlite3.Connection:
        kwargs.setdefault("factory", Connection)
        return _real_connect(*args, **kwargs)  # type: ignore[arg-type,return-value]

    database.sqlite3.connect = connect  # type: ignore[assignment,attr-defined]
    try:
        yield
    finally:
        database.sqlite3.connect = _real_connect  # type: ignore[attr-defined]


def stored_epoch(path: Path) -> int:
    """Return the epoch in the file, read without the program's code."""
    db = _real_connect(path)
    try:
        (epoch,) = db.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
    finally:
        db.close()
    return int(epoch)


@contextmanager
def without_tail(path: Path, anchor: Head) -> Iterator[bool]:
    """Remove the last acknowledged step in the block, as if it had never reached the disk."""
    db = _real_connect(path, isolation_level=None)
    try:
        rows = list(db.execute("SELECT * FROM records WHERE seq >= ?", (anchor.seq,)))
        db.execute("DELETE FROM records WHERE seq >= ?", (anchor.seq,))
        yield bool(rows)
    finally:
        with suppress(sqlite3.Error):
            db.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        db.close()
