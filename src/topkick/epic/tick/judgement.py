"""Turn the verdicts of the critic and the verifier into rows and files."""

from dataclasses import replace

from topkick.epic import handover
from topkick.epic.answers import ReviewVerdict
from topkick.epic.body import Epic
from topkick.epic.files import archive
from topkick.epic.files.archive import TaskDraft
from topkick.epic.files.memory import RowClass
from topkick.epic.items import EpicItem, Status
from topkick.epic.settings import Surface
from topkick.epic.state import TickEnd
from topkick.epic.tick import critique
from topkick.epic.tick.choice import FAILED, PASSED, REVISED, Ask
from topkick.epic.tick.scene import Acted, EpicScene

# --- the critic ------------------------------------------------------------------------------


def for_the_critic(scene: EpicScene, item_id: str, why: str) -> Acted:
    item = scene.epic.item(item_id)
    assert item is not None
    item = replace(item, status=Status.QUEUED, critic=critique.WANTED, notes=why, outcome="")
    decision = f"hold {item_id} for the critic"
    epic = scene.epic.with_item(item).with_row(RowClass.VERIFY_REVISE, decision, why)
    return Acted(epic.with_log(f"{decision}: {why}"), TickEnd(True, f"{decision}: {why}"))


def for_a_person(scene: EpicScene, item_id: str, why: str) -> Acted:
    told = "If it may be done all the same, write `CRITIC OVERRIDE: <why>` into the task."
    return handover.refused(scene, item_id, why, f"{why}. {told}", "May it?")


def criticized(scene: EpicScene, item: EpicItem, answer: ReviewVerdict) -> Acted:
    decision = f"critic {answer.word} on {item.id}"
    if answer.word == "NEEDS_REFINEMENT":
        said = f"{decision}: {answer.reason}"
        return handover.refined(scene, item.id, RowClass.REACT_FILED_FIX, said)
    if answer.word == "DO_NOT_DISPATCH":
        stuck = replace(item, status=Status.REVIEW, notes=answer.reason, critic=answer.word)
        acted = handover.halt(
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
    if scene.settings.surface is Surface.GH and item.surface.startswith(handover.ON_BRANCH):
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
    edits = scene.status_edit(item.id, Status.AT_SURFACE, handover.text(epic, item))
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
        return handover.halt(scene.epic, Status.REVIEW, RowClass.DISPATCH_HALT, decision, reason)
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
        f"{reason}\n\nFind it out, and write down what you saw and how.",
        status=Status.QUEUED,
        criteria=(f"It is written down whether {item.surface} meets the criteria of {item.id}.",),
        parent=scene.epic.id,
        project=item.project,
        effort="S",
        about=(item.id,),
    )
    filed = archive.file_tasks(scene.epic, scene.epic_path, (draft,), scene.skip)
    epic = filed.epic.with_item(replace(item, outcome=REVISED + filed.ids[0]))
    epic = epic.with_row(RowClass.VERIFY_REVISE, decision, reason)
    epic = epic.with_log(f"{decision}: {reason} Next: {filed.ids[0]}.")
    return Acted(epic, TickEnd(True, f"{decision}; filed {filed.ids[0]}"), filed.edits)
