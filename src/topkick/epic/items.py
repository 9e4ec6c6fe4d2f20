"""Work items: the table in the epic's body that holds all that a tick knows about its children."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from topkick.text.task_file import TaskFile, TaskTable

COLUMNS = (
    "#", "ID", "Title", "Status", "Worker", "Review surface", "Notes", "Project", "After",
    "Dispatch", "Host", "Dispatches", "Last activity", "Outcome", "Critic", "Branch", "Refusals",
)  # fmt: skip
NONE, BRANCH = "none", "topkick/"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:/[A-Za-z0-9][\w-]{0,99}){0,5}")
_LINE = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?(.{1,1000})")
MOST_CRITERIA = 50
MOST_ITEMS = 500


class Status(StrEnum):
    INBOX = "inbox"
    READY = "ready"
    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    REVIEW = "review"
    BLOCKED = "blocked"
    AT_SURFACE = "ready_for_user_review"
    DONE = "done"
    PAUSED = "paused"
    CANCELLED = "cancelled"


SETTLED = frozenset({Status.AT_SURFACE, Status.DONE, Status.CANCELLED})


@dataclass(frozen=True, slots=True)
class EpicItem:
    """A row. `outcome` is the result of its last dispatch that was not handled yet.

    `dispatches` counts those since its last progress; `branch` is shared with other items,
    `refusals` counts its failed pre-flights; `extra` are columns of others.
    """

    id: str
    title: str = ""
    status: str = Status.READY
    worker: str = ""
    surface: str = ""
    notes: str = ""
    project: str = ""
    after: tuple[str, ...] = ()
    dispatch: str = ""
    host: str = ""
    dispatches: int = 0
    active: str = ""
    outcome: str = ""
    critic: str = ""
    branch: str = ""
    refusals: int = 0
    criteria: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    @property
    def is_settled(self) -> bool:
        return self.status in SETTLED

    @property
    def is_recorded(self) -> bool:
        """True if the item is at its review surface, or stuck for a recorded reason."""
        stuck = self.status in {Status.BLOCKED, Status.REVIEW} and bool(self.notes)
        return self.is_settled or stuck


def branch_of(item: EpicItem) -> str:
    """Return the item's own branch, or the one that it shares."""
    return item.branch or BRANCH + item.id


def is_id(text: str) -> bool:
    """Return whether the text can be an id in a row and in a file name."""
    return _ID.fullmatch(text) is not None and ".." not in text


def read_items(table: TaskTable, file: TaskFile) -> tuple[EpicItem, ...]:
    """Parse the rows; skip rows without an id, and of two with the same id take the first."""
    others = others_of(table)
    found = [_item(table, row, others) for row in _understood(table).values()]
    return tuple(_with_criteria(item, file) for item in found)


def _understood(table: TaskTable) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in table.rows:
        (item_id,) = table.cells(row, "ID")
        if is_id(item_id) and len(found) < MOST_ITEMS:
            found.setdefault(item_id, row)
    return found


def not_understood(table: TaskTable) -> tuple[tuple[str, ...], ...]:
    """Return the rows that are not topkick's items: a person's, kept as they are after the
    others.
    """
    ours = {id(row) for row in _understood(table).values()}
    header = (*COLUMNS, *others_of(table))
    return tuple(table.cells(row, *header) for row in table.rows if id(row) not in ours)


def others_of(table: TaskTable) -> tuple[str, ...]:
    known = {name.casefold() for name in COLUMNS}
    return tuple(name for name in table.header if name.casefold() not in known)


def _item(table: TaskTable, row: tuple[str, ...], others: tuple[str, ...]) -> EpicItem:
    (_, id_, title, status, worker, surface, notes, project, after, dispatch, host, count, active,
     outcome, critic, branch, refusals) = table.cells(row, *COLUMNS)  # fmt: skip
    return EpicItem(
        id=id_,
        title=title,
        status=status.lower() or Status.READY,
        worker=worker,
        surface=surface,
        notes=notes,
        project=project,
        after=tuple(part for part in re.split(r"[,\s]+", after) if part),
        dispatch=dispatch,
        host=host,
        dispatches=_number(count),
        active=active,
        outcome=outcome,
        critic=critic,
        branch=branch if _BRANCH.fullmatch(branch) else "",
        refusals=_number(refusals),
        extra=table.cells(row, *others),
    )


def _number(cell: str) -> int:
    return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 7 else 0


def _with_criteria(item: EpicItem, file: TaskFile) -> EpicItem:
    section = file.section(heading(item.id)) or ""
    lines = (_LINE.fullmatch(line.rstrip("\r")) for line in section.split("\n"))
    found = [line[1].strip() for line in lines if line is not None]
    return replace(item, criteria=tuple(found[:MOST_CRITERIA]))


def heading(item_id: str) -> str:
    return f"Criteria of {item_id}"


def table_of(items: tuple[EpicItem, ...], others: tuple[str, ...] = ()) -> TaskTable:
    rows = tuple((str(n), *_cells(item)) for n, item in enumerate(items, start=1))
    return TaskTable((*COLUMNS, *others), rows)


def _cells(item: EpicItem) -> tuple[str, ...]:
    return (
        item.id,
        item.title,
        item.status,
        item.worker,
        item.surface,
        item.notes,
        item.project,
        ", ".join(item.after),
        item.dispatch,
        item.host,
        str(item.dispatches) if item.dispatches else "",
        item.active,
        item.outcome,
        item.critic,
        item.branch,
        str(item.refusals) if item.refusals else "",
        *item.extra,
    )
