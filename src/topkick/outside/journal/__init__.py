"""The journal: one SQLite file in which every step is written down before it is acted on."""

from topkick.core.chain import EMPTY, Entry, Head, Record
from topkick.core.errors import JournalUnavailable
from topkick.outside.journal.checkup import check
from topkick.outside.journal.database import (
    JournalTooNew,
    JournalTooOld,
    NoJournal,
    beside,
    require_plain,
)
from topkick.outside.journal.letters import Letter, note_posted
from topkick.outside.journal.post import answer_of, post
from topkick.outside.journal.reader import Reader
from topkick.outside.journal.salvage import Salvage, read_what_is_whole, write_anew
from topkick.outside.journal.writer import Journal

__all__ = [
    "EMPTY",
    "Entry",
    "Head",
    "Journal",
    "JournalTooNew",
    "JournalTooOld",
    "JournalUnavailable",
    "Letter",
    "NoJournal",
    "Reader",
    "Record",
    "Salvage",
    "answer_of",
    "beside",
    "check",
    "note_posted",
    "post",
    "read_what_is_whole",
    "require_plain",
    "write_anew",
]
