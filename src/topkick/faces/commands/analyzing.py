"""`topkick plan analyze` and `plan refine`: what is missing in a plan, and what can be mended."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click

from topkick.boards import safe
from topkick.boards.moments import iso
from topkick.core.sprint_names import names_in
from topkick.faces import refining_page
from topkick.faces.analysis.as_json import as_json as analysis_json
from topkick.faces.analysis.as_json import question_json
from topkick.faces.analysis.report import Heading, report
from topkick.faces.analysis.summary import summary, to_answer
from topkick.faces.commands.refining import max_turns_option
from topkick.plans.analysis.analyzing import analyzed
from topkick.plans.analysis.improving import Improved, improved
from topkick.plans.analysis.model import Analysis, Severity
from topkick.wiring.analyzing import given_by, require_place, write_report
from topkick.wiring.plan_file import PlanFile, open_plan, refuse_while_running, rewrite
from topkick.wiring.project import find_project
from topkick.wiring.surroundings import surroundings_of

FINDINGS = 1
WAITS_FOR_A_PERSON = 3
_PLAN = click.argument("plan", required=False, type=click.Path(path_type=Path))
_JSON = click.option("--json", "as_json", is_flag=True, help="For programs.")


@click.command("analyze")
@_PLAN
@max_turns_option
@_JSON
@click.option("--no-write", is_flag=True, help="Do not write ANALYSIS_REPORT.md.")
def analyze(plan: Path | None, max_turns: int, as_json: bool, no_write: bool) -> int:
    """Look the plan over: is it complete, can it be checked, is its order good.

    Writes ANALYSIS_REPORT.md beside the plan and prints a summary. The plan is never changed.
    Exit 1 if something would block the run.

    \b
    Example: topkick plan analyze
             topkick plan analyze --no-write --json | jq .issues
    """
    file = open_plan(find_project(plan))
    analysis = _analysis(file, file.text, max_turns)
    written = "" if no_write else _written(file, analysis)
    if as_json:
        click.echo(json.dumps({"report": written, **analysis_json(analysis)}, indent=2))
    else:
        click.echo("\n".join(summary(analysis, written, file.project.plan_path.name)))
    return _exit_code(analysis)


@click.command("refine")
@_PLAN
@max_turns_option
@click.option("--diff", "diff", is_flag=True, help="Show what would change; write nothing.")
@_JSON
def refine(plan: Path | None, max_turns: int, diff: bool, as_json: bool) -> int:
    """Analyze the plan, then prioritize and evaluate it in one go.

    Stops with exit 3 if questions are open that agents cannot begin without. Otherwise the plan
    is written once, and ANALYSIS_REPORT.md tells of it as it is then.

    \b
    Example: topkick plan refine --diff
    """
    file = open_plan(find_project(plan))
    if not diff:
        refuse_while_running(file.project, "refine")
        require_place(file.project)
    analysis = _analysis(file, file.text, max_turns)
    if analysis.blocking:
        return _stopped(file, analysis, diff, as_json)
    around = surroundings_of(file.project.root, sorted(names_in(file.text).files))
    done = improved(file.text, file.read, around, max_turns)
    if diff:
        lines = refining_page.difference(file.project.plan_path.name, file.text, done.text)
        click.echo("\n".join(lines) if lines else "Nothing would change.")
        return 0
    if done.text != file.text:
        rewrite(file, done.text)
    after = _analysis(file, done.text, max_turns)
    written = _written(file, after)
    if as_json:
        click.echo(json.dumps(_refined_json(file, done, after, max_turns, written), indent=2))
    else:
        click.echo("\n".join(_refined_page(file, done, after, max_turns, written)))
    return _exit_code(after)


def _analysis(file: PlanFile, text: str, max_turns: int) -> Analysis:
    return analyzed(text, file.read(text), given_by(file.project, max_turns))


def _written(file: PlanFile, analysis: Analysis) -> str:
    heading = Heading(iso(time.time_ns() // 1000), file.project.plan_path.name)
    return write_report(file.project, report(analysis, heading)).name


def _exit_code(analysis: Analysis) -> int:
    return FINDINGS if analysis.with_severity(Severity.CRITICAL) else 0


def _stopped(file: PlanFile, analysis: Analysis, diff: bool, as_json: bool) -> int:
    written = "" if diff else _written(file, analysis)
    if as_json:
        questions = [question_json(one) for one in analysis.blocking]
        stopped = {"stopped": True, "written": False, "report": written, "questions": questions}
        click.echo(json.dumps(stopped, indent=2))
    else:
        lines = [*to_answer(analysis.blocking, file.project.plan_path.name)]
        lines += [f"All that was found: {safe.line(written)}"] if written else []
        click.echo("\n".join(lines))
    return WAITS_FOR_A_PERSON


def _refined_page(
    file: PlanFile, done: Improved, after: Analysis, max_turns: int, written: str
) -> Iterator[str]:
    changed = done.text != file.text
    several = len({row.unit for row in done.order.ranked}) > 1
    yield from refining_page.prioritized_page(done.order, several, changed)
    yield ""
    yield from refining_page.evaluated_page(done.shape, max_turns, changed)
    yield ""
    name = safe.line(file.project.plan_path.name)
    yield f"Written: {name}" if changed else f"{name} is as it was."
    yield ""
    yield from summary(after, written, file.project.plan_path.name, refined=True)


def _refined_json(
    file: PlanFile, done: Improved, after: Analysis, max_turns: int, written: str
) -> dict[str, object]:
    changed = done.text != file.text
    return {
        "stopped": False,
        "written": changed,
        "report": written,
        "prioritized": refining_page.prioritized_json(done.order, changed),
        "evaluated": refining_page.evaluated_json(done.shape, max_turns, changed),
        "analysis": analysis_json(after),
    }
