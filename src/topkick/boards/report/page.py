"""The whole report in one piece: the log, the final verification, the cadence, the verdict."""

from topkick.boards.report import entries
from topkick.boards.report.cadence_text import render_cadence
from topkick.boards.report.completion import Entry, render_log
from topkick.boards.report.reading import Reading
from topkick.boards.report.verification import render_verdict, render_verification, verify


def whole(reading: Reading, entry: Entry = entries.entry) -> str:
    found = verify(reading)
    parts = (
        render_log(reading, entry),
        render_verification(found),
        render_cadence(reading),
        render_verdict(found),
    )
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)
