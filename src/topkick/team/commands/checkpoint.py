"""`topkick checkpoint`: a resident judge between the stages of a team's work."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import click

from topkick.app.project import Project
from topkick.app.slices import BUILTIN_SPEC
from topkick.cli import terminal
from topkick.engine.errors import AnotherSupervisor, TopkickError, UsageError
from topkick.team.bus.model import Message
from topkick.team.commands import teams
from topkick.team.run import judge_session
from topkick.team.run.judge_session import JudgeInstructions

SESSION = click.argument("session", type=click.Path(path_type=Path))
WAIT_S = 600.0


@click.group("checkpoint")
def command() -> None:
    """Judge the stages of a team's work: pass, warn or block, with evidence.

    \b
    Example: topkick checkpoint serve .workflow/.team/night --role-spec builtin &
             topkick checkpoint request .workflow/.team/night CHECKPOINT-001 \\
               --scope DRAFT-001,DRAFT-002 --wait
             topkick checkpoint run .workflow/.team/night
    """


for _of_teams in teams.COMMANDS:
    command.add_command(_of_teams)


def _options(function: click.decorators.FC) -> click.decorators.FC:
    for option in (
        click.option("--yes", is_flag=True, help="Accept changed settings."),
        click.option("--requirement", default="", metavar="TEXT", help="What the team must do."),
        click.option("--team", default="", metavar="NAME", help="The team's name."),
        click.option("--session-id", default="", metavar="ID", help="The session's id."),
        click.option(
            "--role-spec", default="", metavar="FILE", help="The file with the checks, or builtin."
        ),
    ):
        function = option(function)
    return function


# --- serve -----------------------------------------------------------------------------------


@command.command("serve")
@click.argument("session", required=False, type=click.Path(path_type=Path))
@_options
@click.option("--recovery", is_flag=True, help="Announce a restart after a crash.")
@click.option("--prompt", type=click.File("r"), help="Read the options from this prompt; -: stdin.")
def serve(
    session: Path | None,
    role_spec: str,
    session_id: str,
    team: str,
    requirement: str,
    yes: bool,
    recovery: bool,
    prompt: TextIO | None,
) -> int:
    """Run the judge of a session.

    The judge sleeps until a message requests a checkpoint. It ends at `topkick checkpoint shutdown`
    or Ctrl-C. If it is killed, the same command continues the open request. Options that are not
    given are read from the session's file.

    \b
    Example: topkick checkpoint serve .workflow/.team/night --role-spec builtin
    """
    with _tagged():
        told = JudgeInstructions(role_spec, session_id, team, requirement, recovery)
        if prompt is not None:
            named, told = judge_session.read_prompt(prompt.read(judge_session.LONGEST_BYTES))
            session = session or Path(named)
        told = replace(told, yes=yes)
        if session is None:
            raise UsageError(
                "No session directory was given, so no judge was started.\n"
                "Name it: topkick checkpoint serve SESSION_DIR --role-spec builtin"
            )
        try:
            return judge_session.serve(judge_session.find_session(session), told, terminal.say)
        except AnotherSupervisor as busy:
            who = str(busy).partition(". ")[0]
            raise AnotherSupervisor(
                f"{who}.\n"
                f"Request: topkick checkpoint request {session} CHECKPOINT-001 --scope DRAFT-001\n"
                f"End it: topkick checkpoint shutdown {session}"
            ) from busy


@contextmanager
def _tagged() -> Iterator[None]:
    """Prefix the lines of an error with the judge's tag, like all its output (CK-03)."""
    try:
        yield
    except TopkickError as mistake:
        mistake.args = (judge_session.tagged(str(mistake)),)
        raise


# --- request ---------------------------------------------------------------------------------


