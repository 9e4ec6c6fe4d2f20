"""The journal: one SQLite file in which every step is written down before it is acted on."""

from topkick.core.chain import EMPTY, Entry, Head, Record
from topkick.core.errors import JournalUnavailable
from topkick.outside.journal.checkup import check
from topkick.outside.journal.database import JournalTooNew, NoJournal
from topkick.outside.journal.post import answer_of, post
from topkick.outside.journal.reader import Reader
from topkick.outside.journal.rows import Letter
from topkick.outside.journal.writer import Journal

__all__ = [
    "EMPTY",
    "Entry",
    "Head",
    "Journal",
    "JournalTooNew",
    "JournalUnavailable",
    "Letter",
    "NoJournal",
    "Reader",
    "Record",
    "answer_of",
    "check",
    "post",
]
