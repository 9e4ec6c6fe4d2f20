"""Handle a role's artifact: check that it exists, post it on the bus, then record it in the
session.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core.sessions import number
from topkick.policies.pipeline import answering, notes
from topkick.policies.pipeline.glances import glance, places_of
from topkick.policies.pipeline.ledger import AWAITING, COMPLETED, Line
from topkick.policies.pipeline.notes import Answer, Doing
from topkick.policies.pipeline.pipelines import QUALITY, REVIEWED, quality_word
from topkick.policies.pipeline.scene import Scene

Events = Sequence[h.Event]


def told(scene: Scene) -> Events:
    """Handle one answer at a time: check, post and record it before the next."""
    for task, answer in notes.answers(scene.mission).items():
        line = scene.ledger.line(task)
        if line is None or line.is_done:
            return notes.forget(scene.mission, task)
        places = places_of(scene.mission, answer.ref)
        if not set(places) <= scene.files.keys():
            return (h.LookAsked(glance(scene.mission)),)
        found = _found(scene, places)
        if not found:
            issue = f"its ref is not there, or empty: {answer.ref[:120]}"
            return answering.again(scene.mission, task, answer.data, issue)
        if not notes.is_posted(scene.mission, task):
            message = answering.state_update(line.role, task, answer)
            return scene.post(message, Doing.PUBLISH, task)
        return _completed(scene, line, answer, found)
    return ()


def _found(scene: Scene, places: tuple[str, ...]) -> str:
    """Return the first place with content; empty if there is none."""
    for place in places:
        inside = (file for path, file in scene.files.items() if path.startswith(f"{place}/"))
        if any(file.text.strip() for file in (scene.files[place], *inside)):
            return place
    return ""


def _completed(scene: Scene, line: Line, answer: Answer, place: str) -> Events:
    score = number(json.loads(answer.data).get("quality_self_score"))
    own = f"{scene.directory}/"
    ref = place.removeprefix(own) if scene.directory else place
    status, told = COMPLETED, f"by {line.role}: {ref}"
    if line.id == QUALITY:
        status, told = _quality(scene, score or 0.0, ref)
    done = replace(line, status=status, ref=ref, score=score, updated_at=scene.now)
    return scene.save(scene.ledger.with_lines(done), Doing.COMPLETE, f"{line.id} {told}")


def _quality(scene: Scene, score: float, ref: str) -> tuple[str, str]:
    """Return the status: a person approves work that others build on, and work that fails."""
    gates = any(QUALITY in line.needs for line in scene.ledger.lines)
    told = f"score {score:g} ({quality_word(score)}): {ref}"
    return (AWAITING if gates or score < REVIEWED else COMPLETED), told
