"""The greeting at each start: earlier judgments are read from their reports (CK-05)."""

import re
from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.bus import Message
from topkick.core.files import Glance, Seen
from topkick.core.mission import Mission
from topkick.core.sessions import META, SESSION_FILES, WISDOM
from topkick.policies.checkpoint import notes, words
from topkick.policies.checkpoint.accumulator import Entry
from topkick.policies.checkpoint.notes import Hello, Purpose
from topkick.policies.checkpoint.report import read_report

Events = Sequence[h.Event]
REPORTS = "artifacts/CHECKPOINT-*-report.md"
_JUDGED = re.compile(r"^- Judged: (\S+)", re.MULTILINE)


def next_words(mission: Mission) -> Events:
    """Read the baseline, then announce the judge on the bus."""
    match notes.hello(mission):
        case Hello.DUE:
            look = Glance((*SESSION_FILES, META), patterns=(REPORTS, WISDOM), messages=1)
            return (notes.greet(Hello.LISTING), notes.on(Purpose.HELLO), h.LookAsked(look))
        case Hello.SAYING:
            said = h.PostAsked((_words(mission),), notes.hello_after(mission))
            return (notes.on(Purpose.HELLO), said)
        case Hello.LISTING | Hello.SAID:
            return ()


def listed(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    """Handle the listing; ignore one that an earlier start requested."""
    if notes.hello(mission) is not Hello.LISTING:
        return ()
    newest = max((message.number for message in messages), default=0)
    return (
        notes.remember(recalled(files)),
        notes.note_hello_after(newest),
        notes.greet(Hello.SAYING),
    )


def said(mission: Mission) -> Events:
    if notes.hello(mission) is not Hello.SAYING:
        return ()
    who = notes.judge_of(mission).session_id
    return (notes.greet(Hello.SAID), h.Decided("", who, "Ready", "awaiting checkpoints"))


def recalled(files: Sequence[Seen]) -> tuple[Entry, ...]:
    """Return the entries in the order in which they were judged."""
    found = [(_moment(seen.text), seen.path, read_report(seen.text)) for seen in files]
    reports = [(moment, path, entry) for moment, path, entry in found if entry is not None]
    return tuple(entry for _, _, entry in sorted(reports, key=lambda row: row[:2]))


def _moment(text: str) -> str:
    found = _JUDGED.search(text)
    return found[1] if found else ""


def _words(mission: Mission) -> Message:
    judge = notes.judge_of(mission)
    if judge.recovery:
        return words.recovered(len(notes.remembered(mission)))
    return words.ready(judge.session_id)
