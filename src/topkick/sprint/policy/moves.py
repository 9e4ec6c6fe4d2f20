"""Decide what the supervisor does next: moves that follow from others, and the next order.

The engine asks `what_next` after every fact, applies the events it returns, and asks again until
nothing is returned. So each rule states one small step and need not know what the others do.

1. RULES look at one unit at a time, and only at the units that the step touched (the worklist).
   They make the moves that the unit's state already implies: a sprint without attempts left is
   FATAL and blocks its unit, finished work is merged, a unit with nothing left to do is COMPLETED,
   a stopping unit without a run is STOPPED. They apply even when the run is stopped.
2. Rules for the whole run come next, and only if the supervisor drives the run. A spent budget
   stops it. While it works, the first of these that applies is taken: check a FATAL sprint again
   (before another agent changes the tree), begin units, give an order, open a gate, reconcile
   needs. A gate comes after orders: it is opened only if no unit can be given work in this step.

An order takes two steps. First a survey looks at the tree: its commit, the entry criteria, and the
exit criteria that pass already or cannot run. Then `dispatch_on` asks again what blocks the sprint,
since the state may have changed during the survey, and makes the prompt. The second step follows at
once if the check of the unit's previous sprint has brought the survey already.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from topkick.checks.model import CheckResult, Ground
from topkick.engine import messages as h
from topkick.engine.agents.runs import WITHOUT_AGENT, Run, Stage
from topkick.engine.settings import Settings
from topkick.plan_format.model import SprintType
from topkick.sprint.blockers.holds import (
    BudgetSpent,
    CheckUnrunnable,
    DispatchesUsed,
    EntryUnmet,
    FatalCause,
    FatalKind,
    Hold,
    Unchecked,
)
from topkick.sprint.blockers.order import first_blocker, has_work_to_check, survey_blocker
from topkick.sprint.blockers.waits import NextStep, TreeTaken
from topkick.sprint.check_wording import name_of, told, words_for
from topkick.sprint.dispatch.model_score import select_tier
from topkick.sprint.dispatch.prompt import OWN_MODEL, make_dispatch
from topkick.sprint.gates.due import awaits_gate
from topkick.sprint.gates.policy import clear_a_unit, open_a_gate
from topkick.sprint.gates.shared_tree import look_again, may_build
from topkick.sprint.model import Mission, Sprint, Stance, Unit
from topkick.sprint.needs.policy import reconcile
from topkick.sprint.obey.stop import LIVE, force
from topkick.sprint.policy.decisions import sprint_moves, unit_moves
from topkick.sprint.policy.integration import integrate, to_be_merged
from topkick.sprint.policy.run_trouble import drain_when_spent, end_over_limit
from topkick.sprint.policy.verdict import unrunnable
from topkick.sprint.readiness import may_start, needs_clearance, to_integrate
from topkick.sprint.timers import patience_ends_at_us
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState
from topkick.sprint.unit_index import Trait, index_of

MAX_TROUBLES = 12
MODEL_BY_SCORE, MODEL_BY_RULE = h.DecisionKind.MODEL_BY_SCORE, h.DecisionKind.MODEL_BY_RULE


def what_next(mission: Mission, to_look_at: set[str] | None = None) -> Sequence[h.Event]:
    """Return the events of the first rule that applies; the engine asks until there are none.

    A unit for which no rule applies is removed from `to_look_at`; None means all units.
    """
    for unit in _in_turn(mission, to_look_at):
        for rule in RULES:
            if events := rule(mission, unit):
                return events
        if to_look_at is not None:
            to_look_at.discard(unit.name)
    if not mission.driven:
        return ()
    if events := tuple(drain_when_spent(mission)):
        return events
    if mission.stance is not Stance.WORKING:
        return ()
    return (
        check_a_fatal_sprint(mission)
        or begin_units(mission)
        or give_an_order(mission)
        or open_a_gate(mission)
        or reconcile(mission)
    )


def _in_turn(mission: Mission, names: Iterable[str] | None) -> Iterable[Unit]:
    return mission.units.values() if names is None else index_of(mission).in_order(names)


# --- moves that a unit's state implies -----------------------------------------------------


def exhaust(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Make the sprint FATAL and its unit BLOCKED in one step; the other units continue (SM-05)."""
    sprint = unit.current
    if sprint is None or unit.state not in LIVE or sprint.state is not SprintState.BACKOFF:
        return ()
    if sprint.interrupted is not None:  # its work is checked first
        return ()
    fatal = _why_exhausted(sprint, _settings(mission))
    if fatal is None:
        return ()
    return (
        sprint_moves(unit.name, sprint, SprintCause.EXHAUSTED, blocker=fatal),
        unit_moves(unit, UnitCause.SPRINT_FATAL),
        _told(unit, sprint, "FATAL", fatal, f"last: {_last_reason(sprint)}"),
    )


