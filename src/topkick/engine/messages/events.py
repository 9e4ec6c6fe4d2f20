"""Events: decisions. They are journaled and folded; replay applies them."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.checks.model import Ground
from topkick.engine.agents.runs import CancelWhy, Dispatch, Stage
from topkick.engine.effects import Edit, Errand, Glance
from topkick.engine.refusals import CommandUnfit
from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation, Tip
from topkick.plan_format.model import Plan, SprintPlan, UnitPlan
from topkick.sprint.blockers.holds import (
    AgentUnusable,
    FatalCause,
    Hold,
    NotCleared,
    SprintHold,
    SprintRest,
)
from topkick.sprint.gates.model import Gate, GateVerdict
from topkick.sprint.model import Claimed, Outcome, Proof, Stance, Waiver
from topkick.sprint.needs.model import CrossNeed
from topkick.sprint.obey.model import SprintRefusal
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState
from topkick.team.bus.model import Message
from topkick.team.pipeline.refusals import PipelineRefusal


@dataclass(frozen=True, slots=True)
class MissionBegan:
    mission_id: str
    policy: str
    plan: Plan
    settings: Settings
    isolation: Isolation | None = None
    claims: tuple[Claimed, ...] = ()


@dataclass(frozen=True, slots=True)
class StanceTaken:
    """`budget` names the budget that is spent, if that is why the run stops."""

    stance: Stance
    why: str = ""
    budget: str = ""


@dataclass(frozen=True, slots=True)
class UnitMoved:
    unit: str
    was: UnitState
    cause: UnitCause
    now: UnitState


@dataclass(frozen=True, slots=True)
class SprintMoved:
    unit: str
    sprint: str
    was: SprintState
    cause: SprintCause
    now: SprintState
    why: str = ""
    blocker: SprintRest | FatalCause | None = None

    def __post_init__(self) -> None:
        """Refuse records of journals that stored the cause as a sentence."""
        if self.cause is SprintCause.EXHAUSTED and not isinstance(self.blocker, FatalCause):
            raise ValueError("a sprint is FATAL without a cause")


@dataclass(frozen=True, slots=True)
class RunOpened:
    """A slot is taken. Stage CHECKING checks the work of an interrupted run, or a claim; without a
    plan, it runs `checks` of its own in a directory.
    """

    run_id: str
    unit: str
    sprint: str
    stage: Stage
    poll_at_us: int = 0
    checks: tuple[str, ...] = ()
    directory: str = ""


@dataclass(frozen=True, slots=True)
class RunDispatched:
    """The intent: durable before any process is started for it."""

    run_id: str
    dispatch: Dispatch


@dataclass(frozen=True, slots=True)
class RunCancelled:
    run_id: str
    why: CancelWhy
    grace_s: float


@dataclass(frozen=True, slots=True)
class RunClosed:
    """`looked` says that the work of an interrupted run, or a claim, has been looked at;
    `withdrawn` that the order was not given, because something blocks it by now."""

    run_id: str
    why: str = ""
    looked: bool = False
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class BackgroundOpened:
    id: str
    unit: str
    sprint: str
    name: str
    argv: tuple[str, ...]
    cwd: str


@dataclass(frozen=True, slots=True)
class BackgroundCancelled:
    id: str
    grace_s: float


@dataclass(frozen=True, slots=True)
class SprintJudged:
    """A sprint was judged. `held` are criteria that failed with other units' work in the tree; the
    gate runs them again and finds out which unit is responsible.
    """

    unit: str
    sprint: str
    outcome: Outcome
    charged: bool = False
    newly_met: bool = False
    fingerprint: str = ""
    proof: Proof | None = None
    rest: SprintRest | None = None
    fatal: FatalCause | None = None
    returned: bool = False
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingWaived:
    unit: str
    sprint: str
    waiver: Waiver


@dataclass(frozen=True, slots=True)
class TroubleMet:
    """A failure without anyone at fault: no attempt is charged; the sprint backs off until a time.

    An `expected` one, such as a usage limit, does not count among the sprint's troubles; a proven
    one does not count among its dispatches either (`uncounted`, SM-10).
    """

    unit: str
    sprint: str
    why: str
    not_before_us: int
    expected: bool = False
    uncounted: bool = False


@dataclass(frozen=True, slots=True)
class LimitMet:
    """All units whose agents share this account wait; the others continue (DP-09)."""

    account: str
    why: str
    until_us: int


@dataclass(frozen=True, slots=True)
class AgentDown:
    """An agent program cannot be used until a person has fixed it."""

    blocker: AgentUnusable


@dataclass(frozen=True, slots=True)
class GroundKept:
    """The state for the next sprint, valid at this moment only."""

    unit: str
    sprint: str
    ground: Ground


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    unit: str
    sprint: str
    blocker: SprintHold


@dataclass(frozen=True, slots=True)
class HoldLifted:
    unit: str
    sprint: str


@dataclass(frozen=True, slots=True)
class SprintReopened:
    """A person's instructions for the next try. `fresh` resets the failure counter."""

    unit: str
    sprint: str
    fresh: bool = False
    note: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class UnitIntegrated:
    """The work of the unit's first `sprints` sprints is on the mission's branch, now at `tip`."""

    unit: str
    sprints: int
    tip: str


