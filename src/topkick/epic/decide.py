"""The epic supervisor: one tick makes one decision, and only the epic's own body is its memory."""

from collections.abc import Sequence
from typing import assert_never

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents import task
from topkick.engine.agents.program import AgentExit, Ending
from topkick.engine.agents.runs import JUDGED, Run
from topkick.engine.kernel import Policy
from topkick.engine.messages import questions as q
from topkick.epic import state as notes
from topkick.epic.answers import read_handback
from topkick.epic.files import writer
from topkick.epic.state import Back, TickEnd, TickStep
from topkick.epic.tick import scene, tick
from topkick.epic.tick.choice import Ask
from topkick.epic.tick.critique import Scan
from topkick.sprint.model import Mission, Stance

POLICY = "epic"
WORKER = "worker "
MOST_ANSWER_CHARS = 200_000
Events = Sequence[h.Event]


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
            return tick.on_sight(mission, scene.sight(files, runs, branches), scan)
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
            return () if awaited in mission.runs else tick.look(mission)
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
        return (*_back(run, f"it could not be started: {ended.detail}"), *_not_begun(run, ended))
    for_its_own = run.cancel is not None and run.cancel.why in JUDGED
    for_others = run.cancel is not None or ended.how is Ending.STOPPED
    return _back(run, "it was ended by a person") if for_others and not for_its_own else ()


def _back(run: Run, said: str) -> Events:
    return (notes.note_back(run.id, Back("", said)), h.RunClosed(run.id, said))


def _not_begun(run: Run, ended: AgentExit) -> Events:
    """Handle a worker that cannot be started: the epic halts, and no other worker replaces it."""
    worker = run.dispatch.agent if run.dispatch is not None else ""
    ask = Ask(tick.LAUNCHER, run.sprint.removeprefix(WORKER), worker)
    why = h.NoteTaken(notes.ANSWER, ended.detail or "it cannot be started")
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
    how = f"exited with {code}" if code is not None else "its end was not seen"
    words = f"{how}: {back.summary}" if back.summary else f"{how}, and handed nothing back"
    noted = notes.note_back(run.id, Back(back.deliverable, words, back.next))
    closed = (noted, h.RunClosed(run.id, how))
    return (*closed, *_begun(mission, run.id))
