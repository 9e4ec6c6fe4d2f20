"""Carry out checks by others: commands by a checker, questions by an agent (CK-12)."""

from collections.abc import Sequence
from dataclasses import replace

from topkick.checks.model import CheckOutcome, CheckResult, Evidence
from topkick.engine import messages as h
from topkick.engine.agents import task
from topkick.engine.agents.runs import Run, Stage
from topkick.sprint.model import Mission
from topkick.sprint.spending import run_share
from topkick.team.judge import agent_checks
from topkick.team.judge import state as notes
from topkick.team.judge.agent_checks import CheckQuestion
from topkick.team.judge.checklist import CheckKind, JudgeCheck
from topkick.team.judge.findings import JudgeFinding
from topkick.team.judge.role_spec import read_role_spec

Events = Sequence[h.Event]
JUDGE = "Supervisor"
SHELL, AGENT = "shell", "agent"


def checks_of(mission: Mission) -> tuple[JudgeCheck, ...]:
    spec = read_role_spec(notes.judge_of(mission).role_spec)
    checkpoint = spec.checkpoint(notes.wake(mission).task_id)
    return checkpoint.checks if checkpoint is not None else ()


def next_check(mission: Mission) -> Events:
    """Run all commands at once, then one question after the other; nothing while one is running."""
    left = notes.draft(mission).open
    commands = [check for check in left if check.kind is CheckKind.SHELL]
    if mission.runs:
        return ()
    return _run(mission, commands) if commands else _ask(mission, left[0])


def _run(mission: Mission, checks: list[JudgeCheck]) -> Events:
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    subject = f"{SHELL} {notes.wake(mission).task_id}"
    commands = tuple(check.what for check in checks)
    place = notes.judge_of(mission).directory
    opened = h.RunOpened(run_id, "", subject, Stage.CHECKING, checks=commands, directory=place)
    return (opened,)


def _ask(mission: Mission, check: JudgeCheck) -> Events:
    role = task.role_named(mission, JUDGE)
    if task.is_limited(mission, role):
        return ()
    if run_share(mission).part >= 1.0:
        return _not_asked(mission, check, f"the budget is spent: {run_share(mission).told}")
    wake = notes.wake(mission)
    draft, place = notes.draft(mission), notes.judge_of(mission).directory
    asked = CheckQuestion(
        wake.task_id,
        place,
        wake.scope,
        tuple(read.path for read in draft.read),
        draft.missing,
        role.prompt,
    )
    text = agent_checks.prompt(check, asked)
    return task.give(mission, role, f"{AGENT} {check.name}", text)


# --- results ---------------------------------------------------------------------------------


def heard(mission: Mission, run: Run, evidence: Evidence) -> Events:
    if run.checks:
        return _ran(mission, run, evidence.results)
    if others := task.nobodys_fault(mission, run, evidence):
        return _nobodys_fault(mission, run, others)
    said = evidence.answer.body or "" if evidence.answer is not None else ""
    failed = run.cancel is not None or run.exit is None or run.exit.code != 0
    check = _check_of(mission, run)
    finding = agent_checks.read_answer(check, "" if failed else said)
    told = h.Decided("", run.sprint, f"Check {check.name}: {finding.result}", finding.details)
    closed, fresh = h.RunClosed(run.id, finding.result), h.NoteTaken(task.TROUBLES, "0")
    return (closed, fresh, told, *_found(mission, (finding,)))


def saw_exit(mission: Mission, run: Run, events: Events) -> Events:
    """Handle an agent that cannot be started: its check is not done, and the run continues."""
    return _nobodys_fault(mission, run, events) if events else ()


def _nobodys_fault(mission: Mission, run: Run, others: Events) -> Events:
    """Wait where waiting helps; a resident judge never ends because of its agents."""
    ended = next((event for event in others if isinstance(event, h.MissionEnded)), None)
    kept = tuple(event for event in others if not isinstance(event, h.MissionEnded))
    if ended is None:
        return kept
    return (*kept, *_not_asked(mission, _check_of(mission, run), ended.why))


def _check_of(mission: Mission, run: Run) -> JudgeCheck:
    name = run.sprint.partition(" ")[2]
    return next(check for check in notes.draft(mission).open if check.name == name)


def _not_asked(mission: Mission, check: JudgeCheck, why: str) -> Events:
    finding = agent_checks.no_answer(check, why)
    return (*notes.one_more_error(mission, why), *_found(mission, (finding,)))


def _ran(mission: Mission, run: Run, results: tuple[CheckResult, ...]) -> Events:
    asked = [check for check in notes.draft(mission).open if check.kind is CheckKind.SHELL]
    pairs = list(zip(asked, results, strict=False))
    done = tuple(agent_checks.of_command(check, result) for check, result in pairs)
    lacking = (agent_checks.no_answer(c, "the command did not run") for c in asked[len(pairs) :])
    cannot = any(result.outcome is CheckOutcome.CANNOT_RUN for result in results)
    error = notes.one_more_error(mission, "a command of a check cannot run") if cannot else ()
    told = f"{sum(result.passed for result in results)} of {len(results)} passed"
    closed = h.RunClosed(run.id, told)
    decided = h.Decided("", run.sprint, "Commands run", told)
    return (closed, *error, decided, *_found(mission, (*done, *lacking)))


def _found(mission: Mission, findings: tuple[JudgeFinding, ...]) -> Events:
    draft = notes.draft(mission)
    done = {finding.check for finding in findings}
    still = tuple(check for check in draft.open if check.name not in done)
    grown = replace(draft, findings=(*draft.findings, *findings), open=still)
    return (notes.drafted(grown),)
