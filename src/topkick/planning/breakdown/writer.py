"""Write a draft as a plan, so that reading the plan gives the same draft back."""

from collections.abc import Iterator

from topkick.planning.breakdown import normal_form
from topkick.planning.breakdown.model import BreakdownDraft, BreakdownTask, DraftSprint, DraftUnit

FIRST = "First sprint — no prerequisites"
UNITS_FIRST = "Every work unit that this one depends on is complete"
NO_QUESTIONS = "No question was found that the document leaves open."


def write(draft: BreakdownDraft) -> str:
    return "\n".join(_lines(draft)) + "\n"


def cited(task: BreakdownTask, document: str) -> str:
    """Return the task as the plan has it, with the document's line that asks for it."""
    return f"{task.text} ({normal_form.citation(document)}:{task.lines})"


def entry_of(unit: DraftUnit, number: int) -> str:
    """Return what must hold before sprint `number` of the unit, counted from 1."""
    if number > 1:
        return f"Sprint {number - 1} is complete"
    return UNITS_FIRST if unit.needs else FIRST


def normalised(draft: BreakdownDraft) -> BreakdownDraft:
    """Return the draft with texts that a plan can carry; `write` requires such a draft."""
    names = normal_form.distinct_names(normal_form.unit_name(unit.name) for unit in draft.units)
    called = {unit.name: name for unit, name in zip(draft.units, names, strict=True)}
    return BreakdownDraft(
        normal_form.title(draft.name),
        normal_form.document(draft.document),
        tuple(
            DraftUnit(
                called[unit.name],
                tuple(map(_sprint, unit.sprints)),
                normal_form.directory(unit.directory),
                max(unit.layer, 0),
                tuple(dict.fromkeys(called[name] for name in unit.needs if name in called)),
            )
            for unit in draft.units
        ),
        draft.questions,
    )


def _sprint(sprint: DraftSprint) -> DraftSprint:
    tasks = (BreakdownTask(normal_form.sentence(task.text), task.lines) for task in sprint.tasks)
    criteria = (normal_form.criterion(text) for text in sprint.exit)
    return DraftSprint(
        normal_form.sprint_name(sprint.name),
        tuple(task for task in tasks if task.text),
        tuple(dict.fromkeys(text for text in criteria if text)),
        normal_form.question(sprint.size) if sprint.size else "",
    )


def _lines(draft: BreakdownDraft) -> Iterator[str]:
    yield f"# EXECUTION_PLAN.md — {draft.name}"
    yield ""
    source = normal_form.citation(draft.document)
    yield (
        f"Drafted from {draft.document}. After each task is the line that asks for it, as in"
        f" ({source}:42)."
    )
    yield "A path called a proposal may be moved; change it in the exit criteria too."
    yield ""
    yield from _units(draft)
    for unit in draft.units:
        yield f"## {unit.name if len(draft.units) > 1 else 'Sprints'}"
        yield ""
        for number, sprint in enumerate(unit.sprints, start=1):
            yield from _sprint_lines(unit, number, sprint, draft.document)
    yield from _questions(draft)
    yield from _summary(draft)


def _units(draft: BreakdownDraft) -> Iterator[str]:
    yield "## Work Units"
    yield ""
    yield "| Work Unit | Directory | Sprints | Layer | Dependencies |"
    yield "|-----------|-----------|---------|-------|--------------|"
    for unit in draft.units:
        needs = ", ".join(unit.needs) or "none"
        cells = (unit.name, unit.directory, str(len(unit.sprints)), str(unit.layer), needs)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _sprint_lines(
    unit: DraftUnit, number: int, sprint: DraftSprint, document: str
) -> Iterator[str]:
    yield f"### Sprint {number}: {sprint.name}"
    yield ""
    if sprint.size:
        yield f"**Size**: {sprint.size}"
        yield ""
    yield "**Entry criteria**:"
    yield f"- [ ] {entry_of(unit, number)}"
    yield ""
    yield "**Tasks**:"
    for at, task in enumerate(sprint.tasks, start=1):
        yield f"{at}. {cited(task, document)}"
    yield ""
    yield "**Exit criteria**:"
    for text in sprint.exit:
        yield f"- [ ] {text}"
    yield ""


def _questions(draft: BreakdownDraft) -> Iterator[str]:
    yield "## Open Questions"
    yield ""
    for question in draft.questions:
        said = normal_form.question(question.text)
        said = said if said.endswith("?") else f"{said.rstrip('.')}: what is decided?"
        yield f"- Line {question.line} leaves open: {said}"
    if not draft.questions:
        yield NO_QUESTIONS
    yield ""


def _summary(draft: BreakdownDraft) -> Iterator[str]:
    layered = len({unit.layer for unit in draft.units}) > 1
    single = len(draft.units) == 1
    structure = "sequential" if single else "layers" if layered else "parallel"
    yield "## Summary"
    yield ""
    yield "| Metric | Value |"
    yield "|--------|-------|"
    yield f"| Work units | {len(draft.units)} |"
    yield f"| Total sprints | {draft.sprints} |"
    yield f"| Tasks | {draft.tasks} |"
    yield f"| Dependency structure | {structure} |"
