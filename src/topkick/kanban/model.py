"""A kanban board and its tasks, as their files say: parsed tolerantly and not interpreted."""

import re
from dataclasses import dataclass
from hashlib import sha256

from topkick.engine.codec.texts import to_bytes
from topkick.text.task_file import TaskFile

ARCHITECT = "Architect"
IMPLEMENTOR = "Implementor"
MANAGER = "Manager"
ROLES = (ARCHITECT, IMPLEMENTOR, MANAGER)
COMPLETE = frozenset({"complete", "completed", "done"})
TASKS = "tasks/"
MOST_TASKS = 1000
WORK_LOG = "Work Log"
ITEMS_BEGIN = "<!-- start workitems -->"
ITEMS_END = "<!-- end workitems -->"
_STATUS = re.compile(r"(?:\||Status:)[ \t]*(ok|blocked|escalate|error)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Board:
    """A board; it is `readable` if it has front matter to run by, which a person's page need not
    have.
    """

    path: str
    title: str
    phase: str
    sub_phase: str
    current: str | None
    tasks: tuple[str, ...]
    readable: bool
    sha256: str

    @property
    def is_complete(self) -> bool:
        return self.current is None or self.phase in COMPLETE


@dataclass(frozen=True, slots=True)
class BoardTask:
    """A task; `role` is as the header has it, `log_chars` grows when its work log does."""

    path: str
    title: str
    role: str
    type: str
    priority: str
    state: str
    dependencies: tuple[str, ...]
    kanban: str
    log_chars: int
    log_entries: int
    log_status: str
    work_items: str


def read_board(path: str, text: str) -> Board:
    file = TaskFile.read(text)
    current = file.get("current")
    return Board(
        path=path,
        title=_title(file, "Kanban:") or path,
        phase=(file.get("phase") or "").casefold(),
        sub_phase=(file.get("sub_phase") or "").casefold(),
        current=current,
        tasks=file.items("tasks")[:MOST_TASKS],
        readable=file.has_matter and {"current", "phase"} <= set(file.keys),
        sha256=sha256(to_bytes(text)).hexdigest(),
    )


def read_task(path: str, text: str) -> BoardTask:
    file = TaskFile.read(text)
    log = (file.section(WORK_LOG) or "").strip()
    return BoardTask(
        path=path,
        title=_title(file, "Task:") or path,
        role=file.get("assignee") or file.get("role") or "",
        type=(file.get("type") or "").casefold(),
        priority=(file.get("priority") or "").casefold(),
        state=(file.get("state") or "").casefold(),
        dependencies=file.items("dependencies"),
        kanban=file.get("kanban") or "",
        log_chars=len(log),
        log_entries=sum(line.lstrip().startswith("###") for line in log.split("\n")),
        log_status=_last_status(log),
        work_items=_work_items(text),
    )


def _title(file: TaskFile, before: str) -> str:
    return file.title.removeprefix(before).strip()


def _last_status(log: str) -> str:
    """Return the last entry's status: `### [time] Title | ok`, or `Status: ok` below it."""
    for line in reversed(log.split("\n")):
        is_heading = line.lstrip().startswith("###")
        found = _STATUS.search(line) if is_heading or "Status:" in line else None
        if found is not None:
            return found[1].lower()
        if is_heading:
            return ""
    return ""


def _work_items(text: str) -> str:
    _, begun, rest = text.partition(ITEMS_BEGIN)
    inside, ended, _ = rest.partition(ITEMS_END)
    return inside if begun and ended else ""


def places(board: str, name: str) -> tuple[str, ...]:
    """Return where a task that a board names may be: as given, next to the board, or in
    `tasks/`.
    """
    beside = board.rpartition("/")[0]
    bare = name.removeprefix(TASKS)
    found = (
        name,
        f"{beside}/{bare}" if beside else bare,
        f"{beside}/{name}" if beside else name,
        f"{TASKS}{bare}",
    )
    return tuple(dict.fromkeys(path.removeprefix("./") for path in found))


def same_task(one: str, other: str) -> bool:
    """Return whether two paths name one task, with or without `tasks/`."""
    return one.rpartition("/")[2] == other.rpartition("/")[2]
