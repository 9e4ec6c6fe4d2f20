"""The stages of a pipeline: which task may begin, what is judged, and when a person is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from topkick.engine import messages as h
from topkick.sprint.model import Mission
from topkick.team.bus.model import COORDINATOR, STATE_UPDATE
from topkick.team.pipeline import orders
from topkick.team.pipeline import state as notes
from topkick.team.pipeline import verdicts as judge
from topkick.team.pipeline.artifacts import modules_in
from topkick.team.pipeline.ledger import (
    ABORTED,
    AWAITING,
    BLOCKED,
    COMPLETED,
    DONE,
    IN_PROGRESS,
    OPEN,
    PENDING,
    REVISED,
    ArtifactLedger,
    Line,
    progress,
)
from topkick.team.pipeline.model import (
    IMPL,
    PLAN,
    PipelineStep,
    implementation,
    quality_word,
    topology,
)
from topkick.team.pipeline.prompts import ancestors
from topkick.team.pipeline.scene import PipelineScene, glance
from topkick.team.pipeline.state import Doing
from topkick.team.pipeline.verdicts import JudgeVerdict
from topkick.team.requests import shutdown_request, write_request
from topkick.text.format import moment_us

# --- the message to a person -------------------------------------------------------------------
# A pipeline that waits for a person prints it, with the commands to type.

Events = Sequence[h.Event]
WHY = '--why "..."'


def for_block(scene: PipelineScene, line: Line) -> Events:
    score = f" (score {line.score:.2f})" if line.score is not None else ""
    reason = line.why.removeprefix("Block:").strip()
    told = f"{line.id} blocks{score}: {reason or 'see its report'}. Report: {scene.path(line.ref)}"
    return _ends(scene, line, told, "override")


def for_approval(scene: PipelineScene, line: Line) -> Events:
    score = line.score if line.score is not None else 0.0
    word = quality_word(score)
    told = f"{line.id} waits for a person's approval: score {score:g} ({word})"
    return _ends(scene, line, f"{told}. Report: {scene.path(line.ref)}", "approve")


def _ends(scene: PipelineScene, line: Line, told: str, verb: str) -> Events:
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


# --- the end of a pipeline ---------------------------------------------------------------------
# The judge leaves first, then the session file records the end.


def over(scene: PipelineScene) -> Events:
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


def done(scene: PipelineScene) -> Events:
    """Handle the end of all tasks: the judge is asked to leave, then the end is recorded."""
    if any(line.status not in (*DONE, REVISED) for line in scene.ledger.lines):
        return ()
    if scene.mission.runs:
        return (notes.REST,)
    return _leave(scene) or scene.save(replace(scene.ledger, status=COMPLETED), Doing.CLOSE)


def stuck(scene: PipelineScene) -> Events:
    """End the run for a person, once no role is at work any more."""
    why = scene.mission.notebook.get(notes.STUCK)
    if not why:
        return ()
    return (notes.REST,) if scene.mission.runs else (h.MissionEnded(False, why),)


def _leave(scene: PipelineScene) -> Events:
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


def _told(scene: PipelineScene) -> str:
    finished, _ = progress(scene.ledger)
    words = [line.verdict for line in scene.ledger.lines if line.is_checkpoint and line.verdict]
    counts = [f"{words.count(w)} {w}" for w in (judge.PASS, judge.WARN, judge.BLOCK)]
    judged = f"; checkpoints: {', '.join(counts)}" if words else ""
    return f"{finished} tasks completed{judged}"


PLAN_FILE = "plan/plan.json"


# --- beginning -------------------------------------------------------------------------------


def begun(scene: PipelineScene) -> Events:
    """Reset tasks that were in progress when the last journal was lost, unless the bus has their
    result.
    """
    if scene.mission.notebook.get(notes.BEGAN):
        return ()
    lines = (_set_back(scene, line) for line in scene.ledger.lines)
    resident = scene.ledger.supervision and any(x.is_checkpoint for x in scene.ledger.lines)
    ledger = replace(scene.ledger, lines=tuple(lines), resident=resident)
    again = (h.NoteTaken(notes.RECOVERY, "yes"),) if scene.ledger.resident else ()
    return (*again, *scene.save(ledger, Doing.BEGIN))


def _set_back(scene: PipelineScene, line: Line) -> Line:
    if line.status != IN_PROGRESS:
        return line
    ref = _told_since(scene, line)
    if ref:
        return replace(line, status=COMPLETED, ref=ref, updated_at=scene.now)
    return replace(line, status=PENDING)


def _told_since(scene: PipelineScene, line: Line) -> str:
    """Return what the role posted on the bus after the task began, if it was not recorded."""
    began_us = moment_us(line.started_at)
    for message in reversed(scene.messages):
        about = message.type == STATE_UPDATE and message.fields.get("task_id") == line.id
        told_us = moment_us(message.ts)
        if about and began_us is not None and told_us is not None and told_us >= began_us:
            ref = message.fields.get("ref")
            return ref if isinstance(ref, str) and not line.is_checkpoint else ""
    return ""


def resident(scene: PipelineScene) -> Events:
    """Keep a judge running as long as there is something to judge."""
    if not scene.ledger.supervision or judge.ours(scene.mission) is not None:
        return ()
    if room := judge.make_room(scene):
        return room
    left = any(line.is_checkpoint and line.status in OPEN for line in scene.ledger.lines)
    return judge.begin(scene.mission) if left else ()


# --- roles -----------------------------------------------------------------------------------


def claimed(scene: PipelineScene) -> Events:
    """Claim as many tasks as may run at once; the session file says so before they start."""
    mission = scene.mission
    busy = orders.given_at_work(mission)
    given = [t for t, order in notes.orders(mission).items() if order.claimed and t not in busy]
    free = max(0, orders.places(mission) - len(given))
    open_ones = (x for x in scene.ready() if not x.is_checkpoint and x.status == PENDING)
    ready = list(open_ones)[:free]
    if not ready:
        return ()
    noted = [
        notes.note_order(x.id, orders.order_for(mission, scene.ledger, x, scene.directory))
        for x in ready
    ]
    begun_ones = (replace(x, status=IN_PROGRESS, started_at=scene.now) for x in ready)
    ledger = scene.ledger.with_lines(*begun_ones)
    return (*noted, *scene.save(ledger, Doing.CLAIM, " ".join(x.id for x in ready)))


def at_work(mission: Mission, tasks: Iterable[str]) -> Events:
    """Mark the orders as claimed, now that the session file says so: they may be dispatched."""
    found = ((task, notes.order(mission, task)) for task in tasks)
    return tuple(notes.note_order(t, replace(o, claimed=True)) for t, o in found if o is not None)


def expanded(scene: PipelineScene) -> Events:
    """Create the implementation tasks from the plan's modules, once the plan has passed."""
    first = scene.ledger.line(IMPL)
    if first is None or first.status != PENDING or scene.ledger.topology:
        return ()
    if not all(map(scene.is_met, first.needs)):
        return ()
    path = scene.path(PLAN_FILE)
    if path not in scene.files:
        return (h.LookAsked(glance(scene.mission, path)),)
    modules = modules_in(scene.files[path].text)
    step = PipelineStep(first.id, first.role, first.needs, first.artifact)
    made = implementation(modules, step)
    how = topology(len(modules))
    names = [m.name for m in modules] if len(made) > 1 else [""]
    lines = [_line(step, name) for step, name in zip(made, names, strict=True)]
    ledger = _spread(scene.ledger, tuple(lines), how)
    told = f"{PLAN} Topology {how}: {len(modules)} modules, {len(lines)} to implement"
    return scene.save(ledger, Doing.RECORD, told)


