"""`topkick import`: continue a run started by an LLM-driven supervisor, after a page and a
question.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from topkick.app.project import find_project
from topkick.cli import terminal
from topkick.planning.import_state.claims import ClaimFate, TakenSprint, TakenUnit
from topkick.planning.import_state.match import Stranger
from topkick.planning.import_state.project import PROGRESS, Takeover, look_over
from topkick.sprint.model import Mission
from topkick.sprint.start import prepare
from topkick.sprint.start.prepare import StartOptions
from topkick.sprint.transitions import SprintState
from topkick.text import escape
from topkick.text.columns import Column, lay_out
from topkick.text.format import counted

LISTED = 8
SHORT = 7
_COLUMNS = (
    Column("Unit", least=12),
    Column("It believed", least=16),
    Column("Found", least=16),
    Column("Here", least=16),
)


def page(takeover: Takeover, mission: Mission, width: int) -> list[str]:
    return [
        *_file(takeover),
        "",
        *lay_out(_COLUMNS, [_unit_row(unit, mission) for unit in takeover.units], width),
        "",
        *_sprints(takeover.units, mission),
        *_strangers(takeover.strangers),
        *_not_understood(takeover),
    ]


def _file(takeover: Takeover) -> Iterator[str]:
    told = takeover.handover
    title = f' "{escape.line(told.title, 50)}"' if told.title else ""
    yield f"State      {escape.line(takeover.shown, 60)}{title}"
    sizes = [counted(len(told.units), "work unit"), counted(len(told.sprints), "sprint")]
    sizes += [counted(told.decisions, "decision")] if told.decisions else []
    sizes += [counted(told.needs, "cross-package need")] if told.needs else []
    yield f"             {', '.join(sizes)}" + (
        f"; it calls itself {escape.line(told.overall, 40)}" if told.overall else ""
    )


# --- units ---------------------------------------------------------------------------------


def _unit_row(unit: TakenUnit, mission: Mission) -> tuple[str, str, str, str]:
    handle = mission.units[unit.plan.name].handle
    return (
        f"{handle} {escape.line(unit.plan.name, 30)}",
        believed(unit),
        _found_of_unit(unit),
        _plans_for(unit),
    )


def believed(unit: TakenUnit) -> str:
    if not unit.is_mentioned:
        return "does not mention it"
    done = f"{unit.believed_done}/{len(unit.sprints)} done"
    if unit.believed is None or not unit.believed.word:
        return done
    state = unit.believed.state
    return f"{_in_words(state.value if state else '?', unit.believed.word)}, {done}"


def _in_words(state: str, word: str) -> str:
    """Return the formal name of a state, with the file's own word for it if that differs."""
    said = escape.line(word, 24)
    return state if said.upper().replace(" ", "_").startswith(state) else f"{state} ({said})"


def _found_of_unit(unit: TakenUnit) -> str:
    commits = sum(bool(sprint.found.commits) for sprint in unit.sprints)
    progress = sum(sprint.found.progress == "complete" for sprint in unit.sprints)
    return f"commits for {commits}, {PROGRESS}: {progress}"


def _plans_for(unit: TakenUnit) -> str:
    every = (
        (unit.count(ClaimFate.CHECK), "checked first"),
        (unit.count(ClaimFate.TAKE), "taken on your word"),
        (
            unit.count(
                ClaimFate.AGAIN, ClaimFate.AFTER_GAP, ClaimFate.GO_ON, ClaimFate.RETRY, ClaimFate.DO
            ),
            "to do",
        ),
    )
    return ", ".join(f"{number} {what}" for number, what in every if number) or "no sprint"


# --- sprints -------------------------------------------------------------------------------


def _sprints(units: Sequence[TakenUnit], mission: Mission) -> Iterator[str]:
    """Yield the sprints that need a line, those that differ from what was found first."""
    told = [
        (unit, sprint)
        for unit in units
        for sprint in unit.sprints
        if sprint.differs or sprint.fate is not ClaimFate.DO
    ]
    told.sort(key=lambda pair: not pair[1].differs)
    for unit, sprint in told[:LISTED]:
        handle = f"{mission.units[unit.plan.name].handle}/{escape.line(sprint.plan.id, 12)}"
        mark = "! " if sprint.differs else "  "
        yield f"  {handle:<7}{mark}it says {_said(sprint)}; {found(sprint)}"
        yield f"           → {fate(sprint)}"
    if len(told) > LISTED:
        yield f"           … and {len(told) - LISTED} more (topkick import --json)"


def _said(sprint: TakenSprint) -> str:
    belief = sprint.belief
    if belief.state is None:
        return "nothing"
    said = _in_words(belief.state.value, belief.said)
    others = ", ".join(escape.line(word, 24) for word in belief.others[:2])
    return f"{said}, and elsewhere {others}" if others else said


def found(sprint: TakenSprint) -> str:
    """Describe what was found for and against the claim."""
    evidence = sprint.found
    told = [f"its progress file says {evidence.progress}"] if evidence.progress else []
    if evidence.commits:
        told.append(f"git has {_commits(evidence.commits)}")
    elif sprint.belief.state is SprintState.COMPLETED:
        told.append("git has no commit for it")
    if evidence.elsewhere:
        told.append(f"{_commits(evidence.elsewhere)} not in this branch")
    if evidence.gone:
        told.append(f"{_commits(evidence.gone)} does not exist")
    return ", ".join(told) or "nothing found"


