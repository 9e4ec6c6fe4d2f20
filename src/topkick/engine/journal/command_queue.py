"""The command queue: commands from other processes, each sealed, counted and answered once.

The number of posted commands is also kept in a file next to the journal. Records have their anchor
in the state file, but a command that the supervisor has not read yet would be lost unnoticed
together with the end of the log.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

from topkick.engine.io import crash_points
from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.engine.io.files import seal as files_seal
from topkick.engine.io.sealed_records import Field, RecordShape, open_record, whole
from topkick.engine.journal import sql
from topkick.engine.journal.database import (
    beside,
    damaged,
    open_existing,
    open_read_only,
    roll_back,
    snapshot,
    translated,
)

NOTE = "-posted"
_POSTED = RecordShape(NOTE_BYTES, {"posted": Field(whole(0, 1 << 62))})


class CommandOutcome(StrEnum):
    """The end of a queued command. LOST means that its row in the queue was damaged."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class QueueAnswer:
    """The answer to a command; `refusal` is the body of the event `CommandRefused`."""

    outcome: CommandOutcome
    refusal: str = ""


ACCEPTED = QueueAnswer(CommandOutcome.ACCEPTED)
LOST = QueueAnswer(CommandOutcome.LOST)


@dataclass(frozen=True, slots=True)
class QueuedCommand:
    """A command from another process; `step` and `answer` are set once it has been answered."""

    id: int
    at_us: int
    sender: str
    kind: str
    body: str
    step: int | None = None
    answer: QueueAnswer | None = None


def seal_of(letter: QueuedCommand) -> bytes:
    """Return the checksum over the whole command: a flipped byte must not become another
    command.
    """
    said = (letter.id, letter.at_us, len(letter.sender), len(letter.kind), len(letter.body))
    line = "%d %d %d %d %d " % said + letter.sender + letter.kind + letter.body  # noqa: UP031
    if (letter.step, letter.answer) != (None, None):
        line += f" {letter.step} {' '.join(map(str, _columns(letter.answer)))}"
    return sha256(line.encode("utf-8", "surrogateescape")).digest()


def _columns(answer: QueueAnswer | None) -> tuple[str | None, str | None]:
    return (answer.outcome.value, answer.refusal) if answer is not None else (None, None)


def answer_from(outcome: object, refusal: object) -> QueueAnswer | None:
    """Return the answer in two columns of a row; None if both are empty."""
    if (outcome, refusal) == (None, None):
        return None
    if not isinstance(outcome, str) or not isinstance(refusal, str):
        raise TypeError("a column is no text")
    return QueueAnswer(CommandOutcome(outcome), refusal)


def read_letter(db: sqlite3.Connection, path: Path, letter_id: int) -> QueuedCommand | None:
    with translated(path):
        row = db.execute(sql.LETTER, (letter_id,)).fetchone()
    return opened(path, row) if row is not None else None


def read_unanswered(db: sqlite3.Connection, path: Path) -> list[QueuedCommand]:
    with translated(path):
        rows = db.execute(sql.UNANSWERED).fetchall()
    return [opened(path, row) for row in rows]


def opened(path: Path, row: tuple[object, ...]) -> QueuedCommand:
    """Return the command of a row, or raise JournalDamaged if it is not what was written."""
    *said, outcome, refusal, seal = row
    try:
        columns: list[Any] = [*said, answer_from(outcome, refusal)]
        letter = QueuedCommand(*columns)
        intact = seal_of(letter) == seal
    except (TypeError, ValueError):  # a number became text, or a character is cut
        intact = False
    if not intact:
        raise damaged(path, f"letter {row[0]} of the inbox is not what was written")
    return letter


def count(db: sqlite3.Connection, path: Path, which: str) -> int:
    with translated(path):
        row = db.execute(sql.GET_META, (which,)).fetchone()
    if row is None or not str(row[0]).isdecimal():
        raise damaged(path, f"it has no number of {which} letters")
    return int(row[0])


