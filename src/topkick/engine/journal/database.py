"""The connection to the journal's file; SQLite's errors become messages that a person can act
on.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from stat import S_ISREG

from topkick.engine.errors import JournalDamaged, JournalUnavailable, UsageError
from topkick.engine.journal import sql

BUSY_TIMEOUT_S = 10.0
SALVAGED = ".salvaged"

# Bytes that are not UTF-8 are kept: the chain check can name the damaged record.
_decoded = partial(str, encoding="utf-8", errors="surrogateescape")

_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,  # a table is missing
        sqlite3.SQLITE_CONSTRAINT,
    }
)


class NoJournal(UsageError):
    """No run was ever started here."""


class JournalTooNew(UsageError):
    """A later version of topkick wrote this journal."""


class JournalTooOld(UsageError):
    """A version of topkick before the first release wrote this journal."""


def damaged(path: Path, what: str) -> JournalDamaged:
    return JournalDamaged(
        f"The journal {path} is damaged: {what}.\n"
        "Nothing is dispatched from it. See all damage: topkick journal check\n"
        "Then: topkick journal repair"
    )


def unavailable(path: Path, what: str) -> JournalUnavailable:
    return JournalUnavailable(
        f"The journal {path} cannot be used now: {what}.\n"
        "Nothing was lost. Make sure that the disk has room and the directory can be written, "
        "then: topkick resume"
    )


@contextmanager
def translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError:  # a bug, not a fault of the disk
        raise
    except UnicodeDecodeError as error:  # SQLite's message quotes the damaged bytes
        raise damaged(path, "its tables cannot be read") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_INTERNAL)
        explain = damaged if code & 0xFF in _DAMAGE else unavailable
        raise explain(path, str(error)) from error


def require_plain(path: Path) -> None:
    """Refuse anything but a regular file before SQLite opens it, and a journal under repair."""
    if is_cut_off(path):
        raise JournalDamaged(
            f"A repair of the journal {path} was interrupted; nothing is dispatched until it is "
            "done.\n"
            "Continue the repair: topkick journal repair --salvage"
        )
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise NoJournal(f"There is no journal at {path}. Begin with: topkick start") from None
    except OSError as error:
        raise unavailable(path, error.strerror or str(error)) from error
    if not S_ISREG(found.st_mode):
        raise damaged(path, "it is not a regular file")
    if not found.st_size:  # SQLite would treat it as new and delete its log
        raise damaged(path, "it is empty")
    for suffix in ("-wal", "-shm"):
        with suppress(OSError):  # usually because there is none
            if not S_ISREG(beside(path, suffix).lstat().st_mode):
                raise damaged(path, f"{path.name}{suffix} is not a regular file")


def is_cut_off(path: Path) -> bool:
    """Return whether a repair was interrupted before the salvaged journal was put in place."""
    try:
        return S_ISREG(beside(path, SALVAGED).lstat().st_mode)
    except OSError:
        return False


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a connection without implicit transactions; `mode` is a query of SQLite's URI."""
    with translated(path):
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?{mode}",
            uri=True,
            isolation_level=None,
            timeout=BUSY_TIMEOUT_S,
        )
        db.text_factory = _decoded
        try:
            for pragma in sql.PRAGMAS:
                db.execute(pragma)
        except BaseException:
            db.close()
            raise
        return db


def open_existing(path: Path, mode: str = "mode=rw") -> sqlite3.Connection:
    require_plain(path)
    db = connect(path, mode)
    try:
        check_version(db, path)
    except BaseException:
        db.close()
        raise
    return db


def open_read_only(path: Path) -> sqlite3.Connection:
    try:
        return open_existing(path, "mode=ro")
    except JournalUnavailable:
        if has_log(path):
            raise
        # On a read-only disk SQLite cannot make its index of the log. Without a log it needs none.
        return open_existing(path, "mode=ro&immutable=1")


def check_version(db: sqlite3.Connection, path: Path) -> None:
    with translated(path):
        row = db.execute(sql.GET_META, ("schema",)).fetchone()
    if row is None or not str(row[0]).isdecimal():
        raise damaged(path, "it has no version number")
    if (version := int(row[0])) > sql.SCHEMA_VERSION:
        raise JournalTooNew(
            f"The journal {path} has version {version}; this topkick knows up to "
            f"{sql.SCHEMA_VERSION}, so it cannot read the run.\n"
            "Upgrade topkick, or finish the run with the version that began it."
        )
    if version < sql.SCHEMA_VERSION:
        raise JournalTooOld(
            f"The journal {path} has version {version}, from before the first release of topkick, "
            "so this topkick cannot read its run.\n"
            "If agents or a supervisor of that run are still alive, end them with the version that "
            "began it."
        )


@contextmanager
def snapshot(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Read several rows from one state of the file, whatever other processes write meanwhile."""
    with translated(path):
        db.execute("BEGIN")
        try:
            yield
        finally:
            roll_back(db)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def has_log(path: Path) -> bool:
    """Return whether there is a write-ahead log with content."""
    try:
        return beside(path, "-wal").lstat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unavailable(path, error.strerror or str(error)) from error


def roll_back(db: sqlite3.Connection) -> None:
    """Roll back after a failure; SQLite may have done so already, or be unable to."""
    with suppress(sqlite3.Error):
        if db.in_transaction:
            db.execute("ROLLBACK")
