"""Every reason why a command about the run of a plan is refused, as one closed union of values.

The policy decides the reason once and the journal stores the value. `offers` lists the complete
commands that a person may type next, in the order of `Intent`. Only `engine/views/refusal_lines.py`
turns a refusal into words.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from topkick.engine.blockers import REASON, Offer, go_on, let_pass, look, undo
from topkick.engine.refusals import CommandName
from topkick.sprint.blockers.holds import BudgetSpent, DispatchesUsed
from topkick.sprint.transitions import SprintState, UnitState


@dataclass(frozen=True, slots=True)
class RunExists:
    """A start where a run exists."""


@dataclass(frozen=True, slots=True)
class NoRun:
    """A command about a run where none exists."""


@dataclass(frozen=True, slots=True)
class StillStopping:
    """A resume while these units are being stopped."""

    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrderHeld:
    """No order may be given: `by` is the same value that holds sprints back. The handle is empty
    if the command is about the whole run.
    """

    asked: CommandName
    handle: str
    by: BudgetSpent | DispatchesUsed


class LimitName(StrEnum):
    """The setting that limits what a sprint may use."""

    MAX_RETRIES = "max_retries"
    MAX_DISPATCHES = "max_dispatches"


@dataclass(frozen=True, slots=True)
class LimitBelowUse:
    """A resume with a new limit that is below what the sprint has used."""

    handle: str
    limit: LimitName
    used: int
    most: int


@dataclass(frozen=True, slots=True)
class PipelineOnly:
    """The command is for a team's session, and this run has a plan."""

    asked: CommandName


class NamedKind(StrEnum):
    """The kind of thing that a person or an agent named."""

    UNIT = "unit"
    SPRINT = "sprint"
    BACKGROUND = "background process"


@dataclass(frozen=True, slots=True)
class NameUnknown:
    """The run has nothing of this kind with these names."""

    kind: NamedKind
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunNotAtWork:
    """An agent that is not at work may not leave a process running."""

    run_id: str


@dataclass(frozen=True, slots=True)
class BackgroundExists:
    """A background process of this name runs already."""

    name: str


@dataclass(frozen=True, slots=True)
class NoBranch:
    """The run has no branch that could be accepted."""


@dataclass(frozen=True, slots=True)
class NoFindings:
    """The sprint waits for no finding."""

    handle: str


@dataclass(frozen=True, slots=True)
class FindingUnknown:
    """The sprint has other open findings than the one named."""

    handle: str
    finding: str
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SprintUnready:
    """The state of the sprint does not allow the command."""

    asked: CommandName
    handle: str
    state: SprintState


@dataclass(frozen=True, slots=True)
class GateNotAsking:
    """The gate does not wait for a person; these gates do."""

    asked: CommandName
    gate: str
    asking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GateUnitNeeded:
    """A gate of several units is refused, and none of them is named to repair it."""

    gate: str
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitNotRunning:
    """The unit that would have to repair the gate is not RUNNING."""

    gate: str
    unit: str
    state: UnitState


SprintRefusal = (
    RunExists
    | NoRun
    | StillStopping
    | OrderHeld
    | LimitBelowUse
    | PipelineOnly
    | NameUnknown
    | RunNotAtWork
    | BackgroundExists
    | NoBranch
    | NoFindings
    | FindingUnknown
    | SprintUnready
    | GateNotAsking
    | GateUnitNeeded
    | UnitNotRunning
)

# --- commands to offer ---------------------------------------------------------------------

RESUME = go_on("resume")
STATUS = look("status")
SHOWN = 5
"""The most findings, gates or units for which a command is offered at a time."""


def offers(refusal: SprintRefusal) -> tuple[Offer, ...]:  # noqa: PLR0912
    match refusal:
        case RunExists():
            return (RESUME,)
        case NoRun():
            return (go_on("start"),)
        case StillStopping():
            return (look("watch"), RESUME)
        case OrderHeld(_, handle, by):
            return (RESUME,) if isinstance(by, BudgetSpent) else (RESUME, _accept(handle))
        case LimitBelowUse(handle):
            return (RESUME, _accept(handle))
        case PipelineOnly():
            return (go_on("checkpoint", "run", "SESSION_DIR"),)
        case NameUnknown(NamedKind.BACKGROUND):
            return (look("background", "list"),)
        case NameUnknown() | RunNotAtWork() | NoBranch():
            return (STATUS,)
        case BackgroundExists(name):
            return (go_on("background", "stop", name),)
        case NoFindings(handle):
            return (look("explain", handle),)
        case FindingUnknown(handle, _, known):
            waived = (let_pass("waive", handle, f, "--why", REASON) for f in known[:SHOWN])
            return tuple(waived) or (look("explain", handle),)
        case SprintUnready(_, handle, state):
            return _of_state(handle, state)
        case GateNotAsking(_, _, asking):
            return tuple(look("explain", gate) for gate in asking[:SHOWN]) or (STATUS,)
        case GateUnitNeeded(gate, units):
            named = (undo("reject", gate, "--unit", u, "--why", REASON) for u in units[:SHOWN])
            return tuple(named) or (look("explain", gate),)
        case UnitNotRunning(_, unit):
            return (go_on("resume", unit),)
        case _:
            assert_never(refusal)


def _of_state(handle: str, state: SprintState) -> tuple[Offer, ...]:
    match state:
        case SprintState.DISPATCHED | SprintState.RUNNING:
            return (look("logs", handle, "-f"), go_on("stop", handle.partition("/")[0]))
        case SprintState.FATAL:
            return (undo("retry", handle, "--note", REASON), _accept(handle))
        case (
            SprintState.PENDING | SprintState.COMPLETED | SprintState.PARTIAL | SprintState.BACKOFF
        ):
            return (look("explain", handle),)
        case _:
            assert_never(state)


def _accept(handle: str) -> Offer:
    return let_pass("accept", handle, "--why", REASON)
