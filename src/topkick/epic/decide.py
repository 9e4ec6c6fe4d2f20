"""The epic supervisor: one tick makes one decision, and only the epic's own body is its memory."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents import task
from topkick.engine.agents.program import AgentExit, Ending
from topkick.engine.agents.runs import JUDGED, Run, Stage
from topkick.engine.effects import Glance, Seen
from topkick.engine.kernel import Policy
from topkick.engine.messages import questions as q
from topkick.epic import prompts
from topkick.epic import state as notes
from topkick.epic.answers import DispatchAnswer, read_answer, read_handback
from topkick.epic.body import HALTED, Epic, RowClass, read_epic
from topkick.epic.items import SETTLED, Status, is_id
from topkick.epic.state import Back, TickEnd, TickStep, path_of, settings_of
from topkick.epic.task_files import task_path
from topkick.epic.tick import actions, preflight, verdicts, writer
from topkick.epic.tick import scene as tick_scene
from topkick.epic.tick.choice import PASSED, Ask, NoOp, Open, Summarize, braked, choose, may_tick
from topkick.epic.tick.critique import Scan
from topkick.epic.tick.scene import Acted, EpicScene, Sight
from topkick.sprint.model import Mission, Stance

Events = Sequence[h.Event]
LAUNCHER = "launch"
_DROPPED = "an answer came too late"


def look(mission: Mission) -> Events:
    """Read the epic, and the children that an answer is about."""
    epic_path = path_of(mission)
    level = writer.to_level(mission, (epic_path,))
    return level or (h.LookAsked(Glance((epic_path, *_children(mission)))),)


def _children(mission: Mission) -> tuple[str, ...]:
    ask = notes.asked(mission)
    if notes.at(mission) is not TickStep.ANSWERED or ask is None:
        return ()
    names = [ask.item]
    if ask.role in prompts.WHO:
        answer = read_answer(ask.role, mission.notebook.get(notes.ANSWER, ""))
        names += [answer.task_id] if isinstance(answer, DispatchAnswer) else []
    return tuple(task_path(path_of(mission), name) for name in names if is_id(name))


def on_sight(mission: Mission, seen: Sight, scan: Scan) -> Events:
    file = seen.files[path_of(mission)]
    if file.content is None:
        why = file.trouble or f"there is no {file.path}"
        return _left_alone(mission, TickEnd(False, why))
    settings = settings_of(mission)
    name = file.path.rpartition("/")[2].removesuffix(".md")
    epic = read_epic(file.text, fallback_id=name, at_us=mission.at_us, host=settings.host)
    if not is_id(epic.id):
        why = f"{file.path} has an id that is not a valid name: {epic.id[:80]}"
        return _left_alone(mission, TickEnd(False, why))
    if notes.at(mission) is TickStep.UNSURE:
        return tuple(writer.made_sure(mission, epic))
    if notes.at(mission) is TickStep.ORIENTING and (lacks := writer.all_level(mission, epic)):
        return lacks
    wanted = tick_scene.glance(mission, epic, file.path, _children(mission))
    if not seen.covers(wanted):
        return (h.LookAsked(wanted),)
    if waits := tick_scene.to_hear(mission, epic, seen):
        return tuple(_hear(mission, waits[0].dispatch, waits[0].id))
    known, epic = epic, tick_scene.refreshed(mission, epic, seen, settings.surface)
    if (said := tick_scene.cleared(epic)) != epic:
        return (
            h.NoteTaken(notes.AGAIN, "yes"),
            *writer.write(mission, file, Acted(said, TickEnd(True, ""))),
        )
    if idle := may_tick(epic):
        return _left_alone(mission, TickEnd(epic.status in SETTLED, f"{epic.id}: {idle}"))
    if notes.at(mission) is TickStep.ANSWERED:
        return tuple(_answered(mission, epic, file, seen, scan))
    return tuple(_decided(mission, epic, file, seen, is_news=epic != known))


def _left_alone(mission: Mission, end: TickEnd) -> Events:
    """End the tick; an answer that was received is kept until the epic may continue."""
    if notes.at(mission) in {TickStep.ANSWERED, TickStep.UNSURE}:
        return (h.MissionEnded(end.done, end.line),)
    return writer.finish(end)


def _hear(mission: Mission, run_id: str, item: str) -> Iterator[h.Event]:
    """Read a worker's result first, even if an earlier supervisor on this host dispatched it."""
    yield h.NoteTaken(notes.AWAITED, run_id)
    if run_id not in mission.runs:
        yield h.RunOpened(run_id, "", f"worker {item}", Stage.CHECKING)


