"""One reason for standing still: its rule, its words, and what would move it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.boards import moments, safe
from topkick.core import standing
from topkick.core.mission import Mission, Stance
from topkick.core.runs import CancelWhy
from topkick.core.standing import Need, Offer
from topkick.core.transitions import UnitState
from topkick.core.usage_limits import limit_of

RESUME = "topkick resume"
RULES = {
    "entry criterion": "DP-08",
    "the budget of": "DP-10",
    "given out": "SM-10",
    "no exit criterion": "DP-11",
    "FATAL: given out": "SM-10",
    "FATAL: the same failure": "SM-10",
    "FATAL": "SM-05",
    "a person has to look": "ER-04",
    "left out by --only": "LP-02",
    "waits for": "GT-08",
    "not begun when": "SD-04",
    "STOPPED": "SD-04",
    "KILLED": "SD-04",
}
"""By how the words of what waits for a person begin."""

ENDED_BY = {
    CancelWhy.STOP_FORCED: "SD-01",
    CancelWhy.KILLALL: "SD-02",
    CancelWhy.UNRESPONSIVE: "ER-01",
    CancelWhy.TURN_LIMIT: "DP-07",
    CancelWhy.BUDGET_SPENT: "DP-10",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """`what` is safe to show. A `person` has to come where only one can move it.

    `at_work` is no waiting at all: somebody, or something, is at it.
    """

    rule: str
    what: str
    command: str = ""
    person: bool = False
    at_work: bool = False
    offers: tuple[Offer, ...] = ()

    @property
    def moves(self) -> tuple[Offer, ...]:
        """All that would move it, the best one first."""
        return self.offers or ((Offer(self.command),) if self.command else ())


NO_SUPERVISOR = Reason(
    "SD-04", "no supervisor is running, so nobody gives orders or judges work", RESUME, person=True
)
"""Known to who looks at the machine; no record says it."""


def of_needs(mission: Mission, needs: Sequence[Need], x: str) -> Iterator[Reason]:
    """What waits for a person, as it is told everywhere else."""
    for need in needs:
        if need.handle == x:
            rule = _rule_of(mission, need)
            what = safe.line(need.what, 300)
            yield Reason(rule, what, need.command, person=True, offers=need.offers)


def _rule_of(mission: Mission, need: Need) -> str:
    if need.handle in mission.gates:
        return "GT-03"
    for begins, rule in RULES.items():
        if need.what.startswith(begins):
            return rule
    unit = next((u for u in mission.units.values() if u.handle == need.handle), None)
    if unit is not None:
        return "GT-01" if unit.state is UnitState.NOT_STARTED else "GT-06"
    return "VF-06" if "/" in need.handle else "DP-09"


def of_the_run(mission: Mission) -> Iterator[Reason]:
    """What holds up every next order."""
    if mission.stance is not Stance.WORKING:
        yield _stance(mission)
    elif not mission.driven:
        what = "the last supervisor only attended to commands, and nobody gives orders"
        yield Reason("LP-04", what, RESUME, person=True)
    agent = mission.settings.agent.name if mission.settings is not None else ""
    if agent in mission.agents_down:
        why = safe.line(mission.agents_down[agent], 200)
        yield Reason("DP-09", why, f"topkick doctor, then {RESUME}", person=True)
    limit = limit_of(mission) if mission.settings is not None else None
    if limit is not None:
        until = moments.iso(limit.until_us)
        yield Reason("DP-09", f"{safe.line(limit.why, 160)}; orders are given again at {until}")


def _stance(mission: Mission) -> Reason:
    why = safe.line(mission.stance_why, 120)
    words = {
        Stance.IDLE: ("ST-03", "the run has not begun"),
        Stance.STOPPING: ("SD-01", f"the run is stopped ({why}): no new orders"),
        Stance.KILLED: ("SD-02", f"all agents were ended ({why}): no new orders"),
        Stance.WORKING: ("", ""),
    }
    rule, what = words[mission.stance]
    return Reason(rule, what, RESUME, person=True)


def page_of(gate: str) -> str:
    """`gate G1` has a page of its own; a gate that is not open yet has none."""
    name = gate.partition(":")[0].removeprefix("gate ")
    return f"topkick explain {name}" if gate.startswith("gate ") else ""


def needs_of(mission: Mission, needs: Sequence[Need] | None) -> Sequence[Need]:
    """Who asks for many has them counted once."""
    return standing.needs(mission) if needs is None else needs
