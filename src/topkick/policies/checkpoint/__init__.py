"""The checkpoint supervisor: woken by a message, it judges a stage of a pipeline, and sleeps.

The bus and the reports are the truth. What is noted here is how far a wake has come, and each of
its steps can be done twice: a message that was said is found on the bus, a report in its place.
"""

from collections.abc import Sequence
from typing import assert_never

from topkick.core import happenings as h
from topkick.core import lone_runs
from topkick.core.bus import COORDINATOR, Message
from topkick.core.model import Mission, Stance
from topkick.policies.checkpoint import checking, greeting, hearing, notes, troubles, waking, words
from topkick.policies.checkpoint.notes import At, Hello
from topkick.policies.checkpoint.requests import SUPERVISOR

POLICY = "checkpoint"
Events = Sequence[h.Event]


def decide(mission: Mission, question: h.Question) -> Events:
    match question:
        case h.WhatOfCommand(command):
            return _obeyed(mission, command)
        case h.WhatOfBus(messages):
            return hearing.heard(mission, messages)
        case h.WhatOfFiles(files, _, _, messages) if notes.hello(mission) is Hello.LISTING:
            return greeting.listed(files, messages)
        case h.WhatOfFiles():
            return _seen(mission, question)
        case h.WhatOfEdits(changed, trouble):
            return waking.written(mission, changed, trouble)
        case h.WhatOfPosts(_, trouble):
            return troubles.rest(mission, trouble) if trouble else _said(mission)
        case h.WhatOfSilence(run_id, polls):
            return lone_runs.saw_silence(mission, mission.runs[run_id], polls)
        case h.WhatOfExit(run_id, ended):
            run = mission.runs[run_id]
            return checking.saw_exit(mission, run, lone_runs.saw_exit(mission, run, ended))
        case h.WhatOfWork(run_id, evidence):
            return checking.heard(mission, mission.runs[run_id], evidence)
        case h.WhatNext():
            return _limited(mission) or (_next(mission) if _is_free(mission) else ())
        case h.WhatOfActivity() | h.WhatOfGround() | h.WhatOfIntegration() | h.WhatOfGate():
            return ()
        case h.WhatOfBackground() | h.WhatOfErrand():
            return ()
        case _:
            assert_never(question)


def _obeyed(mission: Mission, command: h.Command) -> Events:
    """Each start says hello again; what was under way goes on."""
    said = lone_runs.obey(POLICY, mission, command)
    begins = isinstance(command, h.Start | h.Resume)
    refused = any(isinstance(event, h.CommandRefused) for event in said)
    return (*said, notes.greet(Hello.DUE)) if begins and not refused else said


def _limited(mission: Mission) -> Events:
    """Who has had all turns is ended; a resident itself never is."""
    enough = lone_runs.enough(mission)
    return tuple(event for event in enough if not isinstance(event, h.StanceTaken))


def _is_free(mission: Mission) -> bool:
    at_work = mission.stance is Stance.WORKING and mission.driven and mission.ended is None
    waits = mission.looking is not None or bool(mission.editing) or bool(mission.posting)
    return at_work and not waits and not troubles.is_resting(mission)


def _next(mission: Mission) -> Events:
    if notes.hello(mission) is not Hello.SAID:
        return greeting.next_words(mission)
    wake_is_out = notes.at(mission) is not At.LISTENING
    after = notes.wake(mission).number if wake_is_out else notes.cursor(mission)
    match notes.at(mission):
        case At.LISTENING:
            return () if mission.listening else (h.ListenAsked(SUPERVISOR, after),)
        case At.REPLYING:
            return (h.PostAsked((_refusal(mission), *troubles.alarm(mission)), after),)
        case At.LEAVING:
            response = words.shutdown_response(notes.wake(mission).request_id)
            return (h.PostAsked((response,), after),)
        case At.CLAIMING:
            return (h.PostAsked((words.claimed(notes.wake(mission).task_id),), after),)
        case At.ORIENTING:
            return waking.orient(mission)
        case At.READING:  # what was to be read was asked for in the same step
            return (notes.go(At.ORIENTING),)
        case At.CHECKING if notes.draft(mission).open:
            return checking.next_check(mission)
        case At.CHECKING:
            return (notes.go(At.WRITING),)
        case At.WRITING:
            return waking.write(mission)
        case At.TELLING:
            return waking.recall(mission)


def _refusal(mission: Mission) -> Message:
    wake = notes.wake(mission)
    return words.error(Message(COORDINATOR, number=wake.number), wake.why)


def _seen(mission: Mission, sight: h.WhatOfFiles) -> Events:
    match notes.at(mission):
        case At.ORIENTING:
            return waking.oriented(mission, sight.files, sight.messages)
        case At.READING:
            return waking.read(mission, sight.files, sight.messages)
        case At.TELLING:
            return waking.tell(mission, sight.files, sight.messages)
        case _:
            return ()


def _said(mission: Mission) -> Events:
    if notes.hello(mission) is Hello.SAYING:
        who = notes.judge_of(mission).session_id
        return (notes.greet(Hello.SAID), h.Decided("", who, "Ready", "awaiting checkpoints"))
    match notes.at(mission):
        case At.CLAIMING:
            return (notes.go(At.ORIENTING),)
        case At.REPLYING | At.TELLING:
            return (*troubles.told(mission), *_idle(mission))
        case At.LEAVING:
            wake = notes.wake(mission)
            asleep = (notes.past(wake.number), notes.go(At.LISTENING))
            return (*asleep, h.MissionEnded(True, "shut down by the coordinator"))
        case _:
            return ()


def _idle(mission: Mission) -> Events:
    """The request is dealt with; where it was the only one, so are we."""
    wake = notes.wake(mission)
    over = (notes.past(wake.number), notes.go(At.LISTENING))
    if notes.judge_of(mission).asked != wake.task_id or not wake.task_id:
        return over
    return (*over, h.MissionEnded(not wake.why, wake.why or f"{wake.task_id} is judged"))
