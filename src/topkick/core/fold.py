"""The mission as a fold over what happened: the one place that makes a new state from an old one.

Replay applies and never decides, so the same journal always gives the same mission.
"""

from collections.abc import Callable, Mapping

from topkick.core import gate_folds, need_folds
from topkick.core import happenings as h
from topkick.core.agents import (
    NO_USAGE,
    AgentExit,
    AgentReport,
    Conclusion,
    Conversation,
    Ending,
    Usage,
)
from topkick.core.budgets import NO_SPENDING, Spending, day_of
from topkick.core.evidence import Counted, Ground
from topkick.core.evolve import evolve
from topkick.core.model import (
    DECISIONS_SHOWN,
    Background,
    Cancellation,
    Decision,
    Dispatch,
    Ended,
    Limit,
    Mission,
    Run,
    Sprint,
    SprintState,
    Stage,
    Stance,
    Unit,
    Verdict,
)
from topkick.core.revision import new_unit, revise
from topkick.core.transitions import SprintCause, UnitCause, move_sprint, move_unit


def apply(mission: Mission, happening: h.Happening, at_us: int) -> Mission:
    """One happening later. Facts and events are told apart by their type alone."""
    folded = _FOLDS[type(happening)](mission, happening, at_us)
    return folded if folded.at_us == at_us else evolve(folded, at_us=at_us)


# --- facts ---------------------------------------------------------------------------------


def _woke(m: Mission, f: h.SupervisorWoke, at_us: int) -> Mission:
    """What the last supervisor was looking at is looked at again."""
    runs, gates = _looked_at_again(m), gate_folds.looked_at_again(m)
    return evolve(m, driven=f.driven, woke_at_us=at_us, runs=runs, gates=gates)


def _looked_at_again(m: Mission) -> Mapping[str, Run]:
    return {
        r.id: r if r.stage is Stage.WORKING else evolve(r, look=r.look + 1) for r in m.runs.values()
    }


def _active(m: Mission, f: h.AgentActive, _: int) -> Mission:
    return _with_run(m, f.run_id, lambda r: evolve(r, active=True))


def _quiet(m: Mission, f: h.AgentQuiet, _: int) -> Mission:
    return _with_run(m, f.run_id, lambda r: evolve(r, quiet_polls=f.polls))


def _spent(m: Mission, f: h.AgentSpent, at_us: int) -> Mission:
    said = f.conversation or m.runs[f.run_id].conversation
    m = _with_run(m, f.run_id, lambda r: evolve(r, counted=f.counted, conversation=said))
    return _used(m, f.run_id, f.usage, at_us)


def _used(m: Mission, run_id: str, usage: Usage, at_us: int) -> Mission:
    """Only what came since is added: a run tells all that it has used, again and again.

    Who begins to read its stream anew tells less for a while.
    """
    run = m.runs[run_id]
    more = usage.minus(run.usage)
    most = run.usage.plus(more)
    m = _with_run(m, run_id, lambda r: evolve(r, usage=most))
    return _spending(m, run, Spending(more), at_us)


def _spending(m: Mission, run: Run, more: Spending, at_us: int) -> Mission:
    today = day_of(at_us)
    before = m.spent_today if m.day == today else NO_SPENDING
    m = evolve(m, spent=m.spent.plus(more), spent_today=before.plus(more), day=today)
    if run.unit not in m.units:
        return m
    return _with_sprint(m, run.unit, run.sprint, lambda s: evolve(s, spent=s.spent.plus(more)))


def _exited(m: Mission, f: h.AgentExited, at_us: int) -> Mission:
    run = m.runs[f.run_id]
    m = _with_run(m, f.run_id, lambda r: evolve(r, exit=f.exit, stage=Stage.CHECKING))
    if run.dispatch is not None:
        m = _spending(m, run, Spending(busy_us=_busy_us(run.dispatch, f.exit, at_us)), at_us)
    return evolve(m, last_end_at_us=at_us)


def _busy_us(dispatch: Dispatch, ended: AgentExit, at_us: int) -> int:
    """By its own record where there is one: we may have been away when it ended."""
    if ended.busy_ms is not None:
        return ended.busy_ms * 1000
    return 0 if ended.how is Ending.LOST else at_us - dispatch.at_us


def _background_seen(m: Mission, f: h.BackgroundSeen, _: int) -> Mission:
    seen = evolve(m.backgrounds[f.id], running=True)
    return evolve(m, backgrounds={**m.backgrounds, f.id: seen})


