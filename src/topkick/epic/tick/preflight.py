"""Check a dispatch that the planner requested against the files and the settings (EP-13)."""

from dataclasses import dataclass

from topkick.epic.answers import DispatchAnswer
from topkick.epic.items import EpicItem, Status, is_id
from topkick.epic.settings import Worker
from topkick.epic.tick import critique, route
from topkick.epic.tick.scene import EpicScene
from topkick.text.task_file import TaskFile


@dataclass(frozen=True, slots=True)
class Wrong:
    """The answer names something that cannot be dispatched: it is rejected without a substitute."""

    why: str


@dataclass(frozen=True, slots=True)
class Full:
    """No place is left; the item stays in the queue."""

    why: str


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The requested worker is not available, and no other one replaces it (EP-30)."""

    requested: str
    failed: str
    not_picked: str
    status: str = Status.REVIEW


@dataclass(frozen=True, slots=True)
class Unfit:
    """The task itself must be repaired first."""

    why: str


@dataclass(frozen=True, slots=True)
class NeedsCritic:
    why: str


@dataclass(frozen=True, slots=True)
class NeedsPerson:
    """The task cannot be rolled back, and no person has allowed it in writing."""

    why: str


@dataclass(frozen=True, slots=True)
class Clear:
    item: EpicItem
    task: TaskFile
    worker: Worker
    project: str


Finding = Wrong | Full | Infeasible | Unfit | NeedsCritic | NeedsPerson | Clear


def examine(scene: EpicScene, asked: DispatchAnswer, reacts_to: str) -> Finding:
    item = scene.epic.item(asked.task_id) if is_id(asked.task_id) else None
    if item is None:
        return Wrong(f"{asked.task_id[:80]} is not a work item")
    if item.status != Status.QUEUED and item.id != reacts_to:
        return Wrong(f"{item.id} is {item.status}, not queued")
    if not scene.epic.is_ready(item):
        return Wrong(
            f"{item.id} waits for {', '.join(item.after)}, and not all are at the review surface"
        )
    if holder := route.holder_of_branch(scene.epic, item):
        return Full(f"{item.id} waits for {holder}, which works on {item.branch}")
    task = scene.task(item.id)
    if task is None:
        return Unfit(f"{scene.path(item.id)} cannot be read")
    return _of_project(scene, asked, item, task)


def _of_project(scene: EpicScene, asked: DispatchAnswer, item: EpicItem, task: TaskFile) -> Finding:
    """Check that all named files are in one project, and that every project named is that one."""
    settings = scene.settings
    lie_in = route.projects_of(task, settings)
    told = [p for p in (task.get("project"), item.project, asked.project) if p]
    names = tuple(dict.fromkeys((*told, *lie_in)))
    if len(names) > 1:
        return _no_project(f"{item.id} belongs to several projects: {', '.join(names)}", names)
    if names and settings.projects and settings.directory(names[0]) is None:
        known = tuple(p.name for p in settings.projects)
        return _no_project(f"{item.id}: there is no project {names[0][:80]}", known)
    return _of_worker(scene, asked, item, task, names[0] if names else "")


def _no_project(why: str, known: tuple[str, ...]) -> Infeasible:
    return Infeasible("one project for all named files", why, ", ".join(known), Status.BLOCKED)


def _of_worker(
    scene: EpicScene, asked: DispatchAnswer, item: EpicItem, task: TaskFile, project: str
) -> Finding:
    settings = scene.settings
    meant = route.route(task, item, settings)
    others = ", ".join(w.name for w in settings.workers if w.name != meant.asked) or "none"
    first, worker = settings.worker(meant.asked), settings.worker(asked.worker)
    if first is None:
        return Infeasible(f"worker {meant.asked}", "no such worker is configured", others)
    if worker is None or worker.name not in meant.allowed:
        why = f"the planner named {asked.worker[:80]} instead"
        return Infeasible(f"worker {meant.asked}", why, others)
    if worker.name != first.name and route.has_place(scene.epic, first):
        return Wrong(f"{first.name} has a free place, so {worker.name} does not replace it")
    if settings.hosts and settings.host not in settings.hosts:
        return Full(f"the settings do not let the host {settings.host} dispatch")
    if not route.has_place(scene.epic, worker):
        return Full(f"{worker.name} has no free place for {item.id}")
    return _of_risk(scene, asked, Clear(item, task, worker, project))


def _of_risk(scene: EpicScene, asked: DispatchAnswer, clear: Clear) -> Finding:
    allowed = (*critique.directives(scene.epic.file), *critique.directives(clear.task))
    said = critique.objections((_without_persons(clear.task),), allowed, scene.scan)
    if said:
        return Unfit(f"the text of the task works around a failing test: {said[0]}")
    reach = critique.radius(clear.task, asked.command)
    if not reach.why or critique.override(clear.task):
        return clear
    lacks = critique.lacking(clear.task)
    if any(word in lacks for word in critique.REFUSED):
        return NeedsPerson(f"{reach.why}, and {lacks}")
    if lacks:
        return Unfit(f"{reach.why}, and {lacks}")
    if not critique.is_safe(clear.item.critic, clear.task):
        return NeedsCritic(reach.why)
    return clear


def _without_persons(task: TaskFile) -> str:
    """Return the task without a person's own lines, which may override and direct."""
    lines = task.body.split("\n")
    mine = ("CRITIC OVERRIDE:", "TEST DIRECTIVE:")
    return "\n".join(line for line in lines if not line.lstrip("-* ").startswith(mine))
