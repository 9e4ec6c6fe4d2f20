"""One tick, from the body that was read to the one thing that is done about it (EP-10)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core import lone_runs
from topkick.core.agents import Tier
from topkick.core.codec import Text
from topkick.core.epics import EpicSettings, Worker
from topkick.core.files import Edit, Glance, Seen
from topkick.core.model import Dispatch, Mission, Stage
from topkick.policies.epic import acting, notes, orienting, posting, preflight, prompts
from topkick.policies.epic.answers import Dispatch as DispatchAnswer
from topkick.policies.epic.answers import read_answer
from topkick.policies.epic.body import HALTED, Epic, read_epic, write
from topkick.policies.epic.brake import braked
from topkick.policies.epic.choice import Ask, NoOp, Summarize, choose, may_tick
from topkick.policies.epic.filing import task_path
from topkick.policies.epic.items import SETTLED, Status, is_id
from topkick.policies.epic.memory import RowClass
from topkick.policies.epic.notes import At, End
from topkick.policies.epic.orienting import Sight
from topkick.policies.epic.prose import Scan
from topkick.policies.epic.scene import Acted, Scene

Events = Sequence[h.Event]
LAUNCHER = "launch"
_DROPPED = "an answer came too late"


def settings_of(mission: Mission) -> EpicSettings:
    """As they are set up; else the run's own agent is the only worker."""
    assert mission.settings is not None
    agent = mission.settings.agent
    worker = Worker(agent.name, agent, Tier.SONNET, mission.settings.max_agents)
    return mission.settings.epic or EpicSettings((worker,))


def path_of(mission: Mission) -> str:
    assert mission.plan is not None
    return mission.plan.file


def look(mission: Mission) -> Events:
    """At the epic, and at the children that an answer is about."""
    epic_path = path_of(mission)
    return (h.LookAsked(Glance((epic_path, *_children(mission)))),)


def _children(mission: Mission) -> tuple[str, ...]:
    ask = notes.asked(mission)
    if notes.at(mission) is not At.ANSWERED or ask is None:
        return ()
    names = [ask.item]
    if ask.role in prompts.WHO:
        answer = read_answer(ask.role, mission.notebook.get(notes.ANSWER, ""))
        names += [answer.task_id] if isinstance(answer, DispatchAnswer) else []
    return tuple(task_path(path_of(mission), name) for name in names if is_id(name))


def on_sight(mission: Mission, seen: Sight, scan: Scan) -> Events:
    file = seen.files[path_of(mission)]
    if file.content is None:
        why = file.trouble or f"there is no {file.path}"
        return finish(End(False, why))
    settings = settings_of(mission)
    name = file.path.rpartition("/")[2].removesuffix(".md")
    epic = read_epic(file.text, fallback_id=name, at_us=mission.at_us, host=settings.host)
    if not is_id(epic.id):
        return finish(End(False, f"{file.path} has an id that is no name: {epic.id[:80]}"))
    wanted = orienting.glance(mission, epic, file.path, _children(mission))
    if not seen.covers(wanted):
        return (h.LookAsked(wanted),)
    if waits := orienting.to_hear(mission, epic, seen):
        return tuple(_hear(mission, waits[0].dispatch, waits[0].id))
    epic = orienting.refreshed(mission, epic, seen, settings.surface)
    if (said := orienting.cleared(epic)) != epic:
        return (h.NoteTaken(notes.AGAIN, "yes"), *_write(file, Acted(said, End(True, ""))))
    if idle := may_tick(epic):
        return finish(End(epic.status in SETTLED, f"{epic.id}: {idle}"))
    if notes.at(mission) is At.ANSWERED:
        return tuple(_answered(mission, epic, file, seen, scan))
    return tuple(_decided(mission, epic, file))


def _hear(mission: Mission, run_id: str, item: str) -> Iterator[h.Event]:
    """What a worker left is read first, whoever sent it out from here."""
    yield h.NoteTaken(notes.AWAITED, run_id)
    if run_id not in mission.runs:
        yield h.RunOpened(run_id, "", f"worker {item}", Stage.CHECKING)


# --- orient, brake, choose -------------------------------------------------------------------


def _decided(mission: Mission, epic: Epic, file: Seen) -> Iterator[h.Event]:
    settings = settings_of(mission)
    stop = braked(epic, mission.at_us, settings.stalled_s)
    if stop is not None:
        decision = f"brake: {stop.about or stop.reason}"
        acted = posting.halt(epic, Status.REVIEW, RowClass.BRAKE_FIRED, decision, stop.reason)
        yield from _write(file, acted)
        return
    match choose(epic, settings):
        case Ask() as ask:
            yield from _ask(mission, epic, file, ask)
        case NoOp(why):
            yield from _write(file, Acted(epic.with_row(RowClass.NOOP, why), End(True, why)))
        case Summarize():
            yield from _write(file, _summarized(epic))


def _summarized(epic: Epic) -> Acted:
    """Once for each epic; whoever reviews what was delivered takes over."""
    for item in epic.items:
        if behind := epic.stuck_behind().get(item.id):
            told = f"comes after {behind}, which is stuck"
            epic = epic.with_item(replace(item, status=Status.BLOCKED, notes=told))
    count = "1 item" if len(epic.items) == 1 else f"{len(epic.items)} items"
    line = f"{epic.id} is at its review surface: {count}"
    epic = replace(epic, status=Status.AT_SURFACE, phase=HALTED, summary=True)
    epic = epic.with_row(RowClass.NOOP, "final summary").with_log(f"{line}. Nothing follows.")
    return Acted(epic, End(True, line))


