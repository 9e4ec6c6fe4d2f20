"""`topkick plan prioritize` and `plan evaluate`: the same plan, in better order and shape."""

import json
from pathlib import Path

import click

from topkick.app.project import find_project
from topkick.planning.commands import refining_page
from topkick.planning.project_facts import surroundings_of
from topkick.planning.refinement.evaluate import evaluated
from topkick.planning.refinement.fitness import assessed
from topkick.planning.refinement.prioritize import prioritized
from topkick.sprint.dispatch.names import names_in
from topkick.sprint.run.plan_file import PlanFile, open_plan, refuse_while_running, rewrite

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

    Blocks of lines are moved within their unit, numbers and every reference to them follow, and
    each sprint gets a line with its priority. Everything else stays byte for byte.

    \b
    Example: topkick plan prioritize --diff
    """
    file = open_plan(find_project(plan))
    done = prioritized(file.text, file.read(file.text))
    if diff:
        return _show(file, done.text)
    written = _write(file, done.text, "prioritize")
    if as_json:
        click.echo(json.dumps(refining_page.prioritized_json(done, written), indent=2))
        return 0
    several = len({row.unit for row in done.ranked}) > 1
    click.echo("\n".join(refining_page.prioritized_page(done, several, written)))
    return 0


@click.command("evaluate")
@_PLAN
@max_turns_option
@click.option("--check", is_flag=True, help="Only look; exit 1 if anything is found (for CI).")
@_DIFF
@_JSON
def evaluate(plan: Path | None, max_turns: int, check: bool, diff: bool, as_json: bool) -> int:
    """Whether each sprint fits an agent and can be checked; mends what a program can.

    Sprints that are too large are split, very small ones merged with the next, and exit
    criteria that a machine can check are proposed from the tasks, marked (proposed).

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
        click.echo(json.dumps(refining_page.evaluated_json(done, max_turns, written), indent=2))
    else:
        click.echo("\n".join(refining_page.evaluated_page(done, max_turns, written)))
    return 0


def _check(file: PlanFile, max_turns: int, as_json: bool) -> int:
    found = assessed(file.read(file.text), max_turns)
    if as_json:
        click.echo(json.dumps([refining_page.assessment_json(one) for one in found], indent=2))
    else:
        click.echo("\n".join(refining_page.checked_page(found, max_turns)))
    return 1 if any(one.issues for one in found) else 0


def _show(file: PlanFile, text: str) -> int:
    lines = refining_page.difference(file.project.plan_path.name, file.text, text)
    click.echo("\n".join(lines) if lines else "Nothing would change.")
    return 0


def _write(file: PlanFile, text: str, verb: str) -> bool:
    """Write the plan if the text differs, and return whether it did."""
    if text == file.text:
        return False
    refuse_while_running(file.project, verb)
    rewrite(file, text)
    return True
