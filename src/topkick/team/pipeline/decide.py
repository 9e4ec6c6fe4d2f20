"""The coordinator of a team: roles in stages, a judge between them, a person where it blocks."""

import json
from collections.abc import Sequence
from typing import assert_never

from topkick.engine import messages as h
from topkick.engine.agents import task as agents_task
from topkick.engine.effects import Seen
from topkick.engine.messages import questions as q
from topkick.sprint.model import Mission, Stance
from topkick.team.bus.model import Message
from topkick.team.pipeline import artifacts, obey, orders, stages
from topkick.team.pipeline import state as notes
from topkick.team.pipeline import verdicts as judge
from topkick.team.pipeline.ledger import ACTIVE, PENDING, ArtifactLedger, Line, read, write
from topkick.team.pipeline.model import PipelineStep, steps
from topkick.team.pipeline.scene import PipelineScene, glance, session_path
from topkick.team.pipeline.state import Doing
from topkick.text.format import stamp

# --- one look ----------------------------------------------------------------------------------
# Read the session and the bus, and take the first action that follows from them.

Events = Sequence[h.Event]
STEPS = (
    stages.over,
    obey.carried_out,
    stages.begun,
    artifacts.told,
    stages.stuck,
    stages.for_a_person,
    stages.expanded,
    stages.resident,
    stages.judged,
    stages.claimed,
    stages.done,
    stages.awaited,
)
"""In this order; the first one that has something to do acts, followed by another look."""


def look(mission: Mission) -> Events:
    if mission.stance is not Stance.WORKING or not mission.driven or mission.ended is not None:
        return ()
    if mission.looking is not None or mission.editing or mission.posting:
        return ()
    limited = any(limit.until_us > mission.at_us for limit in mission.limits.values())
    if not notes.look_is_due(mission, limited=limited):
        return ()
    return (h.LookAsked(glance(mission)),)


