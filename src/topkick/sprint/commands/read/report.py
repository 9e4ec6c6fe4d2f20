"""`topkick report`: what was done, what proves it, how it went and what it cost."""

import click

from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look
from topkick.cli import terminal
from topkick.engine.errors import UsageError
from topkick.sprint.commands.read.status import branch_lines, settings_lines
from topkick.sprint.run import report_file


@click.command("report")
@click.option("--json", "as_json", is_flag=True, help="Print the same figures as JSON.")
@click.option("--write", is_flag=True, help="Write COMPLETE_<PROJECT>.md again instead.")
@click.option("--of", "run", metavar="RUN", default="", help="Report on this archived run.")
def command(as_json: bool, write: bool, run: str) -> int:
    """Show what was done, what proves it, how it went and what it cost.

    All of it comes from the journal, at any moment of a run: the log of completed sprints, the
    final verification with every issue and the verdict, the cadence analysis. Numbers of records
    are those of `topkick journal show`.

    \b
    Example: topkick report | less
             topkick report --json | jq .verification.passed
    """
    project = run_here()
    if write and (run or as_json):
        raise UsageError("--write is for the current run, and goes with no other option.")
    reading = report_file.report_of(project, run)
    if write:
        path = report_file.write(project, reading)
        terminal.say(f"Written: {path.name}")
        return 0
    text = report_file.as_json(reading) if as_json else report_file.as_text(reading)
    click.echo(text, nl=False)
    view = take_a_look(project) if not (run or as_json) else None
    if view is not None and view.mission.plan is not None:
        for line in branch_lines(project, view.mission):
            click.echo(f"\nBranch: {line}")
        for line in settings_lines(project, view.mission):
            click.echo(f"\nSettings: {line}")
    return 0
