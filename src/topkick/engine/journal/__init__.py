"""The journal: one SQLite file that holds every step before the supervisor acts on it.

This name has what readers and senders of commands need; `writer`, `checkup` and `salvage` are
imported by their own names, so that looking at a run does not load them.
"""

from topkick.engine.codec.chain import EMPTY, ChainEntry, Head, Record
from topkick.engine.errors import JournalUnavailable
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

__all__ = [
    "ACCEPTED",
    "EMPTY",
    "SALVAGED",
    "ChainEntry",
    "CommandOutcome",
    "Head",
    "JournalReader",
    "JournalTooNew",
    "JournalTooOld",
    "JournalUnavailable",
    "NoJournal",
    "QueueAnswer",
    "QueuedCommand",
    "Record",
    "answer_of",
    "beside",
    "has_log",
    "is_cut_off",
    "note_posted",
    "post",
    "require_plain",
]
