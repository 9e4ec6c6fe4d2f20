"""The built-in Manager as a program: reads its order, updates the board, prints its answer."""

import json
from datetime import datetime
from pathlib import Path

from topkick.engine.agents.answers import json_in
from topkick.engine.errors import UsageError
from topkick.engine.io.files import replace_atomically
from topkick.kanban.files import next_number
from topkick.kanban.manager import Desk, Managed, is_made_for, manage
from topkick.kanban.model import read_board
from topkick.kanban.project import LONGEST_BYTES, place_of, text_of

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
    raise UsageError("A Manager's order names kanban_file, done_task and tasks, as JSON.")


def _desk(root: Path, board: str) -> Desk:
    if not (root / board).resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{board} is not inside the project.")
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
