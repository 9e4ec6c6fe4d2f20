"""Bugs put into the program on purpose: the campaign is worth something if it catches each."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from topkick.core.chain import Head, Record
from topkick.outside.journal import letters, reader, rows, sql, writer
from topkick.outside.journal.letters import Letter


def _unproven(db: Any, _path: Path, last: int, prev: bytes) -> tuple[list[Record], bytes]:
    return [Record(*row[:-1]) for row in db.execute(sql.RECORDS, (last, rows.BATCH))], prev


def _unseen(_db: Any, _path: Path, _anchor: Head) -> None:
    return


def _unsealed(_path: Path, row: tuple[Any, ...]) -> Letter:
    return Letter(*row[:-1])


def _uncounted(_db: Any, _path: Path) -> None:
    return


def _intact(_sha: object, _body: object) -> bool:
    return True


class _Careless(writer.Journal):
    """Writes before anything is proven."""

    def records(self, after_seq: int = 0) -> Iterator[Record]:
        self.begin_epoch("careless")
        return super().records(after_seq)


PLANTS: dict[str, list[tuple[object, str, object]]] = {
    "the chain is not compared": [(rows, "_batch", _unproven)],
    "the anchor is not looked at": [
        (reader, "check_anchor", _unseen),
        (writer, "check_anchor", _unseen),
    ],
    "a letter's seal is not looked at": [(letters, "opened", _unsealed)],
    "letters are not counted": [
        (reader, "check_inbox", _uncounted),
        (writer, "check_inbox", _uncounted),
    ],
    "texts are not compared with their hashes": [(rows, "is_intact", _intact)],
    "it writes before it has read": [("proof.storage.judge", "Journal", _Careless)],
}


@contextmanager
def planted(name: str) -> Iterator[None]:
    changes = [
        patch(f"{where}.{what}", bug) if isinstance(where, str) else patch.object(where, what, bug)
        for where, what, bug in PLANTS[name]
    ]
    for change in changes:
        change.start()
    try:
        yield
    finally:
        for change in changes:
            change.stop()
