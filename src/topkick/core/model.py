"""What there is: the plan a person wrote, and the mission that carries it out.

Everything here is frozen; `fold` is the only place that makes a new mission from an old one.
What changes with nearly every step has no slots: `evolve` copies it faster so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from topkick.core.agents import (
    NO_USAGE,
    AgentExit,
    AgentProgram,
    Conversation,
    Tier,
    Usage,
)
from topkick.core.budgets import NO_BUDGETS, NO_SPENDING, Budgets, Spending
from topkick.core.bus import Message
from topkick.core.checkpoints import CheckpointPlan
from topkick.core.codec import Text
from topkick.core.cross_needs import CrossNeed
from topkick.core.epics import EpicSettings
from topkick.core.errands import Errand
from topkick.core.evidence import CheckResult, Counted, Finding, Ground, Where
from topkick.core.files import Edit, Glance
from topkick.core.gates import Gate, GateMode, Tip
from topkick.core.judges import JudgeSettings
from topkick.core.teams import PipelineSettings


class UnitState(StrEnum):
    NOT_STARTED = "NOT_STARTED"
    RUNNING = "RUNNING"
    STOPPING = "STOPPING"
    STOPPED = "STOPPED"
    BLOCKED = "BLOCKED"
    KILLED = "KILLED"
    COMPLETED = "COMPLETED"


class SprintState(StrEnum):
    PENDING = "PENDING"
    DISPATCHED = "DISPATCHED"
    RUNNING = "RUNNING"
    PARTIAL = "PARTIAL"
    BACKOFF = "BACKOFF"
    FATAL = "FATAL"
    COMPLETED = "COMPLETED"


class Overall(StrEnum):
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    BLOCKED = "blocked"
    KILLED = "killed"
    COMPLETED = "completed"


class SprintType(StrEnum):
    CODE = "code"
    COMMAND = "command"
    BACKGROUND = "background"
    DEFERRED = "deferred"
    MANUAL = "manual"


class CriterionKind(StrEnum):
    COMMAND = "command"
    ASSERTION = "assertion"
    JUDGMENT = "judgment"
    CHECKLIST = "checklist"
    MANUAL = "manual"


class Proof(StrEnum):
    """How a completed sprint came to be completed; HELD if by less than its criteria, the rest of
    which its gate will check (GT-02)."""

    CHECKED = "checked"
    HELD = "held"
    UNCHECKED = "unchecked"
    ACCEPTED = "accepted"


# --- what a person wrote -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that must hold. `command` is set for what the supervisor can run itself.

    `named` is the command that its words name, whether or not they say enough to run it; `builds`
    says that it builds or tests, which is for one at a time (GT-02).
    """

    text: str
    kind: CriterionKind = CriterionKind.CHECKLIST
    command: str | None = None
    line: int = 0
    named: str = ""
    builds: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredFailure:
    """What a plan declares as the failure of a deferred condition."""

    exit_code: int | None = None
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class SprintRef:
    """A sprint of another unit that has to be completed first (GT-08)."""

    unit: str
    sprint: str


