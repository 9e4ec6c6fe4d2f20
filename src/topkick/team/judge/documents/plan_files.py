"""Read `plan/plan.json` and `plan/TASK-*.json` as far as checks need."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from topkick.team.bus.model import NotJson, data_of
from topkick.team.session import MOST_ENTRIES, parsed

_NEEDS = ("depends_on", "dependencies", "blocked_by", "blockedBy", "needs")
_METHODS = ("recommended_execution", "execution_method", "execution", "method")
_TASK_FILE = re.compile(r"(?:.*/)?TASK-[^/]*\.json")


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A task; `text` is all of it, in which requirements may be cited; `module` is its subject."""

    id: str
    needs: tuple[str, ...]
    module: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """The plan; `listed` are the ids that it names, `filed` those with a file of their own."""

    readable: bool = False
    complexity: str = ""
    method: str = ""
    modules: int = 0
    tasks: tuple[PlanTask, ...] = ()
    listed: frozenset[str] = frozenset()
    filed: frozenset[str] = frozenset()
    broken: tuple[str, ...] = ()
    text: str = ""


def read_plan(documents: Mapping[str, str]) -> TeamPlan:
    """Parse the plan; of two records of one task, the one in its own file counts."""
    whole: Mapping[str, object] = {}
    tasks: dict[str, PlanTask] = {}
    filed: set[str] = set()
    broken: list[str] = []
    for path, text in sorted(
        documents.items(), key=lambda each: bool(_TASK_FILE.fullmatch(each[0]))
    ):
        found = parsed(text)
        if not isinstance(found, Mapping):
            broken.append(path)
        elif _TASK_FILE.fullmatch(path):
            task = _task(found, path)
            tasks[task.id] = task
            filed.add(task.id)
        else:
            whole = {**whole, **found}
            tasks.update((task.id, task) for task in _inside(found, path))
    named = _names(whole.get("task_ids"))
    kept = tuple(list(tasks.values())[:MOST_ENTRIES])
    return TeamPlan(
        readable=bool(whole),
        complexity=_word(whole, "complexity"),
        method=next((word for key in _METHODS if (word := _word(whole, key))), ""),
        modules=_modules(whole, kept),
        tasks=kept,
        listed=frozenset(named) | {task.id for task in _inside(whole, "")},
        filed=frozenset(filed),
        broken=tuple(broken),
        text="\n".join(documents.values()),
    )


def _inside(found: Mapping[str, object], path: str) -> Iterator[PlanTask]:
    tasks = found.get("tasks")
    entries = list(tasks.values()) if isinstance(tasks, Mapping) else tasks
    if isinstance(entries, list):
        for entry in entries[:MOST_ENTRIES]:
            if isinstance(entry, Mapping) and _name(entry):
                yield _task(entry, path)


def _task(found: Mapping[str, object], path: str) -> PlanTask:
    needs = next((_names(found[key]) for key in _NEEDS if key in found), ())
    module = next((word for key in ("module", "scope", "area") if (word := _word(found, key))), "")
    file_name = path.rpartition("/")[2].removesuffix(".json")
    return PlanTask(_name(found) or file_name, needs, module, _whole(found), path)


def _whole(found: Mapping[str, object]) -> str:
    try:
        return data_of(found)
    except NotJson:  # too deeply nested to encode
        return ""


def _name(found: Mapping[str, object]) -> str:
    name = found.get("id", found.get("task_id"))
    return name.strip()[:200] if isinstance(name, str) else ""


def _names(found: object) -> tuple[str, ...]:
    """Return ids, bare or each in an object."""
    entries = found if isinstance(found, list) else []
    names = (_name(each) if isinstance(each, Mapping) else each for each in entries[:MOST_ENTRIES])
    return tuple(name.strip()[:200] for name in names if isinstance(name, str) and name.strip())


def _word(found: Mapping[str, object], key: str) -> str:
    value = found.get(key)
    return value.strip().casefold()[:200] if isinstance(value, str) else ""


def _modules(whole: Mapping[str, object], tasks: tuple[PlanTask, ...]) -> int:
    said = whole.get("modules", whole.get("module_count"))
    if isinstance(said, int) and not isinstance(said, bool):
        return max(0, min(said, MOST_ENTRIES))
    if isinstance(said, list | Mapping):
        return len(said)
    return len({task.module for task in tasks if task.module})
