"""What a person says: start, resume, stop, killall, accept, reject, retry."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from topkick.core import happenings as h
from topkick.core.fold import apply
from topkick.core.model import (
    CancelWhy,
    Mission,
    Outcome,
    Proof,
    Run,
    Settings,
    Sprint,
    SprintState,
    Stage,
    Stance,
    Unit,
    UnitState,
    Verdict,
)
from topkick.core.transitions import SprintCause, UnitCause
from topkick.policies.sprint.events import sprint_moves, unit_moves
from topkick.policies.sprint.moves import LIVE, force, lift_holds


def obey(mission: Mission, command: h.Command) -> Sequence[h.Event]:
    refusal = _why_not(mission, command)
    return (h.CommandRefused(refusal),) if refusal else tuple(_carry_out(mission, command))


def _why_not(mission: Mission, command: h.Command) -> str:
    """What makes no sense here is refused with what to do instead; nothing is changed."""
    if isinstance(command, h.Start):
        here = mission.plan is not None
        return "a run is here already; `topkick resume` goes on with it" if here else ""
    if mission.plan is None:
        return "there is no run here; `topkick start` begins one"
    if isinstance(command, h.Resume) and (refusal := _why_not_resume(mission, command)):
        return refusal
    match command:
        case h.Resume(units=names) | h.Stop(units=names):
            unknown = [n for n in names if n not in mission.units]
        case h.Accept(unit, sprint) | h.Reject(unit, sprint) | h.Retry(unit, sprint):
            unknown = [] if _exists(mission, unit, sprint) else [f"{unit}/{sprint}"]
        case h.BeginBackground(run_id):
            unknown = [] if _is_at_work(mission, run_id) else [f"run {run_id} at work"]
        case h.EndBackground(names):
            known = {b.name for b in mission.backgrounds.values()}
            unknown = [n for n in names if n not in known]
        case h.KillAll():
            unknown = []
    if not unknown:
        return ""
    return f"unknown here: {', '.join(unknown)}; `topkick status` shows what there is"


def _why_not_resume(mission: Mission, command: h.Resume) -> str:
    draining = [u.handle for u in mission.units.values() if u.state is UnitState.STOPPING]
    if draining and mission.stance is Stance.STOPPING:
        return f"still stopping: {', '.join(draining)}; wait for it (`topkick watch`), then resume"
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
    """A limit cannot be set below what has been used of it."""
    if sprint.state is SprintState.COMPLETED:
        return ""
    if sprint.failures > settings.max_retries:
        return f"failed {sprint.failures} times (max_retries)"
    if sprint.dispatches > settings.max_dispatches:
        return f"been given out {sprint.dispatches} times (max_dispatches)"
    return ""


def _exists(mission: Mission, unit: str, sprint: str) -> bool:
    return unit in mission.units and any(s.id == sprint for s in mission.units[unit].sprints)


def _is_at_work(mission: Mission, run_id: str) -> bool:
    """An agent that is being ended leaves nothing behind that would outlive it."""
    run = mission.runs.get(run_id)
    return run is not None and run.stage is Stage.WORKING and run.cancel is None


def _carry_out(mission: Mission, command: h.Command) -> Iterable[h.Event]:
    match command:
        case h.Start():
            return _start(command)
        case h.Resume():
            return _resume(mission, command)
        case h.Stop():
            return _stop(mission, command)
        case h.KillAll():
            return _killall(mission, command)
        case h.Accept():
            return _accept(mission, command)
        case h.Reject():
            return _reject(mission, command)
        case h.Retry():
            return _retry(mission, command)
        case h.BeginBackground():
            return _begin_background(mission, command)
        case h.EndBackground(names):
            return _end_background(mission, names)
        case _:
            assert_never(command)


def _start(command: h.Start) -> Sequence[h.Event]:
    return (
        h.MissionBegan(command.mission_id, "sprint", command.plan, command.settings),
        h.StanceTaken(Stance.WORKING, "started by a person"),
    )


# --- resume --------------------------------------------------------------------------------


def _resume(mission: Mission, command: h.Resume) -> Iterator[h.Event]:
    """First what changed is taken over; the units are then resumed as they stand after it."""
    for event in (*lift_holds(mission), *_taken_over(mission, command)):
        yield event
        mission = apply(mission, event, mission.at_us)
    if mission.stance is not Stance.WORKING or mission.agents_down:
        yield h.StanceTaken(Stance.WORKING, "resumed by a person")
    for unit in mission.units.values():
        asked = not command.units or unit.name in command.units
        if asked:
            yield from _resume_unit(mission, unit, command)


def _taken_over(mission: Mission, command: h.Resume) -> Iterator[h.Event]:
    if command.settings is not None and command.settings != mission.settings:
        yield h.SettingsChanged(command.settings)
        yield h.Decided("", "", "Settings changed", "taken over on resume")
    if command.plan is not None and command.plan != mission.plan:
        yield from _close_surveys(mission)
        yield h.PlanRevised(command.plan)
        yield h.Decided("", "", "Plan revised", "the edited plan was taken over on resume")


def _close_surveys(mission: Mission) -> Iterator[h.Event]:
    """What was not given out yet is planned anew."""
    for run in mission.runs.values():
        if run.stage is Stage.SURVEYING:
            yield h.RunClosed(run.id, "the plan was revised")


def _resume_unit(mission: Mission, unit: Unit, command: h.Resume) -> Iterator[h.Event]:
    match unit.state:
        case UnitState.STOPPED:
            yield unit_moves(unit, UnitCause.RESUME)
        case UnitState.KILLED:
            yield unit_moves(unit, UnitCause.RESUME)
            yield from _put_back(mission, unit)
        case UnitState.BLOCKED if command.retry_blocked or unit.name in command.units:
            assert unit.current is not None
            yield from _reopen(mission, unit, unit.current, "", "")


def _put_back(mission: Mission, unit: Unit) -> Iterator[h.Event]:
    """A killed attempt keeps its number; the sprint waits for its next order again (SD-04)."""
    sprint = unit.current
    assert mission.settings is not None
    if sprint is None or sprint.state is not SprintState.BACKOFF:
        return
    spent = sprint.failures >= mission.settings.max_retries
    if not spent and sprint.dispatches < mission.settings.max_dispatches:
        yield sprint_moves(unit.name, sprint, SprintCause.RESUMED)


def _reopen(
    mission: Mission, unit: Unit, sprint: Sprint, note: str, model: str
) -> Iterator[h.Event]:
    """Only a person leaves FATAL; the old count stays in the Decisions Log (SM-06)."""
    assert mission.settings is not None
    if sprint.dispatches >= mission.settings.max_dispatches:
        yield h.CommandRefused(
            f"{unit.handle}/{sprint.id} was given out {sprint.dispatches} times over its life, "
            "the limit; accept it, change the plan, or raise max_dispatches"
        )
        return
    count = f"{sprint.failures} of {mission.settings.max_retries} attempts had failed"
    yield sprint_moves(unit.name, sprint, SprintCause.RESUMED)
    yield h.SprintReopened(unit.name, sprint.id, fresh=True, note=note, model=model)
    yield unit_moves(unit, UnitCause.RESUME)
    yield h.Decided(unit.name, sprint.id, "Retried by a person", count)


# --- stop and killall ----------------------------------------------------------------------


def _stop(mission: Mission, command: h.Stop) -> Iterator[h.Event]:
    """The first stop drains; the second one forces (SD-01)."""
    units = [u for u in mission.units.values() if not command.units or u.name in command.units]
    if not command.units and mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, "stopped by a person")
    for unit in units:
        run = mission.run_of(unit.name)
        if unit.state is UnitState.RUNNING:
            yield from _close_what_has_no_agent(run, judged=True)
            yield unit_moves(unit, UnitCause.STOP)
        elif unit.state is UnitState.STOPPING and run is not None and run.cancel is None:
            yield from force(mission, run) if run.stage is Stage.WORKING else ()


def _close_what_has_no_agent(run: Run | None, *, judged: bool) -> Iterator[h.Event]:
    """Surveys and waits end at once; with `judged`, a finished agent's work is still judged."""
    if run is None or run.stage is Stage.WORKING:
        return
    if run.stage is Stage.CHECKING and judged and run.dispatch is not None:
        return
    yield h.RunClosed(run.id, "stopped by a person")