def _commits(ids: Sequence[str]) -> str:
    shown = ", ".join(escape.line(id_[:SHORT]) for id_ in ids[:2])
    return f"{shown} and {len(ids) - 2} more" if len(ids) > 2 else shown


def fate(sprint: TakenSprint) -> str:
    """Describe what this run will do with the sprint."""
    match sprint.fate:
        case ClaimFate.CHECK:
            return f"checked first ({counted(len(sprint.plan.checks), 'check')}); to do if it fails"
        case ClaimFate.TAKE:
            return "taken on your word: no machine can check it"
        case ClaimFate.AGAIN:
            return "to do: no machine can check it, and nothing shows that it was done"
        case ClaimFate.AFTER_GAP:
            return "to do in its turn: a sprint before it is not done"
        case ClaimFate.GO_ON:
            return "to do: its work so far is in the tree, the agent will find it"
        case ClaimFate.RETRY:
            given_up = sprint.belief.state is SprintState.FATAL
            why = "was given up" if given_up else "failed"
            return f"to do: it {why} there, and gets new tries here"
        case ClaimFate.DO:
            return "to do"


# --- the rest of the page ------------------------------------------------------------------


def _strangers(strangers: Sequence[Stranger]) -> Iterator[str]:
    if not strangers:
        return
    yield "Not in the plan, and left out:"
    for one in strangers[:LISTED]:
        what = f"{one.unit or 'sprint'} {one.sprint}".strip()
        said = f": {escape.line(one.word, 40)}" if one.word else ""
        yield f"  line {one.line}  {escape.line(what, 60)}{said}"
    if len(strangers) > LISTED:
        yield f"  … and {len(strangers) - LISTED} more (topkick import --json)"


def _not_understood(takeover: Takeover) -> Iterator[str]:
    unread = takeover.handover.not_understood
    if not unread:
        return
    yield "Not understood:"
    for one in unread[:LISTED]:
        yield f"  line {one.line}  {escape.line(one.text, 60)} ({escape.line(one.why, 60)})"
    if len(unread) > LISTED:
        yield f"  … and {len(unread) - LISTED} more (topkick import --json)"


def import_as_json(takeover: Takeover, mission: Mission) -> dict[str, Any]:
    told = takeover.handover
    return {
        "file": takeover.shown,
        "title": told.title,
        "overall": told.overall,
        "max_retries": told.max_retries,
        "decisions": told.decisions,
        "cross_package_needs": told.needs,
        "units": [_unit_json(unit, mission) for unit in takeover.units],
        "not_in_plan": [
            {"unit": s.unit, "sprint": s.sprint, "said": s.word, "line": s.line}
            for s in takeover.strangers
        ],
        "not_understood": [
            {"line": one.line, "text": one.text, "why": one.why} for one in told.not_understood
        ],
    }


def _unit_json(unit: TakenUnit, mission: Mission) -> dict[str, Any]:
    state = unit.believed.state if unit.believed is not None else None
    return {
        "handle": mission.units[unit.plan.name].handle,
        "name": unit.plan.name,
        "mentioned": unit.is_mentioned,
        "believed": state.value if state is not None else None,
        "said": unit.believed.word if unit.believed is not None else "",
        "sprints": [_sprint_json(sprint) for sprint in unit.sprints],
    }


def _sprint_json(sprint: TakenSprint) -> dict[str, Any]:
    belief, evidence = sprint.belief, sprint.found
    return {
        "id": sprint.plan.id,
        "name": sprint.plan.name,
        "believed": belief.state.value if belief.state is not None else None,
        "said": belief.said,
        "said_elsewhere": list(belief.others),
        "line": belief.line,
        "progress_file": evidence.progress,
        "commits": list(evidence.commits),
        "commits_elsewhere": list(evidence.elsewhere),
        "commits_gone": list(evidence.gone),
        "checks": len(sprint.plan.checks),
        "differs": sprint.differs,
        "fate": sprint.fate.value,
    }


# --- the command ---------------------------------------------------------------------------


@click.command("import")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--plan", type=click.Path(path_type=Path), help="The plan, if it is not found here.")
@click.option("--dry-run", is_flag=True, help="Show the page, change nothing.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print what was found as JSON, change nothing."
)
@prepare.run_options
def command(
    file: Path | None, plan: Path | None, dry_run: bool, as_json: bool, **wishes: Any
) -> int:
    """Continue a run that an LLM-driven supervisor started.

    topkick reads its state file (SUPERVISOR_STATE.md, or FILE), matches it to the plan, and
    compares it with git and the units' progress files. It checks what the file calls done before
    it gives any order.

    \b
    Example: topkick import --dry-run
    """
    asked = StartOptions(**wishes)
    project = find_project(plan)
    prepare.require_free(project)
    prepared = prepare.prepare(project, asked)
    takeover = look_over(project, prepared.plan, file or project.board_path)
    if as_json:
        found = import_as_json(takeover, prepared.mission)
        click.echo(json.dumps(found, indent=2))
        return 0
    for line in page(takeover, prepared.mission, terminal.width()):
        terminal.say(line)
    terminal.say("")
    prepare.show(prepared, but="First")  # the checks decide what comes first
    terminal.say("")
    if dry_run:
        return 0
    return prepare.go(prepared, asked, "Take over from here", takeover.claims)