# --- orient, brake, choose -------------------------------------------------------------------


def _decided(
    mission: Mission, epic: Epic, file: Seen, seen: Sight, *, is_news: bool
) -> Iterator[h.Event]:
    settings = settings_of(mission)
    stop = braked(epic, mission.at_us, settings.stalled_s)
    if stop is not None:
        decision = f"brake: {stop.about or stop.reason}"
        acted = verdicts.halt(epic, Status.REVIEW, RowClass.BRAKE_FIRED, decision, stop.reason)
        yield from writer.write(mission, file, acted)
        return
    match choose(epic, settings):
        case Ask() as ask:
            yield from _ask(mission, epic, file, ask)
        case Open(item):
            yield from writer.propose(epic, item, seen)
        case NoOp(why) if settings.share and not is_news:  # other hosts are not informed
            yield from writer.finish(TickEnd(True, why))
        case NoOp(why):
            acted = Acted(epic.with_row(RowClass.NOOP, why), TickEnd(True, why))
            yield from writer.write(mission, file, acted)
        case Summarize():
            yield from writer.write(mission, file, _summarized(epic))


def _summarized(epic: Epic) -> Acted:
    """Write the final summary, once per epic; reviewers take over."""
    for item in epic.items:
        if behind := epic.stuck_behind().get(item.id):
            told = f"waits for {behind}, which is stuck"
            epic = epic.with_item(replace(item, status=Status.BLOCKED, notes=told))
    count = "1 item" if len(epic.items) == 1 else f"{len(epic.items)} items"
    line = f"{epic.id} is at its review surface: {count}"
    epic = replace(epic, status=Status.AT_SURFACE, phase=HALTED, summary=True)
    epic = epic.with_row(RowClass.NOOP, "final summary").with_log(f"{line}. Nothing follows.")
    return Acted(epic, TickEnd(True, line))


def _ask(mission: Mission, epic: Epic, file: Seen, ask: Ask) -> Iterator[h.Event]:
    role = task.role_named(mission, prompts.WHO[ask.role])
    if task.is_limited(mission, role):
        yield from writer.finish(TickEnd(False, f"{role.agent.name} is at its usage limit"))
        return
    given = task.give(mission, role, _subject(ask, epic), _prompt(epic, file, ask, role.prompt))
    if not any(isinstance(event, h.RunOpened) for event in given):
        yield from (*given, notes.go(TickStep.REST))
        return
    yield from (notes.note(ask), h.NoteTaken(notes.ANSWER, ""), notes.go(TickStep.ASKING), *given)
    about = ask.context or ask.item or epic.id
    yield h.Decided("", _subject(ask, epic), f"Ask {role.name} to {ask.role}", about)


def _subject(ask: Ask, epic: Epic) -> str:
    return f"{prompts.WHO[ask.role]} {ask.item or epic.id}"


def _prompt(epic: Epic, file: Seen, ask: Ask, own_text: str) -> str:
    item = epic.item(ask.item)
    if item is not None and ask.role == "verify":
        return prompts.verifier_brief(item, own_text)
    if item is not None and ask.role == "criticize":
        return prompts.critic_brief(item, task_path(file.path, item.id), ask.context, own_text)
    return prompts.brief(ask.role, epic, file.path, ask.context, own_text)


# --- act -------------------------------------------------------------------------------------


