"""Stop and killall, and the background processes that sprints leave running."""

from collections.abc import Iterable, Iterator, Sequence

from topkick.engine import messages as h
from topkick.engine.agents.runs import CancelWhy, Run, Stage
from topkick.sprint.model import Mission, Stance, Unit
from topkick.sprint.policy.decisions import decided, sprint_moves, unit_moves
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState

# --- drain and force -----------------------------------------------------------------------

STOPPED = "stopped by a person"
LIVE = (UnitState.RUNNING, UnitState.STOPPING)


def drain(
    mission: Mission, units: Iterable[Unit], *, by_force: bool = False, by_name: bool = False
) -> Iterator[h.Event]:
    """Stop these units: no new order is given, and with `by_force` their agents are ended now.

    A check of a FATAL sprint starts again on resume, unless a person stopped its unit by name.
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
    """Close a run that has no agent. With `judged`, the check of a finished agent's work and a
    merge may still end by themselves.
    """
    if run is None or run.stage is Stage.WORKING:
        return
    if run.stage is Stage.INTEGRATING and judged:
        return
    if run.stage is Stage.CHECKING and judged and run.dispatch is not None:
        return
    yield h.RunClosed(run.id, STOPPED)


def close_look(mission: Mission, unit: Unit) -> Iterator[h.Event]:
    """Close a survey, or a check of work without its agent: a person has decided, so its result is
    not needed.
    """
    run = mission.run_of(unit.name)
    if run is not None and run.stage is not Stage.WORKING and run.dispatch is None:
        yield h.RunClosed(run.id, "settled by a person")


def force(mission: Mission, run: Run) -> Sequence[h.Event]:
    """Cancel the run's agent now, with the grace period of a stop."""
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


# --- the commands --------------------------------------------------------------------------


def stop(mission: Mission, command: h.Stop) -> Iterator[h.Event]:
    """Stop units by draining them, or by force if the command says so (SD-01)."""
    units = [u for u in mission.units.values() if not command.units or u.name in command.units]
    if not command.units and mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, command.told)
        if command.why:
            yield h.Decided("", "", "Stopped", command.why)
    yield from drain(mission, units, by_force=command.force, by_name=bool(command.units))


def killall(mission: Mission, command: h.KillAll) -> Iterator[h.Event]:
    """Cancel all agents and background processes, and close all other runs."""
    assert mission.settings is not None
    yield h.StanceTaken(Stance.KILLED, command.why)
    for run in mission.runs.values():
        sprint = mission.sprint(run.unit, run.sprint)
        if run.stage is Stage.WORKING:
            if run.cancel is None or run.cancel.why is not CancelWhy.KILLALL:
                yield h.RunCancelled(run.id, CancelWhy.KILLALL, mission.settings.kill_grace_s)
            continue
        if sprint.state in {SprintState.DISPATCHED, SprintState.RUNNING}:
            yield sprint_moves(run.unit, sprint, SprintCause.KILLED)
        yield h.RunClosed(run.id, "killall")
    for unit in mission.units.values():
        yield from _kill_waiting(mission, unit)
    for background in mission.backgrounds.values():
        yield h.BackgroundCancelled(background.id, mission.settings.kill_grace_s)


def _kill_waiting(mission: Mission, unit: Unit) -> Iterator[h.Event]:
    """Mark a deferred sprint as killed whose wait was stopped: it is RUNNING but has no run."""
    sprint = unit.current
    if unit.state not in LIVE or sprint is None or mission.run_of(unit.name) is not None:
        return
    if sprint.state is SprintState.RUNNING:
        yield sprint_moves(unit.name, sprint, SprintCause.KILLED)


def begin_background(mission: Mission, command: h.BeginBackground) -> Iterator[h.Event]:
    run = mission.runs[command.run_id]
    background_id = f"{mission.id}-{mission.runs_opened + 1}"
    yield h.BackgroundOpened(
        background_id, run.unit, run.sprint, command.name, command.argv, command.cwd
    )
    yield h.Decided(run.unit, run.sprint, f"Background: {command.name}", " ".join(command.argv))


def end_background(mission: Mission, names: tuple[str, ...]) -> Iterator[h.Event]:
    assert mission.settings is not None
    for background in mission.backgrounds.values():
        wanted = not names or background.name in names
        if wanted and background.end_within_s is None:
            yield h.BackgroundCancelled(background.id, mission.settings.stop_grace_s)
