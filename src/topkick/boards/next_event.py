"""What the run waits for right now, in one line."""

from topkick.boards import gates, moments, safe
from topkick.core import standing
from topkick.core.mission import Mission, Overall
from topkick.core.runs import Run, Stage
from topkick.core.transitions import SprintState, UnitState
from topkick.core.usage_limits import limit_of

STAGES = {
    Stage.WORKING: "an agent finishes",
    Stage.CHECKING: "finished work is checked",
    Stage.SURVEYING: "the tree is looked at before an order",
}


def tell(mission: Mission, *, alive: bool, offset_s: int = 0, restarts_at_us: int = 0) -> str:
    match standing.overall(mission):
        case Overall.COMPLETED if mission.isolation is not None:
            return "none, everything is done; topkick land takes the work home"
        case Overall.COMPLETED:
            return "none, everything is done"
        case Overall.KILLED | Overall.STOPPED if not mission.runs:
            return "none until topkick resume"
        case Overall.BLOCKED:
            return "none, only a person can move it"
        case _ if not alive and restarts_at_us:
            return f"the supervisor is restarted at {moments.clock(restarts_at_us, offset_s)}"
        case _ if not alive:
            return "none, no supervisor is running: topkick resume"
        case _:
            return _under_way(mission, offset_s)


def _under_way(mission: Mission, offset_s: int) -> str:
    for stage, words in STAGES.items():
        runs = [r for r in mission.runs.values() if r.stage is stage]
        if runs:
            return f"{words} ({_handles(mission, runs)})"
    building = next((g for g in mission.gates.values() if g.verdict is None), None)
    if building is not None:
        return f"gate {building.id}: {gates.under_way(mission, building, mission.at_us)}"
    return _by_time(mission, offset_s) or "the next order is given"


def _by_time(mission: Mission, offset_s: int) -> str:
    waiting = [r for r in mission.runs.values() if r.stage is Stage.WAITING]
    due = [(r.next_poll_at_us, f"{_handles(mission, [r])} is looked at") for r in waiting]
    due += [
        (s.not_before_us, f"{standing.handle(u, s)} is tried again")
        for u in mission.units.values()
        if u.state is UnitState.RUNNING and (s := u.current) is not None
        if s.state is SprintState.BACKOFF and s.not_before_us > mission.at_us
    ]
    if (limit := limit_of(mission)) is not None:
        due.append((limit.until_us, f"orders are given again ({safe.line(limit.why, 80)})"))
    if not due:
        return ""
    at_us, what = min(due)
    return f"{what} at {moments.clock(at_us, offset_s)}"


def _handles(mission: Mission, runs: list[Run]) -> str:
    names = [handle_of(mission, r.unit, r.sprint) for r in runs]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def handle_of(mission: Mission, unit: str, sprint: str) -> str:
    known = mission.units.get(unit)
    return (
        f"{known.handle}/{sprint}" if known is not None else "/".join(filter(None, (unit, sprint)))
    )