def _answered(
    mission: Mission, epic: Epic, file: Seen, seen: Sight, scan: Scan
) -> Iterator[h.Event]:
    ask, text = notes.asked(mission), mission.notebook.get(notes.ANSWER, "")
    assert ask is not None
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    skip = notes.conflicts(mission)
    own = task.role_named(mission, prompts.WORKER).prompt
    scene = EpicScene(epic, file.path, seen.files, settings_of(mission), scan, run_id, skip, own)
    yield from writer.write(mission, file, _acted(scene, ask, text))


def _acted(scene: EpicScene, ask: Ask, text: str) -> Acted:
    if ask.role == LAUNCHER:
        return _could_not_start(scene, ask, text)
    if not _still_fits(scene.epic, ask):
        line = f"{_DROPPED}: {ask.item or scene.epic.id} was changed meanwhile"
        return Acted(scene.epic.with_row(RowClass.NOOP, line), TickEnd(True, line))
    if ask.role == writer.PROPOSER:
        return verdicts.proposed(scene, ask, text)
    return actions.act(scene, ask, read_answer(ask.role, text))


def _still_fits(epic: Epic, ask: Ask) -> bool:
    """Return whether the answer still fits: a person may have changed the row meanwhile."""
    item = epic.item(ask.item)
    match ask.role:
        case "verify" | "react":
            return item is not None and item.status == Status.IN_PROGRESS and bool(item.outcome)
        case "criticize":
            return item is not None and item.status == Status.QUEUED
        case writer.PROPOSER:
            return item is not None and item.outcome == PASSED
        case "decompose":
            return not epic.items
        case _:
            return True


def _could_not_start(scene: EpicScene, ask: Ask, why: str) -> Acted:
    settings = scene.settings
    others = ", ".join(w.name for w in settings.workers if w.name != ask.context) or "none"
    found = preflight.Infeasible(f"worker {ask.context}", why, others)
    return actions.infeasible(scene.epic, ask.item, found)


POLICY = "epic"
WORKER = "worker "
MOST_ANSWER_CHARS = 200_000


def policy(scan: Scan) -> Policy:
    """Return the policy; `scan` finds texts that work around failing tests (EP-31)."""

    def decide(mission: Mission, question: q.Question) -> Events:
        return _decide(mission, question, scan)

    return decide


def _decide(mission: Mission, question: q.Question, scan: Scan) -> Events:
    match question:
        case q.WhatOfCommand(command):
            return _obeyed(mission, command)
        case q.WhatOfFiles(files, runs, branches) if _may_go_on(mission):
            return on_sight(mission, tick_scene.sight(files, runs, branches), scan)
        case q.WhatOfEdits(changed, trouble):
            return writer.written(mission, changed, trouble)
        case q.WhatOfErrand(upshot):
            return writer.came_back(mission, upshot)
        case q.WhatOfActivity(run_id):
            return _begun(mission, run_id)
        case q.WhatOfSilence(run_id, polls):
            return task.saw_silence(mission, mission.runs[run_id], polls)
        case q.WhatOfExit(run_id, ended):
            return _ended(mission, mission.runs[run_id], ended)
        case q.WhatOfWork(run_id, evidence):
            return _heard(mission, mission.runs[run_id], evidence)
        case q.WhatNext():
            enough = task.enough(mission)
            return enough or (_next(mission) if _may_go_on(mission) else ())
        case q.WhatOfFiles() | q.WhatOfGround() | q.WhatOfIntegration() | q.WhatOfGate():
            return ()
        case q.WhatOfBus() | q.WhatOfPosts() | q.WhatOfBackground():
            return ()
        case _:
            assert_never(question)


def _obeyed(mission: Mission, command: h.Command) -> Events:
    """Obey a command: an interrupted tick continues, else a new one begins."""
    said = task.obey(POLICY, mission, command)
    begins = isinstance(command, h.Start | h.Resume) and notes.at(mission) is TickStep.REST
    refused = any(isinstance(event, h.CommandRefused) for event in said)
    return (*said, notes.go(TickStep.ORIENTING)) if begins and not refused else said