def _scope(_ctx: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


SCOPE = click.option(
    "--scope", default="", callback=_scope, metavar="A,B", help="The tasks to judge."
)


@command.command("request")
@SESSION
@click.argument("checkpoint")
@SCOPE
@click.option("--wait", is_flag=True, help="Wait for the verdict; exit code 1: block.")
@click.option("--timeout", "timeout_s", default=WAIT_S, metavar="SECONDS", help="Limit of --wait.")
def request(
    session: Path, checkpoint: str, scope: tuple[str, ...], wait: bool, timeout_s: float
) -> int:
    """Request a checkpoint from the judge of a session.

    A checkpoint that was judged before gets the next id, such as CHECKPOINT-001-R2.

    \b
    Example: topkick checkpoint request .workflow/.team/night CHECKPOINT-001 --scope DRAFT-001
    """
    project = judge_session.find_session(session)
    asked = _ask(project, checkpoint, scope)
    return _wait(project, asked, timeout_s) if wait else 0


def _ask(project: Project, checkpoint: str, scope: tuple[str, ...]) -> Message:
    task_id = judge_session.next_round(project, checkpoint.upper())
    asked = judge_session.ask(project, task_id, scope, "coordinator")
    if task_id != checkpoint.upper():
        terminal.say(f"{checkpoint.upper()} was judged before; this request is {task_id}.")
    terminal.say(f"Requested {task_id} by {asked.id}.")
    return asked


def _wait(project: Project, asked: Message, timeout_s: float) -> int:
    answer = judge_session.wait_for_answer(project, asked, timeout_s)
    if answer is None:
        raise UsageError(
            f"No judge answered {asked.id} within {timeout_s:.0f} s; the request stays there.\n"
            f"Start one: topkick checkpoint serve {project.plan_path.parent} --role-spec builtin"
        )
    terminal.say(str(answer.fields.get("content") or answer.summary))
    return _code(project, asked)


def _code(project: Project, asked: Message) -> int:
    from topkick.team.judge.findings import VerdictWord
    from topkick.team.requests import CheckpointRequest, read_request

    found = read_request(asked)
    assert isinstance(found, CheckpointRequest)
    entry = judge_session.report_of(project, found.task_id)
    return 0 if entry is not None and entry.verdict is not VerdictWord.BLOCK else 1


@command.command("judge")
@SESSION
@click.argument("checkpoint")
@SCOPE
@_options
def judge(
    session: Path,
    checkpoint: str,
    scope: tuple[str, ...],
    role_spec: str,
    session_id: str,
    team: str,
    requirement: str,
    yes: bool,
) -> int:
    """Judge one checkpoint now and end: for scripts, gates and CI.

    Exit code 0: pass or warn; 1: block. If a judge of the session is running, it gets the request.

    \b
    Example: topkick checkpoint judge .workflow/.team/night CHECKPOINT-003 --scope PLAN-001
    """
    project = judge_session.find_session(session)
    told = JudgeInstructions(role_spec or BUILTIN_SPEC, session_id, team, requirement, yes=yes)
    filled = judge_session.with_defaults(project, told)
    judge_session.judge_settings(project, filled)
    asked = _ask(project, checkpoint, scope)
    try:
        judge_session.serve_one(project, filled, asked, terminal.say)
    except AnotherSupervisor:
        return _wait(project, asked, WAIT_S)
    return _code(project, asked)


# --- shutdown --------------------------------------------------------------------------------


@command.command("shutdown")
@SESSION
@click.option(
    "--timeout", "timeout_s", default=30.0, metavar="SECONDS", help="Limit for its answer."
)
def shutdown(session: Path, timeout_s: float) -> int:
    """Ask the judge of a session to end.

    The command waits for the answer of the judge.

    \b
    Example: topkick checkpoint shutdown .workflow/.team/night
    """
    project = judge_session.find_session(session)
    asked = judge_session.ask_to_leave(project, secrets.token_hex(4))
    answer = judge_session.wait_for_answer(project, asked, timeout_s)
    if answer is None:
        terminal.say(f"No judge answered {asked.id} within {timeout_s:.0f} s; the next one will.")
        return 1
    terminal.say(f"{answer.summary} ({answer.id})")
    return 0