def _killall(mission: Mission, command: h.KillAll) -> Iterator[h.Event]:
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


# --- background processes ------------------------------------------------------------------


def _begin_background(mission: Mission, command: h.BeginBackground) -> Iterator[h.Event]:
    run = mission.runs[command.run_id]
    background_id = f"{mission.id}-{mission.runs_opened + 1}"
    yield h.BackgroundOpened(
        background_id, run.unit, run.sprint, command.name, command.argv, command.cwd
    )
    yield h.Decided(run.unit, run.sprint, f"Background: {command.name}", " ".join(command.argv))


def _end_background(mission: Mission, names: tuple[str, ...]) -> Iterator[h.Event]:
    assert mission.settings is not None
    for background in mission.backgrounds.values():
        wanted = not names or background.name in names
        if wanted and background.end_within_s is None:
            yield h.BackgroundCancelled(background.id, mission.settings.stop_grace_s)


# --- accept, reject, retry -----------------------------------------------------------------


def _accept(mission: Mission, command: h.Accept) -> Sequence[h.Event]:
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    acceptable = {SprintState.PARTIAL, SprintState.BACKOFF, SprintState.FATAL}
    if sprint.state not in acceptable:
        return (_refuse(unit, sprint, "accept"),)
    outcome = Outcome(Verdict.SUCCESS, (f"accepted: {command.why}",))
    events: list[h.Event] = [*_close_survey(mission, unit)]
    events.append(h.SprintJudged(unit.name, sprint.id, outcome, proof=Proof.ACCEPTED))
    events.append(sprint_moves(unit.name, sprint, SprintCause.ACCEPTED, command.why))
    if unit.state is UnitState.BLOCKED:
        events.append(unit_moves(unit, UnitCause.RESUME))
        if mission.stance is Stance.STOPPING:
            events.append(unit_moves(replace(unit, state=UnitState.RUNNING), UnitCause.STOP))
    events.append(h.Decided(unit.name, sprint.id, "Accepted by a person", command.why))
    return events