@dataclass(frozen=True, slots=True)
class SprintPlan:
    """`generated` ones are ours: no person planned them, and no edit of the plan removes them.

    One that is `dependencies_only` makes ready what the others build with (GT-07). A `repair`
    begins on what all units have done, to mend what a gate found; where that fails for more
    reasons than this unit's, only the next gate can tell whether it is mended: `judged_at_gate`.
    What `reconciles` units may be done in other repositories than its own: met criteria show it.
    """

    id: str
    name: str
    type: SprintType = SprintType.CODE
    text: str = ""
    entry: tuple[Criterion, ...] = ()
    exit: tuple[Criterion, ...] = ()
    tasks: tuple[str, ...] = ()
    fails_if: DeclaredFailure | None = None
    line: int = 0
    waits_for: tuple[SprintRef, ...] = ()
    generated: bool = False
    dependencies_only: bool = False
    repair: bool = False
    judged_at_gate: bool = False
    reconciles: bool = False

    @property
    def merges(self) -> bool:
        """It resolves a conflict with the work of other units."""
        return self.generated and not self.repair

    @property
    def checks(self) -> tuple[Criterion, ...]:
        """The exit criteria that a machine can check."""
        return tuple(c for c in self.exit if c.command is not None)

    @property
    def effective_type(self) -> SprintType:
        """A deferred sprint without a condition to run is one for a person (ER-02)."""
        if self.type is SprintType.DEFERRED and not self.checks:
            return SprintType.MANUAL
        return self.type


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """`verify` are commands that must pass before anybody builds on it (GT-01); `phase` is what
    the plan calls the units that are built together, where it does not number layers. One that
    `reconciles` needs, by their numbers, is ours: no person planned it (RP-06); nor one that
    `revises` what a checkpoint of that id was about (CK-14)."""

    name: str
    directory: str = "."
    layer: int | None = None
    waits_for: tuple[str, ...] = ()
    sprints: tuple[SprintPlan, ...] = ()
    line: int = 0
    section: str = ""
    imports: str = ""
    verify: tuple[str, ...] = ()
    phase: str = ""
    reconciles: tuple[int, ...] = ()
    revises: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`files` are those that the plan mentions; an agent is told to read the ones that exist.

    `gate` are the commands that build and test everything together (GT-02), `checkpoints` stand
    between its layers (CK-14).
    """

    title: str
    sha256: str
    file: str = "EXECUTION_PLAN.md"
    feature_name: str = ""
    rules: str = ""
    template: str = ""
    units: tuple[UnitPlan, ...] = ()
    files: tuple[str, ...] = ()
    gate: tuple[str, ...] = ()
    checkpoints: tuple[CheckpointPlan, ...] = ()


# --- how it is to be carried out -----------------------------------------------------------


class OnLimit(StrEnum):
    """What to do when an account's usage limit is reached (DP-09)."""

    WAIT = "wait"
    WAIT_UNTIL = "wait-until"
    ASK = "ask"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class TreeSetup:
    """What a unit's own tree needs beside what is committed: commands, and the user's files."""

    setup: tuple[str, ...] = ()
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()


NO_SETUP = TreeSetup()


@dataclass(frozen=True, slots=True)
class Role:
    """Who plays a part outside any plan; `prompt` is a person's own text for it."""

    name: str
    agent: AgentProgram
    tier: Tier = Tier.SONNET
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """`limit_ends_at_minute` is a minute of the day in UTC, for `wait-until`.

    `other_agent` is the one to switch to, and after a switch the one that was left.
    """

    agent: AgentProgram
    max_agents: int = 4
    max_retries: int = 3
    max_continuations: int = 3
    max_dispatches: int = 12
    max_turns: int = 50
    first_tier: Tier | None = None
    sprint_timeout_s: float = 3600.0
    check_timeout_s: float = 600.0
    stop_patience_s: float = 1800.0
    stop_grace_s: float = 10.0
    kill_grace_s: float = 3.0
    stall_poll_s: float = 60.0
    deferred_poll_s: float = 60.0
    verify_always: tuple[str, ...] = ()
    verify_pass_env: tuple[str, ...] = ()
    accept_unchecked: bool = False
    only: tuple[str, ...] = ()
    on_event: tuple[str, ...] = ()
    budgets: Budgets = NO_BUDGETS
    on_limit: OnLimit = OnLimit.WAIT
    limit_ends_at_minute: int | None = None
    other_agent: AgentProgram | None = None
    tree: TreeSetup = NO_SETUP
    verify_at: Where = Where.COMMIT
    verify_prepare: tuple[str, ...] | None = None
    reconcile: bool = True
    gate: GateMode = GateMode.OFF
    gate_commands: tuple[str, ...] = ()
    gate_timeout_s: float = 3600.0
    builds: int = 1
    build_max_pressure: float = 20.0
    build_min_free_mb: int = 1024
    roles: tuple[Role, ...] = ()
    epic: EpicSettings | None = None
    judge: JudgeSettings | None = None
    pipeline: PipelineSettings | None = None

    @property
    def all_pass_env(self) -> tuple[str, ...]:
        """The variables that an agent or a check may see; their values are nobody else's."""
        others = self.other_agent.pass_env if self.other_agent is not None else ()
        of_roles = tuple(name for role in self.roles for name in role.agent.pass_env)
        workers = self.epic.workers if self.epic is not None else ()
        of_workers = tuple(name for worker in workers for name in worker.agent.pass_env)
        own = (*self.agent.pass_env, *others, *of_roles, *of_workers)
        return (*own, *self.verify_pass_env)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of the user's; `path` is from the place that all of a run lie below."""

    path: str
    base: str


@dataclass(frozen=True, slots=True)
class Isolation:
    """Each unit works in clones of its own below `place`; their work meets on `branch` (GT-06).

    `home` is the project's root, from the place that all repositories lie below.
    """

    branch: str
    place: str
    home: str
    repositories: tuple[Repository, ...]


