"""Refuse commands that make no sense in the current state, and say what to do instead."""

from topkick.engine import messages as h
from topkick.engine.agents.runs import Stage
from topkick.engine.settings import Settings
from topkick.sprint.model import Mission, Sprint, Stance, Unit
from topkick.sprint.spending import run_share
from topkick.sprint.transitions import SprintState, UnitState


def why_not(mission: Mission, command: h.Command) -> str:
    """Return why the command is refused and what to do instead; empty if it is allowed."""
    if isinstance(command, h.Start):
        here = mission.plan is not None
        return "a run is here already; `topkick resume` goes on with it" if here else ""
    if mission.plan is None:
        return "there is no run here; `topkick start` begins one"
    if isinstance(command, h.Resume) and (refusal := _why_not_resume(mission, command)):
        return refusal
    if isinstance(command, h.Retry) and (share := run_share(mission)).part >= 1.0:
        return f"{share.told} is spent; raise it in topkick.toml, resume, and then retry"
    match command:
        case h.OverrideCheckpoint() | h.ReviseUpstream() | h.AbortPipeline():
            return "that is for a team's session: topkick checkpoint run SESSION_DIR"
        case h.Resume(units=names) | h.Stop(units=names):
            unknown = [n for n in names if n not in mission.units]
        case (
            h.Accept(unit, sprint)
            | h.Reject(unit, sprint)
            | h.Waive(unit, sprint)
            | h.Retry(unit, sprint)
        ):
            unknown = [] if _exists(mission, unit, sprint) else [f"{unit}/{sprint}"]
        case h.BeginBackground(_, name) if name in {b.name for b in mission.backgrounds.values()}:
            return f"something named {name} runs in the background already"
        case h.BeginBackground(run_id):
            unknown = [] if _is_at_work(mission, run_id) else [f"run {run_id} at work"]
        case h.EndBackground(names):
            known = {b.name for b in mission.backgrounds.values()}
            unknown = [n for n in names if n not in known]
        case h.RefuseGate(unit=unit) if unit and unit not in mission.units:
            unknown = [unit]
        case h.AcceptBranch() if mission.isolation is None:
            return "this run has no branch of its own: its agents work in your checkout"
        case h.KillAll() | h.PassGate() | h.RefuseGate() | h.AcceptBranch():
            unknown = []
    if not unknown:
        return ""
    return f"unknown here: {', '.join(unknown)}; `topkick status` shows what there is"


def _why_not_resume(mission: Mission, command: h.Resume) -> str:
    draining = [u.handle for u in mission.units.values() if u.state is UnitState.STOPPING]
    if draining and mission.stance is Stance.STOPPING:
        return f"still stopping: {', '.join(draining)}; wait for it (`topkick watch`), then resume"
    share = run_share(mission, command.settings)
    if share.part >= 1.0:
        return f"{share.told} is spent; raise it in topkick.toml, then resume"
    if command.settings is None:
        return ""
    for unit in mission.units.values():
        for sprint in unit.sprints:
            if what := _outgrown(sprint, command.settings):
                return (
                    f"{unit.handle}/{sprint.id} has {what} already; raise that limit, or accept it"
                )
    return ""


def _outgrown(sprint: Sprint, settings: Settings) -> str:
    """Return what the sprint has used beyond a new limit: a limit cannot be set below its use."""
    if sprint.state is SprintState.COMPLETED:
        return ""
    if sprint.failures > settings.max_retries:
        return f"failed {sprint.failures} times (max_retries)"
    if sprint.counted_dispatches > settings.max_dispatches:
        return f"been given out {sprint.dispatches} times (max_dispatches)"
    return ""


def _exists(mission: Mission, unit: str, sprint: str) -> bool:
    return unit in mission.units and any(s.id == sprint for s in mission.units[unit].sprints)


def _is_at_work(mission: Mission, run_id: str) -> bool:
    """Return whether the run's agent works and is not being ended: only then may it leave a process
    running.
    """
    run = mission.runs.get(run_id)
    return run is not None and run.stage is Stage.WORKING and run.cancel is None


def refuse(unit: Unit, sprint: Sprint, verb: str) -> h.CommandRefused:
    hints = {
        SprintState.PENDING: "it has not been given out yet",
        SprintState.DISPATCHED: "an agent has it now: wait for it, or `topkick stop` first",
        SprintState.RUNNING: "an agent has it now: wait for it, or `topkick stop` first",
        SprintState.COMPLETED: "it is completed already",
        SprintState.PARTIAL: "it is about to be continued; try again in a moment",
        SprintState.BACKOFF: "it is about to be tried again anyway",
        SprintState.FATAL: f"use `topkick retry {unit.handle}/{sprint.id}` instead",
    }
    return h.CommandRefused(f"cannot {verb} {unit.handle}/{sprint.id}: {hints[sprint.state]}")
