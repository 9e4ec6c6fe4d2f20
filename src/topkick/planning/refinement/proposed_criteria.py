"""Propose criteria that a machine can check, from what the tasks of a sprint name (EV-02).

Only useful ones are proposed: no existing file, nothing that another criterion covers, and at most
a few. Each is marked, so that a person sees that it was proposed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from topkick.plan_format.criteria.criteria import text_criterion
from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan, SprintType, UnitPlan
from topkick.plan_format.units.headings import Label
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.artifacts import NamedTask, is_test_path, tasks_of, uncovered
from topkick.planning.refinement.fitness import OVERSIZED_FROM, alone, assess
from topkick.planning.refinement.graph import UseRole, uses_in_task
from topkick.planning.refinement.priorities import runs_tests
from topkick.planning.refinement.source import (
    Anatomy,
    EditedText,
    anatomy,
    core_of,
    item_lead,
    refusal,
)
from topkick.sprint.dispatch.names import CODE, PATH
from topkick.sprint.dispatch.traits import is_vague

MARK = "(proposed)"
MOST = 4  # a sprint with more is about something else
_SYMBOL = re.compile(r"^[A-Za-z_]\w{2,60}$")
_SAFE_PATH = re.compile(r"^[\w./@+-]{1,200}$")
_OWN_DOCUMENT = re.compile(r"^[A-Z][A-Z0-9_-]{3,60}\.md$")
_LOCKED = re.compile(r"(?:^|/)(?:README|CHANGELOG|LICENSE)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CriterionProposal:
    """A proposal; `text` is the criterion without its box, `why` is the task it comes from."""

    text: str
    why: str


def proposals(
    unit: UnitPlan, sprint: SprintPlan, around: Surroundings
) -> tuple[CriterionProposal, ...]:
    """Return proposals for a sprint without a check, or with tasks that no criterion covers."""
    if sprint.effective_type is not SprintType.CODE:
        return ()
    missed = uncovered(sprint)
    if sprint.checks and not missed:
        return ()
    tasks = missed or tasks_of(sprint)
    known = "\n".join(f"{c.text}\n{c.command or ''}" for c in sprint.exit)
    found: dict[str, CriterionProposal] = {}
    for proposal in _proposed(unit, sprint, tasks, around):
        if proposal.text not in found and _compiles(proposal.text) and not _asked(proposal, known):
            found[proposal.text] = proposal
    room = MOST - sum(MARK in criterion.text for criterion in sprint.exit)
    return tuple(found.values())[: max(room, 0)]


def _proposed(
    unit: UnitPlan, sprint: SprintPlan, tasks: tuple[NamedTask, ...], around: Surroundings
) -> Iterator[CriterionProposal]:
    for task in tasks:
        yield from _of_task(unit, task, around)
    if not sprint.checks and around.test_command and "`" not in around.test_command:
        yield CriterionProposal(
            f"Tests pass: `{around.test_command}` {MARK}", "the project's own tests"
        )


def _of_task(unit: UnitPlan, task: NamedTask, around: Surroundings) -> Iterator[CriterionProposal]:
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
        elif role is UseRole.MAKES or (role is UseRole.NAMES and around.paths):
            yield CriterionProposal(_shown_by(path, places, around), task.text)


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


def _in_a_file(
    task: NamedTask, places: tuple[str, ...], around: Surroundings
) -> Iterator[CriterionProposal]:
    """Yield proposals for an existing file: only what the task adds shows that it was done."""
    for place in places:
        text = around.texts.get(place)
        names = (symbol.removesuffix("()") for symbol in CODE.findall(task.text))
        new = (name for name in names if text is not None and _SYMBOL.match(name))
        for name in new:
            if name not in (text or ""):
                yield CriterionProposal(f"`{place}` contains `{name}` {MARK}", task.text)
                return


def _compiles(text: str) -> bool:
    return text_criterion(text, 0)[0].command is not None


def _asked(proposal: CriterionProposal, known: str) -> bool:
    """Return whether another criterion names the same things."""
    spans = CODE.findall(proposal.text)
    return bool(spans) and all(span in known for span in spans)


# --- exit criteria in the lines of a plan ------------------------------------------------------
# Add and sharpen them; each is verified by reading it again.

LONGEST = 120
_NARROW = re.compile(
    r"only-testing|--?filter|--?run\b|\s-[km]\s+\S+\s*$|test[-:]\w|[`{}]|\bTESTS?="
)


@dataclass(frozen=True, slots=True)
class Sharpened:
    text: str
    proposed: int = 0
    sharpened: int = 0

    @property
    def changed(self) -> bool:
        return bool(self.proposed or self.sharpened)


def sharpened(text: str, reading: PlanReading, around: Surroundings, max_turns: int) -> Sharpened:
    if refusal(reading):
        return Sharpened(text)
    around = replace(around, test_command=around.test_command or _own_tests(reading))
    draft = EditedText.of(text)
    # a box may make a heading a sprint, so none is added where there was none
    mark = "- [ ] " if any(said.boxes for said in reading.sprints.values()) else "- "
    proposed = vague = 0
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            said = reading.sprints[unit.name, sprint.id]
            body = anatomy(draft, core_of(draft, (said.first, said.behind)))
            vague += _sharpen(draft, sprint, around)
            room = (
                int(max_turns * OVERSIZED_FROM)
                - assess(reading, unit.name, sprint, max_turns).turns
            )
            found = proposals(unit, sprint, around)[: max(room, 0)]
            if found:
                _add(draft, body, [one.text for one in found], mark, delivered=said.delivered)
                proposed += len(found)
    return Sharpened(draft.text(), proposed, vague)


def _own_tests(reading: PlanReading) -> str:
    """Return the test command that the plan uses most, if no manifest names one."""
    said = [*reading.plan.gate]
    for unit in reading.plan.units:
        said += [*unit.verify, *(c.command or "" for s in unit.sprints for c in s.exit)]
    tests = [line for line in said if runs_tests(line) and len(line) < LONGEST and "\n" not in line]
    whole = Counter(line for line in tests if not (_NARROW.search(line) or PATH.search(line)))
    return min(whole, key=lambda line: (-whole[line], line)) if whole else ""


def _sharpen(draft: EditedText, sprint: SprintPlan, around: Surroundings) -> int:
    """Add a command to vague criteria such as `It works correctly`; a person's words stay."""
    count = 0
    for criterion in sprint.exit:
        if criterion.command is None and is_vague(criterion.text) and around.test_command:
            line = draft[criterion.line]
            new = f"{line.rstrip().rstrip('.')}: `{around.test_command}` passes {MARK}"
            words = f"{criterion.text.rstrip('.')}: `{around.test_command}` passes {MARK}"
            if line.endswith(criterion.text) and text_criterion(words, 0)[0].command:
                draft[criterion.line] = new
                count += 1
    return count


def _add(draft: EditedText, body: Anatomy, texts: list[str], mark: str, *, delivered: bool) -> None:
    """Add criteria at the end of their list, in its style; else as a new list."""
    wanted = Label.DELIVERABLES if delivered else Label.EXIT
    part = next((part for part in reversed(body.parts) if part.label is wanted), None)
    if part is None:
        lines = ["", "**Exit criteria**:", *(f"{mark}{text}" for text in texts)]
        draft.insert_behind(body.span[1] - 1, lines)
        return
    before: list[str] = [""]
    if part.items and part.plain:
        lead, box = item_lead(draft[part.items[-1][0]])
        if lead.strip() in ("-", "*", "+"):
            mark, before = f"{lead}{'[ ] ' if box else ''}", []
    draft.insert_behind(part.behind - 1, [*before, *(f"{mark}{text}" for text in texts)])