BRANCHES = "topkick/"
MISSION_IN_CLONE = f"{BRANCHES}integrated"
"""What the mission's branch is called inside a unit's clone."""


# --- the mission ---------------------------------------------------------------------------


class Verdict(StrEnum):
    SUCCESS = "SUCCESS"
    PARTIAL = "PARTIAL"
    FAILURE = "FAILURE"


class Stage(StrEnum):
    """How far an order has come."""

    SURVEYING = "surveying"
    WORKING = "working"
    CHECKING = "checking"
    WAITING = "waiting"
    INTEGRATING = "integrating"


WITHOUT_AGENT = (Stage.WAITING, Stage.INTEGRATING)
"""What takes no agent's place."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Everything recorded of an order when it is given (DP-05).

    `held` are criteria that wait for the gate, for others work in the same tree; `alone` says that
    nobody may begin to while this one does (GT-04). Where `max_turns` is 0, the settings' hold.
    """

    agent: str
    model: str
    tier: Tier
    attempt: int
    prompt: Text
    base: str | None = None
    passing: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    at_us: int = 0
    resumes: Conversation | None = None
    score: int | None = None
    cost_left_microusd: int | None = None
    program: AgentProgram | None = None
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    alone: bool = False
    max_turns: int = 0


class CancelWhy(StrEnum):
    STOP_FORCED = "stop was forced"
    KILLALL = "killall"
    UNRESPONSIVE = "no sign of life"
    TURN_LIMIT = "the limit of turns was reached"
    BUDGET_SPENT = "its budget is spent"


JUDGED = (CancelWhy.UNRESPONSIVE, CancelWhy.TURN_LIMIT, CancelWhy.BUDGET_SPENT)
"""An agent that is ended for its own sake has its work judged; for others' sake, not."""


@dataclass(frozen=True, slots=True)
class Cancellation:
    why: CancelWhy
    grace_s: float


@dataclass(frozen=True)
class Run:
    """One order and what has become of it. Its id is the dispatch id: one process, ever."""

    id: str
    unit: str
    sprint: str
    stage: Stage
    look: int = 0
    dispatch: Dispatch | None = None
    exit: AgentExit | None = None
    cancel: Cancellation | None = None
    quiet_polls: int = 0
    active: bool = False
    opened_at_us: int = 0
    polls: int = 0
    next_poll_at_us: int = 0
    usage: Usage = NO_USAGE
    counted: bool = False
    conversation: str = ""
    checks: tuple[str, ...] = ()
    directory: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A person has seen a finding and lets it pass."""

    finding: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sprint that others say was done before this run: looked at before it is believed (ST-02).

    `said` is where and in which words; `taken` on a person's word where no machine can check it.
    """

    unit: str
    sprint: str
    said: str
    commits: tuple[str, ...] = ()
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last verdict on a sprint, kept for the next order and for people.

    `but_for` is how it would be proven, were it not for its findings.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    failing: tuple[CheckResult, ...] = ()
    uncommitted: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    run_id: str = ""
    head: str = ""
    findings: tuple[Finding, ...] = ()
    but_for: Proof | None = None


