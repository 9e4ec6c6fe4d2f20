"""One look at the session and the bus, and the first action that follows from it."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.bus import Message
from topkick.core.files import Seen
from topkick.core.mission import Mission, Stance
from topkick.policies.pipeline import artifacts, closing, deciding, judge, notes, stages
from topkick.policies.pipeline.glances import glance, session_path
from topkick.policies.pipeline.ledger import read
from topkick.policies.pipeline.notes import Doing
from topkick.policies.pipeline.scene import Scene

Events = Sequence[h.Event]
STEPS = (
    closing.over,
    deciding.carried_out,
    stages.begun,
    artifacts.told,
    closing.stuck,
    stages.for_a_person,
    stages.expanded,
    stages.resident,
    stages.judged,
    stages.claimed,
    closing.done,
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
    scene = Scene(mission, ledger, file, seen, messages)
    heard = notes.hear(mission, messages)
    for step in (closing.stuck,) if notes.cannot_write(mission) else STEPS:
        if events := step(scene):
            return (heard, *events) if heard.value != str(notes.heard(mission)) else events
    raise AssertionError("the last step always has an answer")


_UNREADABLE = (
    "{} is no JSON object with tasks, so nobody can tell what is next. Mend it, or begin another "
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
        often = f"{changed} is changed by others again and again"
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
