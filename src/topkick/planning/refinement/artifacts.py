"""Find what each task of a sprint creates or changes, and which criteria mention it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.plan_format.model import SprintPlan
from topkick.sprint.dispatch.names import CodeNames, names_in

_ONLY_LOOKS = re.compile(
    r"^\W*(?:\[[ xX]\]\s*)?(?:\d[\d.]*[.):]?\s*)?\W*(?:read|review|run|execute|investigate|check"
    r"|verify|confirm|inspect|study|audit|analy[sz]e|research|test|validate|ensure)\b",
    re.IGNORECASE,
)
_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_|_test\.|\.(?:test|spec)\.|Tests?\."
)
_PLACES = frozenset(
    {"src", "lib", "app", "packages", "sources", "tests", "test", "docs", "pkg", "internal", "cmd"}
)


@dataclass(frozen=True, slots=True)
class NamedTask:
    """A task, by its index in the sprint's list, with the names in it."""

    at: int
    text: str
    names: CodeNames


@dataclass(frozen=True, slots=True)
class TaskCluster:
    """Tasks about one part of the tree."""

    name: str
    tasks: tuple[int, ...]


def tasks_of(sprint: SprintPlan) -> tuple[NamedTask, ...]:
    return tuple(NamedTask(n, text, names_in(text)) for n, text in enumerate(sprint.tasks))


def is_test_path(path: str) -> bool:
    return _TEST_PATH.search(path) is not None


def uncovered(sprint: SprintPlan) -> tuple[NamedTask, ...]:
    """Return tasks that name something no exit criterion names; tasks without names are skipped."""
    said = names_in("\n".join(c.text for c in sprint.exit))
    known = {_short(name) for name in said.all} | set(
        _words("\n".join(c.text for c in sprint.exit))
    )
    return tuple(
        task
        for task in tasks_of(sprint)
        if task.names.all
        and not _ONLY_LOOKS.match(task.text)
        and not any(_is_known(name, known) for name in task.names.all)
    )


def _is_known(name: str, known: set[str]) -> bool:
    short = _short(name)
    return short in known or any(word in known for word in _words(short) if len(word) > 3)


def _short(name: str) -> str:
    """Return a file's name alone, or a call without its brackets."""
    return name.rpartition("/")[2].removesuffix("()").lower()


def _words(text: str) -> Iterator[str]:
    for word in re.findall(r"[A-Za-z_][\w.-]{2,80}", text):
        yield word.lower().strip(".-")
        yield word.lower().partition(".")[0]


# --- concerns --------------------------------------------------------------------------------


def clusters(tasks: Sequence[NamedTask]) -> tuple[TaskCluster, ...]:
    """Return two or more parts of the tree with two tasks each and nothing in common; else none.

    Tests and documents belong to what they test and describe, so they are no concern of their own.
    """
    groups: dict[str, list[NamedTask]] = {}
    loose = 0
    for task in tasks:
        places = {place for path in task.names.files if (place := _place(path))}
        if len(places) > 1:
            return ()
        if places:
            groups.setdefault(places.pop(), []).append(task)
        else:
            loose += 1
    if len(groups) < 2 or loose or any(len(found) < 2 for found in groups.values()):
        return ()
    code: list[set[str]] = [
        {n for t in found for n in t.names.code - t.names.files} for found in groups.values()
    ]
    shared = any(a & b for n, a in enumerate(code) for b in code[n + 1 :])
    return (
        () if shared else tuple(TaskCluster(n, tuple(t.at for t in f)) for n, f in groups.items())
    )


def _place(path: str) -> str:
    """Return the part of the tree a path is in: the first folder more specific than `src`."""
    if is_test_path(path) or path.endswith((".md", ".rst", ".txt")):
        return ""
    folders = path.split("/")[:-1]
    telling = [folder for folder in folders if folder.lower() not in _PLACES]
    return telling[0] if telling else (folders[0] if folders else "")
