"""The journal: one SQLite file that holds every step before the supervisor acts on it."""

from topkick.core.chain import EMPTY, Entry, Head, Record
from topkick.core.errors import JournalUnavailable
from topkick.outside.journal.checkup import check
from topkick.outside.journal.database import (
    SALVAGED,
    JournalTooNew,
    JournalTooOld,
    NoJournal,
    beside,
    has_log,
    is_cut_off,
    require_plain,
)
from topkick.outside.journal.letters import Letter, note_posted
from topkick.outside.journal.post import answer_of, post
from topkick.outside.journal.reader import Reader
from topkick.outside.journal.salvage import Salvage, read_again, read_what_is_whole, write_anew
from topkick.outside.journal.writer import Journal

__all__ = [
    "EMPTY",
    "SALVAGED",
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
    "has_log",
    "is_cut_off",
    "note_posted",
    "post",
    "read_again",
    "read_what_is_whole",
    "require_plain",
    "write_anew",
]
