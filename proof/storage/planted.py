"""Planted bugs: the campaign is worth something if it catches each."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from topkick.engine.codec.chain import Head, Record
from topkick.engine.io import files, sealed_records
from topkick.engine.journal import command_queue, reader, rows, sql, writer
from topkick.engine.journal.command_queue import QueuedCommand
from topkick.runner import run_dir
from topkick.runner.keeper import keeper


def _unproven(db: Any, _path: Path, last: int, prev: bytes) -> tuple[list[Record], bytes]:
    return [Record(*row[:-1]) for row in db.execute(sql.RECORDS, (last, rows.BATCH))], prev


def _unseen(_db: Any, _path: Path, _anchor: Head) -> None:
    return


def _unsealed(_path: Path, row: tuple[Any, ...]) -> QueuedCommand:
    *said, outcome, refusal, _seal = row
    return QueuedCommand(*said, command_queue.answer_from(outcome, refusal))


def _uncounted(_db: Any, _path: Path) -> None:
    return


def _intact(_sha: object, _body: object) -> bool:
    return True


def _believed(text: bytes) -> dict[str, Any] | None:
    """Return the record whatever its seal says, if it can be parsed."""
    try:
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _forgotten(path: Path, _real: Any = run_dir.read_claim) -> run_dir.RunClaim | None:
    """Ignore a claim with a bad seal."""
    found = files.unseal((path / "claim").read_bytes()) if (path / "claim").exists() else None
    return _real(path) if found else None


def _any_order(directory: str) -> dict[str, Any]:
    found = _believed(Path(directory, "order.json").read_bytes())
    if found is None:
        raise ValueError("order.json is damaged")
    return found


def _any_note(data: bytes, _shape: sealed_records.RecordShape) -> dict[str, Any] | None:
    return _believed(data)


def _any_prompt(_path: Path, _text: str | None) -> bool:
    return True


class _Careless(writer.Journal):
    """Writes before anything is verified."""

    def records(self, after_seq: int = 0) -> Iterator[Record]:
        self.begin_epoch("careless")
        return super().records(after_seq)


PLANTS: dict[str, list[tuple[object, str, object]]] = {
    "the chain is not compared": [(rows, "_batch", _unproven)],
    "the anchor is not looked at": [
        (reader, "check_anchor", _unseen),
        (writer, "check_anchor", _unseen),
    ],
    "a letter's seal is not looked at": [(command_queue, "opened", _unsealed)],
    "letters are not counted": [
        (reader, "check_inbox", _uncounted),
        (writer, "check_inbox", _uncounted),
    ],
    "texts are not compared with their hashes": [(rows, "is_intact", _intact)],
    "a bad seal means that there is no claim": [(run_dir, "read_claim", _forgotten)],
    "the seals of a run's files are not looked at": [(sealed_records, "unseal", _believed)],
    "a keeper does not look at the seals": [(keeper, "_read_order", _any_order)],
    "the seal of what was posted is not looked at": [(command_queue, "open_record", _any_note)],
    "the prompt is not compared": [(run_dir, "_prompt_is", _any_prompt)],
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
