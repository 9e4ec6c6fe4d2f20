"""The message to a person when a pipeline waits for one, with the commands to type."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.policies.pipeline import notes
from topkick.policies.pipeline.ledger import Line
from topkick.policies.pipeline.pipelines import quality_word
from topkick.policies.pipeline.prompts import ancestors
from topkick.policies.pipeline.scene import Scene

Events = Sequence[h.Event]
WHY = '--why "..."'


def for_block(scene: Scene, line: Line) -> Events:
    score = f" (score {line.score:.2f})" if line.score is not None else ""
    reason = line.why.removeprefix("Block:").strip()
    told = f"{line.id} blocks{score}: {reason or 'see its report'}. Report: {scene.path(line.ref)}"
    return _ends(scene, line, told, "override")


def for_approval(scene: Scene, line: Line) -> Events:
    score = line.score if line.score is not None else 0.0
    word = quality_word(score)
    told = f"{line.id} waits for a person's approval: score {score:g} ({word})"
    return _ends(scene, line, f"{told}. Report: {scene.path(line.ref)}", "approve")


def _ends(scene: Scene, line: Line, told: str, verb: str) -> Events:
    before = [x.id for x in ancestors(scene.ledger, line) if not x.is_checkpoint]
    session = notes.settings_of(scene.mission).session or scene.directory or "."
    last = (line.scope or before)[-1]
    commands = (
        f"topkick checkpoint {verb} {session} {line.id} {WHY}",
        f"topkick checkpoint revise {session} {line.id} --task {last} {WHY}",
        f"topkick checkpoint abort {session} {WHY}",
    )
    waits = notes.wait_for(notes.Waits(line.id, tuple(before)))
    return (waits, h.MissionEnded(False, told, commands))
