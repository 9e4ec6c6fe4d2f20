"""The journal: one SQLite file that holds every step before the supervisor acts on it."""

from topkick.engine.codec.chain import EMPTY, ChainEntry, Head, Record
from topkick.engine.errors import JournalUnavailable
from topkick.engine.journal.checkup import check
from topkick.engine.journal.command_queue import (
    ACCEPTED,
    CommandOutcome,
    QueueAnswer,
    QueuedCommand,
    answer_of,
    note_posted,
    post,
)
from topkick.engine.journal.database import (
    SALVAGED,
    JournalTooNew,
    JournalTooOld,
    NoJournal,
    beside,
    has_log,
    is_cut_off,
    require_plain,
)
from topkick.engine.journal.reader import JournalReader
from topkick.engine.journal.salvage import Salvage, read_again, read_what_is_whole, write_anew
from topkick.engine.journal.writer import Journal

__all__ = [
    "ACCEPTED",
    "EMPTY",
    "SALVAGED",
    "ChainEntry",
    "CommandOutcome",
    "Head",
    "Journal",
    "JournalReader",
    "JournalTooNew",
    "JournalTooOld",
    "JournalUnavailable",
    "NoJournal",
    "QueueAnswer",
    "QueuedCommand",
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
