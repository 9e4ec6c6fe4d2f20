"""Fold the events of units, sprints and needs into the mission."""

from collections.abc import Callable, Mapping

from topkick.engine import messages as h
from topkick.engine.agents.runs import Run
from topkick.engine.evolve import evolve
from topkick.git.isolation import Tip
from topkick.plan_format.model import Plan, SprintPlan, UnitPlan
from topkick.sprint.blockers.holds import FatalCause, FindingsOpen
from topkick.sprint.model import Claimed, Mission, Sprint, Unit, Verdict, open_findings
from topkick.sprint.transitions import (
    SprintCause,
    SprintState,
    UnitCause,
    UnitState,
    move_sprint,
    move_unit,
)

# --- a revised plan (LP-05) ----------------------------------------------------------------


def new_unit(number: int, plan: UnitPlan, claims: tuple[Claimed, ...] = ()) -> Unit:
    said = {c.sprint: c for c in claims if c.unit == plan.name}
    sprints = tuple(Sprint(p, claim=said.get(p.id)) for p in plan.sprints)
    return Unit(handle=f"U{number}", plan=plan, sprints=sprints)


def revise(now: Mapping[str, Unit], plan: Plan) -> Mapping[str, Unit]:
    """Return the revised units. A sprint is recognized by its unit and its heading's id; sprints
    that have begun stay.
    """
    planned = {p.name for p in plan.units} | {n for n, u in now.items() if u.plan.reconciles}
    units = {n: u if n in planned else _removed(u) for n, u in now.items()}
    units = {n: u for n, u in units.items() if n in planned or u.sprints}
    number = max((int(u.handle[1:]) for u in now.values()), default=0)
    for unit_plan in plan.units:
        if unit_plan.name in units:
            units[unit_plan.name] = _revised(units[unit_plan.name], unit_plan)
        else:
            number += 1
            units[unit_plan.name] = new_unit(number, unit_plan)
    return units


def _removed(unit: Unit) -> Unit:
    """Return a unit that is no longer planned with only the sprints it has begun."""
    begun = tuple(s.plan for s in unit.sprints if _stays(s))
    return _revised(unit, evolve(unit.plan, sprints=begun))


def has_begun(sprint: Sprint) -> bool:
    return sprint.state is not SprintState.PENDING or sprint.dispatches > 0


def _stays(sprint: Sprint) -> bool:
    return has_begun(sprint) or sprint.plan.generated


def _revised(unit: Unit, plan: UnitPlan) -> Unit:
    """Keep begun sprints in their place; drop removed ones that have not begun."""
    planned = {p.id: p for p in plan.sprints}
    kept = [_replanned(s, planned.get(s.id, s.plan)) for s in unit.sprints if _stays(s)]
    if unit.state is UnitState.COMPLETED:
        return evolve(unit, plan=evolve(plan, sprints=tuple(s.plan for s in kept)))
    known = {s.id for s in kept}
    claims = {s.id: s.claim for s in unit.sprints}
    fresh = (Sprint(p, claim=claims.get(p.id)) for p in plan.sprints if p.id not in known)
    sprints = (*kept, *fresh)
    at = next((n for n, s in enumerate(sprints) if not _done(s)), len(sprints))
    return evolve(unit, plan=plan, sprints=sprints, at=at)


def _replanned(sprint: Sprint, plan: SprintPlan) -> Sprint:
    """Replace the plan of a sprint; a finished one keeps its text, a dispatched one its type."""
    out = sprint.state in {SprintState.DISPATCHED, SprintState.RUNNING}
    if _done(sprint) or (out and plan.effective_type is not sprint.plan.effective_type):
        return sprint
    return evolve(sprint, plan=plan)


def _done(sprint: Sprint) -> bool:
    return sprint.state is SprintState.COMPLETED


# --- a mission with one part changed -------------------------------------------------------


def with_run(m: Mission, run_id: str, change: Callable[[Run], Run]) -> Mission:
    return evolve(m, runs={**m.runs, run_id: change(m.runs[run_id])})


def with_sprint(m: Mission, unit: str, sprint: str, change: Callable[[Sprint], Sprint]) -> Mission:
    found = m.units[unit]
    return with_unit(m, put(found, change(found.sprints[place_of(found, sprint)])))


