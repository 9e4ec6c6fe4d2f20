"""The input of a tick's action: the epic as it is now, its files, and the settings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit, Glance, Seen, SeenBranch, SeenRun
from topkick.epic import state as notes
from topkick.epic.body import HALTED, REVIEWING, Epic, RowClass
from topkick.epic.items import NONE, EpicItem, Status, branch_of
from topkick.epic.settings import EpicSettings, Surface
from topkick.epic.state import TickEnd, WorkerLaunch
from topkick.epic.task_files import task_path
from topkick.epic.tick.choice import EXITED, PASSED
from topkick.epic.tick.critique import Scan
from topkick.sprint.model import Mission
from topkick.text.format import stamp
from topkick.text.task_file import TaskFile

# --- orient ------------------------------------------------------------------------------------
# Read the body as it is now, and what this host knows about its workers (EP-03).

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PULL = re.compile(r"https?://[^\s|]{3,300}/(?:pull|pulls|merge_requests)/\d{1,9}")
_PLACE = re.compile(r"[\w.@-]{1,100}(?:/[\w.@-]{1,100}){0,20}")
ENDED = frozenset({"exited", "lost"})
ALIVE = frozenset({"claimed", "running", "orphaned"})


@dataclass(frozen=True, slots=True)
class Sight:
    """The result of one look."""

    files: Mapping[str, Seen]
    runs: Mapping[str, SeenRun]
    branches: Mapping[str, SeenBranch]

    def covers(self, glance: Glance) -> bool:
        return (
            all(path in self.files for path in glance.paths)
            and all(run in self.runs for run in glance.runs)
            and all(branch in self.branches for branch in glance.branches)
        )


def sight(
    files: tuple[Seen, ...], runs: tuple[SeenRun, ...], branches: tuple[SeenBranch, ...]
) -> Sight:
    return Sight({f.path: f for f in files}, {r.id: r for r in runs}, {b.name: b for b in branches})


def glance(mission: Mission, epic: Epic, epic_path: str, more: tuple[str, ...]) -> Glance:
    """Return what to read: the epic first, then the state of its children's dispatches on this
    host.
    """
    given = [item for item in epic.items if _is_out(item)]
    passed = [item for item in epic.items if item.outcome == PASSED]
    backs = [back for item in given if (back := notes.back(mission, item.dispatch)) is not None]
    claimed = [b.deliverable for b in backs if _PLACE.fullmatch(b.deliverable)]
    return Glance(
        tuple(dict.fromkeys((epic_path, *more, *claimed))),
        tuple(item.dispatch for item in given),
        tuple(dict.fromkeys(branch_of(item) for item in (*given, *passed))),
    )


def _is_out(item: EpicItem) -> bool:
    is_given = item.status == Status.IN_PROGRESS and not item.outcome
    return is_given and _RUN_ID.fullmatch(item.dispatch) is not None


def to_hear(mission: Mission, epic: Epic, seen: Sight) -> tuple[EpicItem, ...]:
    """Return the items whose worker has ended here and whose result was not read yet."""
    out = [item for item in epic.items if _is_out(item) and item.dispatch in seen.runs]
    ended = [item for item in out if seen.runs[item.dispatch].state in ENDED]
    return tuple(item for item in ended if notes.back(mission, item.dispatch) is None)


def refreshed(mission: Mission, epic: Epic, seen: Sight, wanted: Surface) -> Epic:
    """Return the epic with the results of its workers; dispatches unknown here belong to another
    host.
    """
    for item in epic.items:
        if _is_out(item):
            epic = epic.with_item(_refreshed(mission, epic, item, seen, wanted))
        elif item.outcome == PASSED and _on_branch(item, seen) != item.surface:
            moved = replace(item, surface=_on_branch(item, seen) or NONE, outcome=EXITED)
            epic = epic.with_item(moved)
    return epic


def _refreshed(
    mission: Mission, epic: Epic, item: EpicItem, seen: Sight, wanted: Surface
) -> EpicItem:
    back = notes.back(mission, item.dispatch)
    run = seen.runs.get(item.dispatch)
    if back is None and run is not None and run.state in ALIVE:
        shown = stamp(run.active_at_us) if run.active_at_us else ""
        return replace(item, active=max(item.active, shown))
    if back is None:
        return item
    surface = _surface(epic, item, back, seen, wanted)
    new = surface not in {NONE, item.surface}
    dispatches = 0 if new else item.dispatches
    return replace(item, surface=surface, outcome=EXITED, notes=_told(back), dispatches=dispatches)


def _told(back: notes.Back) -> str:
    thread = f" Next: {back.next}" if back.next else ""
    return " ".join(f"{back.said}{thread}".split())[:500]


def _on_branch(item: EpicItem, seen: Sight) -> str:
    branch = seen.branches.get(branch_of(item))
    return f"branch {branch.name}@{branch.tip[:10]}" if branch and branch.tip else ""


def _surface(epic: Epic, item: EpicItem, back: notes.Back, seen: Sight, wanted: Surface) -> str:
    """Return a branch with new commits, or a pull request, or an existing file (EP-14).

    If workers should open pull requests, a branch alone does not count; on a shared branch, another
    item's commits don't count for this one.
    """
    on_branch = _on_branch(item, seen)
    if any(on_branch in other.surface for other in epic.items if other.id != item.id):
        on_branch = ""
    if _PULL.fullmatch(back.deliverable):
        return f"{back.deliverable} ({on_branch})" if on_branch else back.deliverable
    file = seen.files.get(back.deliverable)
    if not on_branch and file is not None and file.content is not None:
        return f"file {file.path}@{file.sha256[:10]}"
    return on_branch if on_branch and wanted is not Surface.PULL_REQUEST else NONE


def cleared(epic: Epic) -> Epic:
    """Apply a person's "queued": approve the proposed items and release the held ones."""
    if epic.status != Status.QUEUED:
        return epic
    if epic.phase == REVIEWING:
        ready = (i for i in epic.items if i.status == Status.READY)
        for item in ready:
            epic = epic.with_item(replace(item, status=Status.QUEUED))
        return replace(epic, phase="orienting").with_log("Approved by a person.")
    if epic.phase == HALTED:
        for item in epic.items:
            active = epic.at if item.status == Status.IN_PROGRESS else item.active
            epic = epic.with_item(replace(item, dispatches=0, active=active))
        epic = replace(epic, phase="orienting").with_row(RowClass.RESET, "cleared by a person")
        return epic.with_log("Cleared by a person.")
    return epic


