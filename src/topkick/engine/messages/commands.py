"""Commands: what a person asks for."""

from dataclasses import dataclass

from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation, Tip
from topkick.plan_format.model import Plan
from topkick.sprint.model import Claimed


@dataclass(frozen=True, slots=True)
class Start:
    mission_id: str
    plan: Plan
    settings: Settings
    isolation: Isolation | None = None
    claims: tuple[Claimed, ...] = ()


@dataclass(frozen=True, slots=True)
class Resume:
    units: tuple[str, ...] = ()
    retry_blocked: bool = False
    plan: Plan | None = None
    settings: Settings | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop; `force` also ends agents that are being waited for (SD-01).

    A stop that is only repeated because the first one was not answered must not end them.
    """

    units: tuple[str, ...] = ()
    force: bool = False
    why: str = ""

    @property
    def told(self) -> str:
        """A stop without a reason of its own is a person's."""
        return self.why or "stopped by a person"


@dataclass(frozen=True, slots=True)
class KillAll:
    why: str = "user invoked killall"


@dataclass(frozen=True, slots=True)
class Accept:
    unit: str
    sprint: str
    why: str


@dataclass(frozen=True, slots=True)
class Reject:
    unit: str
    sprint: str
    why: str


@dataclass(frozen=True, slots=True)
class PassGate:
    """A person lets a gate pass."""

    gate: str
    why: str


@dataclass(frozen=True, slots=True)
class RefuseGate:
    """A person refuses a gate; `unit` must repair it."""

    gate: str
    why: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class AcceptBranch:
    """A person has seen where the mission's branch was moved, and keeps it there."""

    tips: tuple[Tip, ...]
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Waive:
    unit: str
    sprint: str
    finding: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Retry:
    unit: str
    sprint: str
    note: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class BeginBackground:
    """An agent asks, with the id of its own run, to keep a process running after it."""

    run_id: str
    name: str
    argv: tuple[str, ...]
    cwd: str


@dataclass(frozen=True, slots=True)
class EndBackground:
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OverrideCheckpoint:
    """A person lets a pipeline continue past a blocked task, or approves a waiting task."""

    task: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class ReviseUpstream:
    """A person has `upstream` done again; the blocked task is judged again after it."""

    task: str
    upstream: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class AbortPipeline:
    why: str
    by: str = ""


Command = (
    Start
    | Resume
    | Stop
    | KillAll
    | Accept
    | Reject
    | PassGate
    | RefuseGate
    | AcceptBranch
    | Waive
    | Retry
    | BeginBackground
    | EndBackground
    | OverrideCheckpoint
    | ReviseUpstream
    | AbortPipeline
)
