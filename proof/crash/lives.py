"""Compare what agents recorded themselves with what was recorded about them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proof.crash.place import Noted

MOMENT_S = 0.001
LOST = "lost"


class Ended(NamedTuple):
    """The recorded end of an order, and its time."""

    at_s: float
    how: str


@dataclass(frozen=True, slots=True)
class Life:
    """One process of an agent; a killed one has not recorded its end."""

    run_id: str
    unit: str
    sprint: str
    began_at_s: float
    ended_at_s: float | None
    failed: bool


def lives(noted: Sequence[Noted]) -> list[Life]:
    """Return the lives in the order in which they began."""
    at = {(n.run_id, n.pid, n.what): n.at_s for n in noted}
    return [
        Life(
            *(n.run_id, n.unit, n.sprint, n.at_s),
            ended_at_s=at.get((n.run_id, n.pid, "end")),
            failed=(n.run_id, n.pid, "failed") in at,
        )
        for n in sorted(noted, key=lambda n: n.at_s)
        if n.what == "start"
    ]


def at_the_same_time(noted: Sequence[Noted]) -> Iterator[str]:
    """Check D2, D6: by the log, or because an agent saw another one that never recorded its end."""
    found = lives(noted)
    for index, first in enumerate(found):
        for second in found[index + 1 :]:
            if first.unit == second.unit and (first.ended_at_s or 0.0) > second.began_at_s:
                yield f"{second.run_id} began while {first.run_id} of {first.unit} worked"
    for n in noted:
        if n.what == "beside":
            yield f"{n.run_id} found another agent of {n.unit} alive"


def given_up(noted: Sequence[Noted], exits: Mapping[str, Ended]) -> Iterator[str]:
    """Yield agents that continued to work after their end was recorded."""
    for life in lives(noted):
        ended = exits.get(life.run_id)
        if ended and life.ended_at_s and ended.at_s < life.ended_at_s - MOMENT_S:
            early_s = life.ended_at_s - ended.at_s
            yield f"{life.run_id} was recorded as {ended.how} {early_s:.3f} s before it ended"


def adopted(
    alive: Sequence[str], noted: Sequence[Noted], exits: Mapping[str, Ended], *, keeper_died: bool
) -> int:
    """Count agents that ended by themselves, were recorded, and whose work was not repeated.

    If its keeper died, an agent's exit is unknown.
    """
    found = lives(noted)
    good = {
        life.run_id
        for life in found
        if life.ended_at_s is not None
        and (ended := exits.get(life.run_id)) is not None
        and ended.at_s >= life.ended_at_s - MOMENT_S
        and (ended.how != LOST or keeper_died)
        and not any(_is_anew(other, life, ended) for other in found)
    }
    return len(good.intersection(alive))


def _is_anew(other: Life, life: Life, ended: Ended) -> bool:
    same = (other.unit, other.sprint) == (life.unit, life.sprint)
    return same and life.began_at_s < other.began_at_s < ended.at_s


def unseen_failures(noted: Sequence[Noted], exits: Mapping[str, Ended]) -> Counter[str]:
    """Return failures by sprint that are not counted, so that each makes one more start
    necessary.
    """
    nobody = Ended(0.0, "")
    return Counter(
        f"{life.unit}/{life.sprint}"
        for life in lives(noted)
        if life.failed and exits.get(life.run_id, nobody).how == LOST
    )
