"""Read a journal without changing it, for status pages and viewers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from topkick.engine.codec.chain import Head, Record
from topkick.engine.journal import sql
from topkick.engine.journal.command_queue import QueuedCommand, check_inbox, count, read_unanswered
from topkick.engine.journal.database import open_read_only
from topkick.engine.journal.rows import check_anchor, read_text, read_tip, read_verified


class JournalReader:
    """Reads what is committed, whether a supervisor is writing or not."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = open_read_only(path)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def records(self, after_seq: int = 0) -> Iterator[Record]:
        return read_verified(self._db, self._path, after_seq)

    def head(self) -> Head:
        return read_tip(self._db, self._path).head

    def text(self, sha: str) -> str | None:
        return read_text(self._db, self._path, sha)

    def unanswered(self) -> list[QueuedCommand]:
        return read_unanswered(self._db, self._path)

    def posted(self) -> int:
        """Return how many commands were ever posted; they are numbered from 1."""
        return count(self._db, self._path, sql.POSTED)

    def require(self, anchor: Head | None) -> None:
        """Raise JournalDamaged unless the anchored record and every posted command are there."""
        if anchor is not None:
            check_anchor(self._db, self._path, anchor)
        check_inbox(self._db, self._path)
