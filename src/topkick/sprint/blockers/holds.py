"""Blockers that the journal records with a sprint, a unit or an agent.

The policy decides them once and stores the value. A person has to move each of them. No text of a
message is stored here except what a check, an agent or git printed.
"""

from dataclasses import dataclass
from enum import StrEnum

from topkick.checks.model import Finding


@dataclass(frozen=True, slots=True)
class EntryUnmet:
    """An entry criterion failed before the order, so no agent was dispatched (DP-08)."""

    criterion: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class CheckUnrunnable:
    """An exit criterion cannot run on this machine, so no agent was dispatched."""

    check: str
    lacks: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class BudgetSpent:
    """A budget is spent. `told` names it with its amounts; `begun` says that the sprint had an
    order.
    """

    told: str
    begun: bool = False


@dataclass(frozen=True, slots=True)
class DispatchesUsed:
    """The sprint had as many orders as `max_dispatches` allows (SM-10)."""

    used: int
    begun: bool = True


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The sprint has no exit criterion that a machine can check (DP-11)."""


@dataclass(frozen=True, slots=True)
class MergeTrouble:
    """git could not merge finished work, for another reason than a conflict (GT-06)."""

    why: str


SprintHold = EntryUnmet | CheckUnrunnable | BudgetSpent | DispatchesUsed | Unchecked | MergeTrouble
"""A hold on the next step of a sprint; lifted by `resume`, or when a unit completes."""


@dataclass(frozen=True, slots=True)
class FindingsOpen:
    """Every check passes and these findings are left (VF-06)."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class CheckCannotRun:
    """The work was judged, and a check could not run here."""

    check: str


class LookWhy(StrEnum):
    """The reason why no machine can judge the work."""

    MANUAL = "manual"
    NO_CHECK = "no check"
    NOT_CHECKABLE = "not checkable"
    DONE_BEFORE = "done before"


@dataclass(frozen=True, slots=True)
class PersonHasToLook:
    why: LookWhy


SprintRest = FindingsOpen | CheckCannotRun | PersonHasToLook
"""The reason why a judged sprint waits until a person decides about its work."""


class FatalKind(StrEnum):
    ATTEMPTS = "attempts"
    SAME_FAILURE = "same failure"
    DISPATCHES = "dispatches"
    TROUBLES = "troubles"
    DECLARED = "declared"


@dataclass(frozen=True, slots=True)
class FatalCause:
    """The reason why no further attempt is made. `count` is how often the sprint failed, was
    dispatched or met trouble, `most` the limit, `mark` the fingerprint of a failure that came back.
    """

    kind: FatalKind
    count: int = 0
    most: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class NotCleared:
    """The units that this unit waits for do not verify, so it may not begin (GT-01)."""

    why: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class AgentUnusable:
    """An agent program cannot be used; with `waits_for_yes`, only a person's consent is missing."""

    agent: str
    why: str
    waits_for_yes: bool = False


Hold = SprintHold | SprintRest | FatalCause | NotCleared | AgentUnusable
