"""Turn one answer into one action: rows, files and at most one worker, all in one write."""

from dataclasses import replace

from topkick.epic import prompts, task_files
from topkick.epic.answers import (
    Answer,
    Decomposition,
    DispatchAnswer,
    FileFix,
    Halt,
    Malformed,
    ReviewVerdict,
    texts_of,
)
from topkick.epic.body import REVIEWING, Epic, RowClass
from topkick.epic.items import EpicItem, Status, branch_of
from topkick.epic.state import TickEnd, WorkerLaunch
from topkick.epic.tick import critique as prose
from topkick.epic.tick import preflight, route, verdicts
from topkick.epic.tick.choice import Ask
from topkick.epic.tick.scene import Acted, EpicScene


def act(scene: EpicScene, ask: Ask, answer: Answer) -> Acted:
    who = prompts.WHO[ask.role]
    if isinstance(answer, Malformed):
        return verdicts.rejected(scene, f"{who} verdict malformed", answer.why)
    allowed = prose.directives(scene.epic.file)
    said = prose.objections(texts_of(answer), allowed, scene.scan)
    if said:
        return verdicts.rejected(scene, f"{who} answer rejected by the prose scan", "; ".join(said))
    match answer:
        case ReviewVerdict() if ask.role == "criticize":
            return verdicts.criticized(scene, _item(scene, ask), answer)
        case ReviewVerdict():
            return verdicts.verified(scene, _item(scene, ask), answer)
        case Decomposition():
            return _decomposed(scene, answer)
        case Halt():
            return _halted(scene, ask, answer)
        case FileFix():
            return _filed_fix(scene, ask, answer)
        case DispatchAnswer():
            return _dispatched(scene, ask, answer)


def _item(scene: EpicScene, ask: Ask) -> EpicItem:
    item = scene.epic.item(ask.item)
    assert item is not None, "an answer about a row that is gone was dropped before"
    return item


# --- the planner -----------------------------------------------------------------------------


def _halted(scene: EpicScene, ask: Ask, answer: Halt) -> Acted:
    """Halt the epic after a failed pre-flight, or only the item after a failed react (EP-20)."""
    item = scene.epic.item(ask.item)
    if item is None:
        decision = f"planner {ask.role} halt"
        return verdicts.halt(
            scene.epic, answer.status, RowClass.DISPATCH_HALT, decision, answer.reason
        )
    stuck = replace(item, status=answer.status, notes=answer.reason, outcome="")
    epic = scene.epic.with_item(stuck)
    epic = epic.with_row(RowClass.REACT_HALT, f"planner react halt on {item.id}", answer.reason)
    epic = epic.asking(f"{item.id}: {answer.reason}", "Should it be queued again?")
    epic = epic.with_log(f"{item.id} is {answer.status}: {answer.reason}")
    line = f"{item.id} is {answer.status}: {answer.reason}"
    return Acted(epic, TickEnd(True, line), scene.status_edit(item.id, answer.status))


def _filed_fix(scene: EpicScene, ask: Ask, answer: FileFix) -> Acted:
    epic = scene.epic
    if answer.parent != epic.id and epic.item(answer.parent) is None:
        return verdicts.rejected(
            scene, "planner verdict malformed", f"{answer.parent[:80]} is not a work item"
        )
    behind = ask.item or (answer.parent if answer.parent != epic.id else "")
    return verdicts.file_task(
        scene, answer.title, answer.body, answer.parent, behind, RowClass.REACT_FILED_FIX
    )


