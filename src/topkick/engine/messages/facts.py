"""Facts: what the world showed. They are journaled and folded."""

from dataclasses import dataclass

from topkick.checks.model import Evidence, Ground, Integration
from topkick.engine.agents.program import AgentExit, Usage
from topkick.engine.effects import Seen, SeenBranch, SeenRun, Upshot
from topkick.engine.messages.commands import Command
from topkick.sprint.gates.model import GateRun
from topkick.team.bus.model import Message


@dataclass(frozen=True, slots=True)
class SupervisorWoke:
    """A supervisor holds the project. With `driven` off it handles commands and dispatches nothing.

    `rules` is the number of the rules it follows (engine/rules.py); 0 means before they had one.
    The other fields are those of `engine.wake_notices.SupervisorWake`.
    """

    epoch: int
    driven: bool
    rules: int = 0
    program: str = ""
    died: str = ""
    died_at_us: int = 0
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class CommandGiven:
    command: Command
    by: str = ""
    letter: int = 0


@dataclass(frozen=True, slots=True)
class GroundSurveyed:
    run_id: str
    ground: Ground


@dataclass(frozen=True, slots=True)
class AgentActive:
    run_id: str


@dataclass(frozen=True, slots=True)
class AgentQuiet:
    """The agent showed no sign of life for this many polls; at 0 it came back."""

    run_id: str
    polls: int


@dataclass(frozen=True, slots=True)
class AgentSpent:
    """The usage of the run so far. `counted`: the program does not limit its own turns."""

    run_id: str
    usage: Usage
    counted: bool = False
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class AgentExited:
    run_id: str
    exit: AgentExit


@dataclass(frozen=True, slots=True)
class BackgroundSeen:
    """The background process is running."""

    id: str


@dataclass(frozen=True, slots=True)
class BackgroundEnded:
    id: str
    exit: AgentExit


@dataclass(frozen=True, slots=True)
class WorkChecked:
    run_id: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ConditionPolled:
    run_id: str
    poll: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class WorkIntegrated:
    run_id: str
    found: Integration


@dataclass(frozen=True, slots=True)
class GateRan:
    """The gate's run of that number is complete."""

    gate_id: str
    number: int
    run: GateRun


PLAN_DELETED = "gone"


@dataclass(frozen=True, slots=True)
class PlanEdited:
    """The hash of the plan file now, or PLAN_DELETED."""

    sha256: str


@dataclass(frozen=True, slots=True)
class FilesObserved:
    """The content of files that hold the state themselves (a kanban board, an epic's body), for
    that look.
    """

    files: tuple[Seen, ...]
    look: int = 0
    runs: tuple[SeenRun, ...] = ()
    branches: tuple[SeenBranch, ...] = ()
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class FilesEdited:
    """The requested edits are in place; or none from `changed` on, which others changed."""

    number: int
    changed: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class BusHeard:
    """Messages to the listener after that number, and the listener's own messages."""

    after: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class MessagesPosted:
    """All requested messages are on the bus, with these numbers; or `trouble` says why not."""

    post: int
    numbers: tuple[int, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ErrandDone:
    number: int
    upshot: Upshot


@dataclass(frozen=True, slots=True)
class TimePassed:
    """A timer is due."""


Fact = (
    SupervisorWoke
    | CommandGiven
    | GroundSurveyed
    | AgentActive
    | AgentQuiet
    | AgentSpent
    | AgentExited
    | BackgroundSeen
    | BackgroundEnded
    | WorkChecked
    | ConditionPolled
    | WorkIntegrated
    | GateRan
    | PlanEdited
    | FilesObserved
    | FilesEdited
    | BusHeard
    | MessagesPosted
    | ErrandDone
    | TimePassed
)