def _background_ended(m: Mission, f: h.BackgroundEnded, _: int) -> Mission:
    return evolve(m, backgrounds={k: b for k, b in m.backgrounds.items() if k != f.id})


def _checked(m: Mission, f: h.WorkChecked, at_us: int) -> Mission:
    run, e = m.runs[f.run_id], f.evidence
    if e.report is not None:
        m = _used(m, run.id, e.report.usage, at_us)
    if run.unit not in m.units:
        return m
    m = evolve(m, gate_detected=e.gate) if e.gate else m
    counts = tuple(Counted(r.command, r.counts) for r in e.results if r.counts is not None)
    ground = Ground(e.head, passing=e.passing, uncommitted=e.uncommitted, counts=counts)
    return _with_sprint(
        m,
        run.unit,
        run.sprint,
        lambda s: evolve(
            s,
            ground=ground,
            ground_at_us=at_us,
            committed=s.committed or e.substance,
            conversation=_to_be_resumed(e.report),
        ),
    )


def _to_be_resumed(report: AgentReport | None) -> Conversation | None:
    """One that is full or gone is not gone on with."""
    over = (Conclusion.CONTEXT_EXHAUSTED, Conclusion.CONVERSATION_LOST)
    return None if report is None or report.conclusion in over else report.conversation


def _polled(m: Mission, f: h.ConditionPolled, at_us: int) -> Mission:
    assert m.settings is not None
    due_us = at_us + round(m.settings.deferred_poll_s * 1e6)
    return _with_run(m, f.run_id, lambda r: evolve(r, polls=f.poll, next_poll_at_us=due_us))


def _plan_edited(m: Mission, f: h.PlanEdited, _: int) -> Mission:
    return evolve(m, plan_edited=f.sha256)


def _observed(m: Mission, _f: h.FilesObserved, _: int) -> Mission:
    return evolve(m, looking=None)


def _edited(m: Mission, _f: h.FilesEdited, _: int) -> Mission:
    return evolve(m, editing=())


def _bus_heard(m: Mission, _f: h.BusHeard, _: int) -> Mission:
    return evolve(m, listening=None)


def _posted(m: Mission, _f: h.MessagesPosted, _: int) -> Mission:
    return evolve(m, posting=())


def _errand_done(m: Mission, _f: h.ErrandDone, _: int) -> Mission:
    return evolve(m, errand=None)


def _only_time(m: Mission, _f: h.Happening, _: int) -> Mission:
    return m


# --- events --------------------------------------------------------------------------------


def _began(m: Mission, e: h.MissionBegan, at_us: int) -> Mission:
    units = {u.name: new_unit(n, u, e.claims) for n, u in enumerate(e.plan.units, start=1)}
    return Mission(
        id=e.mission_id,
        policy=e.policy,
        plan=e.plan,
        settings=e.settings,
        isolation=e.isolation,
        units=units,
        driven=m.driven,
        began_at_us=at_us,
        last_end_at_us=at_us,
    )


def _stance(m: Mission, e: h.StanceTaken, at_us: int) -> Mission:
    m = evolve(m, stance=e.stance, stance_why=e.why, stance_at_us=at_us)
    fresh = e.stance is Stance.WORKING
    return evolve(m, agents_down={}, limits={}, ended=None) if fresh else m


def _unit_moved(m: Mission, e: h.UnitMoved, at_us: int) -> Mission:
    unit = m.units[e.unit]
    assert unit.state is e.was, f"{e.unit} is {unit.state}, not {e.was}"
    assert move_unit(e.was, e.cause) is e.now
    unit = evolve(unit, state=e.now, moved_at_us=at_us)
    if e.cause is UnitCause.RESUME and unit.current is not None:
        unit = _put(unit, evolve(unit.current, ground=None, not_before_us=0))
    return _with_unit(m, unit)


def _sprint_moved(m: Mission, e: h.SprintMoved, at_us: int) -> Mission:
    unit = m.units[e.unit]
    sprint = unit.sprints[_place(unit, e.sprint)]
    assert sprint.state is e.was, f"{e.unit}/{e.sprint} is {sprint.state}, not {e.was}"
    assert move_sprint(e.was, e.cause) is e.now
    sprint = evolve(sprint, state=e.now)
    if e.now is SprintState.COMPLETED:
        sprint = evolve(sprint, completed_at_us=at_us, hold="", rest="", ground=None)
    if e.cause is SprintCause.EXHAUSTED:
        sprint = evolve(sprint, fatal_why=e.why)
    if e.cause is SprintCause.KILLED:
        sprint = _interrupted(m, sprint, e.unit)
    return _with_unit(m, _put(unit, sprint))


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


