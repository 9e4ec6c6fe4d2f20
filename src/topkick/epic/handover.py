"""Actions that several answers share: a rejection, a halt, a task for an item that waits for it."""

from dataclasses import dataclass, replace

from topkick.epic.body import HALTED, Epic
from topkick.epic.files import archive
from topkick.epic.files.archive import TaskDraft
from topkick.epic.files.memory import RowClass
from topkick.epic.items import EpicItem, Status
from topkick.epic.state import TickEnd
from topkick.epic.tick.scene import Acted, EpicScene

# --- pull requests -----------------------------------------------------------------------------
# The text for what an item delivered on its branch (EP-14).

ON_BRANCH = "branch "


@dataclass(frozen=True, slots=True)
class TaskProposal:
    title: str
    body: str


def proposal(epic: Epic, item: EpicItem) -> TaskProposal:
    met = [f"- {criterion}" for criterion in item.criteria] or ["- none were given"]
    told = f"Part of {epic.id} ({epic.title}). The verifier passed {item.id} on:"
    return TaskProposal(item.title or item.id, "\n".join((told, "", *met)))


def text(epic: Epic, item: EpicItem) -> str:
    """Return the text for opening a pull request by hand, if the item has only a branch."""
    if not item.surface.startswith(ON_BRANCH):
        return ""
    made = proposal(epic, item)
    branch = item.surface.removeprefix(ON_BRANCH)
    return f"Title: {made.title}\nFrom: {branch}\n\n{made.body}"


def rejected(scene: EpicScene, decision: str, why: str) -> Acted:
    epic = scene.epic.with_row(RowClass.VERDICT_FAIL, decision, why)
    return Acted(epic.with_log(f"{decision}: {why}"), TickEnd(True, f"{decision}: {why}"))


def halt(epic: Epic, status: str, found: RowClass, decision: str, reason: str) -> Acted:
    """Halt the epic; only a person clears it, and the body says what to decide (EP-21, EP-33)."""
    epic = replace(epic, status=status, phase=HALTED).with_row(found, decision, reason)
    epic = epic.with_log(f"{decision}: {reason}")
    epic = epic.asking(reason, "Has this been seen to, and may the epic go on?")
    return Acted(epic, TickEnd(False, f"{epic.id} is halted ({status}): {reason}"))


def file_task(
    scene: EpicScene, title: str, body: str, parent: str, behind: str, found: RowClass
) -> Acted:
    """File a task that a worker can do, and make the item wait for it."""
    waiting = scene.epic.item(behind)
    project = waiting.project if waiting is not None else scene.epic.file.get("project") or ""
    criteria = (f"What it says under the title is done: {' '.join(title.split())}",)
    draft = TaskDraft(title, body, Status.QUEUED, criteria, parent, project)
    filed = archive.file_tasks(scene.epic, scene.epic_path, (draft,), scene.skip)
    epic, new = filed.epic, filed.ids[0]
    if waiting is not None:
        epic = epic.with_item(archive.waiting_for(waiting, filed.ids, f"waits for {new}"))
    epic = epic.with_row(found, f"filed {new} for {behind or epic.id}", title)
    epic = epic.with_log(f"Filed {new}: {title}. Next: {new}.")
    return Acted(epic, TickEnd(True, f"filed {new}: {title}"), filed.edits)


def refined(scene: EpicScene, item_id: str, found: RowClass, said: str) -> Acted:
    """File a task that repairs this one; after an earlier failed pre-flight, ask a person (EP-13).

    The reason's own words are left out: they would make the refinement as suspect as the task.
    """
    item = scene.epic.item(item_id)
    assert item is not None
    if item.refusals >= scene.settings.routing.refusals:
        why = f"it failed its pre-flight {_times(item.refusals + 1)}"
        return refused(scene, item_id, why, said, "Have you mended the task, and may it go out?")
    scene = replace(scene, epic=scene.epic.with_item(replace(item, refusals=item.refusals + 1)))
    body = (
        f"{item_id} cannot be given out as it stands. Why stands in the Supervisor Log of "
        f"{scene.epic.id}, in its last entry on {item_id}. Mend the task file so that it can."
    )
    acted = file_task(scene, f"Refine {item_id}", body, item_id, item_id, found)
    return replace(acted, epic=acted.epic.with_log(said))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def refused(scene: EpicScene, item_id: str, why: str, told: str, question: str) -> Acted:
    """Hand the item to a person; the epic continues without it (EP-33)."""
    item = scene.epic.item(item_id)
    assert item is not None
    epic = scene.epic.with_item(replace(item, status=Status.REVIEW, notes=why, outcome=""))
    epic = epic.with_row(RowClass.DISPATCH_HALT, f"refuse {item_id}", why)
    epic = epic.asking(f"{item_id}: {told}", question)
    epic = epic.with_log(f"{item_id} is refused: {why}")
    edits = scene.status_edit(item_id, Status.REVIEW)
    return Acted(epic, TickEnd(False, f"{item_id} is refused: {why}"), edits)
