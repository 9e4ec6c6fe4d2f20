"""End a pipeline: the judge leaves first, then the session file records the end."""

from collections.abc import Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core.checkpoint_words import shutdown_request
from topkick.policies.pipeline import judge, notes, verdicts
from topkick.policies.pipeline.ledger import ABORTED, COMPLETED, DONE, REVISED, progress
from topkick.policies.pipeline.notes import Doing
from topkick.policies.pipeline.scene import Scene

Events = Sequence[h.Event]


def over(scene: Scene) -> Events:
    """Handle a session file that says that the session has ended."""
    ledger, mission = scene.ledger, scene.mission
    if ledger.status not in (*DONE, ABORTED):
        return ()
    if mission.runs:
        return (notes.REST,)
    if leaving := _leave(scene):
        return leaving
    if ledger.status == ABORTED:
        return (h.MissionEnded(False, f"the session was aborted {ledger.aborted}".rstrip()),)
    began = mission.notebook.get(notes.BEGAN)
    return (h.MissionEnded(True, f"{'' if began else 'nothing to do: '}{_told(scene)}"),)


def done(scene: Scene) -> Events:
    """Handle the end of all tasks: the judge is asked to leave, then the end is recorded."""
    if any(line.status not in (*DONE, REVISED) for line in scene.ledger.lines):
        return ()
    if scene.mission.runs:
        return (notes.REST,)
    return _leave(scene) or scene.save(replace(scene.ledger, status=COMPLETED), Doing.CLOSE)


def stuck(scene: Scene) -> Events:
    """End the run for a person, once no role is at work any more."""
    why = scene.mission.notebook.get(notes.STUCK)
    if not why:
        return ()
    return (notes.REST,) if scene.mission.runs else (h.MissionEnded(False, why),)


def _leave(scene: Scene) -> Events:
    """Ask the judge to leave; nothing once it is gone."""
    mission = scene.mission
    resident = judge.ours(mission)
    if resident is None:
        return ()
    if not mission.notebook.get(notes.CLOSING):
        return scene.post(shutdown_request(judge.request_id(mission)), Doing.LEAVE)
    if not judge.has_agreed(mission, scene.messages):
        return scene.listen()
    if resident.end_within_s is not None:
        return (notes.REST,)
    assert mission.settings is not None
    grace_s = mission.settings.stop_grace_s
    return (h.BackgroundCancelled(resident.id, grace_s), notes.REST)


def _told(scene: Scene) -> str:
    finished, _ = progress(scene.ledger)
    words = [line.verdict for line in scene.ledger.lines if line.is_checkpoint and line.verdict]
    counts = [f"{words.count(w)} {w}" for w in (verdicts.PASS, verdicts.WARN, verdicts.BLOCK)]
    judged = f"; checkpoints: {', '.join(counts)}" if words else ""
    return f"{finished} tasks completed{judged}"
