"""The built-in Manager: maintains a kanban board by rules, without a model.

It gets one task that was worked on, and writes every file as a person would expect it. Run twice
for the same entry in the work log, it changes nothing the second time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topkick.kanban.files import WorkItem, new_task, read_items, slug
from topkick.kanban.model import COMPLETE, BoardTask, read_task, same_task
from topkick.text.task_file import TaskFile

PRIORITIES = ("critical", "high", "medium", "low")
OPEN = ("todo", "review", "")
DESIGNING = ("design", "exploration", "redesign")
ENDS_WITHOUT_REVIEW = ("review", "exploration")
SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Managed:
    """The result; `files` are contents by path, in write order: new ones first, the board last."""

    files: tuple[tuple[str, str], ...]
    status: str
    message: str
    next_task: str | None
    tasks: tuple[str, ...]


class Desk:
    """The board and its tasks during the work."""

    def __init__(
        self,
        board_path: str,
        board_text: str,
        tasks: Mapping[str, str],
        number: int,
        created: str,
    ) -> None:
        self._board_path = board_path
        self._before = {board_path: board_text, **tasks}
        self.board = TaskFile.read(board_text)
        self._files = {path: TaskFile.read(text) for path, text in tasks.items()}
        self._number = number
        self._created = created
        self._events: list[str] = []

    @property
    def tasks(self) -> list[BoardTask]:
        return [read_task(path, file.text) for path, file in self._files.items()]

    def find(self, name: str) -> BoardTask | None:
        return next((task for task in self.tasks if same_task(task.path, name)), None)

    def settled(self, task: BoardTask) -> bool:
        return self._files[task.path].get(SETTLED) == str(task.log_entries)

    def put(self, task: BoardTask, **values: str) -> None:
        file = self._files[task.path]
        for key, value in values.items():
            file = file.with_value(key, value)
        self._files[task.path] = file

    def after(self, task: BoardTask, *others: str) -> None:
        known = self._files[task.path].items("dependencies")
        new = tuple(dict.fromkeys((*known, *others)))
        self._files[task.path] = self._files[task.path].with_items("dependencies", new)

    def add(self, title: str, of: BoardTask, **fields: object) -> str:
        """Return the task of that title that came from another one; create it if there is none."""
        for path, file in self._files.items():
            if file.get("from") == of.path and read_task(path, file.text).title == title:
                return path
        directory = self._board_path.rpartition("/")[0]
        name = f"{self._number}-{slug(title)}.md"
        path = f"{directory}/{name}" if directory else name
        text = new_task(
            title,
            board=self._board_path,
            created=self._created,
            refers=(of.path,),
            **fields,  # type: ignore[arg-type]
        )
        self._number += 1
        self._files[path] = TaskFile.read(text).with_value("from", of.path)
        return path

    def log(self, event: str, *details: str) -> None:
        told = "\n".join(f"- {' '.join(detail.split())}" for detail in details)
        self._events.append(f"### [{self._created}] {event}\n**Details:**\n{told}\n")

    def head(self, **values: str | None) -> None:
        for key, value in values.items():
            self.board = self.board.with_value(key, value)

    def done(self, status: str, message: str, next_task: str | None) -> Managed:
        tasks = tuple(self._files)
        if tuple(self.board.items("tasks")) != tasks:
            self.board = self.board.with_items("tasks", tasks)
        for event in self._events:
            self.board = self.board.appended_to("Plan Adjustment Log", event)
        now = {**{p: f.text for p, f in self._files.items()}, self._board_path: self.board.text}
        new = tuple((p, text) for p, text in now.items() if p not in self._before)
        changed = tuple((p, t) for p, t in now.items() if self._before.get(p, t) != t)
        return Managed((*new, *changed), status, message, next_task, tasks)


def is_made_for(board: str, text: str) -> bool:
    """Return whether the task was created by a Manager that died before the board listed it."""
    file = TaskFile.read(text)
    return file.get("kanban") == board and file.get("from") is not None


def manage(desk: Desk, done_task: str) -> Managed:
    task = desk.find(done_task)
    if task is None:
        return desk.done("error", f"{done_task} is not on the board", done_task)
    if not task.log_entries:
        return desk.done("error", f"{task.path} has no entry in its work log", task.path)
    if not desk.settled(task):
        _settle(desk, task)
        desk.put(task, settled=str(task.log_entries))
    _revive(desk)
    return _choose(desk, task)


# --- the finished task -----------------------------------------------------------------------


def _settle(desk: Desk, task: BoardTask) -> None:
    match "escalate" if task.state == "escalated" else task.log_status or "ok":
        case "blocked" | "error":
            _blocked(desk, task)
        case "escalate":
            _escalated(desk, task)
        case _ if task.state == "done" or task.type in ENDS_WITHOUT_REVIEW:
            _finished(desk, task)
        case _:
            design = task.type in DESIGNING
            desk.put(task, state="review", assignee="Architect", type="review")
            desk.log("design_ready_for_review" if design else "ready_for_review", task.path)


def _blocked(desk: Desk, task: BoardTask) -> None:
    """Add a task that explores what is missing, before the blocked one."""
    path = desk.add(
        f"Explore what blocks {task.title}",
        task,
        assignee="Architect",
        kind="exploration",
        priority="critical",
        description=f"{task.path} is blocked. Its work log says why. Find out what it needs.",
    )
    desk.put(task, state="escalated")
    desk.after(task, path)
    desk.log("blocker_detected", task.path, f"explored by {path}")


def _escalated(desk: Desk, task: BoardTask) -> None:
    path = desk.add(
        f"Review the escalation of {task.title}",
        task,
        assignee="Architect",
        kind="review",
        priority="high",
        description=(
            f"{task.path} was escalated. Its work log says why. List what must be done first as "
            "work items below, or correct the task."
        ),
    )
    desk.put(task, state="escalated")
    desk.after(task, path)
    desk.log("escalation_received", task.path)
    desk.log("escalation_for_review", path)


def _finished(desk: Desk, task: BoardTask) -> None:
    desk.put(task, state="done")
    items = read_items(task.work_items)
    if not items:
        return
    made = _made_of(desk, task, items)
    waiting = [t for t in desk.tasks if t.state == "escalated" and task.path in t.dependencies]
    for one in waiting:
        desk.after(one, *made)
        desk.log("escalation_prerequisites_created", one.path, *made)
    if not waiting:
        desk.log("design_review_approved", task.path)
    desk.log("tasks_created", *made)


def _made_of(desk: Desk, task: BoardTask, items: Sequence[WorkItem]) -> list[str]:
    made: list[str] = []
    for item in items:
        after = tuple(made[n] for n in _earlier(item, items) if n < len(made))
        needed = () if item.is_adequate else (_explored(desk, task, item),)
        made.append(
            desk.add(
                " ".join(item.description.split())[:120] or "Work item without a description",
                task,
                assignee="Architect" if item.needs_architect else "Implementor",
                kind="design" if item.needs_architect else "implement",
                priority=item.priority if item.priority in PRIORITIES else "medium",
                description="\n\n".join(filter(None, (item.description, item.notes))),
                dependencies=(*after, *needed),
                files=item.files,
            )
        )
    return made


def _earlier(item: WorkItem, items: Sequence[WorkItem]) -> list[int]:
    """Return the items before, by number from 0 or by description."""
    by_words = {other.description: number for number, other in enumerate(items)}
    return [int(x) if x.isdecimal() else by_words.get(x, len(items)) for x in item.after]


def _explored(desk: Desk, task: BoardTask, item: WorkItem) -> str:
    title = f"Explore: {' '.join(item.description.split())[:100] or 'a work item'}"
    asked = (("files", item.files), ("related_domains", item.domains))
    lacking = [name for name, has in asked if not has]
    path = desk.add(
        title,
        task,
        assignee="Architect",
        kind="exploration",
        priority="high",
        description=f"Add what the work item lacks: {', '.join(lacking) or 'a description'}.",
    )
    desk.log("inadequate_information", path)
    return path


# --- the next task ---------------------------------------------------------------------------


def _revive(desk: Desk) -> None:
    """Return escalated tasks to work once everything they waited for is done."""
    for task in desk.tasks:
        if task.state != "escalated" or _open_ones(desk, task):
            continue
        designs = task.type in DESIGNING or bool(read_items(task.work_items))
        who, kind = ("Architect", "redesign") if designs else ("Implementor", "implement")
        desk.put(task, state="todo", assignee=who, type=kind)


def _open_ones(desk: Desk, task: BoardTask) -> list[str]:
    found = [(name, desk.find(name)) for name in task.dependencies]
    return [n for n, t in found if t is None or t.state not in {*COMPLETE, "cancelled"}]


def _choose(desk: Desk, task: BoardTask) -> Managed:
    open_tasks = [t for t in desk.tasks if t.state in OPEN]
    ready = [t for t in open_tasks if not _open_ones(desk, t)]
    if ready:
        return _next(desk, min(ready, key=_rank))
    waiting = [t for t in desk.tasks if t.state not in {*COMPLETE, "cancelled"}]
    if waiting:
        names = ", ".join(t.path for t in waiting[:5])
        return desk.done("blocked", f"no task is ready; these tasks wait: {names}", None)
    if desk.board.get("current") is not None:
        desk.log("workflow_complete", task.path)
    desk.head(phase="complete", current=None)
    if desk.board.get("sub_phase") is not None:
        desk.head(sub_phase=None)
    return desk.done("ok", "all tasks are done", None)


def _rank(task: BoardTask) -> int:
    """Return the priority; `min` keeps the order of the board among equals."""
    known = task.priority in PRIORITIES
    return PRIORITIES.index(task.priority) if known else PRIORITIES.index("medium")


def _next(desk: Desk, task: BoardTask) -> Managed:
    phase, sub_phase = ("execute", "")
    if task.type in DESIGNING:
        phase = "design"
    elif task.type == "review":
        sub_phase = "review"
    desk.head(phase=phase, current=task.path)
    if sub_phase or desk.board.get("sub_phase") is not None:
        desk.head(sub_phase=sub_phase or None)
    return desk.done("ok", f"next is {task.title}", task.path)
