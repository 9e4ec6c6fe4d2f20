"""Lines about the previous supervisor: how it died, and that the source files changed."""

from collections.abc import Iterator
from dataclasses import dataclass

from topkick.engine import messages as h
from topkick.sprint.model import Mission
from topkick.text.format import stamp


@dataclass(frozen=True, slots=True)
class SupervisorWake:
    """Facts that a supervisor has about itself and its predecessor when it begins.

    `program` identifies topkick's own source files. `died` says how the supervisor before it
    ended, if that one died and the journal does not say so yet; `deaths` counts those of this run.
    """

    program: str = ""
    died: str = ""
    died_at_us: int = 0
    deaths: int = 0


def notices(before: Mission, fact: h.Fact) -> Iterator[h.Event]:
    """Yield lines for the Decisions Log; a run that has not begun has none."""
    if not isinstance(fact, h.SupervisorWoke) or before.plan is None:
        return
    if fact.died:
        times = f"{fact.deaths} {'time' if fact.deaths == 1 else 'times'} in this run"
        why = f"the one before was {fact.died} at {stamp(fact.died_at_us)} ({times})"
        what = "Supervisor restarted" if fact.driven else "Supervisor died"
        yield h.Decided("", "", what, why)
    if is_changed(before, fact):
        why = f"the supervisor runs other source files than before: {before.program} → "
        yield h.Decided("", "", "topkick changed", f"{why}{fact.program}")


def is_changed(before: Mission, fact: h.SupervisorWoke) -> bool:
    return bool(before.program and fact.program) and before.program != fact.program
