"""The content of another supervisor's state file: claims, none of which is proven yet."""

from dataclasses import dataclass

from topkick.engine.errors import UsageError
from topkick.sprint.transitions import SprintState, UnitState

MOST_SAID = 50_000


class StateFileTooLarge(UsageError):
    """The file is larger than any supervisor writes."""


def refuse_a_flood(said: int) -> None:
    """Raise if sprints are mentioned too often: a short line may list many (`S1–S90`)."""
    if said > MOST_SAID:
        raise StateFileTooLarge(
            f"The state file speaks of sprints more than {MOST_SAID} times.\n"
            "Begin anew: topkick start"
        )


@dataclass(frozen=True, slots=True)
class BelievedSprint:
    """A sprint in the file; `word` is the file's own word, `state` is None if it is missing or
    unknown.

    `others` are contradicting words for the same sprint elsewhere; `implied` says that the state
    follows from the unit's.
    """

    id: str
    name: str = ""
    state: SprintState | None = None
    word: str = ""
    commits: tuple[str, ...] = ()
    model: str = ""
    attempt: str = ""
    line: int = 0
    others: tuple[str, ...] = ()
    implied: bool = False


@dataclass(frozen=True, slots=True)
class BelievedUnit:
    """A unit in the file; `current` are the sprints it is at, by id or position.

    `total` is the stated number of sprints.
    """

    name: str
    state: UnitState | None = None
    word: str = ""
    current: tuple[str, ...] = ()
    total: int | None = None
    sprints: tuple[BelievedSprint, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Handover:
    """The state file; `loose` are sprints without a stated unit.

    `decisions` and `needs` count the rows of its log and its registry of needs.
    """

    title: str = ""
    units: tuple[BelievedUnit, ...] = ()
    loose: tuple[BelievedSprint, ...] = ()
    overall: str = ""
    max_retries: int | None = None
    decisions: int = 0
    needs: int = 0
    not_understood: tuple[NotUnderstood, ...] = ()

    @property
    def sprints(self) -> tuple[BelievedSprint, ...]:
        return (*(s for u in self.units for s in u.sprints), *self.loose)