def _run_opened(m: Mission, e: h.RunOpened, at_us: int) -> Mission:
    assert e.run_id not in m.runs
    run = Run(
        e.run_id,
        e.unit,
        e.sprint,
        e.stage,
        opened_at_us=at_us,
        next_poll_at_us=e.poll_at_us,
        checks=e.checks,
        directory=e.directory,
    )
    if (
        e.stage is Stage.CHECKING and e.unit in m.units
    ):  # what it used before it was interrupted is counted already
        run = evolve(run, usage=m.sprint(e.unit, e.sprint).interrupted_usage)
    return evolve(m, runs={**m.runs, run.id: run}, runs_opened=m.runs_opened + 1)


def _run_dispatched(m: Mission, e: h.RunDispatched, at_us: int) -> Mission:
    d = evolve(e.dispatch, at_us=at_us)
    m = _with_run(m, e.run_id, lambda r: evolve(r, dispatch=d, stage=Stage.WORKING))
    run = m.runs[e.run_id]
    if run.unit not in m.units:
        return m
    return _with_sprint(
        m,
        run.unit,
        run.sprint,
        lambda s: evolve(
            s,
            dispatches=s.dispatches + 1,
            tier=d.tier,
            model=d.model,
            score=d.score,
            hold="",
            ground=None,
            interrupted=None,
            interrupted_run="",
            interrupted_usage=NO_USAGE,
            conversation=None,
            conversation_with=d.agent,
            passing_at_first=s.passing_at_first if s.dispatches else d.passing,
            uncommitted_at_first=s.uncommitted_at_first if s.dispatches else d.uncommitted,
            base_at_first=s.base_at_first if s.dispatches else d.base,
            counts_at_first=s.counts_at_first if s.dispatches else d.counts,
            branch_at_first=s.branch_at_first if s.dispatches else d.branch,
            tools_at_first=s.tools_at_first if s.dispatches else d.tools,
            held=d.held,
            first_dispatched_at_us=s.first_dispatched_at_us or at_us,
        ),
    )


def _run_cancelled(m: Mission, e: h.RunCancelled, _: int) -> Mission:
    return _with_run(m, e.run_id, lambda r: evolve(r, cancel=Cancellation(e.why, e.grace_s)))


def _run_closed(m: Mission, e: h.RunClosed, _: int) -> Mission:
    run = m.runs[e.run_id]
    runs = {k: r for k, r in m.runs.items() if k != e.run_id}
    m = evolve(m, runs=runs)
    return _with_sprint(m, run.unit, run.sprint, _looked_at) if e.looked else m


def _looked_at(sprint: Sprint) -> Sprint:
    if sprint.claim is not None:  # what has to hold before it begins was not looked at
        return evolve(sprint, claim=None, ground=None)
    return evolve(sprint, interrupted=None, interrupted_run="", interrupted_usage=NO_USAGE)


def _background_opened(m: Mission, e: h.BackgroundOpened, _: int) -> Mission:
    made = Background(e.id, e.unit, e.sprint, e.name, e.argv, e.cwd)
    return evolve(m, backgrounds={**m.backgrounds, e.id: made}, runs_opened=m.runs_opened + 1)


def _background_cancelled(m: Mission, e: h.BackgroundCancelled, _: int) -> Mission:
    ending = evolve(m.backgrounds[e.id], end_within_s=e.grace_s)
    return evolve(m, backgrounds={**m.backgrounds, e.id: ending})


def _judged(m: Mission, e: h.SprintJudged, _: int) -> Mission:
    def judged(s: Sprint) -> Sprint:
        continues = s.outcome is not None and s.outcome.verdict is Verdict.PARTIAL
        s = evolve(s, outcome=e.outcome, proof=e.proof, rest=e.rest, fatal_why=e.declared_failure)
        s = evolve(s, note="", asked_model="")  # what a person said was for the order just judged
        if e.newly_met:
            s = evolve(s, idle_continuations=0)
        elif continues and e.outcome.verdict is Verdict.PARTIAL:
            s = evolve(s, idle_continuations=s.idle_continuations + 1)
        if e.charged:
            s = evolve(
                s,
                failures=s.failures + 1,
                failures_ever=s.failures_ever + 1,
                idle_continuations=0,
                fingerprints=(*s.fingerprints, e.fingerprint),
            )
        return s

    return _with_sprint(m, e.unit, e.sprint, judged)


