"""`topkick plan prioritize` and `plan evaluate`: the same plan, in better order and shape."""

import difflib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from topkick.app.project import find_project
from topkick.plan_format.model import PlanFinding
from topkick.planning.project_facts import surroundings_of
from topkick.planning.refinement.evaluation import Evaluated, evaluated
from topkick.planning.refinement.fitness import (
    ATOMICITY,
    TESTABILITY,
    Assessment,
    Fitness,
    FitnessCheck,
    assessed,
)
from topkick.planning.refinement.priorities import Prioritized, Ranked, prioritized
from topkick.sprint.dispatch.names import names_in
from topkick.sprint.run.plan_file import PlanFile, open_plan, refuse_while_running, rewrite
from topkick.text import escape
from topkick.text.format import counted

MOST_TURNS = 1_000
_PLAN = click.argument("plan", required=False, type=click.Path(path_type=Path))
_DIFF = click.option("--diff", "diff", is_flag=True, help="Show what would change; write nothing.")
_JSON = click.option("--json", "as_json", is_flag=True, help="For programs.")
max_turns_option = click.option(
    "--max-turns",
    type=click.IntRange(10, MOST_TURNS),
    default=50,
    show_default=True,
    help="How many turns an agent has for a sprint.",
)


@click.command("prioritize")
@_PLAN
@_DIFF
@_JSON
def prioritize(plan: Path | None, diff: bool, as_json: bool) -> int:
    """Score each sprint and put the most important first, as far as dependencies let it.

    topkick moves sprints within their unit, renumbers them and every reference to them, and gives
    each sprint a line with its priority. Everything else stays byte for byte.

    \b
    Example: topkick plan prioritize --diff
    """
    file = open_plan(find_project(plan))
    done = prioritized(file.text, file.read(file.text))
    if diff:
        return _show(file, done.text)
    written = _write(file, done.text, "prioritize")
    if as_json:
        click.echo(json.dumps(prioritized_json(done, written), indent=2))
        return 0
    several = len({row.unit for row in done.ranked}) > 1
    click.echo("\n".join(prioritized_page(done, several, written)))
    return 0


@click.command("evaluate")
@_PLAN
@max_turns_option
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if there are issues (for CI).")
@_DIFF
@_JSON
def evaluate(plan: Path | None, max_turns: int, check: bool, diff: bool, as_json: bool) -> int:
    """Check that each sprint fits an agent and can be checked; fix what a program can fix.

    topkick splits sprints that are too large, merges very small ones with the next, and proposes
    exit criteria that a machine can check, marked (proposed).

    \b
    Example: topkick plan evaluate --check
             topkick plan evaluate --diff
    """
    file = open_plan(find_project(plan))
    if check:
        return _check(file, max_turns, as_json)
    around = surroundings_of(file.project.root, sorted(names_in(file.text).files))
    done = evaluated(file.text, file.read, around, max_turns)
    if diff:
        return _show(file, done.text)
    written = _write(file, done.text, "evaluate")
    if as_json:
        click.echo(json.dumps(evaluated_json(done, max_turns, written), indent=2))
    else:
        click.echo("\n".join(evaluated_page(done, max_turns, written)))
    return 0


def _check(file: PlanFile, max_turns: int, as_json: bool) -> int:
    found = assessed(file.read(file.text), max_turns)
    if as_json:
        click.echo(json.dumps([assessment_json(one) for one in found], indent=2))
    else:
        click.echo("\n".join(checked_page(found, max_turns)))
    return 1 if any(one.issues for one in found) else 0


def _show(file: PlanFile, text: str) -> int:
    lines = difference(file.project.plan_path.name, file.text, text)
    click.echo("\n".join(lines) if lines else "Nothing would change.")
    return 0


def _write(file: PlanFile, text: str, verb: str) -> bool:
    """Write the plan if the text differs, and return whether it did."""
    if text == file.text:
        return False
    refuse_while_running(file.project, verb)
    rewrite(file, text)
    return True


# --- what the commands print -------------------------------------------------------------------

GROUPS = (
    ("Atomicity", ATOMICITY),
    ("Testability", TESTABILITY),
    ("Context fitness", (FitnessCheck.SIZE,)),
)
SHOWN = 40
LONGEST = 2_000


def difference(name: str, before: str, after: str) -> list[str]:
    """Return the lines of `diff -u`; there are none if both texts are the same."""
    old, new = before.split("\n"), after.split("\n")
    found = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="")
    return [escape.cut(escape.block(line.rstrip("\r")), LONGEST) for line in found]


# --- prioritize ------------------------------------------------------------------------------


def prioritized_page(done: Prioritized, several: bool, written: bool) -> Iterator[str]:
    rows = [("Sprint", "Name", "Priority", "Change", "Why")]
    rows += [
        (
            f"{row.unit}/{row.id}" if several else row.id,
            row.name,
            row.score.shown,
            f"was {row.was}" if row.moved else "unchanged",
            row.score.reason(),
        )
        for row in done.ranked
    ]
    yield from _table(rows)
    yield ""
    moved = sum(row.moved for row in done.ranked)
    yield f"Sprints reordered: {moved or 'none'}"
    layers = [f"{move.unit}: {move.was} → {move.now}" for move in done.layers]
    yield f"Layer adjustments: {', '.join(escape.line(one, 60) for one in layers) or 'none'}"
    yield from _left(done.findings)
    yield ""
    if done.refused:
        yield f"Nothing was written. {escape.line(done.refused, 400)}"
    elif written:
        yield "Next: topkick plan evaluate"
    else:
        yield "Nothing was written: the plan is in this order already. Next: topkick plan evaluate"


