"""The mission: the state of one run, with its units and sprints.

Everything here is frozen; `fold.apply` is the only way from one mission to the next. Classes whose
objects change with nearly every step have no slots, because `evolve` copies them faster that way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from topkick.checks.model import CheckResult, Counted, Finding, Ground, Outside
from topkick.engine.agents.budgets import NO_SPENDING, Spending
from topkick.engine.agents.program import NO_USAGE, Conversation, Tier, Usage
from topkick.engine.agents.runs import Background, Dispatch, Run
from topkick.engine.effects import Edit, Errand, Glance
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
from topkick.sprint.gates.model import Gate
from topkick.sprint.needs.model import CrossNeed
from topkick.sprint.transitions import SprintState, UnitState
from topkick.team.bus.model import Message

SPRINT = "sprint"
PIPELINE = "pipeline"
JUDGE = "checkpoint"


class Overall(StrEnum):
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    BLOCKED = "blocked"
    KILLED = "killed"
    COMPLETED = "completed"


class Proof(StrEnum):
    """The proof of a completed sprint. HELD means that some of its criteria were not run yet: its
    gate will run them (GT-02).
    """

    CHECKED = "checked"
    HELD = "held"
    UNCHECKED = "unchecked"
    ACCEPTED = "accepted"


class Verdict(StrEnum):
    SUCCESS = "SUCCESS"
    PARTIAL = "PARTIAL"
    FAILURE = "FAILURE"


@dataclass(frozen=True, slots=True)
class Waiver:
    """A person has seen a finding and lets it pass."""

    finding: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sprint that another supervisor says was done before this run; it is checked before it
    counts (ST-02).

    `said` is where and how it says so. With `taken`, a person's word is enough if no machine can
    check it.
    """

    unit: str
    sprint: str
    said: str
    commits: tuple[str, ...] = ()
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last verdict on a sprint, kept for the next order and for people.

    `but_for` is the proof that it would have without its findings; `heads` are the commits that
    were checked in all the unit's repositories, `head` the one in its own.
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
    outside: Outside | None = None
    heads: tuple[Tip, ...] = ()


@dataclass(frozen=True)
class Sprint:
    """A sprint and its counters. `returned` says that its findings went back to the agent once
    since its attempts were last reset: the next ones are shown to a person. `recheck` says that a
    gate has passed since it became FATAL in a shared tree: its checks must run once more.
    """

    plan: SprintPlan
    state: SprintState = SprintState.PENDING
    failures: int = 0
    failures_ever: int = 0
    dispatches: int = 0
    exempt_dispatches: int = 0
    idle_continuations: int = 0
    troubles: int = 0
    proof: Proof | None = None
    hold: SprintHold | None = None
    rest: SprintRest | None = None
    fatal: FatalCause | None = None
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
    returned: bool = False
    recheck: bool = False
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
        """Return the number of dispatches, without those that a proven usage limit
        ended (SM-10).
        """
        return self.dispatches - self.exempt_dispatches


def held_against(sprint: Sprint, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the findings that neither the plan permits nor a person waived (VF-03)."""
    waived = {w.finding for w in sprint.waivers}
    return tuple(f for f in findings if not f.permitted and f.id not in waived)


def open_findings(sprint: Sprint) -> tuple[Finding, ...]:
    """Return the findings of a sprint whose checks all pass, which are its only obstacle
    (VF-06).
    """
    outcome = sprint.outcome
    if outcome is None or outcome.but_for is None or outcome.verdict is not Verdict.PARTIAL:
        return ()
    return held_against(sprint, outcome.findings)


@dataclass(frozen=True)
class Unit:
    """A unit. `at` is the index of its current sprint, or len(sprints) when none is left.

    The work of its first `integrated` sprints is on the mission's branch, if there is one; that of
    its first `gated` sprints has passed a gate. `hold` says why it may not begin (GT-01), unless it
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
    hold: NotCleared | None = None
    cleared: bool = False

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def current(self) -> Sprint | None:
        return self.sprints[self.at] if self.at < len(self.sprints) else None


@dataclass(frozen=True, slots=True)
class Limit:
    """An account may not be used before this time."""

    until_us: int
    why: str


class Stance(StrEnum):
    """The user's last request for the whole mission."""

    IDLE = "idle"
    WORKING = "working"
    STOPPING = "stopping"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a mission without units; `commands` are what a person may type if one is asked."""

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
    blocker: Hold | None = None


DECISIONS_SHOWN = 200
GATES_KEPT = 100


@dataclass(frozen=True)
class Mission:
    """The state of one run.

    `gates` are open, `past_gates` the last that were closed; `gated_at` are the branches' commits
    when the last gate passed, `gate_detected` the commands that manifests last called for.
    `definitions` are the names that each unit says it defines; `reconciled` is why no further pass
    is made although needs are open (RP-06).

    If files are the truth, `looking` and `editing` are the files to read and to write now, and
    `errand` is the remote operation to run. If there is a bus, `listening` is for which member and
    after which message, and `posting` are the messages to post, after the one of `posting_after`.

    `program` identifies the source files that the last supervisor ran, `deaths` counts the
    supervisors of this run that died, and `died_at_us` is when the last of them did.
    """

    id: str = ""
    policy: str = SPRINT
    plan: Plan | None = None
    settings: Settings | None = None
    isolation: Isolation | None = None
    stance: Stance = Stance.IDLE
    stance_why: str = ""
    stance_budget: str = ""
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
    agents_down: Mapping[str, AgentUnusable] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    orders_given: Mapping[tuple[Tier, str], int] = field(default_factory=dict)
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
    program: str = ""
    program_changed_at_us: int = 0
    deaths: int = 0
    died_at_us: int = 0
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
