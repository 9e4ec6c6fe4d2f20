"""Choose a worker for a task, check its free places, and set its turns (EP-13)."""

import re
from dataclasses import dataclass

from topkick.epic.body import Epic
from topkick.epic.items import EpicItem, Status
from topkick.epic.settings import EpicSettings, Worker
from topkick.text.task_file import TaskFile

_NAMED = re.compile(r"`([\w.@~-]{1,100}(?:/[\w.@~-]{1,100}){1,20})`")
_HOURS = re.compile(r"(\d{1,4}(?:\.\d{1,2})?) ?(h|hours?|d|days?)?")
_UNITS = {"h": 1.0, "hour": 1.0, "hours": 1.0, "d": 8.0, "day": 8.0, "days": 8.0}
MOST_FILES = 500


@dataclass(frozen=True, slots=True)
class Route:
    """The requested or chosen worker, and its possible substitutes."""

    asked: str
    allowed: tuple[str, ...]


def route(task: TaskFile, item: EpicItem, settings: EpicSettings) -> Route:
    """Return the route; a worker that a person named has no substitute (EP-30)."""
    named = task.get("assignee") or item.worker
    if named:
        return Route(named, (named,))
    meant = _by_tables(task, settings)
    worker = settings.worker(meant)
    return Route(meant, (meant, *(worker.stand_in if worker else ())))


def _by_tables(task: TaskFile, settings: EpicSettings) -> str:
    routing = settings.routing
    tags = {tag.lower() for tag in task.items("tags")}
    for tag, worker in routing.by_tag.items():
        if tag.lower() in tags:
            return worker
    if routing.for_many_files and len(named_files(task)) > routing.many_files:
        return routing.for_many_files
    if routing.for_long and hours_of(task) > routing.long_hours:
        return routing.for_long
    by_effort = routing.by_effort.get((task.get("effort") or "").upper())
    return by_effort or routing.default or settings.workers[0].name


def hours_of(task: TaskFile) -> float:
    """Return the stated hours; a size alone says nothing about them."""
    told = (task.get("hours"), task.get("effort"))
    found = (_HOURS.fullmatch(word.strip().lower()) for word in told if word)
    return max((float(x[1]) * _UNITS[x[2] or "h"] for x in found if x is not None), default=0.0)


def turns_for(task: TaskFile, settings: EpicSettings) -> int:
    return settings.turns.get((task.get("effort") or "").upper(), 0)


def has_place(epic: Epic, worker: Worker) -> bool:
    busy = [i for i in epic.items if i.status == Status.IN_PROGRESS and i.worker == worker.name]
    return len([i for i in busy if not i.outcome]) < worker.capacity


def has_any_place(epic: Epic, settings: EpicSettings) -> bool:
    may = not settings.hosts or settings.host in settings.hosts
    return may and any(has_place(epic, worker) for worker in settings.workers)


def named_files(task: TaskFile) -> tuple[str, ...]:
    """Return the files in the task's header, and those in backticks in its text."""
    return files_in(task.body, task.items("files"))


def files_in(text: str, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*more, *_NAMED.findall(text))))[:MOST_FILES]


def holder_of_branch(epic: Epic, item: EpicItem) -> str:
    """Return the item at work on a shared branch: only one may be (EP-13)."""
    others = (i for i in epic.items if i.id != item.id and item.branch and i.branch == item.branch)
    return next((i.id for i in others if i.status == Status.IN_PROGRESS), "")


def projects_of(task: TaskFile, settings: EpicSettings) -> tuple[str, ...]:
    """Return the projects of the named files; files in no project are ignored."""
    found = [_project_of(path, settings) for path in named_files(task)]
    return tuple(dict.fromkeys(name for name in found if name))


def _project_of(path: str, settings: EpicSettings) -> str:
    clean = path.removeprefix("./")
    inside = [p for p in settings.projects if _is_below(clean, p.directory)]
    return max(inside, key=lambda p: len(p.directory)).name if inside else ""


def _is_below(path: str, directory: str) -> bool:
    place = directory.strip("/")
    return place in {"", "."} or path.startswith(f"{place}/")
