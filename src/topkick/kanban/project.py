"""Find, read and create kanban boards on disk, and run the built-in Manager on one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from topkick.app.project import Project, find_file_project
from topkick.engine.agents.answers import json_in
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.kanban.files import first_task, new_board, next_number, slug
from topkick.kanban.manager import Desk, Managed, is_made_for, manage
from topkick.kanban.model import Board, BoardTask, places, read_board, read_task
from topkick.text.task_file import TaskFile

KIND = "kanban"
LONGEST_BYTES = 1 << 20
MOST_BOARDS = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """A board with its existing tasks; `missing` are the others."""

    board: Board
    tasks: tuple[BoardTask, ...]
    missing: tuple[str, ...]


def find_board(named: Path | None, here: Path, *, to_run: bool = True) -> Project:
    """Return the named board; else the only one here that is not complete, or the only one."""
    if named is not None:
        if not named.is_file():
            raise UsageError(f"There is no board at {named}.\nCreate one: topkick kanban new TITLE")
        return find_file_project(named, KIND)
    found = list(_boards(here, to_run=True)) or ([] if to_run else list(_boards(here)))
    if len(found) == 1:
        return find_file_project(found[0], KIND)
    if found:
        names = "\n".join(f"  topkick kanban run {path.relative_to(here)}" for path in found)
        raise UsageError(f"This directory has several boards. Name one of them:\n{names}")
    raise UsageError(
        "No board in this directory has open tasks.\nCreate one: topkick kanban new TITLE"
    )


def _boards(here: Path, *, to_run: bool = False) -> Iterator[Path]:
    candidates = sorted((*here.glob("*kanban*.md"), *here.glob("tasks/*kanban*.md")))
    for path in candidates[:MOST_BOARDS]:
        board = read_board(path.name, text_of(path))
        if board.readable and not (to_run and board.is_complete):
            yield path


def text_of(path: Path) -> str:
    """Read a file without loss; raise UsageError with the reason if it cannot be read."""
    try:
        data = read_plain(path, LONGEST_BYTES + 1)
    except OSError as trouble:
        raise UsageError(
            f"{path} cannot be read: {trouble.strerror}.\n"
            f"It must be a regular file that you may read; see: ls -l {path}"
        ) from trouble
    if len(data) > LONGEST_BYTES:
        raise UsageError(f"{path} is larger than 1 MiB, so it is not read as a board or a task.")
    return data.decode("utf-8", "surrogateescape")


def read_all(project: Project) -> Shown:
    name = project.plan_path.relative_to(project.root).as_posix()
    board = read_board(name, text_of(project.plan_path))
    tasks, missing = [], []
    for task in board.tasks:
        path = place_of(project.root, name, task)
        if path is None:
            missing.append(task)
        else:
            tasks.append(read_task(path, text_of(project.root / path)))
    return Shown(board, tuple(tasks), tuple(missing))


def place_of(root: Path, board: str, task: str) -> str | None:
    for path in places(board, task):
        here = root / path
        inside = here.parent.resolve().is_relative_to(root.resolve())
        if inside and here.is_file() and not here.is_symlink():
            return path
    return None


def make_board(directory: Path, title: str, request: str) -> Path:
    """Create a board and its first task, numbered after existing files, never over them."""
    directory.mkdir(parents=True, exist_ok=True)
    number = next_number(path.name for path in directory.glob("*.md"))
    created = datetime.now().astimezone().isoformat(timespec="seconds")
    board = f"{number}-kanban-{slug(title)}.md"
    task = f"{number + 1}-populate-work-items.md"
    prefix = f"{directory.name}/"
    for name, text in (
        (task, first_task(title, request, prefix + board, created)),
        (board, new_board(title, request, prefix + task, created)),
    ):
        assert TaskFile.read(text).has_matter
        replace_atomically(directory / name, text.encode(), mode=0o644)
    return directory / board


# --- the built-in Manager as a program ---------------------------------------------------------


INPUT = "INPUT"


def answer(order: str, root: Path) -> str:
    board, done_task = _order(order)
    managed = manage(_desk(root, board), done_task)
    for path, text in managed.files:  # the board last: what it names is there by then
        place = root / path
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o644
        replace_atomically(place, text.encode("utf-8", "surrogateescape"), mode=mode)
    return _said(managed)


def _order(order: str) -> tuple[str, str]:
    """Return the fenced block below the line INPUT."""
    _, found, rest = order.partition(f"\n{INPUT}\n")
    asked = json_in(rest.partition("\nANSWER\n")[0] if found else order)
    if isinstance(asked, dict):
        board, done_task = asked.get("kanban_file"), asked.get("done_task")
        if isinstance(board, str) and isinstance(done_task, str):
            return board, done_task
    raise UsageError(
        "The order on standard input has no JSON with kanban_file and done_task, so the board was "
        "not changed.\ntopkick writes such orders itself: topkick kanban run --manager builtin"
    )


def _desk(root: Path, board: str) -> Desk:
    if not (root / board).resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{board} is outside of the project, so the Manager changed nothing.")
    text = text_of(root / board)
    names = read_board(board, text).tasks
    paths = [path for name in names if (path := place_of(root, board, name)) is not None]
    tasks = {path: text_of(root / path) for path in paths}
    beside = sorted((root / board).parent.glob("*.md"))
    tasks |= _unlisted(root, board, beside, set(tasks))
    number = next_number(path.name for path in beside)
    created = datetime.now().astimezone().isoformat(timespec="seconds")
    return Desk(board, text, tasks, number, created)


def _unlisted(root: Path, board: str, beside: list[Path], known: set[str]) -> dict[str, str]:
    names = {place.relative_to(root).as_posix(): place for place in beside}
    others = {name: place for name, place in names.items() if name not in {board, *known}}
    texts = {name: text_of(place) for name, place in others.items() if _is_plain(place)}
    return {name: text for name, text in texts.items() if is_made_for(board, text)}


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= LONGEST_BYTES


def _said(managed: Managed) -> str:
    return json.dumps(
        {
            "status": managed.status,
            "message": managed.message,
            "next_task": managed.next_task,
            "tasks": list(managed.tasks),
        }
    )
