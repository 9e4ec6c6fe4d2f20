"""What there is: the plan a person wrote, and the mission that carries it out.

Everything here is frozen; `fold` is the only place that makes a new mission from an old one.
What changes with nearly every step has no slots: `evolve` copies it faster so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from topkick.core.agents import (
    NO_USAGE,
    AgentExit,
    AgentProgram,
    AgentReport,
    Conversation,
    Tier,
    Usage,
)
from topkick.core.budgets import NO_BUDGETS, NO_SPENDING, Budgets, Spending
from topkick.core.codec import Text


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
    """How a completed sprint came to be completed."""

    CHECKED = "checked"
    UNCHECKED = "unchecked"
    ACCEPTED = "accepted"


# --- what a person wrote -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that must hold. `command` is set for what the supervisor can run itself.

    `named` is the command that its words name, whether or not they say enough to run it.
    """

    text: str
    kind: CriterionKind = CriterionKind.CHECKLIST
    command: str | None = None
    line: int = 0
    named: str = ""


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
    """`generated` ones are ours: no person planned them, and no edit of the plan removes them."""

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
    name: str
    directory: str = "."
    layer: int | None = None
    waits_for: tuple[str, ...] = ()
    sprints: tuple[SprintPlan, ...] = ()
    line: int = 0
    section: str = ""
    imports: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`files` are those that the plan mentions; an agent is told to read the ones that exist."""

    title: str
    sha256: str
    file: str = "EXECUTION_PLAN.md"
    feature_name: str = ""
    rules: str = ""
    template: str = ""
    units: tuple[UnitPlan, ...] = ()
    files: tuple[str, ...] = ()


# --- how it is to be carried out -----------------------------------------------------------


class Where(StrEnum):
    """Where checks are run: in a tree of ours at the commit that is judged, or where agents work.

    A cold tree is made anew, without what earlier checks left there.
    """

    COMMIT = "commit"
    COLD = "cold"
    PLACE = "place"


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

    @property
    def all_pass_env(self) -> tuple[str, ...]:
        """The variables that an agent or a check may see; their values are nobody else's."""
        others = self.other_agent.pass_env if self.other_agent is not None else ()
        return (*self.agent.pass_env, *others, *self.verify_pass_env)


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


# --- what the world showed -----------------------------------------------------------------


class CheckOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    RAN_NOTHING = "ran nothing"
    TIMED_OUT = "timed out"
    CANNOT_RUN = "cannot run"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests a command ran, as its output tells."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def ran(self) -> int:
        return self.passed + self.failed


@dataclass(frozen=True, slots=True)
class Counted:
    """What a command counted before the order was given."""

    command: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one command did when the supervisor ran it. `excerpt` is trimmed output."""

    command: str
    outcome: CheckOutcome
    code: int | None = None
    duration_ms: int = 0
    excerpt: str = ""
    counts: Counts | None = None

    @property
    def passed(self) -> bool:
        return self.outcome is CheckOutcome.PASSED


class FindingKind(StrEnum):
    """What speaks against a claim of success although the checks pass (VF-03)."""

    TEST_REMOVED = "test removed"
    TEST_SKIPPED = "test skipped"
    TEST_FOCUSED = "test focused"
    TEST_EMPTIED = "test emptied"
    TEST_REWRITTEN = "test rewritten"
    FEWER_TESTS = "fewer tests"
    CHECK_CHANGED = "check changed"
    TOOL_CHANGED = "tool changed"
    SETTING_LOOSENED = "setting loosened"
    COMPLAINT_SUPPRESSED = "complaint suppressed"
    STUB = "stub"
    KNOWS_IT_IS_TESTED = "knows it is tested"
    PLAN_CHANGED = "plan changed"
    HISTORY_REWRITTEN = "history rewritten"
    OTHER_BRANCH = "other branch"
    LEANS_OUTSIDE = "leans on the outside"
    BESIDE_THE_POINT = "beside the point"


@dataclass(frozen=True, slots=True)
class Finding:
    """`subject` is the test, the setting, the script; `seen` is what it looks like now.

    A person waives it by its id, which changes with what is seen: a waiver is for that and
    nothing else. `permitted` are the words of the plan that allow it.
    """

    kind: FindingKind
    what: str
    file: str = ""
    line: int = 0
    subject: str = ""
    seen: str = ""
    permitted: str = ""

    @property
    def id(self) -> str:
        parts = (self.kind, self.file, self.subject, self.seen)
        return "f" + sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:6]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the agent said of its own work. Words lower a verdict and never raise it."""

    status: str
    summary: str = ""
    remaining: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """The tree before an order: its commit and which checks pass already.

    `conflicts` are met where `tip`, the work of other units, had to be merged into it first.
    """

    head: str | None = None
    entry: tuple[CheckResult, ...] = ()
    passing: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    salvaged: str = ""
    conflicts: tuple[str, ...] = ()
    tip: str = ""
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()
    progress: str = ""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What to look at for the unit's next sprint, should this one's checks all pass."""

    entry: tuple[str, ...]
    exit: tuple[str, ...]
    where: Where = Where.PLACE
    sprint: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tree after an order, as the supervisor found it.

    `ahead` is the ground for the unit's next sprint, looked at while we were there; `elsewhere`
    are files of the user's own checkout that were changed meanwhile, by whomever. `tree` is the
    hash of what was checked, `progress` what the unit's progress file says of it, `earlier` what
    the tests said as they were before the order; of `unread` files only the lines were compared.
    """

    results: tuple[CheckResult, ...] = ()
    always: tuple[CheckResult, ...] = ()
    head: str | None = None
    commits: tuple[str, ...] = ()
    substance: bool = False
    uncommitted: tuple[str, ...] = ()
    claim: Claim | None = None
    answer: Text | None = None
    ahead: Ground | None = None
    report: AgentReport | None = None
    salvaged: str = ""
    elsewhere: tuple[str, ...] = ()
    where: Where = Where.PLACE
    tree: str = ""
    findings: tuple[Finding, ...] = ()
    earlier: tuple[CheckResult, ...] = ()
    unread: tuple[str, ...] = ()
    progress: str = ""

    @property
    def passing(self) -> tuple[str, ...]:
        return tuple(r.command for r in self.results if r.passed)


@dataclass(frozen=True, slots=True)
class Integration:
    """What became of merging a unit's work into the mission's branch, which stands at `tip`."""

    tip: str = ""
    conflicts: tuple[str, ...] = ()
    trouble: str = ""


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
    """Everything recorded of an order when it is given (DP-05)."""

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


@dataclass(frozen=True, slots=True)
class Waiver:
    """A person has seen a finding and lets it pass."""

    finding: str
    why: str
    by: str = ""


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
    committed: bool = False
    outcome: Outcome | None = None
    fingerprints: tuple[str, ...] = ()
    interrupted: Dispatch | None = None
    interrupted_run: str = ""
    interrupted_usage: Usage = NO_USAGE
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

    The work of its first `integrated` sprints is on the mission's branch, where there is one.
    """

    handle: str
    plan: UnitPlan
    state: UnitState = UnitState.NOT_STARTED
    sprints: tuple[Sprint, ...] = ()
    at: int = 0
    moved_at_us: int = 0
    integrated: int = 0

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
class Decision:
    at_us: int
    unit: str
    sprint: str
    decision: str
    rationale: str


DECISIONS_SHOWN = 200


@dataclass(frozen=True)
class Mission:
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
    agents_down: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    spent: Spending = NO_SPENDING
    spent_today: Spending = NO_SPENDING
    day: int = 0
    woke_at_us: int = 0
    notebook: Mapping[str, str] = field(default_factory=dict)
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
