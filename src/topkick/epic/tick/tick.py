"""One tick, from reading the body to the one action that follows (EP-10)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.engine import messages as h
from topkick.engine.agents import task
from topkick.engine.agents.runs import Stage
from topkick.engine.effects import Glance, Seen
from topkick.epic import actions, handover, prompts
from topkick.epic import state as notes
from topkick.epic.answers import DispatchAnswer, read_answer
from topkick.epic.body import HALTED, Epic, read_epic
from topkick.epic.files import remote
from topkick.epic.files.archive import task_path
from topkick.epic.files.memory import RowClass
from topkick.epic.files.writer import finish, made_sure, write
from topkick.epic.items import SETTLED, Status, is_id
from topkick.epic.state import TickEnd, TickStep, path_of, settings_of
from topkick.epic.tick import judgement, preflight
from topkick.epic.tick import scene as tick_scene
from topkick.epic.tick.brake import braked
from topkick.epic.tick.choice import PASSED, Ask, NoOp, Open, Summarize, choose, may_tick
from topkick.epic.tick.critique import Scan
from topkick.epic.tick.scene import Acted, EpicScene, Sight
from topkick.sprint.model import Mission

Events = Sequence[h.Event]
LAUNCHER = "launch"
_DROPPED = "an answer came too late"


def look(mission: Mission) -> Events:
    """Read the epic, and the children that an answer is about."""
    epic_path = path_of(mission)
    level = remote.to_level(mission, (epic_path,))
    return level or (h.LookAsked(Glance((epic_path, *_children(mission)))),)


def _children(mission: Mission) -> tuple[str, ...]:
    ask = notes.asked(mission)
    if notes.at(mission) is not TickStep.ANSWERED or ask is None:
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
        return _left_alone(mission, TickEnd(False, why))
    settings = settings_of(mission)
    name = file.path.rpartition("/")[2].removesuffix(".md")
    epic = read_epic(file.text, fallback_id=name, at_us=mission.at_us, host=settings.host)
    if not is_id(epic.id):
        why = f"{file.path} has an id that is no name: {epic.id[:80]}"
        return _left_alone(mission, TickEnd(False, why))
    if notes.at(mission) is TickStep.UNSURE:
        return tuple(made_sure(mission, epic))
    if notes.at(mission) is TickStep.ORIENTING and (lacks := remote.all_level(mission, epic)):
        return lacks
    wanted = tick_scene.glance(mission, epic, file.path, _children(mission))
    if not seen.covers(wanted):
        return (h.LookAsked(wanted),)
    if waits := tick_scene.to_hear(mission, epic, seen):
        return tuple(_hear(mission, waits[0].dispatch, waits[0].id))
    known, epic = epic, tick_scene.refreshed(mission, epic, seen, settings.surface)
    if (said := tick_scene.cleared(epic)) != epic:
        return (
            h.NoteTaken(notes.AGAIN, "yes"),
            *write(mission, file, Acted(said, TickEnd(True, ""))),
        )
    if idle := may_tick(epic):
        return _left_alone(mission, TickEnd(epic.status in SETTLED, f"{epic.id}: {idle}"))
    if notes.at(mission) is TickStep.ANSWERED:
        return tuple(_answered(mission, epic, file, seen, scan))
    return tuple(_decided(mission, epic, file, seen, is_news=epic != known))


def _left_alone(mission: Mission, end: TickEnd) -> Events:
    """End the tick; an answer that was received is kept until the epic may continue."""
    if notes.at(mission) in {TickStep.ANSWERED, TickStep.UNSURE}:
        return (h.MissionEnded(end.done, end.line),)
    return finish(end)


def _hear(mission: Mission, run_id: str, item: str) -> Iterator[h.Event]:
    """Read a worker's result first, even if an earlier supervisor on this host dispatched it."""
    yield h.NoteTaken(notes.AWAITED, run_id)
    if run_id not in mission.runs:
        yield h.RunOpened(run_id, "", f"worker {item}", Stage.CHECKING)


# --- orient, brake, choose -------------------------------------------------------------------