def _waived(m: Mission, e: h.FindingWaived, _: int) -> Mission:
    return _with_sprint(m, e.unit, e.sprint, lambda s: evolve(s, waivers=(*s.waivers, e.waiver)))


def _trouble(m: Mission, e: h.TroubleMet, _: int) -> Mission:
    return _with_sprint(
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


def _limit_met(m: Mission, e: h.LimitMet, _: int) -> Mission:
    return evolve(m, limits={**m.limits, e.account: Limit(e.until_us, e.why)})


def _agent_down(m: Mission, e: h.AgentDown, _: int) -> Mission:
    return evolve(m, agents_down={**m.agents_down, e.agent: e.why})


def _ground_kept(m: Mission, e: h.GroundKept, at_us: int) -> Mission:
    return _with_sprint(
        m, e.unit, e.sprint, lambda s: evolve(s, ground=e.ground, ground_at_us=at_us)
    )


def _hold_placed(m: Mission, e: h.HoldPlaced, _: int) -> Mission:
    return _with_sprint(m, e.unit, e.sprint, lambda s: evolve(s, hold=e.why))


def _hold_lifted(m: Mission, e: h.HoldLifted, _: int) -> Mission:
    return _with_sprint(m, e.unit, e.sprint, lambda s: evolve(s, hold=""))


def _reopened(m: Mission, e: h.SprintReopened, _: int) -> Mission:
    def reopened(s: Sprint) -> Sprint:
        s = evolve(
            s,
            rest="",
            hold="",
            note=e.note or s.note,
            asked_model=e.model or s.asked_model,
            ground=None,
            not_before_us=0,
            idle_continuations=0,
        )
        if e.fresh:
            s = evolve(s, failures=0, fatal_why="", troubles=0)
        return s

    return _with_sprint(m, e.unit, e.sprint, reopened)


def _integrated(m: Mission, e: h.UnitIntegrated, at_us: int) -> Mission:
    unit = evolve(m.units[e.unit], integrated=e.sprints, integrated_at_us=at_us)
    return _with_unit(m, unit)


def _sprint_added(m: Mission, e: h.SprintAdded, _: int) -> Mission:
    unit = m.units[e.unit]
    at = unit.at + (e.after_current and unit.current is not None)
    before, after = unit.sprints[:at], unit.sprints[at:]
    return _with_unit(m, evolve(unit, sprints=(*before, Sprint(e.plan), *after)))


def _settings_changed(m: Mission, e: h.SettingsChanged, _: int) -> Mission:
    return evolve(m, settings=e.settings)


def _plan_revised(m: Mission, e: h.PlanRevised, _: int) -> Mission:
    units = revise(m.units, e.plan)
    m = evolve(m, plan=e.plan, units=units, runs=_looked_at_again(m), plan_edited="")
    return evolve(m, gates={})  # what they were about may not be planned any more


def _decided(m: Mission, e: h.Decided, at_us: int) -> Mission:
    line = Decision(at_us, e.unit, e.sprint, e.decision, e.rationale)
    return evolve(m, decisions=(*m.decisions[-(DECISIONS_SHOWN - 1) :], line))


def _note(m: Mission, e: h.NoteTaken, _: int) -> Mission:
    return evolve(m, notebook={**m.notebook, e.key: e.value})


def _look_asked(m: Mission, e: h.LookAsked, _: int) -> Mission:
    return evolve(m, looking=e.glance, looks=m.looks + 1)


def _edits_asked(m: Mission, e: h.EditsAsked, _: int) -> Mission:
    return evolve(m, editing=e.edits, edits_asked=m.edits_asked + 1)


def _listen_asked(m: Mission, e: h.ListenAsked, _: int) -> Mission:
    return evolve(m, listening=(e.name, e.after))


def _post_asked(m: Mission, e: h.PostAsked, _: int) -> Mission:
    number = m.posts_asked + 1
    return evolve(m, posting=e.messages, posting_after=e.after, posts_asked=number)


def _errand_asked(m: Mission, e: h.ErrandAsked, _: int) -> Mission:
    return evolve(m, errand=e.errand, errands_asked=m.errands_asked + 1)


def _mission_ended(m: Mission, e: h.MissionEnded, at_us: int) -> Mission:
    m = evolve(m, stance=Stance.IDLE, stance_why=e.why, stance_at_us=at_us)
    m = evolve(m, looking=None, listening=None)
    return evolve(m, ended=Ended(e.done, e.why, e.commands))


# --- small makers --------------------------------------------------------------------------


def _with_run(m: Mission, run_id: str, change: Callable[[Run], Run]) -> Mission:
    return evolve(m, runs={**m.runs, run_id: change(m.runs[run_id])})


def _with_sprint(m: Mission, unit: str, sprint: str, change: Callable[[Sprint], Sprint]) -> Mission:
    found = m.units[unit]
    return _with_unit(m, _put(found, change(found.sprints[_place(found, sprint)])))


def _with_unit(m: Mission, unit: Unit) -> Mission:
    return evolve(m, units={**m.units, unit.name: unit})


def _put(unit: Unit, sprint: Sprint) -> Unit:
    """The unit with this sprint in its place, its pointer on the first sprint not completed."""
    at = unit.at
    place = _place(unit, sprint.id)
    sprints = (*unit.sprints[:place], sprint, *unit.sprints[place + 1 :])
    while at < len(sprints) and sprints[at].state is SprintState.COMPLETED:
        at += 1
    return evolve(unit, sprints=sprints, at=at)


def _place(unit: Unit, sprint_id: str) -> int:
    """Nearly always the current one."""
    if unit.current is not None and unit.current.plan.id == sprint_id:
        return unit.at
    return next(n for n, s in enumerate(unit.sprints) if s.plan.id == sprint_id)


_FOLDS: Mapping[type, Callable[..., Mission]] = {
    h.SupervisorWoke: _woke,
    h.CommandGiven: _only_time,
    h.GroundSurveyed: _only_time,
    h.AgentActive: _active,
    h.AgentQuiet: _quiet,
    h.AgentSpent: _spent,
    h.AgentExited: _exited,
    h.BackgroundSeen: _background_seen,
    h.BackgroundEnded: _background_ended,
    h.WorkChecked: _checked,
    h.ConditionPolled: _polled,
    h.WorkIntegrated: _only_time,
    h.GateRan: gate_folds.ran,
    h.PlanEdited: _plan_edited,
    h.FilesObserved: _observed,
    h.FilesEdited: _edited,
    h.BusHeard: _bus_heard,
    h.MessagesPosted: _posted,
    h.ErrandDone: _errand_done,
    h.TimePassed: _only_time,
    h.MissionBegan: _began,
    h.StanceTaken: _stance,
    h.UnitMoved: _unit_moved,
    h.SprintMoved: _sprint_moved,
    h.RunOpened: _run_opened,
    h.RunDispatched: _run_dispatched,
    h.RunCancelled: _run_cancelled,
    h.RunClosed: _run_closed,
    h.BackgroundOpened: _background_opened,
    h.BackgroundCancelled: _background_cancelled,
    h.SprintJudged: _judged,
    h.FindingWaived: _waived,
    h.TroubleMet: _trouble,
    h.LimitMet: _limit_met,
    h.AgentDown: _agent_down,
    h.GroundKept: _ground_kept,
    h.HoldPlaced: _hold_placed,
    h.HoldLifted: _hold_lifted,
    h.SprintReopened: _reopened,
    h.UnitIntegrated: _integrated,
    h.GateOpened: gate_folds.opened,
    h.GateJudged: gate_folds.judged,
    h.GateClosed: gate_folds.closed,
    h.GateDropped: gate_folds.dropped,
    h.UnitHeld: gate_folds.held,
    h.SprintAdded: _sprint_added,
    h.NeedNoted: need_folds.noted,
    h.NeedResolved: need_folds.resolved,
    h.DefinitionsNoted: need_folds.defined,
    h.UnitAdded: need_folds.unit_added,
    h.ReconciliationEnded: need_folds.ended,
    h.PlanRevised: _plan_revised,
    h.SettingsChanged: _settings_changed,
    h.Decided: _decided,
    h.CommandRefused: _only_time,
    h.NoteTaken: _note,
    h.LookAsked: _look_asked,
    h.EditsAsked: _edits_asked,
    h.ListenAsked: _listen_asked,
    h.PostAsked: _post_asked,
    h.ErrandAsked: _errand_asked,
    h.MissionEnded: _mission_ended,
}
