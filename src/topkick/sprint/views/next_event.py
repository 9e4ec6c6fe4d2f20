"""Describe in one line what the run waits for now."""

from collections.abc import Iterator

from topkick.engine.agents.runs import Stage
from topkick.sprint import status
from topkick.sprint.blockers.model import Blocker
from topkick.sprint.blockers.unit import of_unit
from topkick.sprint.blockers.waits import Backoff, UnderWay, UsageLimited
from topkick.sprint.gates import views as gates
from topkick.sprint.model import Mission, Overall
from topkick.text import escape
from topkick.text import format as fmt

STAGES = {
    Stage.WORKING: "an agent finishes",
    Stage.CHECKING: "finished work is checked",
    Stage.SURVEYING: "the tree is looked at before an order",
}


def tell(mission: Mission, *, alive: bool, offset_s: int = 0, restarts_at_us: int = 0) -> str:
    match status.overall(mission):
        case Overall.COMPLETED if mission.isolation is not None:
            return "none, everything is done; topkick land takes the work home"
        case Overall.COMPLETED:
            return "none, everything is done"
        case Overall.KILLED | Overall.STOPPED if not mission.runs:
            return "none until topkick resume"
        case Overall.BLOCKED:
            return "none, only a person can move it"
        case _ if not alive and restarts_at_us:
            return f"the supervisor is restarted at {fmt.clock(restarts_at_us, offset_s)}"
        case _ if not alive:
            return "none, no supervisor is running: topkick resume"
        case _:
            return _under_way(mission, offset_s)


def _under_way(mission: Mission, offset_s: int) -> str:
    found = tuple(one.by for unit in mission.units.values() for one in of_unit(mission, unit))
    at_work = [one for one in found if isinstance(one, UnderWay)]
    for stage, words in STAGES.items():
        if handles := [one.handle for one in at_work if one.run.stage is stage]:
            return f"{words} ({_some(handles)})"
    building = next((g for g in mission.gates.values() if g.verdict is None), None)
    if building is not None:
        return f"gate {building.id}: {gates.under_way(mission, building, mission.at_us)}"
    due = min((moment for one in found for moment in _due(one)), default=None)
    if due is None:
        return "the next order is given"
    at_us, what = due
    return f"{what} at {fmt.clock(at_us, offset_s)}"


def _due(blocker: Blocker) -> Iterator[tuple[int, str]]:
    """Yield when time alone moves the blocker, and what happens then."""
    match blocker:
        case UnderWay(x, run) if run.stage is Stage.WAITING:
            yield run.next_poll_at_us, f"{x} is looked at"
        case Backoff(until_us, x):
            yield until_us, f"{x} is tried again"
        case UsageLimited(why, until_us):
            yield until_us, f"orders are given again ({escape.line(why, 80)})"
        case _:
            return


def _some(handles: list[str]) -> str:
    more = f" and {len(handles) - 4} more" if len(handles) > 4 else ""
    return ", ".join(handles[:4]) + more


def handle_of(mission: Mission, unit: str, sprint: str) -> str:
    known = mission.units.get(unit)
    return (
        f"{known.handle}/{sprint}" if known is not None else "/".join(filter(None, (unit, sprint)))
    )