HANDOVER = "Pull Request"


@dataclass(frozen=True, slots=True)
class EpicScene:
    epic: Epic
    epic_path: str
    files: Mapping[str, Seen]
    settings: EpicSettings
    scan: Scan
    run_id: str
    skip: int = 0
    worker_text: str = ""

    def task(self, task_id: str) -> TaskFile | None:
        seen = self.files.get(self.path(task_id))
        return None if seen is None or seen.content is None else TaskFile.read(seen.text)

    def path(self, task_id: str) -> str:
        return task_path(self.epic_path, task_id)

    def status_edit(self, task_id: str, status: str, handover: str = "") -> tuple[Edit, ...]:
        """Return an edit that sets the status in the child's own file, unless it is missing or up
        to date.
        """
        seen, task = self.files.get(self.path(task_id)), self.task(task_id)
        if seen is None or task is None:
            return ()
        changed = task.with_value("status", status)
        if handover:
            changed = changed.with_section(HANDOVER, f"\n{handover}\n")
        if changed.text == task.text:
            return ()
        return (Edit(seen.path, seen.sha256, Text.of(changed.text)),)


@dataclass(frozen=True, slots=True)
class Acted:
    """The epic to write, children's files to write before it, and the worker to launch
    afterwards.
    """

    epic: Epic
    end: TickEnd
    edits: tuple[Edit, ...] = ()
    launch: WorkerLaunch | None = None
