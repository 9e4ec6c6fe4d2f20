"""Blockers that are found by reading the state. The journal does not store them."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.engine.agents.runs import CancelWhy, Run
from topkick.sprint.gates.model import Gate
from topkick.sprint.model import Stance, Unit
from topkick.sprint.transitions import SprintState, UnitState

# --- at work -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnderWay:
    """The sprint `handle` is at work; `claim` is what an earlier run said about it, if that is
    checked now.
    """

    handle: str
    run: Run
    claim: str | None = None


@dataclass(frozen=True, slots=True)
class AgentEnding:
    why: CancelWhy


@dataclass(frozen=True, slots=True)
class Draining:
    """The unit gets no order after this one; its agent is ended at `until_us`."""

    unit: str
    until_us: int


# --- waits for other work ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutOfTurn:
    """An earlier sprint of the unit comes first; `after` is its handle."""

    unit: str
    after: str = ""
    state: SprintState | None = None


@dataclass(frozen=True, slots=True)
class UnitsOpen:
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class AwaitedSprint:
    """A sprint of another unit; `state` is None if the plan no longer has it."""

    handle: str
    state: SprintState | None = None


@dataclass(frozen=True, slots=True)
class SprintsOpen:
    sprints: tuple[AwaitedSprint, ...]


class GateWait(StrEnum):
    """The reason why a unit waits for a gate."""

    CLEARANCE = "clearance"
    CHECKPOINT = "checkpoint"
    NEXT_SPRINT = "next sprint"
    COMPLETION = "completion"


@dataclass(frozen=True, slots=True)
class GateDue:
    """A gate has to pass first; `gate` is its id, empty while the gate is not open."""

    wait: GateWait
    gate: str = ""
    phase: str = ""
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class ClearanceDue:
    """These commands have to pass before the unit may begin."""

    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacesTaken:
    by: tuple[str, ...]
    most: int


@dataclass(frozen=True, slots=True)
class TreeTaken:
    """An agent that may build works in the tree that all units share (GT-04)."""

    by: str


# --- waits for time ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Backoff:
    until_us: int
    handle: str
    troubles: int


@dataclass(frozen=True, slots=True)
class UsageLimited:
    why: str
    until_us: int


# --- waits for a person --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GateAsks:
    gate: Gate


@dataclass(frozen=True, slots=True)
class UnitLeftOut:
    """The unit is left out by --only."""


@dataclass(frozen=True, slots=True)
class AwaitsLeftOut:
    """These units or sprints are awaited, and --only leaves them out."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotWorking:
    """The whole run gives no orders."""

    stance: Stance
    why: str = ""


@dataclass(frozen=True, slots=True)
class NotDriven:
    """The last supervisor answered commands only."""


@dataclass(frozen=True, slots=True)
class NoSupervisor:
    """No supervisor is alive. The journal does not record this; a command that looks at the machine
    adds it.
    """


@dataclass(frozen=True, slots=True)
class UnitStopped:
    unit: str
    state: UnitState
    why: str = ""


@dataclass(frozen=True, slots=True)
class NotBegunAtStop:
    """Work was stopped before the unit began."""


@dataclass(frozen=True, slots=True)
class StopAsked:
    """The unit is being stopped and has no order."""

    unit: str


@dataclass(frozen=True, slots=True)
class FileRunEnded:
    """A run whose truth is a file ended and asks a person; `commands` are what may be typed."""

    why: str
    commands: tuple[str, ...]


# --- the supervisor moves it ---------------------------------------------------------------


class NextMove(StrEnum):
    ORDER = "order"
    BEGIN = "begin"
    GO_ON = "go on"
    MERGE = "merge"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True)
class NextStep:
    """Nothing blocks this: the supervisor's next step moves it."""

    step: NextMove = NextMove.ORDER


@dataclass(frozen=True, slots=True)
class InTransition:
    """The state was read between two records of one step."""

    unit: str
    state: SprintState | UnitState