def with_unit(m: Mission, unit: Unit) -> Mission:
    return evolve(m, units={**m.units, unit.name: unit})


def put(unit: Unit, sprint: Sprint) -> Unit:
    """Return the unit with this sprint in its place, its pointer at the first sprint not
    completed.
    """
    at = unit.at
    place = place_of(unit, sprint.id)
    sprints = (*unit.sprints[:place], sprint, *unit.sprints[place + 1 :])
    while at < len(sprints) and sprints[at].state is SprintState.COMPLETED:
        at += 1
    return evolve(unit, sprints=sprints, at=at)


def place_of(unit: Unit, sprint_id: str) -> int:
    """Return the sprint's index, which is nearly always the current one."""
    if unit.current is not None and unit.current.plan.id == sprint_id:
        return unit.at
    return next(n for n, s in enumerate(unit.sprints) if s.plan.id == sprint_id)


# --- one function for each event -----------------------------------------------------------


def unit_moved(m: Mission, e: h.UnitMoved, at_us: int) -> Mission:
    unit = m.units[e.unit]
    assert unit.state is e.was, f"{e.unit} is {unit.state}, not {e.was}"
    assert move_unit(e.was, e.cause) is e.now
    unit = evolve(unit, state=e.now, moved_at_us=at_us)
    if e.cause is UnitCause.RESUME and unit.current is not None:
        unit = put(unit, evolve(unit.current, ground=None, not_before_us=0))
    return with_unit(m, unit)


def moved(m: Mission, e: h.SprintMoved, at_us: int) -> Mission:
    unit = m.units[e.unit]
    sprint = unit.sprints[place_of(unit, e.sprint)]
    assert sprint.state is e.was, f"{e.unit}/{e.sprint} is {sprint.state}, not {e.was}"
    assert move_sprint(e.was, e.cause) is e.now
    sprint = evolve(sprint, state=e.now, recheck=False)
    if e.now is SprintState.COMPLETED:
        sprint = evolve(sprint, completed_at_us=at_us, hold=None, rest=None, ground=None)
    if e.cause is SprintCause.EXHAUSTED:
        assert isinstance(e.blocker, FatalCause), "a sprint is FATAL for a cause"
        sprint = evolve(sprint, fatal=e.blocker)
    if e.cause is SprintCause.KILLED:
        sprint = _interrupted(m, sprint, e.unit)
    return with_unit(m, put(unit, sprint))


def _interrupted(m: Mission, sprint: Sprint, unit: str) -> Sprint:
    run = m.run_of(unit)
    if run is None or run.dispatch is None:
        return sprint
    return evolve(
        sprint,
        interrupted=run.dispatch,
        interrupted_run=run.id,
        interrupted_usage=run.usage,
        ground=None,
    )


def judged(m: Mission, e: h.SprintJudged, _: int) -> Mission:
    def after(s: Sprint) -> Sprint:
        continues = s.outcome is not None and s.outcome.verdict is Verdict.PARTIAL
        s = evolve(s, outcome=e.outcome, proof=e.proof, rest=e.rest, fatal=e.fatal)
        s = evolve(s, held=(*s.held, *e.held)) if e.held else s
        s = evolve(s, note="", asked_model="")  # a person's note was for the order just judged
        if e.newly_met:
            s = evolve(s, idle_continuations=0)
        elif continues and e.outcome.verdict is Verdict.PARTIAL and not e.returned:
            s = evolve(s, idle_continuations=s.idle_continuations + 1)
        if e.returned:
            s = evolve(s, returned=True)
        if e.charged:
            s = evolve(
                s,
                failures=s.failures + 1,
                failures_ever=s.failures_ever + 1,
                idle_continuations=0,
                fingerprints=(*s.fingerprints, e.fingerprint),
            )
        return s

    return with_sprint(m, e.unit, e.sprint, after)


def waived(m: Mission, e: h.FindingWaived, _: int) -> Mission:
    def after(s: Sprint) -> Sprint:
        s = evolve(s, waivers=(*s.waivers, e.waiver))
        left = open_findings(s)
        return evolve(s, rest=FindingsOpen(left)) if s.rest and left else s

    return with_sprint(m, e.unit, e.sprint, after)


