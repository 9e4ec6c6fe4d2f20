"""Turn verdicts of critic and verifier into rows and files, by actions that all answers share."""

from dataclasses import dataclass, replace

from topkick.epic import task_files
from topkick.epic.answers import ReviewVerdict
from topkick.epic.body import HALTED, Epic, RowClass
from topkick.epic.items import EpicItem, Status
from topkick.epic.settings import Surface
from topkick.epic.state import TickEnd
from topkick.epic.task_files import TaskDraft
from topkick.epic.tick import critique
from topkick.epic.tick.choice import FAILED, PASSED, REVISED, Ask
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


def handover_text(epic: Epic, item: EpicItem) -> str:
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
    epic = epic.asking(reason, "Is this resolved, and may the epic continue?")
    return Acted(epic, TickEnd(False, f"{epic.id} is halted ({status}): {reason}"))


def file_task(
    scene: EpicScene, title: str, body: str, parent: str, behind: str, found: RowClass
) -> Acted:
    """File a task that a worker can do, and make the item wait for it."""
    waiting = scene.epic.item(behind)
    project = waiting.project if waiting is not None else scene.epic.file.get("project") or ""
    criteria = (f"What the task describes is done: {' '.join(title.split())}",)
    draft = TaskDraft(title, body, Status.QUEUED, criteria, parent, project)
    filed = task_files.file_tasks(scene.epic, scene.epic_path, (draft,), scene.skip)
    epic, new = filed.epic, filed.ids[0]
    if waiting is not None:
        epic = epic.with_item(task_files.waiting_for(waiting, filed.ids, f"waits for {new}"))
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
        return refused(scene, item_id, why, said, "Is the task repaired, and may it be dispatched?")
    scene = replace(scene, epic=scene.epic.with_item(replace(item, refusals=item.refusals + 1)))
    body = (
        f"{item_id} cannot be dispatched as written. The last entry on {item_id} in the Supervisor "
        f"Log of {scene.epic.id} says why. Repair the task file so that it can be dispatched."
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


# --- the critic ------------------------------------------------------------------------------


def for_the_critic(scene: EpicScene, item_id: str, why: str) -> Acted:
    item = scene.epic.item(item_id)
    assert item is not None
    item = replace(item, status=Status.QUEUED, critic=critique.WANTED, notes=why, outcome="")
    decision = f"hold {item_id} for the critic"
    epic = scene.epic.with_item(item).with_row(RowClass.VERIFY_REVISE, decision, why)
    return Acted(epic.with_log(f"{decision}: {why}"), TickEnd(True, f"{decision}: {why}"))


def for_a_person(scene: EpicScene, item_id: str, why: str) -> Acted:
    told = "To allow it anyway, write `CRITIC OVERRIDE: <why>` into the task."
    return refused(scene, item_id, why, f"{why}. {told}", "May it be dispatched?")


def criticized(scene: EpicScene, item: EpicItem, answer: ReviewVerdict) -> Acted:
    decision = f"critic {answer.word} on {item.id}"
    if answer.word == "NEEDS_REFINEMENT":
        said = f"{decision}: {answer.reason}"
        return refined(scene, item.id, RowClass.REACT_FILED_FIX, said)
    if answer.word == "DO_NOT_DISPATCH":
        stuck = replace(item, status=Status.REVIEW, notes=answer.reason, critic=answer.word)
        acted = halt(
            scene.epic.with_item(stuck),
            Status.REVIEW,
            RowClass.DISPATCH_HALT,
            decision,
            f"{item.id}: {answer.reason}",
        )
        return replace(acted, edits=scene.status_edit(item.id, Status.REVIEW))
    task = scene.task(item.id)
    mark = f"{critique.SAFE} {critique.fingerprint(task)}" if task is not None else ""
    epic = scene.epic.with_item(replace(item, critic=mark, notes=""))
    epic = epic.with_row(RowClass.VERIFY_PASS, decision, answer.reason)
    return Acted(epic.with_log(f"{decision}: {answer.reason}"), TickEnd(True, decision))


# --- the verifier ----------------------------------------------------------------------------


def verified(scene: EpicScene, item: EpicItem, answer: ReviewVerdict) -> Acted:
    decision = f"verifier {answer.word} on {item.id}"
    match answer.word:
        case "PASS":
            return _passed(scene, item, decision)
        case "FAIL":
            failed = replace(item, outcome=FAILED + answer.reason)
            epic = replace(scene.epic.with_item(failed), phase="reacting")
            epic = epic.with_row(RowClass.VERIFY_FAIL, decision, answer.reason)
            line = f"{decision}: {answer.reason}"
            return Acted(epic.with_log(line), TickEnd(True, line))
        case _:
            return _revised(scene, item, decision, answer.reason)


def _passed(scene: EpicScene, item: EpicItem, decision: str) -> Acted:
    """Put the item at its review surface: reviewers take over, and topkick merges nothing
    (EP-14).
    """
    epic = replace(scene.epic, phase="verifying")
    epic = epic.with_row(RowClass.VERIFY_PASS, decision, item.surface)
    if scene.settings.surface is Surface.GH and item.surface.startswith(ON_BRANCH):
        epic = epic.with_item(replace(item, outcome=PASSED, notes="")).with_log(
            f"{item.id} has passed. Next: its pull request."
        )
        return Acted(epic, TickEnd(True, f"{decision}: {item.surface}, a pull request is next"))
    return _at_surface(scene, epic, item, f"{decision}: {item.surface}")


def _at_surface(scene: EpicScene, epic: Epic, item: EpicItem, line: str) -> Acted:
    item = replace(item, status=Status.AT_SURFACE, outcome="", notes="")
    epic = epic.with_item(item)
    follows = [i.id for i in epic.items if item.id in i.after and not i.is_settled]
    thread = f"Next: {', '.join(follows)}." if follows else "Nothing follows from it."
    epic = epic.with_log(f"{item.id} is at its review surface, {item.surface}. {thread}")
    edits = scene.status_edit(item.id, Status.AT_SURFACE, handover_text(epic, item))
    return Acted(epic, TickEnd(True, line), edits)


def proposed(scene: EpicScene, ask: Ask, url: str) -> Acted:
    """Record the open pull request; if it could not be opened, nothing replaces it (EP-14,
    EP-30).
    """
    item = scene.epic.item(ask.item)
    assert item is not None
    if ask.context:
        reason = (
            f"Requested: a pull request for {item.id}. Failed: {ask.context} "
            f"Available but not picked: {item.surface}."
        )
        decision = f"no pull request for {item.id}"
        return halt(scene.epic, Status.REVIEW, RowClass.DISPATCH_HALT, decision, reason)
    item = replace(item, surface=f"{url} ({item.surface})")
    decision = f"pull request for {item.id}"
    epic = scene.epic.with_row(RowClass.VERIFY_PASS, decision, item.surface)
    return _at_surface(scene, epic, item, f"{decision}: {url}")


def _revised(scene: EpicScene, item: EpicItem, decision: str, reason: str) -> Acted:
    """File a task that finds out what the verifier could not decide; then it verifies again
    (EP-12).
    """
    draft = TaskDraft(
        title=f"Verify: what {item.id} delivered",
        body=f"The verifier cannot tell whether {item.surface} meets the criteria of {item.id}: "
        f"{reason}\n\nFind out, and write down what you saw and how.",
        status=Status.QUEUED,
        criteria=(f"It is written down whether {item.surface} meets the criteria of {item.id}.",),
        parent=scene.epic.id,
        project=item.project,
        effort="S",
        about=(item.id,),
    )
    filed = task_files.file_tasks(scene.epic, scene.epic_path, (draft,), scene.skip)
    epic = filed.epic.with_item(replace(item, outcome=REVISED + filed.ids[0]))
    epic = epic.with_row(RowClass.VERIFY_REVISE, decision, reason)
    epic = epic.with_log(f"{decision}: {reason} Next: {filed.ids[0]}.")
    return Acted(epic, TickEnd(True, f"{decision}; filed {filed.ids[0]}"), filed.edits)
