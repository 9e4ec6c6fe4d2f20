"""How what is under way is brought to an end: drained, or forced."""

from collections.abc import Iterable, Iterator, Sequence

from topkick.core import happenings as h
from topkick.core.mission import Mission, Unit
from topkick.core.runs import CancelWhy, Run, Stage
from topkick.core.transitions import UnitCause, UnitState
from topkick.policies.sprint.events import decided, unit_moves

STOPPED = "stopped by a person"
LIVE = (UnitState.RUNNING, UnitState.STOPPING)


def drain(
    mission: Mission, units: Iterable[Unit], *, by_force: bool = False, by_name: bool = False
) -> Iterator[h.Event]:
    """Nothing new is begun; with force, agents are not waited for either.

    The check of a FATAL sprint is begun again on resume, unless a person stopped its unit by name.
    """
    for unit in units:
        run = mission.run_of(unit.name)
        if unit.state is UnitState.RUNNING:
            yield from close_what_has_no_agent(run, judged=True)
            yield unit_moves(unit, UnitCause.STOP)
        if unit.state is UnitState.BLOCKED and run is not None:
            yield h.RunClosed(run.id, STOPPED, looked=by_name)
        if unit.state in LIVE and by_force and run is not None and run.cancel is None:
            yield from force(mission, run) if run.stage is Stage.WORKING else ()


def close_what_has_no_agent(run: Run | None, *, judged: bool) -> Iterator[h.Event]:
    """Surveys and waits end at once; with `judged`, a finished agent's work is still judged, and
    a merge comes to its end."""
    if run is None or run.stage is Stage.WORKING:
        return
    if run.stage is Stage.INTEGRATING and judged:
        return
    if run.stage is Stage.CHECKING and judged and run.dispatch is not None:
        return
    yield h.RunClosed(run.id, STOPPED)


def close_look(mission: Mission, unit: Unit) -> Iterator[h.Event]:
    """A person has decided: no look at the ground, or at work without its agent, is needed."""
    run = mission.run_of(unit.name)
    if run is not None and run.stage is not Stage.WORKING and run.dispatch is None:
        yield h.RunClosed(run.id, "settled by a person")


def force(mission: Mission, run: Run) -> Sequence[h.Event]:
    assert mission.settings is not None
    return (
        h.RunCancelled(run.id, CancelWhy.STOP_FORCED, mission.settings.stop_grace_s),
        decided(
            run,
            "Force-terminated",
            "force-terminated during graceful shutdown",
            kind=h.DecisionKind.STEP,
        ),
    )
