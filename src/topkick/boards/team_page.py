"""A team's session on the terminal: each task with its state and verdict, and what is next."""

from collections.abc import Iterator
from dataclasses import dataclass

from topkick.boards import safe
from topkick.boards.columns import Column, lay_out

COLUMNS = (
    Column("Task", least=14),
    Column("Role", leaves=2),
    Column("Status"),
    Column("Verdict", leaves=3),
    Column("Artifact", least=16, leaves=4),
    Column("Note", least=16, leaves=1),
)


@dataclass(frozen=True, slots=True)
class TaskLine:
    id: str
    role: str
    status: str
    verdict: str
    artifact: str
    note: str


@dataclass(frozen=True, slots=True)
class TeamPage:
    """What is shown; all of it is text that others wrote."""

    id: str
    pipeline: str
    requirement: str
    status: str
    progress: str
    tasks: tuple[TaskLine, ...]


def lines(page: TeamPage, width: int) -> Iterator[str]:
    yield f"{safe.line(page.id, 60)}: {safe.line(page.pipeline, 20)}, {safe.line(page.status, 30)}"
    if page.requirement:
        yield safe.cut(safe.line(page.requirement, 300), width)
    yield safe.line(page.progress, 60)
    yield ""
    cells = [(t.id, t.role, t.status, t.verdict, t.artifact, t.note) for t in page.tasks]
    rows = [tuple(safe.line(cell, 80) for cell in row) for row in cells]
    yield from lay_out(COLUMNS, rows, width)
