"""The words of refused commands: what happened and why, and what a person may type next."""

from typing import assert_never

from topkick.engine import messages as h
from topkick.engine import refusals as engine_refusals
from topkick.engine.blockers import Offer
from topkick.engine.refusals import CommandName, CommandUnfit
from topkick.sprint.obey import model as sprint_refusals
from topkick.sprint.obey.model import (
    BackgroundExists,
    FindingUnknown,
    GateNotAsking,
    GateUnitNeeded,
    LimitBelowUse,
    LimitName,
    NameUnknown,
    NoBranch,
    NoFindings,
    NoRun,
    OrderHeld,
    PipelineOnly,
    RunExists,
    RunNotAtWork,
    SprintUnready,
    StillStopping,
    UnitNotRunning,
)
from topkick.sprint.transitions import SprintState
from topkick.sprint.views import blocker_lines
from topkick.team.pipeline import refusals as pipeline_refusals
from topkick.team.pipeline.refusals import (
    NotUpstream,
    PipelineRefusal,
    ReasonMissing,
    SessionOver,
    TaskNotWaiting,
)
from topkick.text import escape

STATES = {
    SprintState.PENDING: "no agent has worked on it yet",
    SprintState.DISPATCHED: "an agent has it now",
    SprintState.RUNNING: "an agent has it now",
    SprintState.PARTIAL: "it is about to be continued",
    SprintState.BACKOFF: "it is about to be tried again anyway",
    SprintState.FATAL: "it is FATAL, and no further attempt is made",
    SprintState.COMPLETED: "it is completed already",
}
NEXT = "Next: "
LONGEST_WORDS = 240


def offers(refusal: h.Refusal) -> tuple[Offer, ...]:
    """Return the complete commands that a person may type next, the first one first."""
    match refusal:
        case CommandUnfit():
            return engine_refusals.offers(refusal)
        case ReasonMissing() | TaskNotWaiting() | NotUpstream() | SessionOver():
            return pipeline_refusals.offers(refusal)
        case _:
            return sprint_refusals.offers(refusal)


def line(refusal: h.Refusal) -> str:
    """Return one line for a log, safe to show: the refusal and the first command to type."""
    told = escape.line(f"refused: {words(refusal)}.", LONGEST_WORDS)
    return f"{told} {NEXT}{escape.line(offers(refusal)[0].command)}"


def page(refusal: h.Refusal) -> str:
    """Return what the command line prints: the refusal, and below it all commands to type."""
    told = words(refusal)
    first, *others = (offer.command for offer in offers(refusal))
    more = (f"\n{'':{len(NEXT)}}{command}" for command in others)
    return f"{told[0].upper()}{told[1:]}.\n{NEXT}{first}{''.join(more)}"


def words(refusal: h.Refusal) -> str:  # noqa: PLR0912
    """Return what was refused and why, not escaped yet."""
    match refusal:
        case CommandUnfit(policy, asked):
            return f"this {policy} run does not take `topkick {asked}` now"
        case RunExists():
            return "a run exists here already"
        case NoRun():
            return "there is no run here"
        case StillStopping(units):
            return f"the run is still stopping: {', '.join(units)}"
        case OrderHeld(asked, x, by):
            return f"{_cannot(asked, x)}: {blocker_lines.told(by)}"
        case LimitBelowUse(x, limit, used, most):
            return (
                f"{x} has {_use(limit, used)} already; {limit} is {most}: raise it in topkick.toml"
            )
        case PipelineOnly(asked):
            return f"`topkick {asked}` is for a team's session, and this run has a plan"
        case NameUnknown(kind, names):
            return f"there is no {kind} {' or '.join(names)} here"
        case RunNotAtWork(run_id):
            return f"run {run_id} has no agent at work, so it cannot leave a process running"
        case BackgroundExists(name):
            return f"a background process {name} runs already"
        case NoBranch():
            return "this run has no branch of its own: its agents work in your checkout"
        case NoFindings(x):
            return f"{x} has no open finding to waive"
        case FindingUnknown(x, finding, known):
            return f"{x} has no open finding {finding}; open: {', '.join(known)}"
        case SprintUnready(asked, x, state):
            return f"{_cannot(asked, x)}: {STATES[state]}"
        case GateNotAsking(_, gate, asking):
            waiting = (
                f"waiting: {', '.join(asking)}" if asking else "no gate waits for a person now"
            )
            return f"{gate} does not wait for a person; {waiting}"
        case GateUnitNeeded(gate, units):
            return f"name the unit that repairs {gate}: {' or '.join(units)}"
        case UnitNotRunning(gate, unit, state):
            return f"{unit} is {state} and cannot repair {gate}"
        case ReasonMissing() | TaskNotWaiting() | NotUpstream() | SessionOver():
            return _of_pipeline(refusal)
        case _:
            assert_never(refusal)


def _of_pipeline(refusal: PipelineRefusal) -> str:
    match refusal:
        case ReasonMissing():
            return "the decision needs a reason, for the record"
        case TaskNotWaiting(_, task, waits):
            other = f"; task {waits} does" if waits else " now"
            return f"task {task} does not wait for a person{other}"
        case NotUpstream(_, task, upstream, known):
            return f"task {upstream} does not come before {task}; these do: {', '.join(known)}"
        case SessionOver():
            return "there is nothing to abort: the session has not begun, or it has ended"
        case _:
            assert_never(refusal)


def _cannot(asked: CommandName, x: str) -> str:
    return f"cannot {asked} {x or 'the run'}"


def _use(limit: LimitName, used: int) -> str:
    match limit:
        case LimitName.MAX_RETRIES:
            return f"failed {used} times"
        case LimitName.MAX_DISPATCHES:
            return f"been dispatched {used} times"
        case _:
            assert_never(limit)
