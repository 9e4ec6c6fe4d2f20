"""Describe needs between units, and the progress of their reconciliation."""

from collections.abc import Iterator

from topkick.sprint.gates import views as gates
from topkick.sprint.gates.model import GateVerdict
from topkick.sprint.model import Mission, Unit
from topkick.sprint.needs.model import CrossNeed, on_a_line
from topkick.sprint.transitions import UnitState
from topkick.text import escape
from topkick.text.format import counted

LONGEST = 300


def open_of(mission: Mission, unit: Unit) -> list[CrossNeed]:
    return [n for n in mission.cross_needs if n.unit == unit.name and not n.resolved]


def passes(mission: Mission) -> list[Unit]:
    return [u for u in mission.units.values() if u.plan.reconciles]


# --- the state file ------------------------------------------------------------------------


def registry(mission: Mission) -> Iterator[str]:
    yield "## Cross-Package Needs"
    if mission.cross_needs:
        from topkick.text import markdown

        columns = ("#", "Source", "Need", "Target", "Resolution", "Status")
        yield from markdown.table(columns, (_row(need) for need in mission.cross_needs))
    else:
        yield "(none)"
    yield ""


def _row(need: CrossNeed) -> tuple[str, ...]:
    return (
        str(need.number),
        need.unit,
        escape.line(on_a_line(need.text), LONGEST),
        need.target or "—",
        need.resolution.value,
        "resolved" if need.resolved else "open",
    )


def status(mission: Mission) -> Iterator[str]:
    yield "## Reconciliation Status"
    made = passes(mission)
    for number, unit in enumerate(made, start=1):
        yield f"- Pass {number}: {_how_far(unit)}"
    if not made:
        yield f"Status: {_why_none(mission)}"
    if mission.reconciled:
        yield f"- Ended: {escape.line(mission.reconciled, LONGEST)}"
    if mission.cross_needs:
        yield f"- Cross-package needs resolved: {resolved(mission)}"
    yield ""


def _how_far(unit: Unit) -> str:
    if unit.state is UnitState.COMPLETED:
        return "complete"
    return "not_started" if unit.state is UnitState.NOT_STARTED else "in_progress"


def _why_none(mission: Mission) -> str:
    if mission.cross_needs and all(n.resolved for n in mission.cross_needs):
        return "not needed: nothing is open"
    if mission.settings is not None and not mission.settings.reconcile:
        return "turned off (reconcile = false)"
    return "not begun"


def resolved(mission: Mission) -> str:
    done = sum(n.resolved for n in mission.cross_needs)
    return f"{done} of {len(mission.cross_needs)}"


def counts(mission: Mission) -> Iterator[str]:
    if mission.cross_needs:
        left = sum(not n.resolved for n in mission.cross_needs)
        yield f"Cross-unit needs: {left} open, {len(mission.cross_needs) - left} resolved"


# --- the last lines of a run ---------------------------------------------------------------


def closing(mission: Mission) -> Iterator[str]:
    """Yield the lines at the end of a run; none if no unit ever needed another."""
    if not mission.cross_needs:
        return
    made = sum(u.state is UnitState.COMPLETED for u in passes(mission))
    sprints = sum(len(u.sprints) for u in mission.units.values())
    told = counted(made, "reconciliation pass", "reconciliation passes")
    yield f"All {sprints} sprints executed. {told} completed."
    built = gates.last_build(mission)
    if built is not None and built.verdict is GateVerdict.PASSED:  # not if a person accepted it
        yield "All packages building. All tests passing."
    yield f"Cross-package needs resolved: {resolved(mission)}"
    for need in mission.cross_needs:
        if not need.resolved:
            yield f"  open: {need.unit}: {escape.line(on_a_line(need.text), 200)}"
