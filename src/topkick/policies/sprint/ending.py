"""How what is under way is brought to an end: drained, or forced."""

from collections.abc import Iterable, Iterator, Sequence

from topkick.core import happenings as h
from topkick.core.mission import Mission, Unit
from topkick.core.runs import CancelWhy, Run, Stage
from topkick.core.transitions import UnitCause, UnitState
from topkick.policies.sprint.events import decided, unit_moves

LIVE = (UnitState.RUNNING, UnitState.STOPPING)


def drain(mission: Mission, units: Iterable[Unit], *, by_force: bool = False) -> Iterator[h.Event]:
    """Nothing new is begun; with force, agents are not waited for either."""
    for unit in units:
        run = mission.run_of(unit.name)
        if unit.state is UnitState.RUNNING:
            yield from close_what_has_no_agent(run, judged=True)
            yield unit_moves(unit, UnitCause.STOP)
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
    yield h.RunClosed(run.id, "stopped by a person")


def force(mission: Mission, run: Run) -> Sequence[h.Event]:
    assert mission.settings is not None
    return (
        h.RunCancelled(run.id, CancelWhy.STOP_FORCED, mission.settings.stop_grace_s),
        decided(run, "Force-terminated", "force-terminated during graceful shutdown"),
    )