def _may_go_on(mission: Mission) -> bool:
    at_work = mission.stance is Stance.WORKING and mission.driven and mission.ended is None
    asks = any(not run.sprint.startswith(WORKER) for run in mission.runs.values())
    waits = mission.looking is not None or mission.editing or mission.errand is not None
    return at_work and not waits and not asks


def _next(mission: Mission) -> Events:
    match notes.at(mission):
        case TickStep.ORIENTING | TickStep.ANSWERED | TickStep.UNSURE:
            awaited = mission.notebook.get(notes.AWAITED, "")
            return () if awaited in mission.runs else look(mission)
        case TickStep.ASKING:  # the subagent ended without an answer
            return (h.NoteTaken(notes.LEVEL, ""), notes.go(TickStep.ORIENTING))
        case TickStep.LAUNCHING:  # with its worker gone the tick is over
            launch = notes.launch(mission)
            waits = launch is not None and launch.run_id in mission.runs
            return () if waits else writer.finish(notes.end(mission))
        case TickStep.REST | TickStep.WRITING | TickStep.PROPOSING:
            return ()


# --- workers ---------------------------------------------------------------------------------


def _begun(mission: Mission, run_id: str) -> Events:
    """End the tick as soon as its worker is at work."""
    launch = notes.launch(mission)
    is_ours = launch is not None and launch.run_id == run_id
    is_due = is_ours and notes.at(mission) is TickStep.LAUNCHING
    return writer.finish(notes.end(mission)) if is_due else ()


def _ended(mission: Mission, run: Run, ended: AgentExit) -> Events:
    if not run.sprint.startswith(WORKER):
        return task.saw_exit(mission, run, ended)
    if ended.how is Ending.CANNOT_START:
        return (
            *_back(run, f"the worker could not be started: {ended.detail}"),
            *_not_begun(run, ended),
        )
    for_its_own = run.cancel is not None and run.cancel.why in JUDGED
    for_others = run.cancel is not None or ended.how is Ending.STOPPED
    return _back(run, "a person ended the worker") if for_others and not for_its_own else ()


def _back(run: Run, said: str) -> Events:
    return (notes.note_back(run.id, Back("", said)), h.RunClosed(run.id, said))


def _not_begun(run: Run, ended: AgentExit) -> Events:
    """Handle a worker that cannot be started: the epic halts, and no other worker replaces it."""
    worker = run.dispatch.agent if run.dispatch is not None else ""
    ask = Ask(LAUNCHER, run.sprint.removeprefix(WORKER), worker)
    why = h.NoteTaken(notes.ANSWER, ended.detail or "the worker cannot be started")
    return (notes.note(ask), why, notes.go(TickStep.ANSWERED))


# --- answers ---------------------------------------------------------------------------------


def _heard(mission: Mission, run: Run, evidence: Evidence) -> Events:
    said = (evidence.answer.body or "") if evidence.answer is not None else ""
    if run.sprint.startswith(WORKER):
        return _handed_back(mission, run, said)
    if others := task.nobodys_fault(mission, run, evidence):
        kept = tuple(event for event in others if not isinstance(event, h.MissionEnded))
        why = next(event.why for event in others if isinstance(event, h.RunClosed))
        return (*kept, *writer.finish(TickEnd(False, why)))
    failed = run.exit is not None and run.exit.code != 0
    answer = "" if failed else said[-MOST_ANSWER_CHARS:]
    return (
        h.RunClosed(run.id, "failed" if failed else "answered"),
        h.NoteTaken(notes.ANSWER, answer),
        notes.go(TickStep.ANSWERED),
    )


def _handed_back(mission: Mission, run: Run, said: str) -> Events:
    back = read_handback(said)
    code = run.exit.code if run.exit is not None else None
    how = f"exited with {code}" if code is not None else "its exit was not recorded"
    words = f"{how}: {back.summary}" if back.summary else f"{how}, without a result"
    noted = notes.note_back(run.id, Back(back.deliverable, words, back.next))
    closed = (noted, h.RunClosed(run.id, how))
    return (*closed, *_begun(mission, run.id))
