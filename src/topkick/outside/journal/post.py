"""Commands from other processes, left in the journal's inbox until the supervisor answers."""

from contextlib import closing
from pathlib import Path

from topkick.outside.journal import sql
from topkick.outside.journal.database import open_existing, open_read_only, translated


def post(path: Path, sender: str, kind: str, body: str, now_us: int) -> int:
    """Leave a letter; it is durable when this returns. The number is for `answer_of`."""
    with closing(open_existing(path)) as db, translated(path):
        letter = db.execute(sql.POST, (now_us, sender, kind, body)).lastrowid
        assert letter is not None
        return letter


def answer_of(path: Path, letter: int) -> str | None:
    """The supervisor's answer, or None as long as there is none."""
    with closing(open_read_only(path)) as db, translated(path):
        row = db.execute(sql.ANSWER_OF, (letter,)).fetchone()
        return row[0] if row else None
