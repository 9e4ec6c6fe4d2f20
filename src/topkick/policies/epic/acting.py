"""One answer becomes one action: rows, files and at most one worker, all through one write."""

from dataclasses import replace

from topkick.policies.epic import critique, filing, preflight, prompts, prose, routing
from topkick.policies.epic.answers import (
    Answer,
    Decomposition,
    Dispatch,
    FileFix,
    Halt,
    Malformed,
    Verdict,
    texts_of,
)
from topkick.policies.epic.body import HALTED, REVIEWING, Epic
from topkick.policies.epic.choice import FAILED, REVISED, Ask
from topkick.policies.epic.filing import Draft
from topkick.policies.epic.items import Item, Status
from topkick.policies.epic.memory import RowClass
from topkick.policies.epic.notes import End, Launch
from topkick.policies.epic.scene import Acted, Scene

BRANCH = "topkick/"


def act(scene: Scene, ask: Ask, answer: Answer) -> Acted:
    who = prompts.WHO[ask.role]
    if isinstance(answer, Malformed):
        return _rejected(scene, f"{who} verdict malformed", answer.why)
    allowed = prose.directives(scene.epic.file)
    said = prose.objections(texts_of(answer), allowed, scene.scan)
    if said:
        return _rejected(scene, f"{who} answer rejected by the prose scan", "; ".join(said))
    match answer:
        case Verdict() if ask.role == "criticize":
            return _criticized(scene, _item(scene, ask), answer)
        case Verdict():
            return _verified(scene, _item(scene, ask), answer)
        case Decomposition():
            return _decomposed(scene, answer)
        case Halt():
            return _halted(scene, ask, answer)
        case FileFix():
            return _filed_fix(scene, ask, answer)
        case Dispatch():
            return _dispatched(scene, ask, answer)


def _item(scene: Scene, ask: Ask) -> Item:
    item = scene.epic.item(ask.item)
    assert item is not None, "an answer about a row that is gone was dropped before"
    return item


def _rejected(scene: Scene, decision: str, why: str) -> Acted:
    epic = scene.epic.with_row(RowClass.VERDICT_FAIL, decision, why)
    return Acted(epic.with_log(f"{decision}: {why}"), End(True, f"{decision}: {why}"))


def halt(epic: Epic, status: str, found: RowClass, decision: str, reason: str) -> Acted:
    """Only a person clears it; what they have to decide stands in the body (EP-21, EP-33)."""
    epic = replace(epic, status=status, phase=HALTED).with_row(found, decision, reason)
    epic = epic.with_log(f"{decision}: {reason}")
    epic = epic.asking(f"{reason} Has this been seen to, and may the epic go on (yes/no)?")
    return Acted(epic, End(False, f"{epic.id} is halted ({status}): {reason}"))


# --- the planner -----------------------------------------------------------------------------


def _halted(scene: Scene, ask: Ask, answer: Halt) -> Acted:
    """A pre-flight that halts, halts the epic; a react that does, its item (EP-20)."""
    item = scene.epic.item(ask.item)
    if ask.role != "react" or item is None:
        decision = f"planner {ask.role} halt"
        return halt(scene.epic, answer.status, RowClass.DISPATCH_HALT, decision, answer.reason)
    stuck = replace(item, status=answer.status, notes=answer.reason, outcome="")
    epic = scene.epic.with_item(stuck)
    epic = epic.with_row(RowClass.REACT_HALT, f"planner react halt on {item.id}", answer.reason)
    epic = epic.asking(f"{item.id}: {answer.reason} Should it be queued again (yes/no)?")
    epic = epic.with_log(f"{item.id} is {answer.status}: {answer.reason}")
    line = f"{item.id} is {answer.status}: {answer.reason}"
    return Acted(epic, End(True, line), scene.status_edit(item.id, answer.status))


def _filed_fix(scene: Scene, ask: Ask, answer: FileFix) -> Acted:
    epic = scene.epic
    if answer.parent != epic.id and epic.item(answer.parent) is None:
        return _rejected(
            scene, "planner verdict malformed", f"{answer.parent[:80]} is no work item"
        )
    behind = ask.item or (answer.parent if answer.parent != epic.id else "")
    return _file(scene, answer.title, answer.body, answer.parent, behind, RowClass.REACT_FILED_FIX)


def _file(scene: Scene, title: str, body: str, parent: str, behind: str, found: RowClass) -> Acted:
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


