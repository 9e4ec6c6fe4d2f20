"""The status of a board, an epic or a team: the agents at work now, and the last decisions."""

from collections.abc import Iterator

from topkick.engine.agents.runs import Run
from topkick.sprint.model import Mission, Overall
from topkick.sprint.status import goes_on, overall
from topkick.sprint.views import spending
from topkick.sprint.views.status import Situation, stands
from topkick.text import escape
from topkick.text import format as fmt

DECISIONS_TOLD = 8


def lines(mission: Mission, now: Situation) -> Iterator[str]:
    how = overall(mission)
    why = f": {escape.line(mission.stance_why, 400)}" if mission.stance_why else ""
    between = mission.policy == "epic" and mission.ended is not None
    told = "between two ticks" if between else stands(mission, supervised=now.is_supervised)
    yield f"{escape.line(mission.policy).capitalize()} run {mission.id}: {told}{why}"
    for run in mission.runs.values():
        yield f"  {_asked(run, now)}"
    for limit in mission.limits.values():
        if limit.until_us > now.now_us and not mission.runs:
            yield f"  waits until {fmt.iso(limit.until_us)}: {escape.line(limit.why, 160)}"
    if mission.decisions:
        yield "Last decisions"
    for one in mission.decisions[-DECISIONS_TOLD:]:
        about = f"{escape.line(one.sprint, 60)}: " if one.sprint else ""
        said = f"{about}{escape.line(one.decision, 60)}: {escape.line(one.rationale, 160)}"
        yield f"  {fmt.clock(one.at_us, now.utc_offset_s)} {said}"
    if told := spending.used(mission.spent.usage):
        yield f"Used so far: {told}"
    if how in {Overall.RUNNING, Overall.STOPPING} and now.restart is not None:
        again = fmt.clock(now.restart.at_us, now.utc_offset_s)
        yield f"The supervisor was {escape.line(now.restart.died, 80)}; it is restarted at {again}."
    elif how in {Overall.RUNNING, Overall.STOPPING} and now.supervisor_pid is None:
        yield f"No supervisor is running. Continue: {_typed(goes_on(mission))}"
    elif mission.ended is not None and mission.ended.commands:
        yield "Continue with one of these:"
        yield from (f"  {_typed(command)}" for command in mission.ended.commands)
    elif how in {Overall.BLOCKED, Overall.STOPPED, Overall.KILLED}:
        yield f"When that is fixed, continue: {_typed(goes_on(mission))}"


def _typed(command: str) -> str:
    return escape.line(command, 200)


def _asked(run: Run, now: Situation) -> str:
    who = ""
    if run.dispatch is not None:
        since = fmt.clock(run.dispatch.at_us, now.utc_offset_s)
        who = f": {escape.line(run.dispatch.agent)} {escape.line(run.dispatch.model)} since {since}"
    doing = now.doing.get(run.id, "")
    return f"{escape.line(run.sprint, 80)} ({run.id}){who}" + (f", {doing}" if doing else "")