@dataclass(frozen=True, slots=True)
class BranchAccepted:
    """A person keeps the mission's branch where others moved it."""

    tips: tuple[Tip, ...]
    why: str


@dataclass(frozen=True, slots=True)
class GateOpened:
    gate: Gate


@dataclass(frozen=True, slots=True)
class GateJudged:
    """A gate has a verdict; `groups` are the units to blame. If it is not closed in the same step,
    it waits for a person.
    """

    gate_id: str
    verdict: GateVerdict
    why: str = ""
    groups: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class GateClosed:
    """A gate is closed; `accepted` is why a person let it pass."""

    gate_id: str
    passed: bool
    accepted: str = ""


@dataclass(frozen=True, slots=True)
class GateDropped:
    """The gate's result is void: the work or the settings have changed since."""

    gate_id: str


@dataclass(frozen=True, slots=True)
class UnitHeld:
    """The unit may not begin; without a blocker, it may be tried again (GT-01)."""

    unit: str
    blocker: NotCleared | None = None


@dataclass(frozen=True, slots=True)
class SprintAdded:
    """A sprint generated by topkick comes before the unit's current one, or after it."""

    unit: str
    plan: SprintPlan
    after_current: bool = False


@dataclass(frozen=True, slots=True)
class NeedNoted:
    """A unit needs something from another, or says so again."""

    need: CrossNeed


@dataclass(frozen=True, slots=True)
class NeedResolved:
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class DefinitionsNoted:
    unit: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitAdded:
    """A unit generated by topkick, after all others (RP-06)."""

    plan: UnitPlan


@dataclass(frozen=True, slots=True)
class ReconciliationEnded:
    """No further reconciliation pass is made, although needs are open."""

    why: str


@dataclass(frozen=True, slots=True)
class PlanRevised:
    plan: Plan


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    settings: Settings


class DecisionKind(StrEnum):
    """The kind of a line in the Decisions Log: it decides where screens show the line."""

    NOTE = "note"
    EVENT = "event"
    """The event next to it tells the same, with more of its reason."""
    STEP = "step"
    """As EVENT in the audit trail of a sprint; still shown to a person who watches the run."""
    MODEL_BY_SCORE = "model by score"
    MODEL_BY_RULE = "model by rule"
    AGENT_CHANGED = "agent changed"
    GATE_ASKS = "gate asks"
    GATE_ANSWERED = "gate answered"


@dataclass(frozen=True, slots=True)
class Decided:
    """A line of the Decisions Log. Where a blocker was decided on, its words come before the
    rationale."""

    unit: str
    sprint: str
    decision: str
    rationale: str = ""
    blocker: Hold | None = None
    kind: DecisionKind = DecisionKind.NOTE


Refusal = CommandUnfit | SprintRefusal | PipelineRefusal


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command is not carried out, and nothing is changed."""

    refusal: Refusal


@dataclass(frozen=True, slots=True)
class NoteTaken:
    """An entry in a policy's own memory, for what has no place in units and sprints."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class LookAsked:
    """Request to read these files, runs and branches as they are now."""

    glance: Glance


@dataclass(frozen=True, slots=True)
class EditsAsked:
    """Request to write these files, one after the other; the last is the commit point."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class ListenAsked:
    """Request to wake the supervisor when a message for `name` comes after that one."""

    name: str
    after: int


@dataclass(frozen=True, slots=True)
class PostAsked:
    """Request to post these messages, each once, after the message of that number."""

    messages: tuple[Message, ...]
    after: int


@dataclass(frozen=True, slots=True)
class ErrandAsked:
    """Request a remote operation (push or pull request)."""

    errand: Errand


@dataclass(frozen=True, slots=True)
class MissionEnded:
    """A mission without units has ended; only its policy knows whether it is done.

    `commands` are what a person may type, if it is not simply resumed.
    """

    done: bool
    why: str
    commands: tuple[str, ...] = ()


Event = (
    MissionBegan
    | StanceTaken
    | UnitMoved
    | SprintMoved
    | RunOpened
    | RunDispatched
    | RunCancelled
    | RunClosed
    | BackgroundOpened
    | BackgroundCancelled
    | SprintJudged
    | FindingWaived
    | TroubleMet
    | LimitMet
    | AgentDown
    | GroundKept
    | HoldPlaced
    | HoldLifted
    | SprintReopened
    | UnitIntegrated
    | BranchAccepted
    | GateOpened
    | GateJudged
    | GateClosed
    | GateDropped
    | UnitHeld
    | SprintAdded
    | NeedNoted
    | NeedResolved
    | DefinitionsNoted
    | UnitAdded
    | ReconciliationEnded
    | PlanRevised
    | SettingsChanged
    | Decided
    | CommandRefused
    | NoteTaken
    | LookAsked
    | EditsAsked
    | ListenAsked
    | PostAsked
    | ErrandAsked
    | MissionEnded
)