def _decomposed(scene: Scene, answer: Decomposition) -> Acted:
    """A plan for a person: nothing of it is given out before they have said so (EP-16)."""
    known = {worker.name for worker in scene.settings.workers}
    for subtask in answer.subtasks:
        if subtask.assignee and subtask.assignee not in known and not _is_choice(subtask.body):
            why = f"{subtask.assignee[:80]} is no worker, and the task is no choice of two"
            return _rejected(scene, "planner verdict malformed", why)
    drafts = filing.of_subtasks(scene.epic, answer.subtasks, scene.skip)
    filed = filing.file_tasks(scene.epic, scene.epic_path, drafts, scene.skip)
    epic = replace(filed.epic, status=Status.READY, phase=REVIEWING)
    count = f"{len(filed.ids)} subtasks"
    epic = epic.with_row(RowClass.DECOMPOSE_OK, f"decomposed into {count}", ", ".join(filed.ids))
    epic = epic.asking(f"{count} are proposed. Should they be queued (yes/no)?")
    epic = epic.with_log(f"Proposed {', '.join(filed.ids)}; a person sets the epic to queued.")
    line = f"{epic.id}: {count} proposed; look at them, then: topkick epic clear"
    return Acted(epic, End(False, line), filed.edits)


def _is_choice(body: str) -> bool:
    """A task may be a person's if it comes down to yes or no, A or B (EP-36)."""
    low = body.lower()
    return "?" in low and ("yes/no" in low or "yes or no" in low or " or " in low)


def _dispatched(scene: Scene, ask: Ask, answer: Dispatch) -> Acted:
    found = preflight.examine(scene, answer, ask.item if ask.role == "react" else "")
    match found:
        case preflight.Clear():
            return _sent(scene, answer, found)
        case preflight.Wrong(why):
            return _rejected(scene, "planner verdict malformed", why)
        case preflight.Full(why):
            epic = scene.epic.with_row(RowClass.NOOP, why)
            return Acted(epic, End(True, why))
        case preflight.Infeasible():
            return infeasible(scene.epic, answer.task_id, found)
        case preflight.NeedsCritic(why):
            return _for_the_critic(scene, answer.task_id, why)
        case preflight.NeedsPerson(why):
            return _for_a_person(scene, answer.task_id, why)
        case preflight.Unfit(why):
            return _unfit(scene, answer.task_id, why)


def _sent(scene: Scene, answer: Dispatch, clear: preflight.Clear) -> Acted:
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
        BRANCH + item.id,
        scene.settings.surface,
    )
    turns = routing.turns_for(clear.task, scene.settings)
    launch = Launch(scene.run_id, item.id, worker.name, prompt, turns)
    edits = scene.status_edit(item.id, Status.IN_PROGRESS)
    return Acted(epic, End(True, decision), edits, launch)


def infeasible(epic: Epic, item_id: str, found: preflight.Infeasible) -> Acted:
    reason = (
        f"{item_id} is infeasible. Requested: {found.requested}. Failed: {found.failed}. "
        f"Available but not picked: {found.not_picked or 'none'}."
    )
    item = epic.item(item_id)
    if item is not None:
        epic = epic.with_item(replace(item, status=found.status, notes=reason, outcome=""))
    return halt(epic, found.status, RowClass.DISPATCH_HALT, f"no substitute for {item_id}", reason)


def _unfit(scene: Scene, item_id: str, why: str) -> Acted:
    """A blocked dispatch files a refinement task (EP-36)."""
    title, body = _refinement(scene, item_id)
    acted = _file(scene, title, body, item_id, item_id, RowClass.DISPATCH_HALT)
    return replace(acted, epic=acted.epic.with_log(f"{item_id} is not given out: {why}"))


def _refinement(scene: Scene, item_id: str) -> tuple[str, str]:
    """Without the reason's own words: they would make the refinement as suspect as the task."""
    body = (
        f"{item_id} cannot be given out as it stands. Why stands in the Supervisor Log of "
        f"{scene.epic.id}, in its last entry on {item_id}. Mend the task file so that it can."
    )
    return f"Refine {item_id}", body


# --- the critic ------------------------------------------------------------------------------


