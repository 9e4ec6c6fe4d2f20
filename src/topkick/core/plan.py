"""The plan that a person wrote, as it was understood."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.core.checkpoints import CheckpointPlan


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


class FoundIn(StrEnum):
    """Where the output of a failed check says what came instead of what was expected."""

    LAST_LINE = "last line"
    LINES = "lines"
    NONE = "none"
    ZERO = "zero"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a compiled check expects, in words, and where its output says what came instead."""

    said: str
    found_in: FoundIn = FoundIn.LAST_LINE


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that must hold. `command` is set for what the supervisor can run itself.

    `named` is the command that its words name, whether or not they say enough to run it; `builds`
    says that it builds or tests, which is for one at a time (GT-02). `expects` is set where the
    command was compiled from words that ask for more than an exit code of 0.
    """

    text: str
    kind: CriterionKind = CriterionKind.CHECKLIST
    command: str | None = None
    line: int = 0
    named: str = ""
    builds: bool = False
    expects: Expectation | None = None


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

    @property
    def lacks_check(self) -> bool:
        """Whether nothing could prove it done: no command, no person, no process that runs."""
        proven_otherwise = {SprintType.MANUAL, SprintType.BACKGROUND}
        return not self.checks and self.effective_type not in proven_otherwise


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