def _decomposed(scene: EpicScene, answer: Decomposition) -> Acted:
    """Propose a plan to a person: nothing of it is dispatched before it is approved (EP-16)."""
    known = {worker.name for worker in scene.settings.workers}
    for subtask in answer.subtasks:
        if subtask.assignee and subtask.assignee not in known and not _is_choice(subtask.body):
            why = f"{subtask.assignee[:80]} is not a worker, and the task is not a choice of two"
            return verdicts.rejected(scene, "planner verdict malformed", why)
    drafts = task_files.of_subtasks(scene.epic, answer.subtasks, scene.skip)
    filed = task_files.file_tasks(scene.epic, scene.epic_path, drafts, scene.skip)
    epic = replace(filed.epic, status=Status.READY, phase=REVIEWING)
    count = "1 subtask" if len(filed.ids) == 1 else f"{len(filed.ids)} subtasks"
    epic = epic.with_row(RowClass.DECOMPOSE_OK, f"decomposed into {count}", ", ".join(filed.ids))
    epic = epic.asking(f"{count} proposed", "May the work begin?")
    epic = epic.with_log(f"Proposed {', '.join(filed.ids)}; a person must set the epic to queued.")
    line = f"{epic.id}: {count} proposed; review, then: topkick epic clear {epic.id}"
    return Acted(epic, TickEnd(False, line), filed.edits)


def _is_choice(body: str) -> bool:
    """Return whether the task is a yes/no or A/B question, which a person may get (EP-36)."""
    low = body.lower()
    return "?" in low and ("yes/no" in low or "yes or no" in low or " or " in low)


def _dispatched(scene: EpicScene, ask: Ask, answer: DispatchAnswer) -> Acted:
    found = preflight.examine(scene, answer, ask.item if ask.role == "react" else "")
    match found:
        case preflight.Clear():
            return _sent(scene, answer, found)
        case preflight.Wrong(why):
            return verdicts.rejected(scene, "planner verdict malformed", why)
        case preflight.Full(why):
            epic = scene.epic.with_row(RowClass.NOOP, why)
            return Acted(epic, TickEnd(True, why))
        case preflight.Infeasible():
            return infeasible(scene.epic, answer.task_id, found)
        case preflight.NeedsCritic(why):
            return verdicts.for_the_critic(scene, answer.task_id, why)
        case preflight.NeedsPerson(why):
            return verdicts.for_a_person(scene, answer.task_id, why)
        case preflight.Unfit(why):
            return _unfit(scene, answer.task_id, why)


def _sent(scene: EpicScene, answer: DispatchAnswer, clear: preflight.Clear) -> Acted:
    epic, item, worker = scene.epic, clear.item, clear.worker
    item = replace(
        item,
        status=Status.IN_PROGRESS,
        worker=worker.name,
        project=clear.project,
        dispatch=scene.run_id,
        host=epic.host,
        dispatches=item.dispatches + 1,
        active=epic.at,
        outcome="",
        notes="",
    )
    epic = replace(epic.with_item(item), status=Status.IN_PROGRESS, phase="dispatching")
    decision = f"dispatch {item.id} to {worker.name}"
    epic = epic.with_row(RowClass.DISPATCH_OK, decision, "preflight clean").with_log(decision)
    directory = scene.settings.directory(clear.project) or "."
    prompt = prompts.worker_brief(
        item,
        scene.path(item.id),
        directory,
        answer.command,
        branch_of(item),
        scene.settings.surface,
        scene.worker_text,
    )
    turns = route.turns_for(clear.task, scene.settings)
    launch = WorkerLaunch(scene.run_id, item.id, worker.name, prompt, turns)
    edits = scene.status_edit(item.id, Status.IN_PROGRESS)
    return Acted(epic, TickEnd(True, decision), edits, launch)


def infeasible(epic: Epic, item_id: str, found: preflight.Infeasible) -> Acted:
    reason = (
        f"{item_id} is infeasible. Requested: {found.requested}. Failed: {found.failed}. "
        f"Available but not picked: {found.not_picked or 'none'}."
    )
    item = epic.item(item_id)
    if item is not None:
        epic = epic.with_item(replace(item, status=found.status, notes=reason, outcome=""))
    return verdicts.halt(
        epic, found.status, RowClass.DISPATCH_HALT, f"no substitute for {item_id}", reason
    )


def _unfit(scene: EpicScene, item_id: str, why: str) -> Acted:
    """File a refinement task for a task that cannot be dispatched (EP-36), unless one was filed
    before.
    """
    return verdicts.refined(
        scene, item_id, RowClass.DISPATCH_HALT, f"{item_id} is not dispatched: {why}"
    )
