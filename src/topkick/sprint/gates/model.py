"""Gates: where the work of several units is built and tested together, and the results."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.git.isolation import Tip
from topkick.plan_format.model import CheckpointPlan


class GateMode(StrEnum):
    """The way gates pass: by their result alone, by a person as well, or not at all (off)."""

    AUTO = "auto"
    ASK = "ask"
    OFF = "off"


class GateKind(StrEnum):
    """A build gate tests what units did; a clearance tests whether a unit may begin (GT-01), and a
    checkpoint lets a judge decide that (CK-14).
    """

    BUILD = "build"
    CLEARANCE = "clearance"
    CHECKPOINT = "checkpoint"


class GateVerdict(StrEnum):
    PASSED = "passed"
    NOT_RUN = "not run"
    PRE_EXISTING = "pre-existing"
    FLAKY = "flaky"
    CULPRITS = "culprits"
    INTERACTION = "interaction"
    CANNOT_RUN = "cannot run"
    UNCLEAR = "unclear"
    WARNED = "warned"
    BLOCKED = "blocked"


NOBODY = ""
"""The name, among units, for commits that belong to no unit."""

REPAIR = "repair-"
"""The prefix of sprints that repair what a gate found."""

LETS_PASS = frozenset(
    {
        GateVerdict.PASSED,
        GateVerdict.NOT_RUN,
        GateVerdict.PRE_EXISTING,
        GateVerdict.FLAKY,
        GateVerdict.WARNED,
    }
)
"""Verdicts that hold no unit up. Only the first of them is shown as passed."""

UNPROVEN = frozenset({GateVerdict.NOT_RUN, GateVerdict.PRE_EXISTING})


@dataclass(frozen=True, slots=True)
class Covered:
    """The work that a gate covers: a unit's first `sprints` sprints.

    Its ungated work is in `directory`, between `base` and `head`.
    """

    unit: str
    sprints: int
    directory: str = "."
    base: str = ""
    head: str = ""
    handle: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """An exit criterion that was not run because several agents share a tree (GT-02).

    `words` are the plan's, if they say more than the command.
    """

    unit: str
    command: str
    words: str = ""

    @property
    def named(self) -> str:
        return self.words or f"`{self.command}`"


@dataclass(frozen=True, slots=True)
class GateRun:
    """One build and test of the base with the work of these units on top.

    `failing` are marks of the failures, stable from run to run; `suspects` are the units whose
    files the failures name, `unowned` are commits in it that no unit owns. With `trouble` nothing
    could be built.
    """

    units: tuple[str, ...]
    results: tuple[CheckResult, ...] = ()
    failing: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    tips: tuple[Tip, ...] = ()
    tree: str = ""
    trouble: str = ""
    detected: bool = False
    unowned: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gate:
    """A gate. `covers` is in the order in which the work was integrated. Without `commands`, those
    from the manifests are run.

    A gate with a verdict that is still open waits for a person. `groups` are the units to blame,
    each alone or together with others. A `checkpoint` is judged in this `round`.
    """

    id: str
    kind: GateKind = GateKind.BUILD
    phase: str = ""
    covers: tuple[Covered, ...] = ()
    commands: tuple[str, ...] = ()
    held: tuple[Held, ...] = ()
    bases: tuple[Tip, ...] = ()
    final: bool = False
    clears: str = ""
    opened_at_us: int = 0
    look: int = 0
    runs: tuple[GateRun, ...] = ()
    verdict: GateVerdict | None = None
    groups: tuple[tuple[str, ...], ...] = ()
    why: str = ""
    passed: bool = False
    accepted: str = ""
    closed_at_us: int = 0
    checkpoint: CheckpointPlan | None = None
    round: int = 1

    @property
    def task(self) -> str:
        """The id under which its checkpoint is judged in this round."""
        return self.checkpoint.in_round(self.round).id if self.checkpoint is not None else ""

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(c.unit for c in self.covers)

    @property
    def to_repair(self) -> tuple[str, ...]:
        """The units that must repair: of a group that only fails together, the one integrated
        last.
        """
        return tuple(group[-1] for group in self.groups)


def waits_at_the_end(gate: Gate) -> bool:
    """Return whether the last gate of a run proved nothing although there was something to run.

    It was red before the work as well, or ran no test. At any other gate units continue; at the
    last one a person accepts it, or fixes the cause and resumes. If no command is known, there is
    nothing to wait for.
    """
    ran = any(run.results for run in gate.runs)
    return gate.final and ran and gate.verdict in UNPROVEN


def is_red(result: CheckResult, held: frozenset[str] = frozenset()) -> bool:
    """Return whether the command ran and failed. A held criterion that ran no test is unmet; a gate
    command that ran no test proves nothing.
    """
    if result.outcome is CheckOutcome.RAN_NOTHING:
        return result.command in held
    return result.outcome in {CheckOutcome.FAILED, CheckOutcome.TIMED_OUT}
