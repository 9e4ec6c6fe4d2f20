"""Stop and killall, and the processes that sprints leave running."""

from collections.abc import Iterator

from topkick.core import happenings as h
from topkick.core.mission import Mission, Stance, Unit
from topkick.core.runs import CancelWhy, Stage
from topkick.core.transitions import SprintCause, SprintState
from topkick.policies.sprint.ending import LIVE, drain
from topkick.policies.sprint.events import sprint_moves


def stop(mission: Mission, command: h.Stop) -> Iterator[h.Event]:
    """Drains, or, when whoever stops has seen that it drains, forces (SD-01)."""
    units = [u for u in mission.units.values() if not command.units or u.name in command.units]
    if not command.units and mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, command.told)
        if command.why:
            yield h.Decided("", "", "Stopped", command.why)
    yield from drain(mission, units, by_force=command.force, by_name=bool(command.units))


def killall(mission: Mission, command: h.KillAll) -> Iterator[h.Event]:
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
    """A deferred sprint of a stopped wait has no run, but stands in RUNNING."""
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