def _ask(mission: Mission, epic: Epic, file: Seen, ask: Ask) -> Iterator[h.Event]:
    role = lone_runs.role_named(mission, prompts.WHO[ask.role])
    if lone_runs.is_limited(mission, role):
        yield from finish(End(False, f"{role.agent.name} is at its usage limit"))
        return
    given = lone_runs.give(
        mission, role, _subject(ask, epic), _prompt(epic, file, ask, role.prompt)
    )
    if not any(isinstance(event, h.RunOpened) for event in given):
        yield from (*given, notes.go(At.REST))
        return
    yield from (notes.note(ask), h.NoteTaken(notes.ANSWER, ""), notes.go(At.ASKING), *given)
    about = ask.context or ask.item or epic.id
    yield h.Decided("", _subject(ask, epic), f"Ask {role.name} to {ask.role}", about)


def _subject(ask: Ask, epic: Epic) -> str:
    return f"{prompts.WHO[ask.role]} {ask.item or epic.id}"


def _prompt(epic: Epic, file: Seen, ask: Ask, own_text: str) -> str:
    item = epic.item(ask.item)
    if item is not None and ask.role == "verify":
        return prompts.verifier_brief(item, own_text)
    if item is not None and ask.role == "criticize":
        return prompts.critic_brief(item, task_path(file.path, item.id), ask.context, own_text)
    return prompts.brief(ask.role, epic, file.path, ask.context, own_text)


# --- act and checkpoint ----------------------------------------------------------------------


def _answered(
    mission: Mission, epic: Epic, file: Seen, seen: Sight, scan: Scan
) -> Iterator[h.Event]:
    ask, text = notes.asked(mission), mission.notebook.get(notes.ANSWER, "")
    assert ask is not None
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    skip = notes.conflicts(mission)
    own = lone_runs.role_named(mission, prompts.WORKER).prompt
    scene = Scene(epic, file.path, seen.files, settings_of(mission), scan, run_id, skip, own)
    if ask.role == LAUNCHER:
        yield from _write(file, _could_not_start(scene, ask, text))
    elif not _still_fits(epic, ask):
        line = f"{_DROPPED}: {ask.item or epic.id} was changed meanwhile"
        yield from _write(file, Acted(epic.with_row(RowClass.NOOP, line), End(True, line)))
    else:
        yield from _write(file, acting.act(scene, ask, read_answer(ask.role, text)))


def _still_fits(epic: Epic, ask: Ask) -> bool:
    """A person may have moved the row on while the subagent was thinking."""
    item = epic.item(ask.item)
    match ask.role:
        case "verify" | "react":
            return item is not None and item.status == Status.IN_PROGRESS and bool(item.outcome)
        case "criticize":
            return item is not None and item.status == Status.QUEUED
        case "decompose":
            return not epic.items
        case _:
            return True


def _could_not_start(scene: Scene, ask: Ask, why: str) -> Acted:
    settings = scene.settings
    others = ", ".join(w.name for w in settings.workers if w.name != ask.context) or "none"
    found = preflight.Infeasible(f"worker {ask.context}", why, others)
    return acting.infeasible(scene.epic, ask.item, found)


def _write(file: Seen, acted: Acted) -> Iterator[h.Event]:
    """Children first, the body last: when it stands there, it has happened."""
    epic = acted.epic
    if epic.status == Status.QUEUED:
        epic = replace(epic, status=Status.IN_PROGRESS, phase=epic.phase or "orienting")
    body = Edit(file.path, file.sha256, Text.of(write(epic)))
    launch = notes.note(acted.launch) if acted.launch else h.NoteTaken(notes.LAUNCH, "")
    yield from (notes.note(acted.end), launch, notes.go(At.WRITING))
    yield h.EditsAsked((*acted.edits, body))


def written(mission: Mission, changed: str, trouble: str) -> Events:
    """Changed by others since it was read: read again, and decided again; never overwritten."""
    again = At.ANSWERED if notes.asked(mission) is not None else At.ORIENTING
    if trouble:  # an answer that was received is not asked for again
        return (notes.go(again), h.MissionEnded(False, trouble))
    if changed:
        count = notes.conflicts(mission) + 1
        if count > notes.MOST_CONFLICTS:
            return finish(End(False, f"{changed} is changed by others again and again"))
        return (h.NoteTaken(notes.TAKEN, str(count)), notes.go(again))
    if mission.notebook.get(notes.AGAIN):  # what a person said stands there: now the tick
        return (h.NoteTaken(notes.AGAIN, ""), notes.go(again))
    launch = notes.launch(mission)
    return finish(notes.end(mission)) if launch is None else tuple(_launched(mission, launch))


def _launched(mission: Mission, launch: notes.Launch) -> Iterator[h.Event]:
    """It stands in the body, so it may begin: under the very id that stands there."""
    worker = settings_of(mission).worker(launch.worker)
    assert worker is not None
    order = Dispatch(
        agent=worker.agent.name,
        model=worker.agent.model_for(worker.tier),
        tier=worker.tier,
        attempt=1,
        prompt=Text.of(launch.prompt),
        program=worker.agent,
        max_turns=launch.turns,
    )
    yield notes.go(At.LAUNCHING)
    yield h.RunOpened(launch.run_id, "", f"worker {launch.item}", Stage.SURVEYING)
    yield h.RunDispatched(launch.run_id, order)
    told = f"to {worker.name} as {launch.run_id}"
    yield h.Decided("", f"worker {launch.item}", f"Dispatch {launch.item}", told)


def finish(end: End) -> Events:
    forgotten = (notes.ASKED, notes.ANSWER, notes.LAUNCH, notes.TAKEN, notes.AWAITED)
    cleared = tuple(h.NoteTaken(key, "") for key in forgotten)
    return (*cleared, notes.go(At.REST), h.MissionEnded(end.done, end.line))
