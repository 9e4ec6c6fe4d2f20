"""Build a new journal in a draft file; it is renamed into place when it is complete."""

import os
from contextlib import closing
from pathlib import Path

from topkick.engine.journal import sql
from topkick.engine.journal.database import beside, connect, has_log, translated, unavailable


def build(draft: Path, state_dir: Path, now_us: int) -> None:
    """Write the empty tables into a file of its own, readable by its owner only."""
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
        db.executescript(f"BEGIN IMMEDIATE; {sql.TABLES}")
        facts = {
            "schema": sql.SCHEMA_VERSION,
            "created_at_us": now_us,
            "state_dir": state_dir.absolute(),
            "epoch": 0,
            sql.POSTED: 0,
            sql.ANSWERED: 0,
        }
        db.executemany(sql.SET_META, [(key, str(value)) for key, value in facts.items()])
        db.execute("COMMIT")
    require_folded(draft)


def require_folded(draft: Path) -> None:
    """Raise if the write-ahead log is still there: SQLite closes without an error in that case."""
    if has_log(draft):
        raise unavailable(draft, "the disk stored its log, but not the file itself")
