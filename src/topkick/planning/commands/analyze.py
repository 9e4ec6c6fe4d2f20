"""`topkick plan analyze` and `plan refine`: what is missing in a plan, and what can be fixed."""

import errno
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from topkick.app.project import (
    PLAN_NAME,
    Project,
    exclude_our_files,
    find_project,
    make_state_dir,
    require_local_disk,
)
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.plan_format.structure import with_unix_lines
from topkick.planning.analysis.model import Analysis, Given, PlanSeverity
from topkick.planning.analysis.passes import analyzed
from topkick.planning.analysis.report import ReportHeading, report, summary, to_answer
from topkick.planning.analysis.report_json import as_json as analysis_json
from topkick.planning.analysis.report_json import question_json
from topkick.planning.analysis.rounds import ImprovedPlan, improved
from topkick.planning.breakdown.detection import find
from topkick.planning.commands.refine import (
    difference,
    evaluated_json,
    evaluated_page,
    max_turns_option,
    prioritized_json,
    prioritized_page,
)
from topkick.planning.project_facts import surroundings_of
from topkick.sprint.dispatch.names import names_in
from topkick.sprint.run.plan_file import PlanFile, open_plan, refuse_while_running, rewrite
from topkick.text import escape
from topkick.text.format import iso

# --- input and report of an analysis -----------------------------------------------------------
# Collect the input from the project, and write the report.

# README.md describes the project and would be compared as if it were the requirements
DOCUMENTS = ("REQUIREMENTS.md", "PRD.md", "SPEC.md")
LARGEST_DOCUMENT = 1 << 20
TITLE = "# Execution Plan Analysis Report"


def given_by(project: Project, max_turns: int) -> Given:
    paths = surroundings_of(project.root).paths
    for name in DOCUMENTS:
        path = project.root / name
        with suppress(OSError):
            text = read_plain(path, LARGEST_DOCUMENT).decode("utf-8", "replace")
            requirements = find(with_unix_lines(text)).requirements
            return Given(max_turns, paths, requirements, name)
    return Given(max_turns, paths)


def report_path(project: Project) -> Path:
    """Return the report's path; a plan under another name has its own report."""
    if project.plan_path.name == PLAN_NAME:
        return project.root / "ANALYSIS_REPORT.md"
    return project.root / f"ANALYSIS_REPORT.{project.plan_path.stem}.md"


def write_report(project: Project, text: str) -> Path:
    """Write the report atomically, over an earlier report and nothing else."""
    path = report_path(project)
    require_place(project)
    require_local_disk(project)
    make_state_dir(project)
    exclude_our_files(project)
    data = text.encode("utf-8", "replace")
    try:
        try:
            replace_atomically(path, data, 0o644, drafts=project.state_dir)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            replace_atomically(path, data, 0o644)
    except OSError as error:
        raise UsageError(
            f"{path} was not written: {error.strerror}.\n"
            "To analyze without writing a report: topkick plan analyze --no-write"
        ) from error
    return path


def require_place(project: Project) -> None:
    """Raise if the report cannot be written, before anything else is."""
    path = report_path(project)
    try:
        first = read_plain(path, 1024).split(b"\n", 1)[0].rstrip()
    except FileNotFoundError:
        return
    except OSError:
        first = b""
    if first != TITLE.encode():
        raise UsageError(
            f"{path} is not an analysis report, so topkick does not overwrite it.\n"
            "Move the file away, or analyze without writing: topkick plan analyze --no-write"
        )


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
    """Report whether the plan is complete, can be checked, and is in a good order.

    Writes ANALYSIS_REPORT.md next to the plan and prints a summary. Never changes the plan.
    Exit 1 if there is a critical issue.

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

    Stops with exit 3 if the plan leaves questions open that agents cannot begin without. Otherwise
    topkick writes the plan once, and ANALYSIS_REPORT.md describes the new plan.

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
        lines = difference(file.project.plan_path.name, file.text, done.text)
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
    heading = ReportHeading(iso(time.time_ns() // 1000), file.project.plan_path.name)
    return write_report(file.project, report(analysis, heading)).name


def _exit_code(analysis: Analysis) -> int:
    return FINDINGS if analysis.with_severity(PlanSeverity.CRITICAL) else 0


def _stopped(file: PlanFile, analysis: Analysis, diff: bool, as_json: bool) -> int:
    written = "" if diff else _written(file, analysis)
    if as_json:
        questions = [question_json(one) for one in analysis.blocking]
        stopped = {"stopped": True, "written": False, "report": written, "questions": questions}
        click.echo(json.dumps(stopped, indent=2))
    else:
        lines = [*to_answer(analysis.blocking, file.project.plan_path.name)]
        lines += [f"All findings: {escape.line(written)}"] if written else []
        click.echo("\n".join(lines))
    return WAITS_FOR_A_PERSON


def _refined_page(
    file: PlanFile, done: ImprovedPlan, after: Analysis, max_turns: int, written: str
) -> Iterator[str]:
    changed = done.text != file.text
    several = len({row.unit for row in done.order.ranked}) > 1
    yield from prioritized_page(done.order, several, changed)
    yield ""
    yield from evaluated_page(done.shape, max_turns, changed)
    yield ""
    name = escape.line(file.project.plan_path.name)
    yield f"Written: {name}" if changed else f"{name} was not changed."
    yield ""
    yield from summary(after, written, file.project.plan_path.name, refined=True)


def _refined_json(
    file: PlanFile, done: ImprovedPlan, after: Analysis, max_turns: int, written: str
) -> dict[str, object]:
    changed = done.text != file.text
    return {
        "stopped": False,
        "written": changed,
        "report": written,
        "prioritized": prioritized_json(done.order, changed),
        "evaluated": evaluated_json(done.shape, max_turns, changed),
        "analysis": analysis_json(after),
    }