@dataclass(frozen=True)
class Sprint:
    plan: SprintPlan
    state: SprintState = SprintState.PENDING
    failures: int = 0
    failures_ever: int = 0
    dispatches: int = 0
    exempt_dispatches: int = 0
    idle_continuations: int = 0
    troubles: int = 0
    proof: Proof | None = None
    hold: str = ""
    rest: str = ""
    fatal_why: str = ""
    not_before_us: int = 0
    tier: Tier | None = None
    model: str = ""
    score: int | None = None
    note: str = ""
    asked_model: str = ""
    ground: Ground | None = None
    ground_at_us: int = 0
    passing_at_first: tuple[str, ...] = ()
    uncommitted_at_first: tuple[str, ...] = ()
    base_at_first: str | None = None
    counts_at_first: tuple[Counted, ...] = ()
    branch_at_first: str = ""
    tools_at_first: tuple[str, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    held: tuple[str, ...] = ()
    committed: bool = False
    outcome: Outcome | None = None
    fingerprints: tuple[str, ...] = ()
    interrupted: Dispatch | None = None
    interrupted_run: str = ""
    interrupted_usage: Usage = NO_USAGE
    claim: Claimed | None = None
    spent: Spending = NO_SPENDING
    conversation: Conversation | None = None
    conversation_with: str = ""
    first_dispatched_at_us: int = 0
    completed_at_us: int = 0

    @property
    def id(self) -> str:
        return self.plan.id

    @property
    def counted_dispatches(self) -> int:
        """Without those that a proven usage limit ended (SM-10)."""
        return self.dispatches - self.exempt_dispatches


@dataclass(frozen=True)
class Unit:
    """`at` is the index of its current sprint; len(sprints) when there is none left.

    The work of its first `integrated` sprints is on the mission's branch, where there is one; that
    of its first `gated` ones has passed a gate. `hold` says why it may not begin (GT-01), unless it
    is `cleared`.
    """

    handle: str
    plan: UnitPlan
    state: UnitState = UnitState.NOT_STARTED
    sprints: tuple[Sprint, ...] = ()
    at: int = 0
    moved_at_us: int = 0
    integrated: int = 0
    integrated_at_us: int = 0
    gated: int = 0
    hold: str = ""
    cleared: bool = False

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def current(self) -> Sprint | None:
        return self.sprints[self.at] if self.at < len(self.sprints) else None


@dataclass(frozen=True, slots=True)
class Background:
    """A process that a sprint left running on purpose, under a keeper of its own (ER-03)."""

    id: str
    unit: str
    sprint: str
    name: str
    argv: tuple[str, ...]
    cwd: str
    running: bool = False
    end_within_s: float | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """An account may not be used before this moment."""

    until_us: int
    why: str


class Stance(StrEnum):
    """What the user wants of the whole mission."""

    IDLE = "idle"
    WORKING = "working"
    STOPPING = "stopping"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a mission without units came to its end; where a person is asked, what may be typed."""

    done: bool
    why: str
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    at_us: int
    unit: str
    sprint: str
    decision: str
    rationale: str


DECISIONS_SHOWN = 200
GATES_KEPT = 100


@dataclass(frozen=True)
class Mission:
    """`gates` are open, `past_gates` the last that were closed; `gated_at` is where the branches
    stood when the last one was passed, `gate_detected` what manifests last called for.

    `definitions` are the names that each unit says it defines; `reconciled` is why no further
    pass is made although units' needs are open (RP-06). Where files are the truth, `looking` and
    `editing` are what is to be read and written now, and `errand` what is to be done at a remote;
    where there is a bus, `listening` is for whom and after which message, and `posting` what is to
    be said on it, after that of `posting_after`.
    """

    id: str = ""
    policy: str = "sprint"
    plan: Plan | None = None
    settings: Settings | None = None
    isolation: Isolation | None = None
    stance: Stance = Stance.IDLE
    stance_why: str = ""
    stance_at_us: int = 0
    driven: bool = False
    units: Mapping[str, Unit] = field(default_factory=dict)
    runs: Mapping[str, Run] = field(default_factory=dict)
    runs_opened: int = 0
    backgrounds: Mapping[str, Background] = field(default_factory=dict)
    gates: Mapping[str, Gate] = field(default_factory=dict)
    past_gates: tuple[Gate, ...] = ()
    gates_opened: int = 0
    gated_at: tuple[Tip, ...] = ()
    gate_detected: tuple[str, ...] = ()
    cross_needs: tuple[CrossNeed, ...] = ()
    definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reconciled: str = ""
    agents_down: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    spent: Spending = NO_SPENDING
    spent_today: Spending = NO_SPENDING
    day: int = 0
    woke_at_us: int = 0
    notebook: Mapping[str, str] = field(default_factory=dict)
    looking: Glance | None = None
    looks: int = 0
    editing: tuple[Edit, ...] = ()
    edits_asked: int = 0
    listening: tuple[str, int] | None = None
    posting: tuple[Message, ...] = ()
    posting_after: int = 0
    posts_asked: int = 0
    errand: Errand | None = None
    errands_asked: int = 0
    ended: Ended | None = None
    decisions: tuple[Decision, ...] = ()
    began_at_us: int = 0
    last_end_at_us: int = 0
    plan_edited: str = ""
    at_us: int = 0

    def unit(self, name: str) -> Unit:
        return self.units[name]

    def sprint(self, unit: str, sprint: str) -> Sprint:
        found = self.units[unit]
        if found.current is not None and found.current.plan.id == sprint:
            return found.current
        return next(s for s in found.sprints if s.plan.id == sprint)

    def run_of(self, unit: str) -> Run | None:
        return next((r for r in self.runs.values() if r.unit == unit), None)
