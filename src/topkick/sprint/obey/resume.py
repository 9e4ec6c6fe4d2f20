"""Start, resume and retry: the commands that set a mission or a sprint going."""

from collections.abc import Iterator, Sequence

from topkick.engine import messages as h
from topkick.engine.acting_settings import changed
from topkick.engine.agents.runs import Stage
from topkick.engine.fold import apply
from topkick.engine.refusals import CommandName
from topkick.sprint.blockers.holds import DispatchesUsed
from topkick.sprint.checkpoint.policy import judged_anew
from topkick.sprint.gates.policy import run_anew
from topkick.sprint.model import Mission, Sprint, Stance, Unit
from topkick.sprint.obey.model import OrderHeld
from topkick.sprint.obey.refusals import refuse
from topkick.sprint.obey.stop import close_look
from topkick.sprint.policy.decisions import sprint_moves, unit_moves
from topkick.sprint.policy.moves import lift_holds
from topkick.sprint.status import handle
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState


def start(command: h.Start) -> Sequence[h.Event]:
    return (
        h.MissionBegan(
            command.mission_id,
            "sprint",
            command.plan,
            command.settings,
            command.isolation,
            command.claims,
        ),
        h.StanceTaken(Stance.WORKING, "started by a person"),
    )


def resume(mission: Mission, command: h.Resume) -> Iterator[h.Event]:
    """Take over changed settings and plan first, then resume the units as they are after that."""
    changed = (*lift_holds(mission), *judged_anew(mission), *_taken_over(mission, command))
    for event in changed:
        yield event
        mission = apply(mission, event, mission.at_us)
    yield from run_anew(mission)
    if mission.stance is not Stance.WORKING or mission.agents_down or mission.limits:
        yield h.StanceTaken(Stance.WORKING, "resumed by a person")
    for unit in mission.units.values():
        asked = not command.units or unit.name in command.units
        if asked:
            yield from resume_unit(mission, unit, command)


def _taken_over(mission: Mission, command: h.Resume) -> Iterator[h.Event]:
    if command.settings is not None and command.settings != mission.settings:
        yield h.SettingsChanged(command.settings)
        names = ", ".join(one.name for one in changed(mission.settings, command.settings))
        accepted = f"; accepted by a person: {names}" if names else ""
        yield h.Decided("", "", "Settings changed", f"taken over on resume{accepted}")
    if command.plan is not None and command.plan != mission.plan:
        yield from _close_surveys(mission)
        yield h.PlanRevised(command.plan)
        yield h.Decided("", "", "Plan revised", "the edited plan was taken over on resume")


def _close_surveys(mission: Mission) -> Iterator[h.Event]:
    """Close surveys of sprints not yet dispatched, and checks of FATAL sprints: the new plan
    decides about them.
    """
    for run in mission.runs.values():
        looks_again = mission.units[run.unit].state is UnitState.BLOCKED
        if run.stage is Stage.SURVEYING or looks_again:
            yield h.RunClosed(run.id, "the plan was revised")


def resume_unit(mission: Mission, unit: Unit, command: h.Resume) -> Iterator[h.Event]:
    match unit.state:
        case UnitState.STOPPED:
            yield unit_moves(unit, UnitCause.RESUME)
        case UnitState.KILLED:
            yield unit_moves(unit, UnitCause.RESUME)
            yield from _put_back(mission, unit)
        case UnitState.RUNNING if unit.current is not None:
            yield from _rest_no_longer(mission, unit, unit.current)
        case UnitState.BLOCKED if command.retry_blocked or unit.name in command.units:
            assert unit.current is not None
            yield from reopen(
                mission, unit, unit.current, h.Retry(unit.name, unit.current.id), CommandName.RESUME
            )


def _rest_no_longer(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[h.Event]:
    """End the backoff of a sprint: a person who resumes wants it tried now."""
    if sprint.state is SprintState.BACKOFF and sprint.not_before_us > mission.at_us:
        yield h.SprintReopened(unit.name, sprint.id)


def _put_back(mission: Mission, unit: Unit) -> Iterator[h.Event]:
    """Put a killed sprint back in line for its next order; the killed attempt keeps its number
    (SD-04).
    """
    sprint = unit.current
    assert mission.settings is not None
    if sprint is None or sprint.state is not SprintState.BACKOFF:
        return
    spent = sprint.failures >= mission.settings.max_retries
    if not spent and sprint.counted_dispatches < mission.settings.max_dispatches:
        yield sprint_moves(unit.name, sprint, SprintCause.RESUMED)


def reopen(
    mission: Mission, unit: Unit, sprint: Sprint, command: h.Retry, asked: CommandName
) -> Iterator[h.Event]:
    """Reopen a FATAL sprint, which only a person can do; the old count stays in the Decisions Log
    (SM-06).
    """
    assert mission.settings is not None
    if sprint.counted_dispatches >= mission.settings.max_dispatches:
        used = DispatchesUsed(sprint.dispatches)
        yield h.CommandRefused(OrderHeld(asked, handle(unit, sprint), used))
        return
    count = f"{sprint.failures} of {mission.settings.max_retries} attempts had failed"
    yield from close_look(mission, unit)
    yield sprint_moves(unit.name, sprint, SprintCause.RESUMED)
    yield h.SprintReopened(unit.name, sprint.id, fresh=True, note=command.note, model=command.model)
    yield unit_moves(unit, UnitCause.RESUME)
    yield h.Decided(unit.name, sprint.id, "Retried by a person", count, kind=h.DecisionKind.STEP)


def retry(mission: Mission, command: h.Retry) -> Sequence[h.Event]:
    """Reopen a sprint that is FATAL or waits, for another order; this sets a stopped run to work
    again.
    """
    unit = mission.units[command.unit]
    sprint = mission.sprint(command.unit, command.sprint)
    if sprint.state is SprintState.FATAL:
        events = tuple(reopen(mission, unit, sprint, command, CommandName.RETRY))
        refused = isinstance(events[0], h.CommandRefused)
        return events if refused else (*events, *_work_on(mission))
    waits = sprint.state in {SprintState.PARTIAL, SprintState.BACKOFF, SprintState.PENDING}
    if not waits or mission.run_of(unit.name) is not None or sprint is not unit.current:
        return (refuse(unit, sprint, CommandName.RETRY),)
    return (
        h.SprintReopened(unit.name, sprint.id, note=command.note, model=command.model),
        h.Decided(
            unit.name,
            sprint.id,
            "Retried by a person",
            command.note or "no note",
            kind=h.DecisionKind.STEP,
        ),
        *(resume_unit(mission, unit, h.Resume())),
        *_work_on(mission),
    )


def _work_on(mission: Mission) -> Iterator[h.Event]:
    if mission.stance is not Stance.WORKING or mission.agents_down:
        yield h.StanceTaken(Stance.WORKING, "retry by a person")
