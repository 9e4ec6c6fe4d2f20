"""What can happen, as closed unions: commands, facts, events, questions, orders.

Facts come from the world and events from our own decisions; both are journaled and folded.
Questions go from the kernel to a policy; orders say what should be running now.
"""

from dataclasses import dataclass

from topkick.core.agents import AgentExit, AgentProgram, Conversation, Usage
from topkick.core.bus import Message
from topkick.core.checkpoints import CheckpointPlan
from topkick.core.cross_needs import CrossNeed
from topkick.core.errands import Errand, Upshot
from topkick.core.evidence import Ahead, Counted, Evidence, Ground, Integration, Where
from topkick.core.files import Edit, Glance, Seen, SeenBranch, SeenRun
from topkick.core.gates import Covered, Gate, GateRun, GateVerdict, Held, Tip
from topkick.core.model import (
    CancelWhy,
    Claimed,
    Dispatch,
    Isolation,
    Outcome,
    Plan,
    Proof,
    Settings,
    SprintPlan,
    SprintState,
    Stage,
    Stance,
    UnitPlan,
    UnitState,
    Waiver,
)
from topkick.core.transitions import SprintCause, UnitCause

# --- commands: what a person says ----------------------------------------------------------


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
    """`force` is for who knows that agents are being waited for and will not wait (SD-01).

    A stop that is only said again, because nobody answered the first, must not end them.
    """

    units: tuple[str, ...] = ()
    force: bool = False


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
    """A person does not; `unit` is to mend it."""

    gate: str
    why: str
    unit: str = ""


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
    """Said by an agent, with the id of its own run: keep this running after me."""

    run_id: str
    name: str
    argv: tuple[str, ...]
    cwd: str


@dataclass(frozen=True, slots=True)
class EndBackground:
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OverrideCheckpoint:
    """A person lets a pipeline go on past what blocks it, or approves what waits for approval."""

    task: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class ReviseUpstream:
    """A person has `upstream` done again; what blocks is judged again after it."""

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
    | Waive
    | Retry
    | BeginBackground
    | EndBackground
    | OverrideCheckpoint
    | ReviseUpstream
    | AbortPipeline
)


# --- facts: what the world showed ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SupervisorWoke:
    """A supervisor holds the project. Undriven, it attends to commands and dispatches nothing.

    `rules` is the number of those it follows (core/rules.py); 0 is from before they had one.
    """

    epoch: int
    driven: bool
    rules: int = 0


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
    """No life for this many polls; at 0 it came back."""

    run_id: str
    polls: int


@dataclass(frozen=True, slots=True)
class AgentSpent:
    """All that the run has used so far. `counted`: the program does not limit its own turns."""

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
    """It has shown that it runs."""

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
    """The gate's run of that number."""

    gate_id: str
    number: int
    run: GateRun


@dataclass(frozen=True, slots=True)
class PlanEdited:
    sha256: str


