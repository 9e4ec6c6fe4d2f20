"""The end of a tick: one write, and the remote operations around it (EP-03, EP-10, EP-14)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.engine import messages as h
from topkick.engine.agents.runs import Dispatch, Stage
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Came, Edit, Propose, Seen, Share, Upshot
from topkick.epic import body
from topkick.epic import state as notes
from topkick.epic.body import Epic
from topkick.epic.items import EpicItem, Status, branch_of
from topkick.epic.state import TickEnd, TickStep, path_of, settings_of
from topkick.epic.task_files import task_path
from topkick.epic.tick.choice import Ask
from topkick.epic.tick.scene import Acted, Sight
from topkick.epic.tick.verdicts import proposal
from topkick.sprint.model import Mission

Events = Sequence[h.Event]
PROPOSER = "propose"


# --- shared files (EP-03) --------------------------------------------------------------------


def to_level(mission: Mission, paths: tuple[str, ...]) -> Events:
    """Request synchronisation; nothing if the files are synchronised in this tick, or not
    shared.
    """
    where = settings_of(mission).share
    if not where or set(paths) <= set(notes.level(mission)):
        return ()
    return (notes.note_level(paths), h.ErrandAsked(Share(where, paths)))


def all_level(mission: Mission, epic: Epic) -> Events:
    """Synchronise the epic and its children's files, which planner and workers read."""
    own = path_of(mission)
    return to_level(mission, (own, *(task_path(own, item.id) for item in epic.items)))


def to_write(mission: Mission, edits: tuple[Edit, ...]) -> h.Event:
    where = settings_of(mission).share
    if not where:
        return h.EditsAsked(edits)
    return h.ErrandAsked(Share(where, tuple(edit.path for edit in edits), edits))


# --- pull requests (EP-14) -------------------------------------------------------------------


def propose(epic: Epic, item: EpicItem, seen: Sight) -> Iterator[h.Event]:
    """Propose the branch that was verified; `refreshed` has made sure of that."""
    ask = Ask(PROPOSER, item.id)
    branch = seen.branches[branch_of(item)]
    text = proposal(epic, item)
    yield from (notes.note(ask), h.NoteTaken(notes.ANSWER, ""), notes.go(TickStep.PROPOSING))
    yield h.ErrandAsked(Propose(branch.name, branch.tip, text.title, text.body, bool(item.branch)))


def proposed(mission: Mission, upshot: Upshot) -> Events:
    ask = notes.asked(mission)
    assert ask is not None
    told = replace(ask, context="" if upshot.came is Came.DONE else upshot.about)
    return (notes.note(told), h.NoteTaken(notes.ANSWER, upshot.about), notes.go(TickStep.ANSWERED))


def write(mission: Mission, file: Seen, acted: Acted) -> Iterator[h.Event]:
    """Write the children first and the body last: the body's write is the commit point."""
    epic = acted.epic
    if epic.status == Status.QUEUED:
        epic = replace(epic, status=Status.IN_PROGRESS, phase=epic.phase or "orienting")
    last = Edit(file.path, file.sha256, Text.of(body.write(epic)))
    launch = notes.note(acted.launch) if acted.launch else h.NoteTaken(notes.LAUNCH, "")
    end = replace(acted.end, row=_last_row(epic))
    yield from (notes.note(end), launch, notes.go(TickStep.WRITING))
    yield to_write(mission, (*acted.edits, last))


def _last_row(epic: Epic) -> str:
    return f"{epic.rows[-1].tick} {epic.rows[-1].decision}" if epic.rows else ""


def written(mission: Mission, changed: str, trouble: str) -> Events:
    """Handle the result of the write; files that others changed are never overwritten but read
    first.
    """
    if trouble:  # a received answer is not requested again
        return (notes.go(TickStep.UNSURE), h.MissionEnded(False, trouble))
    if changed:
        count = notes.conflicts(mission) + 1
        if count > notes.MOST_CONFLICTS:
            return finish(
                TickEnd(
                    False, f"other programs keep changing {changed}, so this tick wrote nothing"
                )
            )
        return (h.NoteTaken(notes.TAKEN, str(count)), notes.go(TickStep.UNSURE))
    if mission.notebook.get(notes.AGAIN):  # the person's command is written: now the tick
        return (h.NoteTaken(notes.AGAIN, ""), notes.go(_again(mission)))
    launch = notes.launch(mission)
    return finish(notes.end(mission)) if launch is None else tuple(_launched(mission, launch))


def _again(mission: Mission) -> TickStep:
    return TickStep.ANSWERED if notes.asked(mission) is not None else TickStep.ORIENTING


def came_back(mission: Mission, upshot: Upshot) -> Events:
    """Handle a remote operation's result: synchronised files, a write, or a pull request."""
    at, about = notes.at(mission), upshot.about
    forget = h.NoteTaken(notes.LEVEL, "")
    match upshot.came:
        case _ if at is TickStep.PROPOSING:
            return proposed(mission, upshot)
        case Came.DONE:
            return written(mission, "", "") if at is TickStep.WRITING else ()
        case Came.CHANGED:
            return written(mission, about, "")
        case Came.LOST:
            line = f"another host changed {about} meanwhile, so this tick does nothing"
            return finish(TickEnd(True, line))
        case Came.OVERTAKEN:
            return (forget, notes.go(TickStep.UNSURE))
        case Came.FAILED if at in {TickStep.WRITING, TickStep.UNSURE}:
            return (forget, notes.go(TickStep.UNSURE), h.MissionEnded(False, about))
        case Came.FAILED:
            return finish(TickEnd(False, about))


def made_sure(mission: Mission, epic: Epic) -> Iterator[h.Event]:
    """Find out whether the earlier write succeeded, or others have continued from it."""
    launch, end = notes.launch(mission), notes.end(mission)
    item = epic.item(launch.item) if launch is not None else None
    waits = item is not None and item.status == Status.IN_PROGRESS and not item.outcome
    if mission.notebook.get(notes.AGAIN):
        yield from (h.NoteTaken(notes.AGAIN, ""), notes.go(_again(mission)))
    elif launch is not None and item is not None and waits and item.dispatch == launch.run_id:
        yield from _launched(mission, launch)
    elif any(end.row == f"{row.tick} {row.decision}" for row in epic.rows):
        yield from finish(end)
    else:
        yield notes.go(_again(mission))


def _launched(mission: Mission, launch: notes.WorkerLaunch) -> Iterator[h.Event]:
    """Dispatch the worker under the id that the body has."""
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
    yield notes.go(TickStep.LAUNCHING)
    yield h.RunOpened(launch.run_id, "", f"worker {launch.item}", Stage.SURVEYING)
    yield h.RunDispatched(launch.run_id, order)
    told = f"to {worker.name} as {launch.run_id}"
    yield h.Decided("", f"worker {launch.item}", f"Dispatch {launch.item}", told)


def finish(end: TickEnd) -> Events:
    cleared = tuple(h.NoteTaken(key, "") for key in notes.OF_ONE_TICK)
    return (*cleared, notes.go(TickStep.REST), h.MissionEnded(end.done, end.line))