def _decided(
    mission: Mission, epic: Epic, file: Seen, seen: Sight, *, is_news: bool
) -> Iterator[h.Event]:
    settings = settings_of(mission)
    stop = braked(epic, mission.at_us, settings.stalled_s)
    if stop is not None:
        decision = f"brake: {stop.about or stop.reason}"
        acted = handover.halt(epic, Status.REVIEW, RowClass.BRAKE_FIRED, decision, stop.reason)
        yield from write(mission, file, acted)
        return
    match choose(epic, settings):
        case Ask() as ask:
            yield from _ask(mission, epic, file, ask)
        case Open(item):
            yield from remote.propose(epic, item, seen)
        case NoOp(why) if settings.share and not is_news:  # other hosts are not informed
            yield from finish(TickEnd(True, why))
        case NoOp(why):
            acted = Acted(epic.with_row(RowClass.NOOP, why), TickEnd(True, why))
            yield from write(mission, file, acted)
        case Summarize():
            yield from write(mission, file, _summarized(epic))


def _summarized(epic: Epic) -> Acted:
    """Write the final summary, once per epic; reviewers take over."""
    for item in epic.items:
        if behind := epic.stuck_behind().get(item.id):
            told = f"comes after {behind}, which is stuck"
            epic = epic.with_item(replace(item, status=Status.BLOCKED, notes=told))
    count = "1 item" if len(epic.items) == 1 else f"{len(epic.items)} items"
    line = f"{epic.id} is at its review surface: {count}"
    epic = replace(epic, status=Status.AT_SURFACE, phase=HALTED, summary=True)
    epic = epic.with_row(RowClass.NOOP, "final summary").with_log(f"{line}. Nothing follows.")
    return Acted(epic, TickEnd(True, line))


def _ask(mission: Mission, epic: Epic, file: Seen, ask: Ask) -> Iterator[h.Event]:
    role = task.role_named(mission, prompts.WHO[ask.role])
    if task.is_limited(mission, role):
        yield from finish(TickEnd(False, f"{role.agent.name} is at its usage limit"))
        return
    given = task.give(mission, role, _subject(ask, epic), _prompt(epic, file, ask, role.prompt))
    if not any(isinstance(event, h.RunOpened) for event in given):
        yield from (*given, notes.go(TickStep.REST))
        return
    yield from (notes.note(ask), h.NoteTaken(notes.ANSWER, ""), notes.go(TickStep.ASKING), *given)
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


# --- act -------------------------------------------------------------------------------------


def _answered(
    mission: Mission, epic: Epic, file: Seen, seen: Sight, scan: Scan
) -> Iterator[h.Event]:
    ask, text = notes.asked(mission), mission.notebook.get(notes.ANSWER, "")
    assert ask is not None
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    skip = notes.conflicts(mission)
    own = task.role_named(mission, prompts.WORKER).prompt
    scene = EpicScene(epic, file.path, seen.files, settings_of(mission), scan, run_id, skip, own)
    yield from write(mission, file, _acted(scene, ask, text))


def _acted(scene: EpicScene, ask: Ask, text: str) -> Acted:
    if ask.role == LAUNCHER:
        return _could_not_start(scene, ask, text)
    if not _still_fits(scene.epic, ask):
        line = f"{_DROPPED}: {ask.item or scene.epic.id} was changed meanwhile"
        return Acted(scene.epic.with_row(RowClass.NOOP, line), TickEnd(True, line))
    if ask.role == remote.PROPOSER:
        return judgement.proposed(scene, ask, text)
    return actions.act(scene, ask, read_answer(ask.role, text))


def _still_fits(epic: Epic, ask: Ask) -> bool:
    """Return whether the answer still fits: a person may have changed the row meanwhile."""
    item = epic.item(ask.item)
    match ask.role:
        case "verify" | "react":
            return item is not None and item.status == Status.IN_PROGRESS and bool(item.outcome)
        case "criticize":
            return item is not None and item.status == Status.QUEUED
        case remote.PROPOSER:
            return item is not None and item.outcome == PASSED
        case "decompose":
            return not epic.items
        case _:
            return True


def _could_not_start(scene: EpicScene, ask: Ask, why: str) -> Acted:
    settings = scene.settings
    others = ", ".join(w.name for w in settings.workers if w.name != ask.context) or "none"
    found = preflight.Infeasible(f"worker {ask.context}", why, others)
    return actions.infeasible(scene.epic, ask.item, found)
