"""The records that the account keeps of a run; each one has the number of the journal record that
it comes from.
"""

from dataclasses import dataclass, field

from topkick.checks.model import CheckOutcome, CheckResult, Counts, Finding, Where
from topkick.engine.agents.program import NO_USAGE, Ending, Tier, Usage
from topkick.engine.agents.runs import CancelWhy
from topkick.plan_format.model import Plan, SprintPlan, SprintRef
from topkick.sprint.check_wording import how_it_ended
from topkick.sprint.dispatch.traits import Traits, dependents_of, traits_of
from topkick.sprint.gates.model import Gate, GateVerdict
from topkick.sprint.model import Verdict, Waiver
from topkick.sprint.transitions import SprintCause
from topkick.text.intervals import Span


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of one command; its output stays in the journal.

    `criterion` is the plan's wording, `said` how the command ended if it did not pass.
    """

    command: str
    outcome: CheckOutcome
    code: int | None
    counts: Counts | None
    criterion: str = ""
    said: str = ""

    @classmethod
    def of(cls, result: CheckResult) -> "Ran":
        said = how_it_ended(result) if result.criterion and not result.passed else ""
        return cls(
            result.command, result.outcome, result.code, result.counts, result.criterion, said
        )

    @property
    def passed(self) -> bool:
        return self.outcome is CheckOutcome.PASSED


@dataclass(frozen=True, slots=True)
class RecordedLook:
    """The commands that were run to judge a sprint, and where."""

    seq: int
    results: tuple[Ran, ...]
    always: tuple[Ran, ...]
    where: Where
    has_git: bool

    @property
    def passing(self) -> tuple[str, ...]:
        return tuple(r.command for r in self.results if r.passed)


@dataclass(slots=True)
class Attempt:
    """One order and its result. `number` counts the orders of its sprint from 1.

    `checks` are the times in which its work was checked. A person's later decision does not change
    its verdict.
    """

    run_id: str
    unit: str
    sprint: str
    number: int
    attempt: int
    agent: str
    model: str
    tier: Tier
    score: int | None
    max_turns: int
    passing: tuple[str, ...]
    held: tuple[str, ...]
    at_us: int
    seq: int
    exited_at_us: int = 0
    exited_seq: int = 0
    ending: Ending | None = None
    busy_us: int = 0
    checks: list[Span] = field(default_factory=list)
    looked_since_us: int = 0
    look: RecordedLook | None = None
    judged_at_us: int = 0
    judged_seq: int = 0
    verdict: Verdict | None = None
    charged: bool = False
    reasons: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    commits: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    cancel: CancelWhy | None = None
    trouble: str = ""

    @property
    def is_out(self) -> bool:
        return not self.exited_at_us

    @property
    def newly_met(self) -> tuple[str, ...]:
        """Return the criteria that hold after the order and did not before."""
        if self.look is None:
            return ()
        return tuple(dict.fromkeys(c for c in self.look.passing if c not in self.passing))


@dataclass(frozen=True, slots=True)
class PersonRemark:
    """A person's command, and what it was about: a sprint, a gate or the whole run."""

    seq: int
    at_us: int
    by: str
    verb: str
    unit: str = ""
    sprint: str = ""
    gate: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Waived:
    seq: int
    at_us: int
    waiver: Waiver
    what: str


@dataclass(frozen=True, slots=True)
class Fatal:
    seq: int
    at_us: int
    why: str


@dataclass(slots=True)
class SprintLedger:
    """Everything that is kept of one sprint. `waits` are the times in which it waited for a
    condition.
    """

    unit: str
    sprint: str
    attempts: list[Attempt] = field(default_factory=list)
    began_at_us: int = 0
    began_seq: int = 0
    completed_at_us: int = 0
    completed_seq: int = 0
    cause: SprintCause | None = None
    look: RecordedLook | None = None
    fatals: list[Fatal] = field(default_factory=list)
    waived: list[Waived] = field(default_factory=list)
    words: list[PersonRemark] = field(default_factory=list)
    findings: tuple[Finding, ...] = ()
    added_seq: int = 0
    waits: list[Span] = field(default_factory=list)
    waits_since_us: int = 0


@dataclass(slots=True)
class GateLedger:
    """A gate from its opening to its end; `built_ms` is the time of its commands in all runs."""

    gate: Gate
    opened_at_us: int
    opened_seq: int
    runs: int = 0
    built_ms: int = 0
    verdict: GateVerdict | None = None
    why: str = ""
    groups: tuple[tuple[str, ...], ...] = ()
    judged_seq: int = 0
    closed_at_us: int = 0
    closed_seq: int = 0
    passed: bool = False
    accepted: str = ""
    by: str = ""
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class RecordedMerge:
    seq: int
    at_us: int
    unit: str
    sprints: int
    tip: str


@dataclass(frozen=True, slots=True)
class Added:
    """A sprint that topkick generated: a repair of what a gate found, or a merge."""

    seq: int
    at_us: int
    unit: str
    plan: SprintPlan


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which no supervisor drove the run: the run was stopped, or no
    supervisor was alive.
    """

    span: Span
    after_seq: int
    until_seq: int
    stopped: bool


# --- expected turns ----------------------------------------------------------------------------
#
# The estimate is R + 2C + 2M + B + ceil(L / 75) + V + 5: files to read, to create and to modify,
# builds, lines to write, criteria to verify, and 5 turns that every sprint takes. A sprint that
# states its own estimate overrides it.


def traits_in(plan: Plan, unit: str, sprint: SprintPlan) -> Traits:
    """Return the traits of a sprint; no other sprint waits for a generated sprint."""
    return traits_of(plan, sprint, dependents_of(plan).get(SprintRef(unit, sprint.id), 0))


def estimated_turns(plan: Plan, unit: str, sprint: SprintPlan) -> int:
    return traits_in(plan, unit, sprint).turns
