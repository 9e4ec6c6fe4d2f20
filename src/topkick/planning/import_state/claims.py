"""Decide about every sprint that is taken over, from what was claimed and what was found
(ST-02).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.plan_format.model import Plan, SprintPlan, UnitPlan
from topkick.planning.import_state import names
from topkick.planning.import_state.match import Belief, Matched, Pair
from topkick.planning.import_state.model import BelievedUnit
from topkick.sprint.model import Claimed
from topkick.sprint.transitions import SprintState

COMMITS_KEPT = 5
_LEFT_OFF = frozenset((SprintState.PARTIAL, SprintState.RUNNING, SprintState.DISPATCHED))


@dataclass(frozen=True, slots=True)
class FoundEvidence:
    """The evidence besides the claim: the unit's progress file, and git.

    `naming` are commits whose message names the sprint; of the commits that the file names, `there`
    are in this history, `elsewhere` in another branch, and `gone` nowhere.
    """

    progress: str = ""
    naming: tuple[str, ...] = ()
    there: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.there, *self.naming)))

    @property
    def speaks_for_it(self) -> bool:
        return bool(self.commits) or self.progress == "complete"


NOTHING = FoundEvidence()


class ClaimFate(StrEnum):
    CHECK = "check"
    TAKE = "take"
    AGAIN = "again"
    AFTER_GAP = "after a gap"
    GO_ON = "go on"
    RETRY = "retry"
    DO = "do"


@dataclass(frozen=True, slots=True)
class TakenSprint:
    plan: SprintPlan
    belief: Belief
    found: FoundEvidence
    fate: ClaimFate

    @property
    def differs(self) -> bool:
        """True if the evidence differs from the claim, or the file contradicts itself."""
        done = self.belief.state is SprintState.COMPLETED
        doubt = self.found.progress in ("partial", "failed", "blocked", "not done")
        more = not done and (self.found.progress == "complete" or bool(self.found.naming))
        unseen = done and not self.found.speaks_for_it
        return bool(
            (done and doubt) or more or unseen or self.belief.others
            or self.found.gone or self.found.elsewhere
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TakenUnit:
    """A unit; `believed` is None if the file does not name it."""

    plan: UnitPlan
    believed: BelievedUnit | None
    sprints: tuple[TakenSprint, ...]

    @property
    def is_mentioned(self) -> bool:
        return self.believed is not None or any(s.belief.line for s in self.sprints)

    @property
    def believed_done(self) -> int:
        return sum(s.belief.state is SprintState.COMPLETED for s in self.sprints)

    def count(self, *fates: ClaimFate) -> int:
        return sum(sprint.fate in fates for sprint in self.sprints)


def take(
    plan: Plan, matched: Matched, found: Mapping[Pair, FoundEvidence]
) -> tuple[TakenUnit, ...]:
    return tuple(
        TakenUnit(unit, matched.units.get(unit.name), tuple(_sprints(unit, matched, found)))
        for unit in plan.units
    )


def _sprints(
    unit: UnitPlan, matched: Matched, found: Mapping[Pair, FoundEvidence]
) -> Iterator[TakenSprint]:
    unbroken = True
    for sprint in unit.sprints:
        belief = matched.beliefs[unit.name, sprint.id]
        evidence = found.get((unit.name, sprint.id), NOTHING)
        unbroken = unbroken and belief.state is SprintState.COMPLETED
        yield TakenSprint(sprint, belief, evidence, _fate(sprint, belief, evidence, unbroken))


def _fate(sprint: SprintPlan, belief: Belief, found: FoundEvidence, unbroken: bool) -> ClaimFate:
    """Decide a sprint's fate; only a unit's first sprints without a gap are claimed."""
    if belief.state is SprintState.COMPLETED:
        if not unbroken:
            return ClaimFate.AFTER_GAP
        if sprint.checks:
            return ClaimFate.CHECK
        return ClaimFate.TAKE if found.speaks_for_it else ClaimFate.AGAIN
    if belief.state in _LEFT_OFF:
        return ClaimFate.GO_ON
    if belief.state in (SprintState.FATAL, SprintState.BACKOFF):
        return ClaimFate.RETRY
    return ClaimFate.DO


def claims(units: Sequence[TakenUnit], file: str) -> tuple[Claimed, ...]:
    """Return what the kernel checks before any agent gets it."""
    return tuple(
        Claimed(
            unit.plan.name,
            sprint.plan.id,
            f"{file}, line {sprint.belief.line}: {sprint.belief.said}",
            sprint.found.commits[:COMMITS_KEPT],
            sprint.fate is ClaimFate.TAKE,
        )
        for unit in units
        for sprint in unit.sprints
        if sprint.fate in (ClaimFate.CHECK, ClaimFate.TAKE, ClaimFate.AGAIN)
    )


# --- commits -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedSprint:
    """A sprint as commit messages may name it; `alone` if no other sprint has this id."""

    unit: str
    id: str
    name: str
    alone: bool


def spoken_of(message: str) -> frozenset[str]:
    return frozenset(names.key(id_) for id_ in names.mentioned(message))


def named_by(
    message: str, spoken_of: frozenset[str], sprint: NamedSprint, *, in_its_place: bool | None
) -> bool:
    """Return whether a message names this sprint: `Sprint 3: Parser`, `[core sortie 3]`, `EM-3`.

    If units number their sprints alike, it is the unit whose directory the commit changed; if that
    is unknown (`in_its_place` is None), the one whose name, or whose sprint's name, the message
    has.
    """
    if names.key(sprint.id) not in spoken_of and not _stands_in(sprint.id, message):
        return False
    if sprint.alone or in_its_place is not None:
        return sprint.alone or bool(in_its_place)
    return any(_has_words(message, name) for name in (sprint.unit, sprint.name))


def _has_words(text: str, name: str) -> bool:
    if not name or name.lower() not in text.lower():
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _stands_in(id_: str, text: str) -> bool:
    """Return whether the text contains the id, if the id is more than a number."""
    telling = len(id_) > 2 and not id_.isdecimal() and any(c.isdigit() for c in id_)
    if not telling or id_ not in text:
        return False
    return re.search(rf"(?<![\w.-]){re.escape(id_)}(?![\w-])", text) is not None
