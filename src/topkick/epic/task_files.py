"""New task files: subtasks, fixes, refinements and verifications, each with its own row."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit
from topkick.epic.answers import Subtask
from topkick.epic.body import Epic
from topkick.epic.items import EpicItem, Status
from topkick.epic.tick import route
from topkick.text.task_file import TaskFile

CROWD = 3


@dataclass(frozen=True, slots=True)
class Filed:
    """The epic with its new rows, and the files that are made before it is written."""

    epic: Epic
    ids: tuple[str, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task that is not filed yet; it goes to a worker or stays unassigned (EP-36). It depends on
    what it is `about` without waiting for it.
    """

    title: str
    body: str
    status: str
    criteria: tuple[str, ...] = ()
    parent: str = ""
    project: str = ""
    effort: str = ""
    hours: int = 0
    tags: tuple[str, ...] = ()
    assignee: str = ""
    after: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    branch: str = ""


def task_path(epic_path: str, task_id: str) -> str:
    directory = epic_path.rpartition("/")[0]
    return f"{directory}/{task_id}.md" if directory else f"{task_id}.md"


def file_tasks(epic: Epic, epic_path: str, drafts: Sequence[TaskDraft], skip: int) -> Filed:
    """File the drafts; skip as many numbers as `skip`, taken by files that the epic does not
    know.
    """
    first = epic.next_number + skip
    ids, edits = [], []
    for number, draft in enumerate(drafts, start=first):
        task_id = f"{epic.id}-{number}"
        content = Text.of(_text(epic, task_id, draft))
        ids.append(task_id)
        edits.append(Edit(task_path(epic_path, task_id), "", content))
        epic = epic.with_item(_row(task_id, draft))
    return Filed(epic, tuple(ids), tuple(edits))


def of_subtasks(epic: Epic, subtasks: Sequence[Subtask], skip: int) -> tuple[TaskDraft, ...]:
    """Return drafts, with a last one that verifies the whole goal, unless there is one."""
    first = epic.next_number + skip
    drafts = coordinated(epic.id, [_of_subtask(epic, subtask, first) for subtask in subtasks])
    if not any(draft.title.lower().startswith("verify:") for draft in drafts):
        drafts.append(_of_goal(epic, [f"{epic.id}-{first + n}" for n in range(len(drafts))]))
    return tuple(drafts)


def _of_subtask(epic: Epic, subtask: Subtask, first: int) -> TaskDraft:
    return TaskDraft(
        title=subtask.title,
        body=subtask.body,
        status=Status.READY,
        criteria=subtask.criteria,
        parent=epic.id,
        project=subtask.project or epic.file.get("project") or "",
        effort=subtask.effort,
        hours=subtask.hours,
        tags=subtask.tags,
        assignee=subtask.assignee,
        after=tuple(f"{epic.id}-{first + n - 1}" for n in subtask.after),
    )


def coordinated(epic_id: str, drafts: list[TaskDraft]) -> list[TaskDraft]:
    """Put drafts on a shared branch if three or more touch the same file; they run one at a
    time.
    """
    files = [route.files_in("\n".join((d.title, d.body, *d.criteria))) for d in drafts]
    counts = Counter(name for names in files for name in names)
    crowded = {name for name, count in counts.items() if count >= CROWD}
    branch = f"feature/{epic_id}"
    return [
        replace(draft, branch=branch) if crowded & set(names) else draft
        for draft, names in zip(drafts, files, strict=True)
    ]


def _of_goal(epic: Epic, ids: list[str]) -> TaskDraft:
    goal = epic.title or epic.id
    return TaskDraft(
        title=f"Verify: {goal} fully resolved",
        body="Look at what the tasks before this one delivered, together, and at the epic's goal.",
        status=Status.READY,
        criteria=(f"The goal of {epic.id} is reached, and what shows it is written down.",),
        parent=epic.id,
        project=epic.file.get("project") or "",
        effort="S",
        after=tuple(ids),
    )


def _row(task_id: str, draft: TaskDraft) -> EpicItem:
    return EpicItem(
        id=task_id,
        title=" ".join(draft.title.split()),
        status=draft.status,
        worker=draft.assignee,
        project=draft.project,
        after=draft.after,
        branch=draft.branch,
        criteria=draft.criteria,
    )


def _text(epic: Epic, task_id: str, draft: TaskDraft) -> str:
    file = TaskFile.read("---\n---\n")
    for key, value in (
        ("id", task_id),
        ("title", " ".join(draft.title.split())),
        ("status", draft.status),
        ("parent", draft.parent or epic.id),
    ):
        file = file.with_value(key, value)
    file = file.with_items("depends_on", (*draft.about, *draft.after))
    file = file.with_value("assignee", draft.assignee or None)
    file = file.with_value("project", draft.project or None)
    file = file.with_items("tags", draft.tags)
    file = file.with_value("effort", draft.effort or None)
    if draft.hours > 0:
        file = file.with_value("hours", str(draft.hours))
    return file.text + "\n".join(_body(draft))


def _body(draft: TaskDraft) -> Iterator[str]:
    yield from (f"# {' '.join(draft.title.split())}", "", draft.body.strip(), "")
    if draft.criteria:
        yield from ("## Acceptance Criteria", "")
        yield from (f"- {' '.join(c.split())}" for c in draft.criteria)
        yield ""


def waiting_for(item: EpicItem, others: tuple[str, ...], notes: str) -> EpicItem:
    """Return the item back in the queue, after the tasks that were filed for it."""
    after = tuple(dict.fromkeys((*item.after, *others)))
    return replace(
        item, status=Status.QUEUED, after=after, outcome="", dispatch="", notes=notes, critic=""
    )
