"""Describe what agents do now, and what the run waits for next."""

from collections.abc import Iterator, Mapping

from topkick.engine.agents.program import PLAIN
from topkick.engine.agents.runs import Run, Stage
from topkick.sprint import status
from topkick.sprint.blockers.model import Blocker
from topkick.sprint.blockers.unit import of_unit
from topkick.sprint.blockers.waits import Backoff, UnderWay, UsageLimited
from topkick.sprint.gates import views as gates
from topkick.sprint.model import Mission, Overall
from topkick.sprint.views import spending
from topkick.text import columns, escape
from topkick.text import format as fmt

# --- agents at work ------------------------------------------------------------------------

DOING_CHARS = 60


def at_work(mission: Mission, now_us: int, doing: Mapping[str, str], width: int) -> list[str]:
    """Return a line for each agent that reports something: what it has used, and what
    it does now.
    """
    lines = [
        f"  {escape.line(handle_of(mission, run.unit, run.sprint), 20)}  {told}"
        for run in mission.runs.values()
        if run.stage is Stage.WORKING and (told := _told(mission, run, now_us, doing))
    ]
    return ["At work:", *(columns.fit(line, width).rstrip() for line in lines)] if lines else []


def _told(mission: Mission, run: Run, now_us: int, doing: Mapping[str, str]) -> str:
    does, has_used = escape.line(doing.get(run.id, ""), DOING_CHARS), spending.used(run.usage)
    if not does and not has_used:
        return ""
    of_sprint = spending.of_the_sprint(mission, run, now_us)
    parts = (has_used, of_sprint and f"sprint {of_sprint}", does)
    return " · ".join(part for part in parts if part)


def usage_limits(mission: Mission, now_us: int, utc_offset_s: int = 0) -> list[str]:
    """Return until when the orders of each limited account wait; a resume tries at once."""
    lines = []
    for account, limit in mission.limits.items():
        if limit.until_us > now_us:
            until = fmt.day_and_clock(limit.until_us, utc_offset_s)
            why = escape.line(limit.why, 100)
            lines.append(f"Orders to {escape.line(account, 40)} wait until {until} ({why}).")
    return [*lines, "To try at once: topkick resume"] if lines else []


def spent_budget(mission: Mission) -> list[str]:
    which = spending.ended_by(mission)
    if not which:
        return []
    return [
        f"Spent, so no new orders: {which}.",
        "To continue: raise it in topkick.toml ([budget]), then topkick resume",
    ]


# --- the next event ------------------------------------------------------------------------

STAGES = {
    Stage.WORKING: "an agent finishes",
    Stage.CHECKING: "finished work is checked",
    Stage.SURVEYING: "the tree is surveyed before an order",
}


def next_event(mission: Mission, *, alive: bool, offset_s: int = 0, restarts_at_us: int = 0) -> str:
    match status.overall(mission):
        case Overall.COMPLETED if mission.isolation is not None:
            return "none, everything is done; merge the work: topkick land"
        case Overall.COMPLETED:
            return "none, everything is done"
        case Overall.KILLED | Overall.STOPPED if not mission.runs:
            return "none until topkick resume"
        case Overall.BLOCKED:
            return "none, the run waits for a person"
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
        return "the next order is dispatched"
    at_us, what = due
    return f"{what} at {fmt.clock(at_us, offset_s)}"


def _due(blocker: Blocker) -> Iterator[tuple[int, str]]:
    """Yield when time alone moves the blocker, and what happens then."""
    match blocker:
        case UnderWay(x, run) if run.stage is Stage.WAITING:
            yield run.next_poll_at_us, f"{x} polls its condition"
        case Backoff(until_us, x):
            yield until_us, f"{x} is tried again"
        case UsageLimited(why, until_us):
            yield until_us, f"orders continue ({escape.line(why, 80)})"
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


def has_adapter(mission: Mission, run: Run) -> bool:
    """Return whether topkick can read what the agent of this run prints."""
    if run.dispatch is None or mission.settings is None:
        return False
    return (run.dispatch.program or mission.settings.agent).adapter != PLAIN
