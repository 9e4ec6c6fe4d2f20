"""What is going on right now: agents at work, limits that hold, a budget that is gone."""

from collections.abc import Mapping

from topkick.boards import columns, moments, next_event, safe, spending
from topkick.core.mission import Mission
from topkick.core.runs import Run, Stage

DOING_CHARS = 60


def at_work(mission: Mission, now_us: int, doing: Mapping[str, str], width: int) -> list[str]:
    """A line for each agent that can be heard: what it has used, and what it does now."""
    lines = [
        f"  {safe.line(next_event.handle_of(mission, run.unit, run.sprint), 20)}  {told}"
        for run in mission.runs.values()
        if run.stage is Stage.WORKING and (told := _told(mission, run, now_us, doing))
    ]
    return ["At work:", *(columns.fit(line, width).rstrip() for line in lines)] if lines else []


def _told(mission: Mission, run: Run, now_us: int, doing: Mapping[str, str]) -> str:
    does, has_used = safe.line(doing.get(run.id, ""), DOING_CHARS), spending.used(run.usage)
    if not does and not has_used:
        return ""
    of_sprint = spending.of_the_sprint(mission, run, now_us)
    parts = (has_used, of_sprint and f"sprint {of_sprint}", does)
    return " · ".join(part for part in parts if part)


def usage_limits(mission: Mission, now_us: int, utc_offset_s: int = 0) -> list[str]:
    """Until when an account's orders wait; a resume tries at once."""
    lines = []
    for account, limit in mission.limits.items():
        if limit.until_us > now_us:
            until = moments.day_and_clock(limit.until_us, utc_offset_s)
            why = safe.line(limit.why, 100)
            lines.append(f"Orders to {safe.line(account, 40)} wait until {until} ({why}).")
    return [*lines, "To try at once: topkick resume"] if lines else []


def spent_budget(mission: Mission) -> list[str]:
    which = spending.ended_by(mission)
    if not which:
        return []
    return [
        f"Nothing new is begun: {which}.",
        "To go on: raise it in topkick.toml ([budget]), then topkick resume",
    ]