def _why_exhausted(sprint: Sprint, settings: Settings) -> FatalCause | None:
    if sprint.fatal is not None:
        return sprint.fatal
    if sprint.failures >= settings.max_retries:
        return FatalCause(FatalKind.ATTEMPTS, sprint.failures, settings.max_retries)
    if sprint.counted_dispatches >= settings.max_dispatches:
        return FatalCause(FatalKind.DISPATCHES, sprint.dispatches, settings.max_dispatches)
    if sprint.troubles > MAX_TROUBLES:
        return FatalCause(FatalKind.TROUBLES, sprint.troubles, MAX_TROUBLES)
    return None


def _told(unit: Unit, sprint: Sprint, decision: str, hold: Hold, also: str = "") -> h.Decided:
    """Return the line of the Decisions Log for an event that stores a blocker."""
    return h.Decided(unit.name, sprint.id, decision, also, hold, h.DecisionKind.EVENT)


def _last_reason(sprint: Sprint) -> str:
    reasons = sprint.outcome.reasons if sprint.outcome is not None else ()
    return reasons[0] if reasons else "nothing was recorded"


def finish(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Complete a unit without sprints left, once its work is merged and waits for no gate."""
    if unit.current is not None or unit.state not in LIVE:
        return ()
    if mission.isolation is not None and unit.integrated < len(unit.sprints):
        return ()
    if awaits_gate(mission, unit):
        return ()
    return (unit_moves(unit, UnitCause.FINISHED), *lift_holds(mission))


def lift_holds(mission: Mission) -> Iterator[h.Event]:
    """Lift all holds of sprints and units, so that they are tried again: when a unit completes, and
    on resume (DP-08, GT-01).
    """
    for unit in index_of(mission).having(Trait.HELD):
        if unit.hold:
            yield h.UnitHeld(unit.name)
        for sprint in (unit.current, to_integrate(mission, unit)):
            if sprint is not None and sprint.hold:
                yield h.HoldLifted(unit.name, sprint.id)


def drain(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Mark a stopping unit as STOPPED when its last run has ended."""
    if unit.state is not UnitState.STOPPING or mission.run_of(unit.name) is not None:
        return ()
    if mission.stance is Stance.KILLED:
        return ()
    return (unit_moves(unit, UnitCause.DRAINED),)


def kill(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Mark a unit as KILLED after `killall`, when its last run has ended."""
    if mission.stance is not Stance.KILLED or unit.state not in LIVE:
        return ()
    if mission.run_of(unit.name) is not None:
        return ()
    return (unit_moves(unit, UnitCause.KILLED),)


def lose_patience(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """End the agent of a stopping unit once `stop` has waited long enough (SD-01)."""
    run = mission.run_of(unit.name)
    if unit.state is not UnitState.STOPPING or run is None or run.cancel is not None:
        return ()
    if run.stage is not Stage.WORKING or mission.at_us < patience_ends_at_us(mission, unit):
        return ()
    return force(mission, run)


RULES: tuple[Callable[[Mission, Unit], Sequence[h.Event]], ...] = (
    exhaust,
    integrate,
    finish,
    drain,
    kill,
    lose_patience,
    end_over_limit,
)


# --- which unit is next --------------------------------------------------------------------


def begin_units(mission: Mission) -> Sequence[h.Event]:
    """Begin the units that may begin, in the plan's order, up to the first one that needs another
    decision first.
    """
    begun: list[h.Event] = []
    for unit in index_of(mission).having(Trait.STARTABLE):
        if not may_start(mission, unit):
            continue
        if not needs_clearance(mission, unit):
            begun.append(unit_moves(unit, UnitCause.START))
            if unit.at or not unit.sprints:  # merge its finished work, or end the unit, first
                break
        elif begun:
            break
        elif events := clear_a_unit(mission, unit):
            return events
    return begun


def give_an_order(mission: Mission) -> Sequence[h.Event]:
    """Give the next order: units run in parallel up to the limit, in the plan's order (LP-02)."""
    free = _free_places(mission)
    for unit in index_of(mission).having(Trait.READY if free > 0 else Trait.DEFERRED):
        assert unit.current is not None
        if events := _order_for(mission, unit, unit.current, has_slot=free > 0):
            return events
    return ()


def check_a_fatal_sprint(mission: Mission) -> Sequence[h.Event]:
    """Check a FATAL sprint again before another agent changes the tree; the check takes an agent's
    place (GT-03).
    """
    return look_again(mission) if _free_places(mission) > 0 else ()


def _free_places(mission: Mission) -> int:
    busy = sum(run.stage not in WITHOUT_AGENT for run in mission.runs.values())
    return _settings(mission).max_agents - busy


def _order_for(
    mission: Mission, unit: Unit, sprint: Sprint, *, has_slot: bool
) -> Sequence[h.Event]:
    """Give the sprint an order if nothing blocks it. If its first blocker is one that a person has
    to move, store it as a hold.
    """
    match first_blocker(mission, unit, sprint, has_slot=has_slot):
        case NextStep():
            return _next_step(mission, unit, sprint)
        case BudgetSpent() | DispatchesUsed() | Unchecked() as hold if sprint.hold is None:
            return (h.HoldPlaced(unit.name, sprint.id, hold),)
        case _:
            return ()


def _next_step(mission: Mission, unit: Unit, sprint: Sprint) -> Sequence[h.Event]:
    if sprint.plan.effective_type is SprintType.DEFERRED:
        return _wait_for_condition(mission, unit, sprint)
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    if has_work_to_check(sprint):
        return (h.RunOpened(run_id, unit.name, sprint.id, Stage.CHECKING),)
    opened = h.RunOpened(run_id, unit.name, sprint.id, Stage.SURVEYING)
    is_fresh = sprint.ground is not None and sprint.ground_at_us == mission.at_us
    if sprint.ground is None or not is_fresh or _has_to_catch_up(mission, sprint):
        return (opened,)
    return (opened, *_dispatch_on(mission, unit, sprint, run_id, sprint.ground))


def _has_to_catch_up(mission: Mission, sprint: Sprint) -> bool:
    return mission.isolation is not None and bool(sprint.plan.waits_for)


def _wait_for_condition(mission: Mission, unit: Unit, sprint: Sprint) -> Sequence[h.Event]:
    """Open the wait of a deferred sprint: it is RUNNING without an agent, and takes no agent's
    place (ER-02).
    """
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    opened = h.RunOpened(run_id, unit.name, sprint.id, Stage.WAITING, mission.at_us)
    if sprint.state is SprintState.RUNNING:
        return (opened,)
    first = sprint_moves(unit.name, sprint, SprintCause.DISPATCHED)
    begun = h.SprintMoved(
        unit.name, sprint.id, first.now, SprintCause.FIRST_ACTIVITY, SprintState.RUNNING
    )
    return (opened, first, begun)


# --- dispatch after the survey -------------------------------------------------------------


def dispatch_on(mission: Mission, run: Run, ground: Ground) -> Sequence[h.Event]:
    """Dispatch the sprint after its survey, unless it is blocked by now.

    If the survey met a merge conflict, a sprint that has not begun resolves it first. A sprint that
    has begun continues, and meets the conflict when its work is merged (S6, GT-06).
    """
    unit, sprint = mission.units[run.unit], mission.sprint(run.unit, run.sprint)
    match survey_blocker(mission, unit, sprint):
        case NextStep():
            pass
        case TreeTaken():
            return (h.RunClosed(run.id, "another agent may build in the tree that they share"),)
        case _:
            return (h.RunClosed(run.id, "it may not be dispatched any more", withdrawn=True),)
    if ground.conflicts and sprint.state is SprintState.PENDING:
        return to_be_merged(mission, run, ground.conflicts, ground.tip)
    return _dispatch_on(mission, unit, sprint, run.id, ground)


def _dispatch_on(
    mission: Mission, unit: Unit, sprint: Sprint, run_id: str, ground: Ground
) -> Sequence[h.Event]:
    """Dispatch the sprint, or hold it if an entry criterion fails or a check cannot run; a hold
    charges no attempt (DP-08).
    """
    unmet = [r for r in ground.entry if not r.passed]
    if unmet:
        hold = EntryUnmet(_unmet(unmet[0]), unmet[0].excerpt)
        return (
            h.HoldPlaced(unit.name, sprint.id, hold),
            h.RunClosed(run_id, "held by an entry criterion"),
            _told(unit, sprint, "Held", hold),
        )
    if cannot := unrunnable(sprint, ground.cannot):
        return _held_for_tools(unit, sprint, run_id, cannot[0])
    selected = select_tier(mission, unit, sprint)
    order = make_dispatch(mission, unit, sprint, ground, selected, alone=may_build(mission, unit))
    return (
        *_corrected(unit, sprint, ground),
        h.RunDispatched(run_id, order),
        sprint_moves(unit.name, sprint, SprintCause.DISPATCHED),
        h.Decided(
            unit.name,
            sprint.id,
            f"Model: {order.model or OWN_MODEL}",
            selected.why,
            kind=MODEL_BY_SCORE if selected.by_score else MODEL_BY_RULE,
        ),
    )


def _held_for_tools(
    unit: Unit, sprint: Sprint, run_id: str, cannot: CheckResult
) -> Sequence[h.Event]:
    """Hold the sprint: no agent can make this check run, so none is dispatched and no attempt is
    charged.
    """
    names = {c.command: c.named for c in sprint.plan.checks}
    lacks = cannot.missing or f"it ended with {cannot.code}"
    hold = CheckUnrunnable(names.get(cannot.command) or cannot.command, lacks, cannot.excerpt)
    return (
        h.HoldPlaced(unit.name, sprint.id, hold),
        h.RunClosed(run_id, "held by a check that cannot run"),
        _told(unit, sprint, "Held", hold),
    )


def _corrected(unit: Unit, sprint: Sprint, ground: Ground) -> Iterator[h.Event]:
    """Note that a progress file claims a sprint that was never dispatched. The sprint is dispatched
    anyway: checks that pass before any order prove nothing by themselves (ST-02, DP-08).
    """
    if ground.progress != "complete" or sprint.dispatches:
        return
    checks = sprint.plan.checks
    unmet = [c.command for c in checks if c.command and c.command not in ground.passing]
    said = (
        f"not met: {words_for(checks, unmet[0])}"
        if unmet
        else "its checks prove nothing by themselves"
    )
    yield h.Decided(unit.name, sprint.id, "PROGRESS.md claims it is complete", f"but {said}")


def _unmet(result: CheckResult) -> str:
    """Describe an entry criterion that failed. A check that never ran has no exit code; its first
    line says why.
    """
    if result.code is not None:
        return told(result)
    return " ".join(
        [name_of(result), ": ".join([result.outcome, *result.excerpt.splitlines()[:1]])]
    )


def _settings(mission: Mission) -> Settings:
    assert mission.settings is not None, "a mission that runs has settings"
    return mission.settings
