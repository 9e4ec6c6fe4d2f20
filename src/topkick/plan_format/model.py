"""The plan that a person wrote, as topkick understood it: units, sprints, criteria, checkpoints."""

import shlex
from dataclasses import dataclass, replace
from enum import StrEnum

CHECKPOINT_SESSION = ".workflow/team"
ROLE_SPEC = "builtin"
CHECKPOINT_OVERRIDES = "wisdom/decisions.md"
"""The file below the session directory that records that a person let a checkpoint pass."""


@dataclass(frozen=True, slots=True)
class CheckpointPlan:
    """A checkpoint: judged when the units of `after` are done; the units it `holds` wait for it.

    `place` is the plan's name for what comes before it; `session` and `role_spec` are paths from
    the project's root, and `scope` are the tasks whose artifacts are judged.
    """

    id: str
    place: str
    after: tuple[str, ...]
    holds: tuple[str, ...]
    scope: tuple[str, ...]
    session: str = CHECKPOINT_SESSION
    role_spec: str = ROLE_SPEC
    line: int = 0

    @property
    def command(self) -> str:
        return shlex.join(("topkick", *self.words))

    @property
    def words(self) -> tuple[str, ...]:
        scope = ",".join(self.scope)
        judged = ("checkpoint", "judge", self.session, self.id, "--scope", scope)
        return (*judged, "--role-spec", self.role_spec)

    def in_round(self, number: int) -> "CheckpointPlan":
        """Return the plan for another round, with an id of its own: an id is judged once."""
        return self if number == 1 else replace(self, id=f"{self.id}-R{number}")


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
    """The part of a failed check's output that says what came instead of what was expected."""

    LAST_LINE = "last line"
    LINES = "lines"
    NONE = "none"
    ZERO = "zero"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expectation of a compiled check, in words, and where its output says what came
    instead.
    """

    said: str
    found_in: FoundIn = FoundIn.LAST_LINE


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition that must hold. `command` is set if the supervisor can check it.

    `named` is the command that the text names, whether or not it says enough to run it; `builds`
    says that it builds or tests, which only one agent may do at a time (GT-02). `expects` is set if
    the command was compiled from words that ask for more than exit code 0.
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
    """The result that a plan declares as the failure of a deferred condition."""

    exit_code: int | None = None
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class SprintRef:
    """A sprint of another unit that must be completed first (GT-08)."""

    unit: str
    sprint: str


@dataclass(frozen=True, slots=True)
class SprintPlan:
    """One sprint. A `generated` one is topkick's: no edit of the plan removes it.

    A `dependencies_only` sprint prepares what the others build with (GT-07). A `repair` starts from
    the work of all units, to repair what a gate found; if that fails for more reasons than this
    unit's, only the next gate can tell whether it is repaired: `judged_at_gate`. A sprint that
    `reconciles` units may work in other repositories than its own; its criteria show whether it is
    done.
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
        """True if the sprint resolves a conflict with the work of other units."""
        return self.generated and not self.repair

    @property
    def checks(self) -> tuple[Criterion, ...]:
        """The exit criteria that a machine can check."""
        return tuple(c for c in self.exit if c.command is not None)

    @property
    def effective_type(self) -> SprintType:
        """The type; a deferred sprint without a condition to run is manual (ER-02)."""
        if self.type is SprintType.DEFERRED and not self.checks:
            return SprintType.MANUAL
        return self.type

    @property
    def lacks_check(self) -> bool:
        """True if nothing could prove the sprint done: no command, no person, no running
        process.
        """
        proven_otherwise = {SprintType.MANUAL, SprintType.BACKGROUND}
        return not self.checks and self.effective_type not in proven_otherwise


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """One unit. `verify` are commands that must pass before another unit builds on it (GT-01).

    `phase` is the plan's name for units that are built together, if it does not number layers. A
    unit that `reconciles` needs (by their numbers, RP-06), or `revises` what a checkpoint of that
    id judged (CK-14), is generated by topkick.
    """

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
    """A plan. `files` are mentioned in it; agents are told to read those that exist.

    `gate` are the commands that build and test everything together (GT-02); `checkpoints` are
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


LONGEST_QUOTE = 80


@dataclass(frozen=True, slots=True)
class PlanFinding:
    line: int
    message: str


def shortened(text: str, most: int = LONGEST_QUOTE) -> str:
    """Shorten a text for a message, between two words if possible, with an ellipsis."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[most // 2 :] else cut}…"
