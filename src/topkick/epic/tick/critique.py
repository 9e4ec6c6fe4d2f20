"""Tasks of high blast radius: how they are recognised, and what they need before dispatch
(EP-32).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from topkick.engine.codec.texts import to_bytes
from topkick.text.task_file import TaskFile

TAGS = frozenset({"high-risk", "irreversible", "production", "destructive", "judgment"})
WANTED, SAFE = "wanted", "SAFE_TO_DISPATCH"
ROLLBACK = "Rollback Plan"
REFUSED = ("manual-physical", "irreversible")
REMOTE = ("automatic", "manual-remote")
_WORDS = re.compile(
    r"\b(?:OTA|[Ff]lash(?:es|ed|ing)?|[Dd]eploy(?:s|ed|ing|ment)?|[Mm]igrat(?:e|es|ed|ing|ions?)"
    r"|[Dd]elet(?:e|es|ing) (?:at scale|all|every)|[Uu]pload(?:s|ed|ing)?|DNS|[Dd]rop table"
    r"|DROP TABLE|[Ff]orce[- ]push(?:es|ed|ing)?|\.github/workflows|CI pipeline)\b"
)
_EXTERNAL = re.compile(
    r"\b(?:OTA|[Ff]lash|[Dd]eploy|[Mm]igrat|[Uu]pload|DNS|[Pp]roduction)[a-z]{0,10}\b"
)
_OVERRIDE = re.compile(r"(?:[-*] )?CRITIC OVERRIDE: (\S.{0,500})")


@dataclass(frozen=True, slots=True)
class Radius:
    """The reason why a task needs a critic; empty if it does not."""

    why: str = ""


def radius(task: TaskFile, command: str) -> Radius:
    tags = sorted(TAGS & {tag.lower() for tag in task.items("tags")})
    if tags:
        return Radius(f"tag {tags[0]}")
    text = f"{task.title}\n{_without_rollback(task)}\n{command}"
    found = _WORDS.search(text)
    return Radius(f"the task says `{found[0]}`") if found else Radius()


def _without_rollback(task: TaskFile) -> str:
    plan = task.section(ROLLBACK)
    return task.body.replace(plan, "") if plan else task.body


def fingerprint(task: TaskFile) -> str:
    """Return a hash of what the critic read: a rewritten task must be read again."""
    return sha256(to_bytes(task.body)).hexdigest()[:8]


def is_safe(critic: str, task: TaskFile) -> bool:
    return critic == f"{SAFE} {fingerprint(task)}"


def override(task: TaskFile) -> str:
    """Return a person's written override in the task itself."""
    for line in task.body.split("\n"):
        found = _OVERRIDE.fullmatch(line.strip())
        if found is not None:
            return found[1]
    return ""


def lacking(task: TaskFile) -> str:
    """Return what the rollback plan lacks; empty if it works without access to the machine."""
    plan = task.section(ROLLBACK)
    if plan is None or not plan.strip():
        return f"the task has no `## {ROLLBACK}`"
    low = plan.lower()
    for word in REFUSED:
        if re.search(rf"reversibility\W{{1,6}}{word}\b", low):
            return f"the rollback plan says {word}"
    if not any(re.search(rf"reversibility\W{{1,6}}{word}\b", low) for word in REMOTE):
        return "the rollback plan does not say `Reversibility: automatic` or `manual-remote`"
    return _only_reverts(task, plan)


def _only_reverts(task: TaskFile, plan: str) -> str:
    """Return an objection if the plan only reverts a commit although the task has outside
    effects.
    """
    steps = [s for s in plan.split("\n") if s.strip() and "reversibility" not in s.lower()]
    only = bool(steps) and all("git revert" in s for s in steps)
    outside = _EXTERNAL.search(f"{task.title}\n{_without_rollback(task)}")
    if only and outside:
        return f"the rollback plan is only `git revert`, and `{outside[0]}` reaches further"
    return ""


# --- texts that work around a failing test -----------------------------------------------------
# They are refused before they are posted (EP-31).

MOST_SHOWN = 5
_DIRECTIVE = re.compile(r"TEST DIRECTIVE: (\S{3,200})(?:\s.{0,500})?")
_PERSONS = re.compile(r"(?:[-*] )?(CRITIC OVERRIDE|TEST DIRECTIVE):")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of a text, from 1, and what is wrong with it."""

    line: int
    what: str


Scan = Callable[[str], Sequence[Hit]]


def objections(texts: Iterable[str], allowed: Sequence[str], scan: Scan) -> tuple[str, ...]:
    """Return the objections to these texts; tests that a person named by a directive are exempt."""
    found = (said for text in texts for said in _of_text(text, allowed, scan))
    return tuple(dict.fromkeys(found))[:MOST_SHOWN]


def directives(file: TaskFile) -> tuple[str, ...]:
    """Return the tests that a person allows to be skipped or changed, by name."""
    lines = (_DIRECTIVE.fullmatch(line.rstrip()) for line in file.body.split("\n"))
    return tuple(found[1] for found in lines if found is not None)


def _of_text(text: str, allowed: Sequence[str], scan: Scan) -> Iterator[str]:
    lines = text.split("\n")
    for hit in scan(text):
        line = lines[hit.line - 1] if 0 < hit.line <= len(lines) else ""
        if not any(name in line for name in allowed):
            yield f"{hit.what} (in: {' '.join(line.split())[:120]})"
    for line in lines:
        if persons := _PERSONS.match(line.strip()):
            yield f"only a person may write {persons[1]}"