@dataclass(frozen=True, slots=True)
class FilesObserved:
    """Files that are themselves the truth (a kanban board, an epic's body), for that look."""

    files: tuple[Seen, ...]
    look: int = 0
    runs: tuple[SeenRun, ...] = ()
    branches: tuple[SeenBranch, ...] = ()
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class FilesEdited:
    """What was asked for is in place; or nothing from `changed` on, which others changed."""

    number: int
    changed: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class BusHeard:
    """What came to whom we listen for after that message, and what they said themselves."""

    after: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class MessagesPosted:
    """All that was to be said is on the bus, with these numbers; or why it is not."""

    post: int
    numbers: tuple[int, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ErrandDone:
    number: int
    upshot: Upshot


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Something was due by now."""


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


# --- events: what was decided --------------------------------------------------------------


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
    stance: Stance
    why: str


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


@dataclass(frozen=True, slots=True)
class RunOpened:
    """A slot is taken. Stage CHECKING looks at the work of an interrupted run, or at a claim; or
    runs `checks` of its own in a directory, where there is no plan."""

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
    """`looked` says that the work of an interrupted run, or a claim, has been looked at."""

    run_id: str
    why: str = ""
    looked: bool = False


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
    unit: str
    sprint: str
    outcome: Outcome
    charged: bool = False
    newly_met: bool = False
    fingerprint: str = ""
    proof: Proof | None = None
    rest: str = ""
    declared_failure: str = ""


@dataclass(frozen=True, slots=True)
class FindingWaived:
    unit: str
    sprint: str
    waiver: Waiver


@dataclass(frozen=True, slots=True)
class TroubleMet:
    """Trouble that is nobody's fault: no attempt is charged; the sprint rests until a time.

    What is `expected`, as a usage limit is, does not count among the troubles of a sprint; one
    that is proven does not count among its orders either (`uncounted`, SM-10).
    """

    unit: str
    sprint: str
    why: str
    not_before_us: int
    expected: bool = False
    uncounted: bool = False


@dataclass(frozen=True, slots=True)
class LimitMet:
    """All units whose agents share this account wait; the others go on (DP-09)."""

    account: str
    why: str
    until_us: int


@dataclass(frozen=True, slots=True)
class AgentDown:
    """An agent program cannot be used until a person has seen to it."""

    agent: str
    why: str


@dataclass(frozen=True, slots=True)
class GroundKept:
    """The ground for the next sprint, good for this very moment only."""

    unit: str
    sprint: str
    ground: Ground


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    unit: str
    sprint: str
    why: str


@dataclass(frozen=True, slots=True)
class HoldLifted:
    unit: str
    sprint: str


@dataclass(frozen=True, slots=True)
class SprintReopened:
    """What a person said for the next try. `fresh` sets the failure counter back to zero."""

    unit: str
    sprint: str
    fresh: bool = False
    note: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class UnitIntegrated:
    """The work of its first so many sprints is on the mission's branch, which stands at `tip`."""

    unit: str
    sprints: int
    tip: str


@dataclass(frozen=True, slots=True)
class GateOpened:
    gate: Gate


@dataclass(frozen=True, slots=True)
class GateJudged:
    """`groups` are who is to blame; one that is not closed in the same step waits for a person."""

    gate_id: str
    verdict: GateVerdict
    why: str = ""
    groups: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class GateClosed:
    """`accepted` is why a person let it pass."""

    gate_id: str
    passed: bool
    accepted: str = ""


@dataclass(frozen=True, slots=True)
class GateDropped:
    """What it found holds no more: the work or the settings have changed since."""

    gate_id: str


@dataclass(frozen=True, slots=True)
class UnitHeld:
    """It may not begin, for this reason; with none, it may be tried again (GT-01)."""

    unit: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class SprintAdded:
    """A sprint of our own making comes before the unit's current one, or after it."""

    unit: str
    plan: SprintPlan
    after_current: bool = False


@dataclass(frozen=True, slots=True)
class NeedNoted:
    """A unit needs something of another, or says so again."""

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
    """A unit of our own making, after all others (RP-06)."""

    plan: UnitPlan


@dataclass(frozen=True, slots=True)
class ReconciliationEnded:
    """No further pass is made, although needs are open."""

    why: str


@dataclass(frozen=True, slots=True)
class PlanRevised:
    plan: Plan


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    settings: Settings


@dataclass(frozen=True, slots=True)
class Decided:
    """A line of the Decisions Log."""

    unit: str
    sprint: str
    decision: str
    rationale: str


@dataclass(frozen=True, slots=True)
class CommandRefused:
    why: str


@dataclass(frozen=True, slots=True)
class NoteTaken:
    """A policy's own memory, for what has no place in units and sprints."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class LookAsked:
    """These are to be looked at, as they are now."""

    glance: Glance


@dataclass(frozen=True, slots=True)
class EditsAsked:
    """These files are to be written, one after the other; the last is the commit point."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class ListenAsked:
    """Wake us when a message comes for `name` after that one."""

    name: str
    after: int


@dataclass(frozen=True, slots=True)
class PostAsked:
    """These are to be on the bus, each once, after the message of that number."""

    messages: tuple[Message, ...]
    after: int


@dataclass(frozen=True, slots=True)
class ErrandAsked:
    """Somebody is to go to a remote for it."""

    errand: Errand


@dataclass(frozen=True, slots=True)
class MissionEnded:
    """Of one without units: nobody else can tell whether it is done. `commands` are what a person
    may type, where it is not simply gone on with."""

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

Happening = Fact | Event


# --- questions: what the kernel asks a policy ----------------------------------------------


@dataclass(frozen=True, slots=True)
class WhatOfCommand:
    command: Command


@dataclass(frozen=True, slots=True)
class WhatOfGround:
    run_id: str
    ground: Ground


@dataclass(frozen=True, slots=True)
class WhatOfActivity:
    run_id: str


@dataclass(frozen=True, slots=True)
class WhatOfSilence:
    run_id: str
    polls: int


@dataclass(frozen=True, slots=True)
class WhatOfExit:
    run_id: str
    exit: AgentExit


@dataclass(frozen=True, slots=True)
class WhatOfWork:
    run_id: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class WhatOfIntegration:
    run_id: str
    found: Integration


@dataclass(frozen=True, slots=True)
class WhatOfGate:
    gate_id: str


@dataclass(frozen=True, slots=True)
class WhatOfFiles:
    files: tuple[Seen, ...]
    runs: tuple[SeenRun, ...] = ()
    branches: tuple[SeenBranch, ...] = ()
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class WhatOfEdits:
    changed: str
    trouble: str


@dataclass(frozen=True, slots=True)
class WhatOfBus:
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class WhatOfPosts:
    numbers: tuple[int, ...]
    trouble: str


@dataclass(frozen=True, slots=True)
class WhatOfBackground:
    """One that was kept has ended."""

    id: str
    exit: AgentExit


@dataclass(frozen=True, slots=True)
class WhatOfErrand:
    upshot: Upshot


@dataclass(frozen=True, slots=True)
class WhatNext:
    """Asked again and again until there is no answer: the coupled moves."""


Question = (
    WhatOfCommand
    | WhatOfGround
    | WhatOfActivity
    | WhatOfSilence
    | WhatOfExit
    | WhatOfWork
    | WhatOfIntegration
    | WhatOfGate
    | WhatOfFiles
    | WhatOfEdits
    | WhatOfBus
    | WhatOfPosts
    | WhatOfBackground
    | WhatOfErrand
    | WhatNext
)


# --- orders: what should be running now (`tree`: the unit that has clones of its own) ------


@dataclass(frozen=True, slots=True)
class SurveyGround:
    """What a `repair` is to bring about takes as long as a gate may."""

    id: str
    run_id: str
    directory: str
    entry: tuple[str, ...]
    exit: tuple[str, ...]
    tree: str = ""
    catch_up: bool = False
    where: Where = Where.PLACE
    sprint: str = ""
    repair: bool = False


@dataclass(frozen=True, slots=True)
class RunAgent:
    """With `launch` off an agent is followed if it lives, and revoked if it never began."""

    id: str
    unit: str
    sprint: str
    directory: str
    dispatch: Dispatch
    launch: bool = True
    tree: str = ""


@dataclass(frozen=True, slots=True)
class EndAgent:
    """`background` if it is a process that a sprint left running, and no agent."""

    id: str
    grace_s: float
    background: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """How it was before the sprint was given out for the first time, to be compared with."""

    base: str | None = None
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()


NOTHING_BEFORE = Before()


@dataclass(frozen=True, slots=True)
class ProgressFile:
    """Whose it is, and the directory that it lies in; `alone` if no other unit is there."""

    unit: str
    directory: str
    alone: bool = True


@dataclass(frozen=True, slots=True)
class CheckWork:
    """`asked` is the sprint's text, `not_ours` the directories of other units; `commit` is what to
    look at, if not at where the tree stands. `syntax` has the touched files read (GT-05); with
    `manifests_in` directories, what they call for to build and test everything is looked for; and
    in the files of `progress_of`, what units need of one another. Outside any plan, one that
    `listens` only hears what the agent answered, and one that is `bare` only runs its checks."""

    id: str
    run_id: str
    directory: str
    checks: tuple[str, ...]
    always: tuple[str, ...]
    base: str | None
    output_of: str
    ahead: Ahead | None = None
    program: AgentProgram | None = None
    resumed: Conversation | None = None
    ended: AgentExit | None = None
    tree: str = ""
    since_us: int = 0
    whole: bool = False
    where: Where = Where.PLACE
    before: Before = NOTHING_BEFORE
    asked: str = ""
    plan_file: str = ""
    not_ours: tuple[str, ...] = ()
    commit: str = ""
    sprint: str = ""
    syntax: bool = False
    manifests_in: tuple[str, ...] = ()
    repair: bool = False
    progress_of: tuple[ProgressFile, ...] = ()
    listens: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class PollCondition:
    id: str
    run_id: str
    poll: int
    directory: str
    checks: tuple[str, ...]
    tree: str = ""


@dataclass(frozen=True, slots=True)
class IntegrateWork:
    """Merge this commit of the unit's clone into the mission's branch; what HEAD is, if none."""

    id: str
    run_id: str
    tree: str
    directory: str
    commit: str
    told: str


@dataclass(frozen=True, slots=True)
class RunGate:
    """Build and test the base with the work of `units` on it, of all that the gate covers; without
    `commands`, by what the manifests call for. A `checkpoint` is judged instead, by its id."""

    id: str
    gate_id: str
    number: int
    covers: tuple[Covered, ...]
    units: tuple[str, ...]
    commands: tuple[str, ...]
    held: tuple[Held, ...]
    bases: tuple[Tip, ...]
    directories: tuple[str, ...]
    checkpoint: CheckpointPlan | None = None


@dataclass(frozen=True, slots=True)
class KeepBackground:
    """Started once and followed; never started again."""

    id: str
    argv: tuple[str, ...]
    cwd: str


@dataclass(frozen=True, slots=True)
class ReadFiles:
    id: str
    look: int
    glance: Glance


@dataclass(frozen=True, slots=True)
class EditFiles:
    """Done again after a crash, it finds what is in place already and goes on from there."""

    id: str
    number: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class HearBus:
    """Wait for a message to `name` after that one: it costs nothing until there is one."""

    id: str
    name: str
    after: int


@dataclass(frozen=True, slots=True)
class PostMessages:
    """Done again after a crash, it finds what is said already and says the rest."""

    id: str
    post: int
    messages: tuple[Message, ...]
    after: int


@dataclass(frozen=True, slots=True)
class RunErrand:
    """Done again after a crash, it finds what it had done already."""

    id: str
    number: int
    errand: Errand


Order = (
    SurveyGround
    | RunAgent
    | EndAgent
    | CheckWork
    | PollCondition
    | IntegrateWork
    | RunGate
    | KeepBackground
    | ReadFiles
    | EditFiles
    | HearBus
    | PostMessages
    | RunErrand
)
