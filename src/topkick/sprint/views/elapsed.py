"""The duration of a run: wall time from its start until it finished or stopped, pauses included.

Status, closing line, state file and report all show it. The time that agents were at work is
another figure (with several at once it is longer) and is never called the duration of the run.
"""

from topkick.sprint import status
from topkick.sprint.model import Mission, Overall
from topkick.text import format as fmt


def elapsed_us(mission: Mission, now_us: int) -> int:
    """Return the duration until now; of a run that has ended, stopped or is blocked, until then."""
    if not mission.began_at_us:
        return 0
    return max(0, min(now_us, _ended_us(mission, now_us)) - mission.began_at_us)


def told(mission: Mission, now_us: int) -> str:
    """Return the duration as `45 s`, `12 min` or `2 h 11`; empty before the start."""
    return fmt.lasted(elapsed_us(mission, now_us)) if mission.began_at_us else ""


def _ended_us(mission: Mission, now_us: int) -> int:
    match status.overall(mission):
        case Overall.COMPLETED:
            return max((u.moved_at_us for u in mission.units.values()), default=mission.at_us)
        case Overall.STOPPED | Overall.KILLED | Overall.BLOCKED:
            return mission.at_us
        case Overall.RUNNING | Overall.STOPPING:
            return now_us
