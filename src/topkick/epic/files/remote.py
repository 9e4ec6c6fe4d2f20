"""Remote operations of a tick: files that several hosts share, and pull requests."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.engine import messages as h
from topkick.engine.effects import Came, Edit, Propose, Share, Upshot
from topkick.epic import state as notes
from topkick.epic.body import Epic
from topkick.epic.files.archive import task_path
from topkick.epic.handover import proposal
from topkick.epic.items import EpicItem, branch_of
from topkick.epic.state import TickStep, path_of, settings_of
from topkick.epic.tick.choice import Ask
from topkick.epic.tick.scene import Sight
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