def _line(step: PipelineStep, module: str) -> Line:
    return Line(step.id, step.role, PENDING, step.needs, step.artifact, module=module)


def _spread(ledger: ArtifactLedger, made: tuple[Line, ...], how: str) -> ArtifactLedger:
    """Make tasks that waited for the one implementation task wait for all of them."""
    ids = tuple(line.id for line in made)
    lines: list[Line] = []
    for line in ledger.lines:
        if line.id == IMPL:
            lines += made
        elif IMPL in line.needs:
            others = tuple(need for need in line.needs if need != IMPL)
            lines.append(replace(line, needs=(*others, *ids)))
        else:
            lines.append(line)
    return replace(ledger, lines=tuple(lines), topology=how)


# --- checkpoints -----------------------------------------------------------------------------


def judged(scene: PipelineScene) -> Events:
    """Request a judgment, and record in the session file what the judge posts on the bus."""
    for line in scene.ready():
        if not line.is_checkpoint:
            continue
        found = judge.verdict_on(scene.messages, line.id)
        if found is not None:
            return _recorded(scene, line, found)
        if line.status == PENDING and judge.is_claimed(scene.messages, line.id):
            at_it = replace(line, status=IN_PROGRESS, started_at=scene.now)
            return scene.save(scene.ledger.with_lines(at_it), Doing.RECORD, line.id)
        asked = judge.request_for(scene.messages, line.id)
        if asked is None:
            done, total = progress(scene.ledger)
            words = f"{done}/{total} tasks completed"
            request = write_request(line.id, line.scope, words, COORDINATOR)
            return scene.post(request, Doing.ASK, line.id)
        if trouble := judge.error_about(scene.messages, asked):
            return (h.NoteTaken(notes.STUCK, trouble), notes.DUE)
    return ()


def _recorded(scene: PipelineScene, line: Line, found: JudgeVerdict) -> Events:
    blocked = found.word == judge.BLOCK
    ref = found.report.removeprefix(f"{scene.directory}/") if scene.directory else found.report
    done = replace(
        line,
        status=BLOCKED if blocked else COMPLETED,
        verdict=found.word,
        score=found.score,
        ref=ref,
        why=found.decision if blocked else "",
        updated_at=scene.now,
    )
    score = f"{found.score:.2f}" if found.score is not None else "unknown"
    risks = f", {found.risks} risks recorded in wisdom" if found.risks else ""
    told = f"{line.id} Verdict {found.word}: score {score}{risks}; {ref}"
    return scene.save(scene.ledger.with_lines(done), Doing.RECORD, told)


def for_a_person(scene: PipelineScene) -> Events:
    """End the run for a person at a blocked task, once no role is at work."""
    stopped = next((x for x in scene.ledger.lines if x.status in (BLOCKED, AWAITING)), None)
    if stopped is None:
        return ()
    if scene.mission.runs:
        return (notes.REST,)
    ask = for_block if stopped.status == BLOCKED else for_approval
    return ask(scene, stopped)


def awaited(scene: PipelineScene) -> Events:
    """Wait for the judge, a role or a limit; if there is none, the pipeline is stuck."""
    mission = scene.mission
    if any(line.is_checkpoint for line in scene.ready()):
        return scene.listen()
    if mission.runs:
        return (notes.REST,)
    if any(order.claimed for order in notes.orders(mission).values()):
        return (notes.REST_FOR_A_LIMIT,)
    left = [line for line in scene.ledger.lines if line.status in OPEN]
    names = ", ".join(f"{line.id} ({line.status})" for line in left[:5])
    why = f"no task can start: {names} wait for tasks that cannot run; see {scene.file.path}"
    return (h.NoteTaken(notes.STUCK, why), notes.DUE)