def on_sight(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    if mission.stance is not Stance.WORKING or not mission.driven or mission.ended is not None:
        return ()
    seen = {file.path: file for file in files}
    file = seen.get(session_path(mission), Seen(session_path(mission)))
    if file.content is None:
        why = file.trouble or f"there is no {file.path}"
        return (h.MissionEnded(False, f"the session cannot be read: {why}"),)
    ledger = read(file.text)
    if not ledger.readable or not ledger.lines:
        return (h.MissionEnded(False, _UNREADABLE.format(file.path)),)
    scene = PipelineScene(mission, ledger, file, seen, messages)
    heard = notes.hear(mission, messages)
    for step in (stages.stuck,) if notes.cannot_write(mission) else STEPS:
        if events := step(scene):
            return (heard, *events) if heard.value != str(notes.heard(mission)) else events
    raise AssertionError("the last step always has an answer")


_UNREADABLE = (
    "{} is not a JSON object with tasks, so no task can start. Repair it, or create another "
    "session: topkick checkpoint run DIRECTORY --pipeline full --requirement TEXT"
)


# --- results ---------------------------------------------------------------------------------


def written(mission: Mission, changed: str, trouble: str) -> Events:
    what, about = notes.doing(mission)
    if trouble:
        never = h.NoteTaken(notes.CONFLICTS, str(notes.MOST_CONFLICTS + 1))
        return (notes.NOTHING, never, h.NoteTaken(notes.STUCK, trouble), notes.DUE)
    if changed:
        count = notes.conflicts(mission) + 1
        often = f"other programs keep changing {changed}"
        tired = (h.NoteTaken(notes.STUCK, often),) if count > notes.MOST_CONFLICTS else ()
        counted = h.NoteTaken(notes.CONFLICTS, str(count))
        return (notes.NOTHING, counted, *tired, notes.DUE)
    calm = (h.NoteTaken(notes.CONFLICTS, ""),) if notes.conflicts(mission) else ()
    return (notes.NOTHING, *calm, *_after(mission, what, about), notes.DUE)


def _after(mission: Mission, what: Doing | None, about: str) -> Events:
    """Act on what the session file says now."""
    task, _, told = about.partition(" ")
    match what:
        case Doing.BEGIN:
            return (h.NoteTaken(notes.BEGAN, "yes"),)
        case Doing.CLAIM:
            return stages.at_work(mission, about.split())
        case Doing.COMPLETE:
            return (*notes.forget(mission, task), h.Decided("", task, "Completed", told))
        case Doing.RECORD:
            word, _, why = told.partition(": ")
            return (h.Decided("", task, word, why),) if why else ()
        case Doing.DECIDE:
            return (h.NoteTaken(notes.DECISION, ""),)
        case _:
            return ()


def posted(mission: Mission, numbers: tuple[int, ...], trouble: str) -> Events:
    what, about = notes.doing(mission)
    if trouble:
        return (notes.NOTHING, h.NoteTaken(notes.STUCK, trouble), notes.DUE)
    names = ", ".join(f"MSG-{number:03d}" for number in numbers)
    match what:
        case Doing.PUBLISH:
            noted: Events = (notes.note_posted(about),)
        case Doing.ASK:
            noted = (h.Decided("", about, "Judge asked", f"as {names}"),)
        case Doing.MAKE_ROOM:
            noted = (h.NoteTaken(notes.OTHER_JUDGE, judge.ASKED),)
        case Doing.LEAVE:
            noted = (h.NoteTaken(notes.CLOSING, judge.ASKED),)
        case _:
            noted = ()
    return (notes.NOTHING, *noted, notes.DUE)


POLICY = "pipeline"


def decide(mission: Mission, question: q.Question) -> Events:
    match question:
        case q.WhatOfCommand(command):
            return obey.obey(POLICY, mission, command)
        case q.WhatOfFiles(files, _, _, messages):
            return on_sight(mission, files, messages)
        case q.WhatOfEdits(changed, trouble):
            return written(mission, changed, trouble)
        case q.WhatOfPosts(numbers, trouble):
            return posted(mission, numbers, trouble)
        case q.WhatOfBus(messages):
            return (notes.hear(mission, messages), notes.DUE)
        case q.WhatOfBackground(background_id, ended):
            return judge.gone(mission, background_id, ended)
        case q.WhatOfSilence(run_id, polls):
            return agents_task.saw_silence(mission, mission.runs[run_id], polls)
        case q.WhatOfExit(run_id, ended):
            seen = agents_task.saw_exit(mission, mission.runs[run_id], ended)
            return orders.kept(mission.runs[run_id], seen)
        case q.WhatOfWork(run_id, evidence):
            return orders.heard(mission, mission.runs[run_id], evidence)
        case q.WhatNext():
            return _next(mission)
        case q.WhatOfActivity() | q.WhatOfGround() | q.WhatOfIntegration() | q.WhatOfGate():
            return ()
        case q.WhatOfErrand():
            return ()
        case _:
            assert_never(question)


def _next(mission: Mission) -> Events:
    return (
        agents_task.enough(mission)
        or judge.at_rest(mission)
        or orders.next_order(mission)
        or look(mission)
    )


# --- the file of a new session -----------------------------------------------------------------
# The tasks of its pipeline, and the team's requirement.


def new_session(
    name: str, mode: str, requirement: str, at_us: int, *, supervision: bool, role_spec: str
) -> str:
    begun = {
        "session_id": name,
        "team_name": name,
        "requirement": requirement,
        "pipeline": {"mode": mode},
        "supervision": supervision,
        "role_spec": role_spec,
        "created_at": stamp(at_us),
        "completion_action": "auto_keep",
    }
    lines = tuple(_line(step) for step in steps(mode, supervision=supervision))
    ledger = ArtifactLedger(
        json.dumps(begun), lines, mode=mode, supervision=supervision, status=ACTIVE
    )
    return write(ledger, stamp(at_us))


def _line(step: PipelineStep) -> Line:
    return Line(step.id, step.role, PENDING, step.needs, step.artifact, step.scope)
