"""The epic's body: all that one tick leaves to the next, in topkick's sections among a person's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from topkick.epic import items as work
from topkick.epic.items import EpicItem, Status
from topkick.text.escape import short
from topkick.text.format import stamp
from topkick.text.task_file import TaskFile, TaskTable, read_table, with_table

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


def _memory_table(rows: Sequence[MemoryRow]) -> TaskTable:
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


STATE, ITEMS, MEMORY, LOG = "Supervisor State", "Work Items", "Pattern Memory", "Supervisor Log"
DECISIONS, SUMMARY = "Pending Decisions", "Final Summary"
MOST_LOG_LINES = 200
_FIELD = re.compile(r"\*\*([A-Za-z ]{1,40})\*\*:?[ \t]*(.{0,500})")
_LOGGED = re.compile(r"- \[\d{4}-[^\]]{1,40}\] ")
HALTED, REVIEWING = "halted", "reviewing"


@dataclass(frozen=True, slots=True)
class Epic:
    """The parsed body; `file` is as it was read, and `write` changes only what has changed."""

    file: TaskFile
    id: str
    title: str
    status: str
    phase: str
    items: tuple[EpicItem, ...]
    rows: tuple[MemoryRow, ...]
    logged: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    summary: bool = False
    at: str = ""
    host: str = ""

    def item(self, item_id: str) -> EpicItem | None:
        return next((item for item in self.items if item.id == item_id), None)

    def with_item(self, item: EpicItem) -> "Epic":
        if self.item(item.id) is None:
            return replace(self, items=(*self.items, item))
        return replace(self, items=tuple(item if i.id == item.id else i for i in self.items))

    def with_row(self, found: RowClass, decision: str, notes: str = "") -> "Epic":
        row = MemoryRow(self.at, decision, found, notes)
        return replace(self, rows=added(self.rows, row))

    def with_log(self, text: str) -> "Epic":
        line = f"- [{self.at}] [{self.host or 'host'}]: {' '.join(text.split())}"
        return replace(self, logged=(*self.logged, line[:2000]))

    def asking(self, why: str, question: str) -> "Epic":
        """Ask a person a question that a single word answers (EP-33)."""
        told = " ".join(why.split()).rstrip(".")
        line = f"- [ ] [{self.at}] {told}. {question} (yes/no)"
        return replace(self, questions=(*self.questions, line[:1000]))

    @property
    def next_number(self) -> int:
        prefix = f"{self.id}-"
        tails = [i.id.removeprefix(prefix) for i in self.items if i.id.startswith(prefix)]
        return max((int(t) for t in tails if t.isascii() and t.isdigit()), default=0) + 1

    def is_ready(self, item: EpicItem) -> bool:
        """Return whether all items that this one comes after are at their review surface."""
        before = [self.item(name) for name in item.after]
        return all(other is not None and other.is_settled for other in before)

    def stuck_behind(self) -> dict[str, str]:
        """Return the queued items that cannot begin as things are, and the item each waits for."""
        stuck = {i.id: "" for i in self.items if i.is_recorded and not i.is_settled}
        known = {i.id for i in self.items}
        grows = True
        while grows:
            waiting = (i for i in self.items if i.status == Status.QUEUED and i.id not in stuck)
            found = {i.id: n for i in waiting for n in i.after if n in stuck or n not in known}
            stuck |= found
            grows = bool(found)
        return {name: behind for name, behind in stuck.items() if behind}


def read_epic(text: str, *, fallback_id: str, at_us: int, host: str) -> Epic:
    file = TaskFile.read(text)
    return Epic(
        file=file,
        id=file.get("id") or fallback_id,
        title=file.title,
        status=(file.get("status") or Status.INBOX).lower(),
        phase=_field(file, "Phase").lower(),
        items=work.read_items(read_table(file.section(ITEMS) or ""), file),
        rows=read_rows(read_table(file.section(MEMORY) or "")),
        at=stamp(at_us),
        host=host,
    )


def _field(file: TaskFile, name: str) -> str:
    for line in (file.section(STATE) or "").split("\n"):
        found = _FIELD.fullmatch(line.strip())
        if found is not None and found[1] == name:
            return found[2].strip()
    return ""


# --- writing -----------------------------------------------------------------------------------


def write(epic: Epic) -> str:
    """Return the new text of the file; text outside topkick's sections stays byte for byte."""
    file = epic.file.with_value("status", epic.status)
    for name, value in (
        ("Phase", epic.phase),
        ("Last checkpoint", epic.at),
        ("Environment", epic.host),
    ):
        file = _with_field(file, name, value)
    file = _with_items(file, epic)
    file = _with_table(file, MEMORY, _memory_table(epic.rows))
    file = _with_log(file, epic.logged)
    if epic.questions:
        file = file.appended_to(DECISIONS, "\n".join(epic.questions))
    if epic.summary:
        file = _with_table(file, SUMMARY, _summary(epic))
    return file.text


def _with_field(file: TaskFile, name: str, value: str) -> TaskFile:
    section = file.section(STATE)
    line = f"**{name}**: {value}".rstrip()
    if section is None:
        return file.with_section(STATE, f"\n{line}\n")
    lines = section.split("\n")
    for number, old in enumerate(lines):
        found = _FIELD.fullmatch(old.strip())
        if found is not None and found[1] == name:
            end = "\r" if old.endswith("\r") else ""
            changed = [*lines[:number], line + end, *lines[number + 1 :]]
            return file.with_section(STATE, "\n".join(changed))
    return file.appended_to(STATE, line)


def _with_items(file: TaskFile, epic: Epic) -> TaskFile:
    section = file.section(ITEMS)
    if section is None and not epic.items:
        return file
    before = read_table(section or "")
    table = work.table_of(epic.items, work.others_of(before))
    table = replace(table, rows=(*table.rows, *work.not_understood(before)))
    file = _with_table(file, ITEMS, table)
    for item in epic.items:
        if item.criteria and file.section(work.heading(item.id)) is None:
            text = "\n".join(f"- {' '.join(c.split())}" for c in item.criteria)
            file = file.appended_to(ITEMS, f"\n### {work.heading(item.id)}\n\n{text}")
    return file


def _with_table(file: TaskFile, title: str, table: TaskTable) -> TaskFile:
    section = file.section(title)
    if section is None:
        body = with_table("", table).strip("\n")
        return file.with_section(title, f"\n{body}\n")
    made = with_table(section, table)
    at_end = file.text.endswith(section)
    return file.with_section(title, made.rstrip("\n") + "\n" if at_end else made)


def _with_log(file: TaskFile, logged: tuple[str, ...]) -> TaskFile:
    """Append log lines and keep only the last of topkick's own lines."""
    if not logged:
        return file
    file = file.appended_to(LOG, "\n".join(logged))
    lines = (file.section(LOG) or "").split("\n")
    ours = [n for n, line in enumerate(lines) if _LOGGED.match(line)]
    gone = set(ours[: max(0, len(ours) - MOST_LOG_LINES)])
    kept = [line for n, line in enumerate(lines) if n not in gone]
    return file.with_section(LOG, "\n".join(kept))


def _summary(epic: Epic) -> TaskTable:
    rows = tuple(
        (str(n), item.id, item.title, item.surface or work.NONE, item.status)
        for n, item in enumerate(epic.items, start=1)
    )
    return TaskTable(("#", "Task ID", "Title", "PR", "State"), rows)
