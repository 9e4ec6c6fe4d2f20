"""Post commands from other processes to the journal's queue, and read the supervisor's answers."""

from contextlib import closing
from pathlib import Path

from topkick.outside.ground import crash_points
from topkick.outside.journal.database import (
    open_existing,
    open_read_only,
    roll_back,
    translated,
)
from topkick.outside.journal.letters import Letter, add_letter, note_posted, read_letter


def post(path: Path, sender: str, kind: str, body: str, now_us: int) -> int:
    """Post a command; it is durable when this returns. The number is for `answer_of`."""
    with closing(open_existing(path)) as db, translated(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            number = add_letter(db, path, Letter(0, now_us, sender, kind, body))
            crash_points.here("inbox.before-post")
            db.execute("COMMIT")
        except BaseException:
            roll_back(db)
            raise
        crash_points.here("inbox.after-post")
        note_posted(path, number)
        return number


def answer_of(path: Path, letter: int) -> str | None:
    """Return the supervisor's answer, or None as long as there is none."""
    with closing(open_read_only(path)) as db:
        found = read_letter(db, path, letter)
        return found.answer if found is not None else None
