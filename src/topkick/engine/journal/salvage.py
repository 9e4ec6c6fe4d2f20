"""Save what is intact in a damaged journal: its records up to the first damaged one."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from topkick.engine.codec.chain import GENESIS, Head, Record, link
from topkick.engine.errors import TopkickError
from topkick.engine.journal import sql
from topkick.engine.journal.command_queue import LOST, QueuedCommand, opened, put_letter
from topkick.engine.journal.database import connect, require_plain, translated
from topkick.engine.journal.draft import build, require_folded
from topkick.engine.journal.rows import is_intact


@dataclass(frozen=True, slots=True)
class Salvage:
    """The intact records from the first on, texts by hash, commands by number, and what is lost."""

    records: tuple[Record, ...]
    texts: Mapping[str, bytes]
    letters: tuple[QueuedCommand, ...]
    lost_letters: tuple[int, ...]
    created_at_us: int
    epoch: int

    @property
    def step(self) -> int:
        return self.records[-1].step if self.records else 0

    @property
    def head(self) -> Head:
        prev = GENESIS
        for record in self.records:
            prev = link(prev, record)
        return Head(len(self.records), prev.hex())

    def before_step(self, step: int) -> "Salvage":
        return replace(self, records=tuple(r for r in self.records if r.step < step))


def read_what_is_whole(path: Path) -> Salvage:
    """Read only; a part that cannot be read counts as lost."""
    require_plain(path)
    try:
        db = connect(path, "mode=ro")
    except TopkickError:
        return Salvage((), {}, (), (), 0, 0)
    with closing(db):
        records = _whole_steps(db, path)
        letters, lost = _letters(db, path)
        created = _meta_number(db, path, "created_at_us")
        last = records[-1].epoch if records else 0
        epoch = max(last, _meta_number(db, path, "epoch"))
        return Salvage(records, _texts(db, path), letters, lost, created, epoch)


def read_again(path: Path) -> Salvage:
    """Read the salvaged content back from the journal that was written from it."""
    found = read_what_is_whole(path)
    lost = tuple(letter.id for letter in found.letters if letter.answer == LOST)
    letters = tuple(letter for letter in found.letters if letter.id not in lost)
    return replace(found, letters=letters, lost_letters=lost)


def _one(
    db: sqlite3.Connection, path: Path, query: str, *keys: object
) -> tuple[object, ...] | None:
    try:
        with translated(path):
            row: tuple[object, ...] | None = db.execute(query, keys).fetchone()
            return row
    except TopkickError:
        return None


def _whole_steps(db: sqlite3.Connection, path: Path) -> tuple[Record, ...]:
    """Return the records without an incomplete last step, which might be a state that never
    existed.
    """
    records, next_step = _records(db, path)
    if not records or next_step not in (None, records[-1].step):
        return tuple(records)
    head = _one(db, path, sql.HEAD)
    if next_step is None and head is not None and head[0] == len(records):
        return tuple(records)
    return tuple(r for r in records if r.step < records[-1].step)


def _records(db: sqlite3.Connection, path: Path) -> tuple[list[Record], object]:
    """Read the records one by one, so that a damaged page costs as few of them as possible.

    Also return the step that the first damaged row claims; None if there is no such row.
    """
    records: list[Record] = []
    prev = GENESIS
    while (row := _one(db, path, sql.RECORD, len(records) + 1)) is not None:
        *content, chain = row
        record = Record(*content)  # type: ignore[arg-type]
        try:
            prev = link(prev, record)
        except (TypeError, ValueError):
            return records, record.step
        if prev != chain:
            return records, record.step
        records.append(record)
    return records, None


def _texts(db: sqlite3.Connection, path: Path) -> dict[str, bytes]:
    """Return the intact texts; where reading the table breaks off, the rest is lost."""
    found: dict[str, bytes] = {}
    try:
        with translated(path):
            rows = db.execute(sql.ALL_TEXTS)
            found.update((sha, body) for sha, body in rows if is_intact(sha, body))
    except TopkickError:
        return found
    return found


def _letters(
    db: sqlite3.Connection, path: Path
) -> tuple[tuple[QueuedCommand, ...], tuple[int, ...]]:
    found = {letter.id: letter for letter in _whole_letters(db, path)}
    last = max([_meta_number(db, path, sql.POSTED), *found], default=0)
    lost = tuple(n for n in range(1, last + 1) if n not in found)
    return tuple(found[n] for n in sorted(found)), lost


def _whole_letters(db: sqlite3.Connection, path: Path) -> Iterator[QueuedCommand]:
    ids = range(1, min(_meta_number(db, path, sql.POSTED), sql.MOST_LETTERS) + 1)
    for row in (_one(db, path, sql.LETTER, number) for number in ids):
        if row is None:
            continue
        try:
            yield opened(path, row)
        except TopkickError:
            continue


def _meta_number(db: sqlite3.Connection, path: Path, key: str) -> int:
    row = _one(db, path, sql.GET_META, key)
    text = str(row[0]) if row is not None else ""
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def write_anew(draft: Path, state_dir: Path, saved: Salvage) -> None:
    """Write a new journal from what was saved; a lost command gets an answer that says so."""
    build(draft, state_dir, saved.created_at_us)
    with translated(draft), closing(connect(draft, "mode=rw")) as db:
        db.execute("BEGIN IMMEDIATE")
        prev = GENESIS
        for r in saved.records:
            prev = link(prev, r)
            row = (r.seq, r.step, r.epoch, r.at_us, r.kind, r.body, prev)
            db.execute(sql.ADD_RECORD, row)
        db.executemany(sql.ADD_TEXT, saved.texts.items())
        lost = [QueuedCommand(n, 0, "", "", "", 0, LOST) for n in saved.lost_letters]
        letters = [*saved.letters, *lost]
        for letter in letters:
            put_letter(db, letter)
        answered = sum(letter.answer is not None for letter in letters)
        facts = {sql.POSTED: len(letters), sql.ANSWERED: answered, "epoch": saved.epoch}
        db.executemany(sql.SET_META, [(key, str(value)) for key, value in facts.items()])
        db.execute("COMMIT")
    require_folded(draft)
