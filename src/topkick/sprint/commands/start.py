"""`topkick start`: show one page, ask one question, then begin the run."""

from pathlib import Path
from typing import Any

import click

from topkick.app.project import Project, find_project
from topkick.cli import terminal
from topkick.engine.errors import UsageError
from topkick.planning.import_state.project import left_behind
from topkick.sprint.start import prepare
from topkick.sprint.start.prepare import StartOptions


@click.command("start")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show the page, start nothing.")
@click.option("--again", is_flag=True, help="Also start a plan that the last run completed.")
@prepare.run_options
def command(plan: Path | None, dry_run: bool, again: bool, **wishes: Any) -> int:
    """Begin a run of the plan, after one page and one question.

    The run continues in the background; closing the terminal harms nothing.

    \b
    Example: topkick start --only U2 --max-agents 2
    """
    asked = StartOptions(**wishes)
    project = find_project(plan)
    prepare.require_free(project)
    prepared = prepare.prepare(project, asked, ritual=True)
    done = prepare.is_done_already(prepared)
    if done and asked.yes and not (again or dry_run):
        raise UsageError(
            "The last run completed all of this plan, and the plan is as it was then.\n"
            "Do it all again: topkick start --again      See what was done: topkick report\n"
            f"Other work: edit {project.plan_path.name}"
        )
    prepare.show(prepared)
    if done:
        terminal.say("Again      The last run completed all of this plan; this does it again.")
    _say_what_was_left(project)
    terminal.say("")
    return 0 if dry_run else prepare.go(prepared, asked, "Start")


def _say_what_was_left(project: Project) -> None:
    """Say that a run of an LLM-driven supervisor can be imported instead of starting
    anew (ST-04).
    """
    left = left_behind(project)
    if left is not None:
        terminal.say(f"Left here  {left.name} of another supervisor: it is put aside, and all of")
        terminal.say("             the plan is to do. To continue it instead: topkick import")