def _reject(mission: Mission, command: h.Reject) -> Sequence[h.Event]:
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    if sprint.state is not SprintState.PARTIAL:
        return (_refuse(unit, sprint, "reject"),)
    why = f"rejected by a person: {command.why}"
    outcome = Outcome(Verdict.FAILURE, (why,))
    return (
        *_close_survey(mission, unit),
        h.SprintJudged(unit.name, sprint.id, outcome, charged=True, fingerprint=why),
        sprint_moves(unit.name, sprint, SprintCause.REJECTED, command.why),
        h.Decided(unit.name, sprint.id, "Rejected by a person", command.why),
    )


def _retry(mission: Mission, command: h.Retry) -> Sequence[h.Event]:
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    if sprint.state is SprintState.FATAL:
        events = tuple(_reopen(mission, unit, sprint, command.note, command.model))
        refused = isinstance(events[0], h.CommandRefused)
        return events if refused else (*events, *_work_on(mission))
    waits = sprint.state in {SprintState.PARTIAL, SprintState.BACKOFF, SprintState.PENDING}
    if not waits or mission.run_of(unit.name) is not None or sprint is not unit.current:
        return (_refuse(unit, sprint, "retry"),)
    return (
        h.SprintReopened(unit.name, sprint.id, note=command.note, model=command.model),
        h.Decided(unit.name, sprint.id, "Retried by a person", command.note or "no note"),
        *(_resume_unit(mission, unit, h.Resume())),
        *_work_on(mission),
    )


def _work_on(mission: Mission) -> Iterator[h.Event]:
    if mission.stance is not Stance.WORKING or mission.agents_down:
        yield h.StanceTaken(Stance.WORKING, "retry by a person")


def _close_survey(mission: Mission, unit: Unit) -> Iterator[h.Event]:
    run = mission.run_of(unit.name)
    if run is not None and run.stage is Stage.SURVEYING:
        yield h.RunClosed(run.id, "settled by a person")


def _refuse(unit: Unit, sprint: Sprint, verb: str) -> h.CommandRefused:
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
