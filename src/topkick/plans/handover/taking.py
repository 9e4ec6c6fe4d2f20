"""What becomes of every sprint that is taken over: what was believed, what was found (ST-02)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.core.mission import Claimed
from topkick.core.plan import Plan, SprintPlan, UnitPlan
from topkick.core.transitions import SprintState
from topkick.plans.handover import naming
from topkick.plans.handover.matching import Belief, Matched, Pair
from topkick.plans.handover.model import BelievedUnit

COMMITS_KEPT = 5
_LEFT_OFF = frozenset((SprintState.PARTIAL, SprintState.RUNNING, SprintState.DISPATCHED))


@dataclass(frozen=True, slots=True)
class Found:
    """What there is beside its word: what the unit's progress file says, and what git has.

    `naming` are commits whose message names the sprint; of the commits that the file names,
    `there` are in this history, `elsewhere` in another branch, and `gone` nowhere.
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


NOTHING = Found()


class Fate(StrEnum):
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
    found: Found
    fate: Fate

    @property
    def differs(self) -> bool:
        """What was found is not what was believed, or the file contradicts itself."""
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
    """`believed` is None where the file does not name the unit."""

    plan: UnitPlan
    believed: BelievedUnit | None
    sprints: tuple[TakenSprint, ...]

    @property
    def is_mentioned(self) -> bool:
        return self.believed is not None or any(s.belief.line for s in self.sprints)

    @property
    def believed_done(self) -> int:
        return sum(s.belief.state is SprintState.COMPLETED for s in self.sprints)

    def count(self, *fates: Fate) -> int:
        return sum(sprint.fate in fates for sprint in self.sprints)


def take(plan: Plan, matched: Matched, found: Mapping[Pair, Found]) -> tuple[TakenUnit, ...]:
    return tuple(
        TakenUnit(unit, matched.units.get(unit.name), tuple(_sprints(unit, matched, found)))
        for unit in plan.units
    )


def _sprints(
    unit: UnitPlan, matched: Matched, found: Mapping[Pair, Found]
) -> Iterator[TakenSprint]:
    unbroken = True
    for sprint in unit.sprints:
        belief = matched.beliefs[unit.name, sprint.id]
        evidence = found.get((unit.name, sprint.id), NOTHING)
        unbroken = unbroken and belief.state is SprintState.COMPLETED
        yield TakenSprint(sprint, belief, evidence, _fate(sprint, belief, evidence, unbroken))


def _fate(sprint: SprintPlan, belief: Belief, found: Found, unbroken: bool) -> Fate:
    """Only the first sprints of a unit, without a gap, are claimed: the next builds on the last."""
    if belief.state is SprintState.COMPLETED:
        if not unbroken:
            return Fate.AFTER_GAP
        if sprint.checks:
            return Fate.CHECK
        return Fate.TAKE if found.speaks_for_it else Fate.AGAIN
    if belief.state in _LEFT_OFF:
        return Fate.GO_ON
    if belief.state in (SprintState.FATAL, SprintState.BACKOFF):
        return Fate.RETRY
    return Fate.DO


def claims(units: Sequence[TakenUnit], file: str) -> tuple[Claimed, ...]:
    """What the kernel looks at before any agent gets it."""
    return tuple(
        Claimed(
            unit.plan.name,
            sprint.plan.id,
            f"{file}, line {sprint.belief.line}: {sprint.belief.said}",
            sprint.found.commits[:COMMITS_KEPT],
            sprint.fate is Fate.TAKE,
        )
        for unit in units
        for sprint in unit.sprints
        if sprint.fate in (Fate.CHECK, Fate.TAKE, Fate.AGAIN)
    )


# --- commits -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Named:
    """A sprint as messages of commits may call it; `alone` says that no other has this id."""

    unit: str
    id: str
    name: str
    alone: bool


def spoken_of(message: str) -> frozenset[str]:
    return frozenset(naming.key(id_) for id_ in naming.mentioned(message))


def named_by(
    message: str, spoken_of: frozenset[str], sprint: Named, *, in_its_place: bool | None
) -> bool:
    """Whether a message speaks of this sprint: `Sprint 3: Parser`, `[core sortie 3]`, `EM-3`.

    Of units that number their sprints alike it is the one whose directory the commit changed; where
    that does not tell (`in_its_place` is None), the one whose name, or whose sprint's name, it has.
    """
    if naming.key(sprint.id) not in spoken_of and not _stands_in(sprint.id, message):
        return False
    if sprint.alone or in_its_place is not None:
        return sprint.alone or bool(in_its_place)
    return any(_has_words(message, name) for name in (sprint.unit, sprint.name))


def _has_words(text: str, name: str) -> bool:
    if not name or name.lower() not in text.lower():
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _stands_in(id_: str, text: str) -> bool:
    """An id that is more than a number is known without the word before it."""
    telling = len(id_) > 2 and not id_.isdecimal() and any(c.isdigit() for c in id_)
    if not telling or id_ not in text:
        return False
    return re.search(rf"(?<![\w.-]){re.escape(id_)}(?![\w-])", text) is not None
