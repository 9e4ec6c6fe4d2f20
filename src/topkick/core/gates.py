"""Gates: where the work of several units is built and tested together, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.core.checkpoints import CheckpointPlan
from topkick.core.evidence import CheckOutcome, CheckResult
from topkick.core.isolation import Tip


class GateMode(StrEnum):
    """Whether gates are passed by what they show alone, by a person as well, or not held at all."""

    AUTO = "auto"
    ASK = "ask"
    OFF = "off"


class GateKind(StrEnum):
    """A build gate is about what units did; a clearance about whether another may begin (GT-01),
    and so is a checkpoint, by what a judge says of the work (CK-14)."""

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
"""Stands among units for commits that are no unit's."""

REPAIR = "repair-"
"""How the names of sprints begin that mend what a gate found."""

LETS_PASS = frozenset(
    {
        GateVerdict.PASSED,
        GateVerdict.NOT_RUN,
        GateVerdict.PRE_EXISTING,
        GateVerdict.FLAKY,
        GateVerdict.WARNED,
    }
)
"""What holds nobody up. Only the first of them is shown as passed."""

UNPROVEN = frozenset({GateVerdict.NOT_RUN, GateVerdict.PRE_EXISTING})


@dataclass(frozen=True, slots=True)
class Covered:
    """What a gate is about: the work of a unit's first so many sprints.

    Its ungated work lies in `directory`, between `base` and `head`.
    """

    unit: str
    sprints: int
    directory: str = "."
    base: str = ""
    head: str = ""
    handle: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """An exit criterion that was not run where several agents share a tree (GT-02).

    `words` are the plan's, where they say more than the command.
    """

    unit: str
    command: str
    words: str = ""

    @property
    def named(self) -> str:
        return self.words or f"`{self.command}`"


@dataclass(frozen=True, slots=True)
class GateRun:
    """One build and test of the base with the work of these units on it.

    `failing` are marks of what failed, the same from run to run; `suspects` are the units whose
    files the failures name, `unowned` commits that are in it and no unit's. With `trouble` there
    was nothing that could be built.
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
    """`covers` is in the order in which the work came together. Without `commands`, those that
    the manifests call for are run. One with a verdict that is still open waits for a person.

    `groups` are who is to blame, each alone or together with others. A `checkpoint` is judged in
    this `round`.
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
        """The id that its checkpoint is judged by in this round."""
        return self.checkpoint.in_round(self.round).id if self.checkpoint is not None else ""

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(c.unit for c in self.covers)

    @property
    def to_repair(self) -> tuple[str, ...]:
        """Of several that only fail together, the one whose work came last."""
        return tuple(group[-1] for group in self.groups)


def waits_at_the_end(gate: Gate) -> bool:
    """Whether the last gate of a run proved nothing although there was something to run: it was
    red before the work as well, or ran no test. Units go on at any other gate; at the last one a
    person accepts it, or mends what it lacks and resumes. With no command known there is nothing
    to wait for."""
    ran = any(run.results for run in gate.runs)
    return gate.final and ran and gate.verdict in UNPROVEN


def is_red(result: CheckResult, held: frozenset[str] = frozenset()) -> bool:
    """It ran and failed. A criterion that ran no test is unmet; a gate that did proves nothing."""
    if result.outcome is CheckOutcome.RAN_NOTHING:
        return result.command in held
    return result.outcome in {CheckOutcome.FAILED, CheckOutcome.TIMED_OUT}
