"""Pattern memory: one row for each decision, at most sixteen, with the classes that the brake
reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from topkick.text.escape import short
from topkick.text.task_file import TaskTable

COLUMNS = ("Tick (ISO)", "Decision", "Class", "Notes")
MOST_ROWS = 16
_NOTE_CHARS = 300


class RowClass(StrEnum):
    DISPATCH_OK = "dispatch_ok"
    DISPATCH_HALT = "dispatch_halt"
    VERIFY_PASS = "verify_pass"  # noqa: S105
    VERIFY_FAIL = "verify_fail"
    VERIFY_REVISE = "verify_revise"
    DECOMPOSE_OK = "decompose_ok"
    REACT_FILED_FIX = "react_filed_fix"
    REACT_HALT = "react_halt"
    VERDICT_FAIL = "verdict_fail"
    BRAKE_FIRED = "brake_fired"
    RESET = "reset"
    NOOP = "noop"


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A row; `found` is the class as written, which a person may have changed."""

    tick: str
    decision: str
    found: str
    notes: str = ""


def read_rows(table: TaskTable) -> tuple[MemoryRow, ...]:
    cells = [table.cells(row, *COLUMNS) for row in table.rows]
    return tuple(MemoryRow(*each) for each in cells if any(each))


def table_of(rows: Sequence[MemoryRow]) -> TaskTable:
    return TaskTable(COLUMNS, tuple((r.tick, r.decision, r.found, r.notes) for r in rows))


def added(rows: Sequence[MemoryRow], row: MemoryRow) -> tuple[MemoryRow, ...]:
    """Add a row and drop the oldest. A no-op is noted on the last row: idle ticks must not hide
    failures.
    """
    if row.found == RowClass.NOOP and rows:
        last = rows[-1]
        kept = last.notes.split(" [no-op ", 1)[0]
        noted = replace(last, notes=f"{kept} [no-op {row.tick}: {_short(row.decision)}]".strip())
        return (*rows[:-1], noted)[-MOST_ROWS:]
    row = replace(row, decision=_short(row.decision), notes=_short(row.notes))
    return (*rows, row)[-MOST_ROWS:]


def since_reset(rows: Sequence[MemoryRow]) -> tuple[MemoryRow, ...]:
    """Return the rows after a person last cleared the epic."""
    at = max((n for n, row in enumerate(rows) if row.found == RowClass.RESET), default=-1)
    return tuple(rows[at + 1 :])


def _short(text: str) -> str:
    return short(text, _NOTE_CHARS)
