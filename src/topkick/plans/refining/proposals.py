"""Propose criteria that a machine can check, from what the tasks of a sprint name (EV-02).

Only useful ones are proposed: no existing file, nothing that another criterion covers, and at most
a few. Each is marked, so that a person sees that it was proposed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.core.plan import SprintPlan, SprintType, UnitPlan
from topkick.core.sprint_names import CODE
from topkick.plans.criteria import text_criterion
from topkick.plans.refining.artifacts import Task, is_test_path, tasks_of, uncovered
from topkick.plans.refining.own_tests import alone
from topkick.plans.refining.uses import Role, uses_in_task
from topkick.plans.surroundings import Surroundings

MARK = "(proposed)"
MOST = 4  # a sprint with more is about something else
_SYMBOL = re.compile(r"^[A-Za-z_]\w{2,60}$")
_SAFE_PATH = re.compile(r"^[\w./@+-]{1,200}$")
_OWN_DOCUMENT = re.compile(r"^[A-Z][A-Z0-9_-]{3,60}\.md$")
_LOCKED = re.compile(r"(?:^|/)(?:README|CHANGELOG|LICENSE)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal; `text` is the criterion without its box, `why` is the task it comes from."""

    text: str
    why: str


def proposals(unit: UnitPlan, sprint: SprintPlan, around: Surroundings) -> tuple[Proposal, ...]:
    """Return proposals for a sprint without a check, or with tasks that no criterion covers."""
    if sprint.effective_type is not SprintType.CODE:
        return ()
    missed = uncovered(sprint)
    if sprint.checks and not missed:
        return ()
    tasks = missed or tasks_of(sprint)
    known = "\n".join(f"{c.text}\n{c.command or ''}" for c in sprint.exit)
    found: dict[str, Proposal] = {}
    for proposal in _proposed(unit, sprint, tasks, around):
        if proposal.text not in found and _compiles(proposal.text) and not _asked(proposal, known):
            found[proposal.text] = proposal
    room = MOST - sum(MARK in criterion.text for criterion in sprint.exit)
    return tuple(found.values())[: max(room, 0)]


def _proposed(
    unit: UnitPlan, sprint: SprintPlan, tasks: tuple[Task, ...], around: Surroundings
) -> Iterator[Proposal]:
    for task in tasks:
        yield from _of_task(unit, task, around)
    if not sprint.checks and around.test_command and "`" not in around.test_command:
        yield Proposal(f"Tests pass: `{around.test_command}` {MARK}", "the project's own tests")


def _of_task(unit: UnitPlan, task: Task, around: Surroundings) -> Iterator[Proposal]:
    roles = {use.path: use.role for use in uses_in_task(task.text)}
    for path in sorted(roles):
        if not _SAFE_PATH.match(path) or _LOCKED.search(path) or path.startswith(("/", "~", ".")):
            continue
        places = _places(unit, path, around)
        role = roles[path]
        if any(place in around.paths for place in places):
            yield from _in_a_file(task, places, around)
        elif "/" not in path and _is_somewhere(path, around):
            continue
        elif role is Role.MAKES or (role is Role.NAMES and around.paths):
            yield Proposal(_shown_by(path, places, around), task.text)


def _shown_by(path: str, places: tuple[str, ...], around: Surroundings) -> str:
    """Return the criterion for a file: a test file must pass, others must exist."""
    command = alone(path, around.test_command) if len(places) == 1 and is_test_path(path) else ""
    return f"Tests pass: `{command}` {MARK}" if command else _there(places)


def _is_somewhere(name: str, around: Surroundings) -> bool:
    """Return whether a file of that name may exist in some folder."""
    if not around.paths:
        return not _OWN_DOCUMENT.match(name)
    return any(path.endswith(f"/{name}") for path in around.paths)


def _places(unit: UnitPlan, path: str, around: Surroundings) -> tuple[str, ...]:
    """Return the path from the root; for a unit in its own folder, also from there."""
    folder = unit.directory.strip("./")
    top = f"{path.partition('/')[0]}/"
    from_root = "/" in path and any(known.startswith(top) for known in around.paths)
    if not folder or path.startswith(f"{folder}/") or path in around.paths or from_root:
        return (path,)
    inside = f"{folder}/{path}"
    return (inside,) if inside in around.paths else (path, inside)


def _there(places: tuple[str, ...]) -> str:
    listed = " or ".join(f"`{place}`" for place in places)
    return f"File exists: {listed} {MARK}" if len(places) == 1 else f"{listed} exists {MARK}"


def _in_a_file(task: Task, places: tuple[str, ...], around: Surroundings) -> Iterator[Proposal]:
    """Yield proposals for an existing file: only what the task adds shows that it was done."""
    for place in places:
        text = around.texts.get(place)
        names = (symbol.removesuffix("()") for symbol in CODE.findall(task.text))
        new = (name for name in names if text is not None and _SYMBOL.match(name))
        for name in new:
            if name not in (text or ""):
                yield Proposal(f"`{place}` contains `{name}` {MARK}", task.text)
                return


def _compiles(text: str) -> bool:
    return text_criterion(text, 0)[0].command is not None


def _asked(proposal: Proposal, known: str) -> bool:
    """Return whether another criterion names the same things."""
    spans = CODE.findall(proposal.text)
    return bool(spans) and all(span in known for span in spans)
