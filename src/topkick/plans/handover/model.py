"""What a state file of another supervisor believes: claims, none of which is proven yet."""

from dataclasses import dataclass

from topkick.core.errors import UsageError
from topkick.core.transitions import SprintState, UnitState

MOST_SAID = 50_000


class StateFileTooLarge(UsageError):
    """No supervisor writes so much."""


def refuse_a_flood(said: int) -> None:
    """A short line may list many sprints (`S1–S90`), and a file has many lines."""
    if said > MOST_SAID:
        raise StateFileTooLarge(
            f"The state file speaks of sprints more than {MOST_SAID} times.\n"
            "Begin anew: topkick start"
        )


@dataclass(frozen=True, slots=True)
class BelievedSprint:
    """`word` is how the file puts it; no state where it says none, or in words that are not known.

    `others` are words that it has for the same sprint elsewhere and that mean something else;
    `implied` says that the state follows from what the file says of the unit.
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
    """`current` are the sprints that it says it is at, as it calls them: an id or a position.

    `total` is how many sprints it says the unit has.
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
    """`loose` are sprints of which the file does not say in which unit they are.

    `decisions` and `needs` are how many rows its log and its registry of needs have.
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
