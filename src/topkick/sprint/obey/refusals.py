"""Find out why a command makes no sense in the current state of the run."""

from topkick.engine import messages as h
from topkick.engine.agents.runs import Stage
from topkick.engine.refusals import CommandName
from topkick.engine.settings import Settings
from topkick.sprint.blockers.holds import BudgetSpent
from topkick.sprint.model import Mission, Sprint, Stance, Unit
from topkick.sprint.obey.model import (
    BackgroundExists,
    LimitBelowUse,
    LimitName,
    NamedKind,
    NameUnknown,
    NoBranch,
    NoRun,
    OrderHeld,
    PipelineOnly,
    RunExists,
    RunNotAtWork,
    SprintRefusal,
    SprintUnready,
    StillStopping,
)
from topkick.sprint.spending import run_share
from topkick.sprint.status import handle
from topkick.sprint.transitions import SprintState, UnitState


def why_not(mission: Mission, command: h.Command) -> SprintRefusal | None:
    """Return why the command is refused, or None if it may be carried out."""
    if isinstance(command, h.Start):
        return RunExists() if mission.plan is not None else None
    if mission.plan is None:
        return NoRun()
    match command:
        case h.OverrideCheckpoint():
            return PipelineOnly(CommandName.OVERRIDE)
        case h.ReviseUpstream():
            return PipelineOnly(CommandName.REVISE)
        case h.AbortPipeline():
            return PipelineOnly(CommandName.ABORT)
        case h.Resume(units=names):
            return _why_not_resume(mission, command) or _unknown_units(mission, names)
        case h.Stop(units=names):
            return _unknown_units(mission, names)
        case h.Retry():
            return _why_not_retry(mission, command)
        case h.Accept(unit, sprint) | h.Reject(unit, sprint) | h.Waive(unit, sprint):
            return _unknown_sprint(mission, unit, sprint)
        case h.RefuseGate(unit=unit):
            return _unknown_units(mission, (unit,) if unit else ())
        case h.BeginBackground() | h.EndBackground():
            return _why_not_background(mission, command)
        case h.AcceptBranch() if mission.isolation is None:
            return NoBranch()
        case h.KillAll() | h.PassGate() | h.AcceptBranch():
            return None


def _why_not_resume(mission: Mission, command: h.Resume) -> SprintRefusal | None:
    draining = tuple(u.handle for u in mission.units.values() if u.state is UnitState.STOPPING)
    if draining and mission.stance is Stance.STOPPING:
        return StillStopping(draining)
    if (spent := _spent(mission, command.settings)) is not None:
        return OrderHeld(CommandName.RESUME, "", spent)
    if command.settings is None:
        return None
    for unit in mission.units.values():
        for sprint in unit.sprints:
            if (outgrown := _outgrown(unit, sprint, command.settings)) is not None:
                return outgrown
    return None


def _why_not_retry(mission: Mission, command: h.Retry) -> SprintRefusal | None:
    unknown = _unknown_sprint(mission, command.unit, command.sprint)
    if unknown is not None or (spent := _spent(mission)) is None:
        return unknown
    sprint = mission.sprint(command.unit, command.sprint)
    return OrderHeld(CommandName.RETRY, handle(mission.units[command.unit], sprint), spent)


def _spent(mission: Mission, settings: Settings | None = None) -> BudgetSpent | None:
    """Return the budget of the run or the day, if one is spent."""
    share = run_share(mission, settings)
    return BudgetSpent(f"{share.told} is spent") if share.part >= 1.0 else None


def _outgrown(unit: Unit, sprint: Sprint, settings: Settings) -> LimitBelowUse | None:
    """Return what the sprint has used beyond a new limit: a limit cannot be set below its use."""
    x = handle(unit, sprint)
    if sprint.state is SprintState.COMPLETED:
        return None
    if sprint.failures > settings.max_retries:
        return LimitBelowUse(x, LimitName.MAX_RETRIES, sprint.failures, settings.max_retries)
    if sprint.counted_dispatches > settings.max_dispatches:
        used, most = sprint.counted_dispatches, settings.max_dispatches
        return LimitBelowUse(x, LimitName.MAX_DISPATCHES, used, most)
    return None


def _unknown_units(mission: Mission, names: tuple[str, ...]) -> NameUnknown | None:
    unknown = tuple(n for n in names if n not in mission.units)
    return NameUnknown(NamedKind.UNIT, unknown) if unknown else None


def _unknown_sprint(mission: Mission, unit: str, sprint: str) -> NameUnknown | None:
    if unit in mission.units and any(s.id == sprint for s in mission.units[unit].sprints):
        return None
    return NameUnknown(NamedKind.SPRINT, (f"{unit}/{sprint}",))


def _why_not_background(
    mission: Mission, command: h.BeginBackground | h.EndBackground
) -> SprintRefusal | None:
    known = {b.name for b in mission.backgrounds.values()}
    if isinstance(command, h.EndBackground):
        unknown = tuple(n for n in command.names if n not in known)
        return NameUnknown(NamedKind.BACKGROUND, unknown) if unknown else None
    if command.name in known:
        return BackgroundExists(command.name)
    return None if _is_at_work(mission, command.run_id) else RunNotAtWork(command.run_id)


def _is_at_work(mission: Mission, run_id: str) -> bool:
    """Return whether the run's agent works and is not being ended: only then may it leave a process
    running.
    """
    run = mission.runs.get(run_id)
    return run is not None and run.stage is Stage.WORKING and run.cancel is None


def refuse(unit: Unit, sprint: Sprint, asked: CommandName) -> h.CommandRefused:
    return h.CommandRefused(SprintUnready(asked, handle(unit, sprint), sprint.state))