def _for_the_critic(scene: Scene, item_id: str, why: str) -> Acted:
    item = scene.epic.item(item_id)
    assert item is not None
    item = replace(item, status=Status.QUEUED, critic=critique.WANTED, notes=why, outcome="")
    decision = f"hold {item_id} for the critic"
    epic = scene.epic.with_item(item).with_row(RowClass.VERIFY_REVISE, decision, why)
    return Acted(epic.with_log(f"{decision}: {why}"), End(True, f"{decision}: {why}"))


def _for_a_person(scene: Scene, item_id: str, why: str) -> Acted:
    item = scene.epic.item(item_id)
    assert item is not None
    epic = scene.epic.with_item(replace(item, status=Status.REVIEW, notes=why, outcome=""))
    epic = epic.with_row(RowClass.DISPATCH_HALT, f"refuse {item_id}", why)
    told = "If it may be done all the same, write `CRITIC OVERRIDE: <why>` into the task."
    epic = epic.asking(f"{item_id}: {why}. {told} May it (yes/no)?")
    epic = epic.with_log(f"{item_id} is refused: {why}")
    edits = scene.status_edit(item_id, Status.REVIEW)
    return Acted(epic, End(False, f"{item_id} is refused: {why}"), edits)


def _criticized(scene: Scene, item: Item, answer: Verdict) -> Acted:
    decision = f"critic {answer.word} on {item.id}"
    if answer.word == "NEEDS_REFINEMENT":
        title, body = _refinement(scene, item.id)
        acted = _file(scene, title, body, item.id, item.id, RowClass.REACT_FILED_FIX)
        return replace(acted, epic=acted.epic.with_log(f"{decision}: {answer.reason}"))
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
    return Acted(epic.with_log(f"{decision}: {answer.reason}"), End(True, decision))


# --- the verifier ----------------------------------------------------------------------------


def _verified(scene: Scene, item: Item, answer: Verdict) -> Acted:
    decision = f"verifier {answer.word} on {item.id}"
    match answer.word:
        case "PASS":
            return _passed(scene, item, decision)
        case "FAIL":
            failed = replace(item, outcome=FAILED + answer.reason)
            epic = replace(scene.epic.with_item(failed), phase="reacting")
            epic = epic.with_row(RowClass.VERIFY_FAIL, decision, answer.reason)
            line = f"{decision}: {answer.reason}"
            return Acted(epic.with_log(line), End(True, line))
        case _:
            return _revised(scene, item, decision, answer.reason)


def _passed(scene: Scene, item: Item, decision: str) -> Acted:
    """At its review surface: whoever reviews it takes over, and nobody here merges (EP-14)."""
    item = replace(item, status=Status.AT_SURFACE, outcome="", notes="")
    epic = replace(scene.epic.with_item(item), phase="verifying")
    epic = epic.with_row(RowClass.VERIFY_PASS, decision, item.surface)
    follows = [i.id for i in epic.items if item.id in i.after and not i.is_settled]
    thread = f"Next: {', '.join(follows)}." if follows else "Nothing follows from it."
    epic = epic.with_log(f"{item.id} is at its review surface, {item.surface}. {thread}")
    edits = scene.status_edit(item.id, Status.AT_SURFACE, _pull_request(epic, item))
    return Acted(epic, End(True, f"{decision}: {item.surface}"), edits)


def _pull_request(epic: Epic, item: Item) -> str:
    """The text to open one with, for who has only a branch."""
    if not item.surface.startswith("branch "):
        return ""
    met = [f"- {criterion}" for criterion in item.criteria] or ["- none were given"]
    lines = (
        f"Title: {item.title or item.id}",
        f"From: {item.surface.removeprefix('branch ')}",
        "",
        f"Part of {epic.id} ({epic.title}). The verifier passed it at {epic.at} on:",
        "",
        *met,
    )
    return "\n".join(lines)


def _revised(scene: Scene, item: Item, decision: str, reason: str) -> Acted:
    """Nobody can tell yet: somebody finds out, and the verifier looks again (EP-12)."""
    draft = Draft(
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
    filed = filing.file_tasks(scene.epic, scene.epic_path, (draft,), scene.skip)
    epic = filed.epic.with_item(replace(item, outcome=REVISED + filed.ids[0]))
    epic = epic.with_row(RowClass.VERIFY_REVISE, decision, reason)
    epic = epic.with_log(f"{decision}: {reason} Next: {filed.ids[0]}.")
    return Acted(epic, End(True, f"{decision}; filed {filed.ids[0]}"), filed.edits)
