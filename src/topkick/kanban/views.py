"""A kanban board as a page for the terminal: its tasks by state, and what is current."""

from collections.abc import Iterator, Sequence

from topkick.kanban.model import Board, BoardTask, same_task
from topkick.text import escape
from topkick.text.columns import Column, lay_out

STATES = ("todo", "review", "escalated", "done", "cancelled")
COLUMNS = (
    Column(""),
    Column("State"),
    Column("Task", least=20),
    Column("Role", leaves=3),
    Column("Type", leaves=2),
    Column("Priority", leaves=4),
    Column("File", least=16, leaves=1),
)


def lines(
    board: Board, tasks: Sequence[BoardTask], missing: Sequence[str], width: int
) -> Iterator[str]:
    yield f"{escape.line(board.title, 80)}: {_phase(board)}"
    yield _current(board, tasks)
    if tasks:
        yield ""
        rows = [_row(board, task) for task in sorted(tasks, key=_rank)]
        yield from lay_out(COLUMNS, rows, width)
    for name in missing:
        yield f"The board lists {escape.line(name, 100)}, but there is no such file."
    if not board.readable:
        yield "The board has no front matter with `phase` and `current`, so it cannot be run."


def _phase(board: Board) -> str:
    phase = escape.line(board.phase, 30) or "no phase"
    return f"{phase}/{escape.line(board.sub_phase, 30)}" if board.sub_phase else phase


def _current(board: Board, tasks: Sequence[BoardTask]) -> str:
    if board.current is None:
        return "No current task."
    task = next((t for t in tasks if same_task(t.path, board.current or "")), None)
    who = f" ({escape.line(task.role, 30)})" if task is not None and task.role else ""
    return f"Current: {escape.line(board.current, 100)}{who}"


def _rank(task: BoardTask) -> int:
    return STATES.index(task.state) if task.state in STATES else len(STATES)


def _row(board: Board, task: BoardTask) -> tuple[str, ...]:
    current = board.current is not None and same_task(task.path, board.current)
    cells = (task.state or "-", task.title, task.role, task.type, task.priority, task.path)
    return ("*" if current else "", *(escape.line(cell, 80) for cell in cells))
