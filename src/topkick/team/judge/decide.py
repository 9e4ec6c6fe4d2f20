"""The checkpoint supervisor: woken by a message, it judges a stage of a pipeline, and sleeps.

The bus and the reports hold the state. The notes only say how far a wake has come, and each of its
steps can be repeated: a posted message is found on the bus, a report in its place.
"""

from collections.abc import Sequence
from typing import assert_never

from topkick.engine import messages as h
from topkick.engine.agents import task
from topkick.engine.evolve import evolve
from topkick.engine.messages import questions as q
from topkick.sprint.model import Mission, Stance
from topkick.team.bus.model import COORDINATOR, Message
from topkick.team.judge import check_round
from topkick.team.judge import report as words
from topkick.team.judge import state as notes
from topkick.team.judge import wake as judge_wake
from topkick.team.judge.state import Hello, JudgeStep, Purpose
from topkick.team.requests import SUPERVISOR

POLICY = "checkpoint"
Events = Sequence[h.Event]


def decide(mission: Mission, question: q.Question) -> Events:
    match question:
        case q.WhatOfCommand(command):
            return _obeyed(mission, command)
        case q.WhatOfBus(messages):
            return judge_wake.heard(mission, messages)
        case q.WhatOfFiles():
            return (*notes.back(mission), *_seen(mission, question))
        case q.WhatOfEdits(changed, trouble):
            return judge_wake.written(mission, changed, trouble)
        case q.WhatOfPosts(_, trouble):
            said = notes.rest(mission, trouble) if trouble else _said(mission)
            return (*notes.back(mission), *said)
        case q.WhatOfSilence(run_id, polls):
            return task.saw_silence(mission, mission.runs[run_id], polls)
        case q.WhatOfExit(run_id, ended):
            run = mission.runs[run_id]
            return check_round.saw_exit(mission, run, task.saw_exit(mission, run, ended))
        case q.WhatOfWork(run_id, evidence):
            return check_round.heard(mission, mission.runs[run_id], evidence)
        case q.WhatNext():
            return _limited(mission) or (_next(mission) if _is_free(mission) else ())
        case q.WhatOfActivity() | q.WhatOfGround() | q.WhatOfIntegration() | q.WhatOfGate():
            return ()
        case q.WhatOfBackground() | q.WhatOfErrand():
            return ()
        case _:
            assert_never(question)


def _obeyed(mission: Mission, command: h.Command) -> Events:
    """Obey a command; each start greets again, and interrupted work continues."""
    said = task.obey(POLICY, mission, command)
    begins = isinstance(command, h.Start | h.Resume)
    refused = any(isinstance(event, h.CommandRefused) for event in said)
    return (*said, notes.greet(Hello.DUE)) if begins and not refused else said


def _limited(mission: Mission) -> Events:
    """End agents that used all turns or spend far too much; the judge itself is never ended."""
    return task.enough(evolve(mission, stance=Stance.STOPPING))


def _is_free(mission: Mission) -> bool:
    at_work = mission.stance is Stance.WORKING and mission.driven and mission.ended is None
    waits = mission.looking is not None or bool(mission.editing) or bool(mission.posting)
    return at_work and not waits and not notes.is_resting(mission)


def _next(mission: Mission) -> Events:
    if notes.hello(mission) is not Hello.SAID:
        return judge_wake.next_words(mission)
    at = notes.at(mission)
    after = notes.wake(mission).number if at is not JudgeStep.LISTENING else notes.cursor(mission)
    if at is not JudgeStep.REPLYING and (alarm := notes.alarm_events(mission)):
        return (notes.on(Purpose.ALARM), h.PostAsked(alarm, after))
    match at:
        case JudgeStep.LISTENING if _is_judged(mission):
            return (h.MissionEnded(True, f"{notes.judge_of(mission).asked} is judged"),)
        case JudgeStep.LISTENING:
            return () if mission.listening else (h.ListenAsked(SUPERVISOR, after),)
        case JudgeStep.REPLYING:
            return (h.PostAsked((_refusal(mission),), after),)
        case JudgeStep.LEAVING:
            response = words.shutdown_response(notes.wake(mission).request_id)
            return (h.PostAsked((response,), after),)
        case JudgeStep.CLAIMING:
            return (h.PostAsked((words.claimed(notes.wake(mission).task_id),), after),)
        case JudgeStep.ORIENTING:
            return judge_wake.orient(mission)
        case JudgeStep.READING:  # the read was requested in the same step
            return (notes.go(JudgeStep.ORIENTING),)
        case JudgeStep.CHECKING if notes.draft(mission).open:
            return check_round.next_check(mission)
        case JudgeStep.CHECKING:
            return (notes.go(JudgeStep.WRITING),)
        case JudgeStep.WRITING:
            return judge_wake.write(mission)
        case JudgeStep.TELLING:
            return judge_wake.recall(mission)


def _is_judged(mission: Mission) -> bool:
    """Return whether the only request that this judge serves is judged, even by another judge."""
    return any(entry.task == notes.judge_of(mission).asked for entry in notes.remembered(mission))


def _refusal(mission: Mission) -> Message:
    wake = notes.wake(mission)
    return words.error(Message(COORDINATOR, number=wake.number), wake.why)


def _seen(mission: Mission, sight: q.WhatOfFiles) -> Events:
    if notes.purpose(mission) is Purpose.HELLO:
        return judge_wake.listed(mission, sight.files, sight.messages)
    match notes.at(mission):
        case JudgeStep.ORIENTING:
            return judge_wake.oriented(mission, sight.files, sight.messages)
        case JudgeStep.READING:
            return judge_wake.read(mission, sight.files, sight.messages)
        case JudgeStep.TELLING:
            return judge_wake.tell(mission, sight.files, sight.messages)
        case _:
            return ()


def _said(mission: Mission) -> Events:
    match notes.purpose(mission):
        case Purpose.ALARM:  # the interrupted work continues
            return notes.note_alarm(mission)
        case Purpose.HELLO:
            return (*notes.recovered(mission), *judge_wake.said(mission))
        case Purpose.WAKE:
            return (*notes.recovered(mission), *_step_said(mission))


def _step_said(mission: Mission) -> Events:
    match notes.at(mission):
        case JudgeStep.CLAIMING:
            return (notes.go(JudgeStep.ORIENTING),)
        case JudgeStep.REPLYING | JudgeStep.TELLING:
            return _idle(mission)
        case JudgeStep.LEAVING:
            return _left(mission)
        case _:
            return ()


def _idle(mission: Mission) -> Events:
    """Finish a request; if it was the only one and failed, end the run."""
    wake = notes.wake(mission)
    over = (notes.past(wake.number), notes.go(JudgeStep.LISTENING))
    ours = wake.why and wake.task_id and wake.task_id == notes.judge_of(mission).asked
    return (*over, h.MissionEnded(False, wake.why)) if ours else over


def _left(mission: Mission) -> Events:
    """Handle a shutdown; a judge for one request only ends by itself when that is done."""
    over = (notes.past(notes.wake(mission).number), notes.go(JudgeStep.LISTENING))
    if notes.judge_of(mission).asked:
        return over
    return (*over, h.MissionEnded(True, "shut down by the coordinator"))
