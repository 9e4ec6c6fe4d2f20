"""What several actions post: a rejection, a halt, a task for an item that waits for it."""

from dataclasses import replace

from topkick.policies.epic import filing
from topkick.policies.epic.body import HALTED, Epic
from topkick.policies.epic.filing import Draft
from topkick.policies.epic.items import Status
from topkick.policies.epic.memory import RowClass
from topkick.policies.epic.notes import End
from topkick.policies.epic.scene import Acted, Scene


def rejected(scene: Scene, decision: str, why: str) -> Acted:
    epic = scene.epic.with_row(RowClass.VERDICT_FAIL, decision, why)
    return Acted(epic.with_log(f"{decision}: {why}"), End(True, f"{decision}: {why}"))


def halt(epic: Epic, status: str, found: RowClass, decision: str, reason: str) -> Acted:
    """Only a person clears it; what they have to decide stands in the body (EP-21, EP-33)."""
    epic = replace(epic, status=status, phase=HALTED).with_row(found, decision, reason)
    epic = epic.with_log(f"{decision}: {reason}")
    epic = epic.asking(reason, "Has this been seen to, and may the epic go on?")
    return Acted(epic, End(False, f"{epic.id} is halted ({status}): {reason}"))


def file_task(
    scene: Scene, title: str, body: str, parent: str, behind: str, found: RowClass
) -> Acted:
    """A task that a worker can do, and the item that waits for it."""
    waiting = scene.epic.item(behind)
    project = waiting.project if waiting is not None else scene.epic.file.get("project") or ""
    criteria = (f"What it says under the title is done: {' '.join(title.split())}",)
    draft = Draft(title, body, Status.QUEUED, criteria, parent, project)
    filed = filing.file_tasks(scene.epic, scene.epic_path, (draft,), scene.skip)
    epic, new = filed.epic, filed.ids[0]
    if waiting is not None:
        epic = epic.with_item(filing.waiting_for(waiting, filed.ids, f"waits for {new}"))
    epic = epic.with_row(found, f"filed {new} for {behind or epic.id}", title)
    epic = epic.with_log(f"Filed {new}: {title}. Next: {new}.")
    return Acted(epic, End(True, f"filed {new}: {title}"), filed.edits)


def refinement(scene: Scene, item_id: str) -> tuple[str, str]:
    """Without the reason's own words: they would make the refinement as suspect as the task."""
    body = (
        f"{item_id} cannot be given out as it stands. Why stands in the Supervisor Log of "
        f"{scene.epic.id}, in its last entry on {item_id}. Mend the task file so that it can."
    )
    return f"Refine {item_id}", body
