"""`topkick checkpoint run`, and its commands: show, override, revise, approve, abort."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from topkick.app.project import Project
from topkick.app.run_view import take_a_look, who_am_i
from topkick.cli import acceptance, terminal
from topkick.engine import messages as h
from topkick.engine.errors import UsageError
from topkick.engine.views import run_status
from topkick.team.pipeline.ledger import ArtifactLedger, Line
from topkick.team.pipeline.ledger import progress as ledger_progress
from topkick.team.pipeline.model import PIPELINES
from topkick.team.requests import is_checkpoint
from topkick.team.run import pipeline_project
from topkick.team.run.pipeline_project import WantedSession
from topkick.text import escape
from topkick.text.columns import Column, lay_out

# --- pages -------------------------------------------------------------------------------------
# A team's session: each task with its state and verdict, and the next step.

COLUMNS = (
    Column("Task", least=14),
    Column("Role", leaves=2),
    Column("Status"),
    Column("Verdict", leaves=3),
    Column("Artifact", least=16, leaves=4),
    Column("Note", least=16, leaves=1),
)


@dataclass(frozen=True, slots=True)
class TaskLine:
    id: str
    role: str
    status: str
    verdict: str
    artifact: str
    note: str


@dataclass(frozen=True, slots=True)
class TeamPage:
    """The values of the page; all texts are untrusted, since agents or people wrote them."""

    id: str
    pipeline: str
    requirement: str
    status: str
    progress: str
    tasks: tuple[TaskLine, ...]


def lines(page: TeamPage, width: int) -> Iterator[str]:
    pipeline, state = escape.line(page.pipeline, 20), escape.line(page.status, 30)
    yield f"{escape.line(page.id, 60)}: {pipeline}, {state}"
    if page.requirement:
        yield escape.cut(escape.line(page.requirement, 300), width)
    yield escape.line(page.progress, 60)
    yield ""
    cells = [(t.id, t.role, t.status, t.verdict, t.artifact, t.note) for t in page.tasks]
    rows = [tuple(escape.line(cell, 80) for cell in row) for row in cells]
    yield from lay_out(COLUMNS, rows, width)


SESSION = click.argument("session", type=click.Path(path_type=Path))
WHY = click.option("--why", default="", metavar="TEXT", help="The reason, for the record.")


# --- run -------------------------------------------------------------------------------------


@click.command("run")
@SESSION
@click.option("--pipeline", type=click.Choice(list(PIPELINES)), help="The stages of a new session.")
@click.option("--requirement", default="", metavar="TEXT", help="What the team must do.")
@click.option("--no-supervision", is_flag=True, help="Run without checkpoints and without a judge.")
@click.option(
    "--role-spec", default="", metavar="FILE", help="The file with the judge's checks, or builtin."
)
@click.option("--agent", metavar="NAME", help="Use this configured agent for this run.")
@click.option("--yes", is_flag=True, help="Accept changed settings without a question.")
def run(
    session: Path,
    pipeline: str | None,
    requirement: str,
    no_supervision: bool,
    role_spec: str,
    agent: str | None,
    yes: bool,
) -> int:
    """Run a team's session, or create one.

    Each role works in its turn, and a judge checks the work between the stages.

    If the run is killed, the same command continues. Ctrl-C lets the working agents finish; a
    second Ctrl-C ends them. Exit code 0: done; 3: a person is needed, with the commands to type.

    \b
    Example: topkick checkpoint run .workflow/.team/notes --pipeline full \\
               --requirement "Notes that several people can search"
             topkick checkpoint run .workflow/.team/notes
    """
    wanted = WantedSession(pipeline or "", requirement, not no_supervision, role_spec)
    project = pipeline_project.find_or_begin(session, wanted, agent)
    named = shlex.quote(str(session))
    accept = acceptance.of_file_runs(f"topkick checkpoint run {named}", yes=yes)
    code = pipeline_project.run(project, agent, named, _say, accept)
    view = take_a_look(project)
    if view is not None and view.mission.ended is not None:
        for command in view.mission.ended.commands:
            _say(f"  {command}")
    return code


def _say(line: str) -> None:
    terminal.say(escape.line(line, 800))


# --- show ------------------------------------------------------------------------------------


@click.command("show")
@SESSION
def show(session: Path) -> int:
    """Show the tasks of a session, each with its state and verdict.

    \b
    Example: topkick checkpoint show .workflow/.team/notes
    """
    project = pipeline_project.find_team(session)
    ledger = pipeline_project.read_ledger(project)
    for line in lines(_page(ledger), terminal.width()):
        terminal.say(line)
    view = take_a_look(project) if project.state_dir.is_dir() else None
    terminal.say("")
    if view is None or view.mission.plan is None:
        terminal.say(f"Next: topkick checkpoint run {escape.line(str(session), 200)}")
        return 0
    for line in run_status.lines(view.mission, terminal.situation(view)):
        terminal.say(line)
    return 0


def _page(ledger: ArtifactLedger) -> TeamPage:
    done, total = ledger_progress(ledger)
    return TeamPage(
        id=ledger.id,
        pipeline=ledger.mode,
        requirement=ledger.requirement,
        status=ledger.status or "not started",
        progress=f"{done} of {total} tasks completed",
        tasks=tuple(_line(line) for line in ledger.lines),
    )


def _line(line: Line) -> TaskLine:
    score = f" {line.score:.2f}" if line.verdict and line.score is not None else ""
    marks = [
        f"overridden by {line.passed_by}" if line.passed_by and line.verdict else "",
        f"approved by {line.passed_by}" if line.passed_by and not line.verdict else "",
        f"revision {line.revision}" if line.revision > 1 else "",
        line.module,
    ]
    note = ", ".join(mark for mark in marks if mark) or line.why
    artifact = line.ref or line.artifact
    return TaskLine(line.id, line.role, line.status, f"{line.verdict}{score}", artifact, note)


# --- commands of a person ----------------------------------------------------------------------


@click.command("override")
@SESSION
@click.argument("checkpoint")
@WHY
def override(session: Path, checkpoint: str, why: str) -> int:
    """Continue past a checkpoint that blocks.

    The reason is recorded in wisdom.

    \b
    Example: topkick checkpoint override .workflow/.team/notes CHECKPOINT-001 --why "known, later"
    """
    if not is_checkpoint(checkpoint.upper()):
        raise UsageError(
            f"{checkpoint} is not a checkpoint like CHECKPOINT-001, so nothing was overridden.\n"
            f'To approve it: topkick checkpoint approve {session} {checkpoint} --why "..."'
        )
    return _decide(session, h.OverrideCheckpoint(checkpoint.upper(), _why(why), who_am_i()))


@click.command("approve")
@SESSION
@click.argument("task")
@WHY
def approve(session: Path, task: str, why: str) -> int:
    """Approve a task that waits for a person.

    QUALITY-001 waits for an approval before the plan is made.

    \b
    Example: topkick checkpoint approve .workflow/.team/notes QUALITY-001 --why "read it"
    """
    return _decide(session, h.OverrideCheckpoint(task.upper(), _why(why), who_am_i()))


@click.command("revise")
@SESSION
@click.argument("checkpoint")
@click.option("--task", required=True, metavar="TASK", help="The task to repeat.")
@WHY
def revise(session: Path, checkpoint: str, task: str, why: str) -> int:
    """Repeat a task before a checkpoint.

    Its role gets the report of the checkpoint, which is judged again afterwards.

    \b
    Example: topkick checkpoint revise .workflow/.team/notes CHECKPOINT-001 --task DRAFT-002 \\
               --why "goal 3 has no requirement"
    """
    said = h.ReviseUpstream(checkpoint.upper(), task.upper(), _why(why), who_am_i())
    return _decide(session, said)


@click.command("abort")
@SESSION
@WHY
def abort(session: Path, why: str) -> int:
    """End the working agents and the judge for good.

    The session file records the abort; all artifacts stay.

    \b
    Example: topkick checkpoint abort .workflow/.team/notes --why "the product was cancelled"
    """
    project = pipeline_project.find_team(session)
    told = pipeline_project.say_to(project, h.AbortPipeline(_why(why), who_am_i()))
    if not told.accepted:
        raise UsageError(told.answer)
    pipeline_project.end_it(project, _say)
    terminal.say("The session is aborted. Its artifacts stay where they are.")
    return 0


def _why(why: str) -> str:
    if not why.strip():
        raise UsageError('No reason was given, so nothing was changed. Add one: --why "..."')
    return why


def _decide(session: Path, command: h.Command) -> int:
    project: Project = pipeline_project.find_team(session)
    told = pipeline_project.say_to(project, command)
    if not told.accepted:
        raise UsageError(told.answer)
    terminal.say(f"Recorded. Continue: topkick checkpoint run {escape.line(str(session), 200)}")
    return 0


COMMANDS = (run, show, override, approve, revise, abort)
