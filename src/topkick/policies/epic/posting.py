"""Actions that several answers share: a rejection, a halt, a task for an item that waits for it."""

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
    """Halt the epic; only a person clears it, and the body says what to decide (EP-21, EP-33)."""
    epic = replace(epic, status=status, phase=HALTED).with_row(found, decision, reason)
    epic = epic.with_log(f"{decision}: {reason}")
    epic = epic.asking(reason, "Has this been seen to, and may the epic go on?")
    return Acted(epic, End(False, f"{epic.id} is halted ({status}): {reason}"))


def file_task(
    scene: Scene, title: str, body: str, parent: str, behind: str, found: RowClass
) -> Acted:
    """File a task that a worker can do, and make the item wait for it."""
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


def refined(scene: Scene, item_id: str, found: RowClass, said: str) -> Acted:
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


def refused(scene: Scene, item_id: str, why: str, told: str, question: str) -> Acted:
    """Hand the item to a person; the epic continues without it (EP-33)."""
    item = scene.epic.item(item_id)
    assert item is not None
    epic = scene.epic.with_item(replace(item, status=Status.REVIEW, notes=why, outcome=""))
    epic = epic.with_row(RowClass.DISPATCH_HALT, f"refuse {item_id}", why)
    epic = epic.asking(f"{item_id}: {told}", question)
    epic = epic.with_log(f"{item_id} is refused: {why}")
    edits = scene.status_edit(item_id, Status.REVIEW)
    return Acted(epic, End(False, f"{item_id} is refused: {why}"), edits)
