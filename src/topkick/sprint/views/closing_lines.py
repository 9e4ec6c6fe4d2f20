"""The last lines of a run: what was done, what waits, where to look."""

from collections.abc import Iterator

from topkick.sprint import status as sprint_status
from topkick.sprint.gates import views as gates
from topkick.sprint.model import Mission, Overall
from topkick.sprint.needs import views as cross_needs
from topkick.sprint.views import spending, status, wording


def lines(mission: Mission, now_us: int) -> list[str]:
    return [
        f"{_sum(mission, now_us)}{_verdict(mission)}",
        *gate(mission),
        *_reconciled(mission),
        *whats_next(mission),
    ]


def _sum(mission: Mission, now_us: int) -> str:
    parts = (status.progress(mission), spending.cost(mission), wording.elapsed(mission, now_us))
    return f"{', '.join(part for part in parts if part)}."


def _verdict(mission: Mission) -> str:
    match sprint_status.overall(mission):
        case Overall.COMPLETED:
            return ""
        case Overall.BLOCKED:
            return " The rest waits for a person."
        case Overall.STOPPED if spent := spending.ended_by(mission):
            return f" Stopped: {spent}."
        case Overall.STOPPED:
            return " Stopped."
        case Overall.KILLED:
            return " Killed."
        case Overall.RUNNING | Overall.STOPPING:
            return " The supervisor ended before the run did."


def gate(mission: Mission) -> Iterator[str]:
    """Yield the result of the last gate, which built the work of all units together (GT-07)."""
    if sprint_status.overall(mission) not in {Overall.COMPLETED, Overall.STOPPED}:
        return
    built = gates.last_build(mission)
    if built is not None:
        yield f"Gate: {gates.outcome(built)}"
    elif gates.never_run(mission):
        yield f"Gate: not run: {gates.NOTHING_KNOWN}"


def _reconciled(mission: Mission) -> Iterator[str]:
    if sprint_status.overall(mission) is Overall.COMPLETED:
        yield from cross_needs.closing(mission)


def whats_next(mission: Mission) -> Iterator[str]:
    match sprint_status.overall(mission):
        case Overall.COMPLETED if mission.isolation is not None:
            branch = mission.isolation.branch
            yield f"Work is on {branch}. Review: git log {branch}"
            yield "Take it: topkick land    Why: topkick report"
        case Overall.COMPLETED:
            yield "Review: git log    Why: topkick report"
        case Overall.BLOCKED:
            yield from status.waits_for_a_person(mission, blocked_too=True)
            yield "Why: topkick explain"
        case Overall.STOPPED if spending.ended_by(mission):
            yield "Continue: raise it in topkick.toml ([budget]), then topkick resume"
            yield "Why: topkick status"
        case _:
            yield "Continue: topkick resume    Why: topkick status"