def prioritized_json(done: Prioritized, written: bool) -> dict[str, object]:
    return {
        "written": written,
        "refused": done.refused,
        "sprints": [_ranked_json(row) for row in done.ranked],
        "layers": [{"unit": m.unit, "was": m.was, "now": m.now} for m in done.layers],
        "left": [{"line": f.line, "message": f.message} for f in done.findings],
    }


def _ranked_json(row: Ranked) -> dict[str, object]:
    score = row.score
    return {
        "unit": row.unit,
        "id": row.id,
        "was": row.was,
        "name": row.name,
        "priority": round(score.total, 4),
        "dependents": score.dependents,
        "foundation": score.foundation,
        "risk": score.risk,
        "complexity": {
            "tasks": score.tasks,
            "files": score.files,
            "verification": score.verification,
        },
        "reason": score.reason(),
    }


# --- evaluate --------------------------------------------------------------------------------


def evaluated_page(done: Evaluated, max_turns: int, written: bool) -> Iterator[str]:
    rows = [("Check", "Passed", "Issues found", "Auto-fixed")]
    for title, checks in GROUPS:
        before, after = (_failing(found, checks) for found in (done.before, done.after))
        rows.append((title, str(len(done.after) - after), str(before), str(max(before - after, 0))))
    yield from _table(rows)
    yield ""
    yield from _table(
        [
            ("Change", "Count"),
            ("Sprints before", str(len(done.before))),
            ("Sprints after", str(len(done.after))),
            ("Splits", str(done.splits)),
            ("Merges", str(done.merges)),
            ("Criteria proposed", str(done.proposed)),
            ("Criteria sharpened", str(done.sharpened)),
        ]
    )
    yield ""
    yield f"Sprints with a check: {_share(done.checked_before, len(done.before))} before, " + (
        f"{_share(done.checked_after, len(done.after))} after."
    )
    yield f"Context budget: {max_turns} turns per sprint"
    yield from _left(done.left)
    yield ""
    if done.refused:
        yield f"Nothing was written. {escape.line(done.refused, 400)}"
    elif written:
        ours = "Check the criteria marked (proposed): topkick wrote them. " if done.proposed else ""
        yield f"{ours}Next: topkick plan show"
    else:
        yield "Nothing was written: topkick found nothing that it can fix. Next: topkick start"


def checked_page(found: Sequence[Assessment], max_turns: int) -> Iterator[str]:
    """Yield the output of `--check`: one line per issue, as compilers print it."""
    issues = [(one, issue) for one in found for issue in one.issues]
    for one, issue in issues[:SHOWN]:
        told = escape.line(f"{issue.problem} {issue.advice}", 240)
        yield f"line {issue.line}: Sprint {escape.line(one.id, 40)}: {issue.check}: {told}"
    if len(issues) > SHOWN:
        yield f"… and {len(issues) - SHOWN} more; --json has all."
    sprints = len({(one.unit, one.id) for one, _ in issues})
    large = sum(one.fitness is Fitness.OVERSIZED for one in found)
    yield ""
    yield (
        f"{counted(len(issues), 'issue')} in {sprints} of {counted(len(found), 'sprint')}, "
        f"{large} too large for {max_turns} turns."
        if issues
        else f"{counted(len(found), 'sprint')}: nothing to fix."
    )


def evaluated_json(done: Evaluated, max_turns: int, written: bool) -> dict[str, object]:
    return {
        "written": written,
        "refused": done.refused,
        "max_turns": max_turns,
        "splits": done.splits,
        "merges": done.merges,
        "proposed": done.proposed,
        "sharpened": done.sharpened,
        "checked": {"before": done.checked_before, "after": done.checked_after},
        "before": [assessment_json(one) for one in done.before],
        "after": [assessment_json(one) for one in done.after],
        "left": [{"line": f.line, "message": f.message} for f in done.left],
    }


def assessment_json(one: Assessment) -> dict[str, object]:
    return {
        "unit": one.unit,
        "id": one.id,
        "name": one.name,
        "line": one.line,
        "turns": one.turns,
        "fitness": one.fitness.value,
        "size": {
            "read": one.size.read,
            "written": one.size.written,
            "builds": one.size.builds,
            "lines": one.size.lines,
            "steps": one.size.steps,
        },
        "issues": [
            {"check": i.check.value, "line": i.line, "problem": i.problem, "advice": i.advice}
            for i in one.issues
        ],
    }


def _failing(found: Sequence[Assessment], checks: Sequence[FitnessCheck]) -> int:
    return sum(not all(one.passes(check) for check in checks) for one in found)


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.0%})" if of else "none"


# --- shared by both ----------------------------------------------------------------------------


def _left(findings: Sequence[PlanFinding]) -> Iterator[str]:
    if findings:
        yield ""
        yield "Check these yourself:"
    for finding in findings[:SHOWN]:
        yield f"  line {finding.line}: {escape.line(finding.message, 240)}"
    if len(findings) > SHOWN:
        yield f"  … and {len(findings) - SHOWN} more"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    clean = [[escape.line(cell, 60) for cell in row] for row in rows]
    widths = [max(len(row[n]) for row in clean) for n in range(len(clean[0]))]
    for number, row in enumerate(clean):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if not number:
            yield "  ".join("-" * width for width in widths)