def trouble(m: Mission, e: h.TroubleMet, _: int) -> Mission:
    return with_sprint(
        m,
        e.unit,
        e.sprint,
        lambda s: evolve(
            s,
            troubles=s.troubles + (not e.expected),
            exempt_dispatches=s.exempt_dispatches + e.uncounted,
            not_before_us=e.not_before_us,
            ground=None,
        ),
    )


def ground_kept(m: Mission, e: h.GroundKept, at_us: int) -> Mission:
    return with_sprint(
        m, e.unit, e.sprint, lambda s: evolve(s, ground=e.ground, ground_at_us=at_us)
    )


def hold_placed(m: Mission, e: h.HoldPlaced, _: int) -> Mission:
    return with_sprint(m, e.unit, e.sprint, lambda s: evolve(s, hold=e.blocker))


def hold_lifted(m: Mission, e: h.HoldLifted, _: int) -> Mission:
    return with_sprint(m, e.unit, e.sprint, lambda s: evolve(s, hold=None))


def reopened(m: Mission, e: h.SprintReopened, _: int) -> Mission:
    def after(s: Sprint) -> Sprint:
        s = evolve(
            s,
            rest=None,
            hold=None,
            note=e.note or s.note,
            asked_model=e.model or s.asked_model,
            ground=None,
            not_before_us=0,
            idle_continuations=0,
        )
        if e.fresh:
            s = evolve(s, failures=0, fatal=None, troubles=0, returned=False)
        return s

    return with_sprint(m, e.unit, e.sprint, after)


def integrated(m: Mission, e: h.UnitIntegrated, at_us: int) -> Mission:
    unit = evolve(m.units[e.unit], integrated=e.sprints, integrated_at_us=at_us)
    return with_unit(_left_at(m, e.tip), unit)


def _left_at(m: Mission, tip: str) -> Mission:
    """Read the branch's commit from this event, for old journals of a single repository.

    Newer journals name the branch of every repository in a fact.
    """
    if not tip or m.isolation is None or len(m.isolation.repositories) != 1:
        return m
    return branch_left_at(m, (Tip(m.isolation.repositories[0].path, tip),))


def branch_left_at(m: Mission, tips: tuple[Tip, ...]) -> Mission:
    return m if m.isolation is None else evolve(m, isolation=m.isolation.with_tips(tips))


def work_integrated(m: Mission, f: h.WorkIntegrated, _: int) -> Mission:
    return branch_left_at(m, f.found.tips)


def branch_accepted(m: Mission, e: h.BranchAccepted, _: int) -> Mission:
    return branch_left_at(m, e.tips)


def added(m: Mission, e: h.SprintAdded, _: int) -> Mission:
    unit = m.units[e.unit]
    at = unit.at + (e.after_current and unit.current is not None)
    before, after = unit.sprints[:at], unit.sprints[at:]
    return with_unit(m, evolve(unit, sprints=(*before, Sprint(e.plan), *after)))


# --- needs and their reconciliation --------------------------------------------------------


def need_noted(m: Mission, e: h.NeedNoted, _: int) -> Mission:
    others = tuple(n for n in m.cross_needs if n.number != e.need.number)
    return evolve(m, cross_needs=tuple(sorted((*others, e.need), key=lambda n: n.number)))


def need_resolved(m: Mission, e: h.NeedResolved, _: int) -> Mission:
    found = (evolve(n, resolved=True) if n.number == e.number else n for n in m.cross_needs)
    return evolve(m, cross_needs=tuple(found))


def definitions_noted(m: Mission, e: h.DefinitionsNoted, _: int) -> Mission:
    return evolve(m, definitions={**m.definitions, e.unit: e.names})


def unit_added(m: Mission, e: h.UnitAdded, _: int) -> Mission:
    assert e.plan.name not in m.units
    number = max((int(u.handle[1:]) for u in m.units.values()), default=0) + 1
    return evolve(m, units={**m.units, e.plan.name: new_unit(number, e.plan)})


def reconciliation_ended(m: Mission, e: h.ReconciliationEnded, _: int) -> Mission:
    return evolve(m, reconciled=e.why)
