"""Check and carry out a person's decision about a pipeline that waits for one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from topkick.engine import messages as h
from topkick.engine.agents import task as agents_task
from topkick.engine.agents.runs import CancelWhy, Stage
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit
from topkick.engine.refusals import CommandName
from topkick.plan_format.model import CHECKPOINT_OVERRIDES
from topkick.sprint.model import Mission, Overall, Stance
from topkick.sprint.status import overall
from topkick.team.pipeline import state as notes
from topkick.team.pipeline.ledger import (
    ABORTED,
    COMPLETED,
    IN_PROGRESS,
    PENDING,
    REVISED,
    ArtifactLedger,
    Line,
)
from topkick.team.pipeline.prompts import ancestors
from topkick.team.pipeline.refusals import (
    NotUpstream,
    PipelineRefusal,
    ReasonMissing,
    SessionOver,
    TaskNotWaiting,
)
from topkick.team.pipeline.scene import PipelineScene
from topkick.team.pipeline.state import Doing, NoteKind, PersonDecided
from topkick.team.requests import checkpoint_of, is_checkpoint, round_after

Events = Sequence[h.Event]


def obey(policy: str, mission: Mission, command: h.Command) -> Events:
    match command:
        case h.OverrideCheckpoint(task, why, by):
            return _answered(
                mission, PersonDecided(NoteKind.OVERRIDE, task, why, by, at_us=mission.at_us)
            )
        case h.ReviseUpstream(task, upstream, why, by):
            said = PersonDecided(NoteKind.REVISE, task, why, by, upstream, mission.at_us)
            return _answered(mission, said)
        case h.AbortPipeline(why, by):
            return _aborted(
                mission, PersonDecided(NoteKind.ABORT, "", why, by, at_us=mission.at_us)
            )
        case h.Resume():
            return (*agents_task.obey(policy, mission, command), *_afresh(mission))
        case _:
            return agents_task.obey(policy, mission, command)


def _afresh(mission: Mission) -> Iterator[h.Event]:
    """Reset all tries when a person resumes the run."""
    counters = (notes.STUCK, notes.CONFLICTS, notes.JUDGE_ENDS, notes.CLOSING, notes.OTHER_JUDGE)
    tried = (key for key in mission.notebook if key.startswith(notes.RETRIES))
    for key in (*counters, *tried):
        if mission.notebook.get(key):
            yield h.NoteTaken(key, "")
    yield notes.DUE


# --- validity --------------------------------------------------------------------------------


def _answered(mission: Mission, said: PersonDecided) -> Events:
    refusal = _why_not(mission, said)
    if refusal is not None:
        return (h.CommandRefused(refusal),)
    waits = notes.waits(mission)
    assert waits is not None, "otherwise the decision is refused"
    task = waits.task
    passed = "Overridden" if is_checkpoint(task) else "Approved"
    what = passed if said.kind is NoteKind.OVERRIDE else f"{said.upstream} is done again"
    return (
        notes.note_decision(replace(said, task=task)),
        h.NoteTaken(notes.WAITS, ""),
        h.Decided("", task, what, f"{said.by or 'a person'}: {said.why}"),
        *_afresh(mission),
        h.StanceTaken(Stance.WORKING, f"{task}: {said.kind} by {said.by or 'a person'}"),
    )


def _why_not(mission: Mission, said: PersonDecided) -> PipelineRefusal | None:
    session = notes.settings_of(mission).session
    waits = notes.waits(mission)
    if not said.why.strip():
        return ReasonMissing(_name_of(said), session, said.task, said.upstream)
    if waits is None or mission.ended is None:
        return TaskNotWaiting(session, said.task)
    if checkpoint_of(said.task) != checkpoint_of(waits.task):
        return TaskNotWaiting(session, said.task, waits.task)
    if said.kind is NoteKind.REVISE and said.upstream not in waits.upstream:
        return NotUpstream(session, waits.task, said.upstream, waits.upstream)
    return None


def _name_of(said: PersonDecided) -> CommandName:
    match said.kind:
        case NoteKind.REVISE:
            return CommandName.REVISE
        case NoteKind.ABORT:
            return CommandName.ABORT
        case NoteKind.OVERRIDE:
            return CommandName.OVERRIDE if is_checkpoint(said.task) else CommandName.APPROVE
        case _:
            assert_never(said.kind)


def _aborted(mission: Mission, said: PersonDecided) -> Events:
    session = notes.settings_of(mission).session if mission.settings is not None else ""
    if mission.plan is None or overall(mission) is Overall.COMPLETED:
        return (h.CommandRefused(SessionOver(session)),)
    if not said.why.strip():
        return (h.CommandRefused(ReasonMissing(CommandName.ABORT, session)),)
    return (
        notes.note_decision(said),
        h.NoteTaken(notes.WAITS, ""),
        h.Decided("", "session", "Aborted", f"{said.by or 'a person'}: {said.why}"),
        *_ended(mission),
        *_afresh(mission),
        h.StanceTaken(Stance.WORKING, f"aborted by {said.by or 'a person'}"),
    )


def _ended(mission: Mission) -> Iterator[h.Event]:
    assert mission.settings is not None
    for task in (*notes.orders(mission), *notes.answers(mission)):
        yield from notes.forget(mission, task)
    for run in mission.runs.values():
        if run.stage is Stage.WORKING and run.cancel is None:
            yield h.RunCancelled(run.id, CancelWhy.STOP_FORCED, mission.settings.stop_grace_s)


# --- execution ---------------------------------------------------------------------------------


def carried_out(scene: PipelineScene) -> Events:
    """Carry out the decision: write the wisdom first, the session file last."""
    said = notes.decision(scene.mission)
    if said is None:
        return ()
    if said.kind is not NoteKind.ABORT and scene.ledger.latest(said.task) is None:
        why = f"a person decided about {said.task}, which {scene.file.path} no longer lists"
        return (h.NoteTaken(notes.DECISION, ""), h.NoteTaken(notes.STUCK, why), notes.DUE)
    match said.kind:
        case NoteKind.OVERRIDE:
            ledger, line = _overridden(scene, said)
        case NoteKind.REVISE:
            ledger, line = _revised(scene, said)
        case NoteKind.ABORT:
            ledger, line = _given_up(scene, said)
    moment = scene.now
    wisdom = Edit(
        scene.path(CHECKPOINT_OVERRIDES), "", Text.of(f"- {moment} [coordinator] {line}\n"), True
    )
    return scene.save(ledger, Doing.DECIDE, "", wisdom)


def _who(said: PersonDecided) -> str:
    return f"{said.by or 'a person'}, because: {' '.join(said.why.split())}"


def _overridden(scene: PipelineScene, said: PersonDecided) -> tuple[ArtifactLedger, str]:
    line = _known(scene, said.task)
    passed = replace(
        line,
        status=COMPLETED,
        passed_by=said.by or "a person",
        passed_why=said.why,
        updated_at=scene.now,
    )
    found = f"verdict {line.verdict}" if line.verdict else f"score {line.score or 0:g}"
    what = "overridden" if line.verdict else "approved"
    return (
        scene.ledger.with_lines(passed),
        f"{line.id} {what} ({found}, {line.ref}) by {_who(said)}",
    )


def _given_up(scene: PipelineScene, said: PersonDecided) -> tuple[ArtifactLedger, str]:
    lines = (
        replace(x, status=PENDING) if x.status == IN_PROGRESS else x for x in scene.ledger.lines
    )
    told = f"by {_who(said)}"
    ledger = replace(scene.ledger, lines=tuple(lines), status=ABORTED, aborted=told)
    return ledger, f"the session was aborted {told}"


def _revised(scene: PipelineScene, said: PersonDecided) -> tuple[ArtifactLedger, str]:
    """Repeat the task and everything that was built on it, up to the blocked one."""
    blocked = _known(scene, said.task)
    lines: list[Line] = []
    for line in scene.ledger.lines:
        lines += _once_more(scene, line, blocked, said)
    ledger = replace(scene.ledger, lines=tuple(lines))
    report = f"verdict {blocked.verdict}" if blocked.verdict else f"score {blocked.score or 0:g}"
    told = f"{said.upstream} is done again for {blocked.id} ({report}, {blocked.ref})"
    return ledger, f"{told} by {_who(said)}"


def _once_more(scene: PipelineScene, line: Line, blocked: Line, said: PersonDecided) -> list[Line]:
    is_it = line.id == said.upstream
    follows = said.upstream in {x.id for x in ancestors(scene.ledger, line)}
    if not (is_it or follows) or line.status in (PENDING, REVISED):
        return [line]
    if line.is_checkpoint:
        again = Line(round_after(line.id), line.role, PENDING, line.needs, scope=line.scope)
        return [replace(line, status=REVISED), again]
    why = said.why if is_it else f"{said.upstream} was done again: {said.why}"
    return [
        replace(
            line,
            status=PENDING,
            ref="",
            score=None,
            revision=line.revision + 1,
            why=why,
            report=blocked.ref,
        )
    ]


def _known(scene: PipelineScene, task: str) -> Line:
    found = scene.ledger.latest(task)
    assert found is not None, "what waits for a person is in the session"
    return found