def check_inbox(db: sqlite3.Connection, path: Path, *, as_noted: bool = True) -> None:
    """Raise unless every command is there and intact, and exactly the unanswered ones wait."""
    noted = _noted(path) if as_noted else 0  # read first: the note is never ahead of the inbox
    with snapshot(db, path):
        letters = list(_all(db, path))
        waiting = [letter.id for letter in read_unanswered(db, path)]
        posted, answered = count(db, path, sql.POSTED), count(db, path, sql.ANSWERED)
    if posted < noted:
        raise damaged(
            path, f"it had {noted} letters and now has {posted}: its last records are lost"
        )
    if [letter.id for letter in letters] != list(range(1, posted + 1)):
        raise damaged(path, f"the inbox does not have the {posted} letters that were posted")
    if waiting != [letter.id for letter in letters if letter.answer is None]:
        raise damaged(path, "the inbox's index does not match its letters")
    if len(letters) - len(waiting) != answered:
        raise damaged(path, f"{answered} letters were answered, but the inbox has another number")


def note_posted(path: Path, posted: int) -> None:
    """Write the number of posted commands to the file; best effort, as the command is durable
    already.
    """
    with suppress(OSError):
        replace_atomically(beside(path, NOTE), files_seal({"posted": posted}))


def _noted(path: Path) -> int:
    try:
        said = open_record(read_plain(beside(path, NOTE), NOTE_BYTES), _POSTED)
    except OSError:
        return 0
    return int(said["posted"]) if said else 0


def _all(db: sqlite3.Connection, path: Path) -> Iterator[QueuedCommand]:
    with translated(path):
        rows = db.execute(sql.LETTERS).fetchall()
    for row in rows:
        yield opened(path, row)


def add_letter(db: sqlite3.Connection, path: Path, letter: QueuedCommand) -> int:
    """Add a command inside a transaction; return its number, one more than the last one's."""
    number = count(db, path, sql.POSTED) + 1
    put_letter(db, replace(letter, id=number))
    db.execute(sql.SET_META, (sql.POSTED, str(number)))
    return number


def put_letter(db: sqlite3.Connection, letter: QueuedCommand) -> None:
    said = (letter.id, letter.at_us, letter.sender, letter.kind, letter.body)
    db.execute(sql.POST, (*said, letter.step, *_columns(letter.answer), seal_of(letter)))


def answer_letter(
    db: sqlite3.Connection, path: Path, letter_id: int, answer: QueueAnswer, step: int
) -> None:
    """Store the answer, inside the transaction of the step that the command caused."""
    letter = read_letter(db, path, letter_id)
    if letter is None or letter.answer is not None:
        raise ValueError(f"letter {letter_id} does not wait for an answer")
    answered = replace(letter, step=step, answer=answer)
    db.execute(sql.ANSWER, (*_columns(answer), step, seal_of(answered), letter_id))
    db.execute(sql.SET_META, (sql.ANSWERED, str(count(db, path, sql.ANSWERED) + 1)))


# --- commands from other processes -------------------------------------------------------------
# Post commands to the journal's queue, and read the supervisor's answers.


def post(path: Path, sender: str, kind: str, body: str, now_us: int) -> int:
    """Post a command; it is durable when this returns. The number is for `answer_of`."""
    with closing(open_existing(path)) as db, translated(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            number = add_letter(db, path, QueuedCommand(0, now_us, sender, kind, body))
            crash_points.here("inbox.before-post")
            db.execute("COMMIT")
        except BaseException:
            roll_back(db)
            raise
        crash_points.here("inbox.after-post")
        note_posted(path, number)
        return number


def answer_of(path: Path, letter: int) -> QueueAnswer | None:
    """Return the supervisor's answer, or None as long as there is none."""
    with closing(open_read_only(path)) as db:
        found = read_letter(db, path, letter)
        return found.answer if found is not None else None
