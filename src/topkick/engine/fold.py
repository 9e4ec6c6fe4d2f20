"""The mission as a fold over facts and events: `apply` is the only way from one state to the next.

Replay applies and never decides, so the same journal always gives the same mission.
"""

from collections.abc import Callable, Mapping
from typing import get_args

from topkick.engine import messages as h
from topkick.engine import run_fold
from topkick.engine.evolve import evolve
from topkick.engine.wake_notices import is_changed
from topkick.sprint import fold as sprint_folds
from topkick.sprint.fold import new_unit, revise
from topkick.sprint.gates import fold as gate_folds
from topkick.sprint.model import DECISIONS_SHOWN, Decision, Ended, Limit, Mission, Stance

# --- requests of a policy, and the answers to them ---------------------------------------------


def observed(m: Mission, _f: h.FilesObserved, _: int) -> Mission:
    return evolve(m, looking=None)


def edited(m: Mission, _f: h.FilesEdited, _: int) -> Mission:
    return evolve(m, editing=())


def bus_heard(m: Mission, _f: h.BusHeard, _: int) -> Mission:
    return evolve(m, listening=None)


def posted(m: Mission, _f: h.MessagesPosted, _: int) -> Mission:
    return evolve(m, posting=())


def errand_done(m: Mission, _f: h.ErrandDone, _: int) -> Mission:
    return evolve(m, errand=None)


def look_asked(m: Mission, e: h.LookAsked, _: int) -> Mission:
    return evolve(m, looking=e.glance, looks=m.looks + 1)


def edits_asked(m: Mission, e: h.EditsAsked, _: int) -> Mission:
    return evolve(m, editing=e.edits, edits_asked=m.edits_asked + 1)


def listen_asked(m: Mission, e: h.ListenAsked, _: int) -> Mission:
    return evolve(m, listening=(e.name, e.after))


def post_asked(m: Mission, e: h.PostAsked, _: int) -> Mission:
    number = m.posts_asked + 1
    return evolve(m, posting=e.messages, posting_after=e.after, posts_asked=number)


def errand_asked(m: Mission, e: h.ErrandAsked, _: int) -> Mission:
    return evolve(m, errand=e.errand, errands_asked=m.errands_asked + 1)


def apply(mission: Mission, happening: h.Happening, at_us: int) -> Mission:
    """Apply one fact or event; the two are distinguished by their type alone."""
    folded = _FOLDS[type(happening)](mission, happening, at_us)
    return folded if folded.at_us == at_us else evolve(folded, at_us=at_us)


def _woke(m: Mission, f: h.SupervisorWoke, at_us: int) -> Mission:
    """Repeat the looks of the last supervisor."""
    runs, gates = run_fold.looked_at_again(m), gate_folds.looked_at_again(m)
    if is_changed(m, f):
        m = evolve(m, program_changed_at_us=at_us)
    m = evolve(m, program=f.program or m.program)
    if f.died:
        m = evolve(m, deaths=f.deaths, died_at_us=f.died_at_us)
    return evolve(m, driven=f.driven, woke_at_us=at_us, runs=runs, gates=gates)


def _plan_edited(m: Mission, f: h.PlanEdited, _: int) -> Mission:
    """Record an edit; a file equal to the accepted plan is no edit."""
    as_accepted = m.plan is not None and f.sha256 == m.plan.sha256
    return evolve(m, plan_edited="" if as_accepted else f.sha256)


def _only_time(m: Mission, _f: h.Happening, _: int) -> Mission:
    return m


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
        program=m.program,
        died_at_us=m.died_at_us,
        began_at_us=at_us,
        last_end_at_us=at_us,
    )


def _stance(m: Mission, e: h.StanceTaken, at_us: int) -> Mission:
    m = evolve(m, stance=e.stance, stance_why=e.why, stance_at_us=at_us)
    m = evolve(m, stance_budget=e.budget)
    fresh = e.stance is Stance.WORKING
    return evolve(m, agents_down={}, limits={}, ended=None) if fresh else m


def _limit_met(m: Mission, e: h.LimitMet, _: int) -> Mission:
    return evolve(m, limits={**m.limits, e.account: Limit(e.until_us, e.why)})


def _agent_down(m: Mission, e: h.AgentDown, _: int) -> Mission:
    return evolve(m, agents_down={**m.agents_down, e.blocker.agent: e.blocker})


def _settings_changed(m: Mission, e: h.SettingsChanged, _: int) -> Mission:
    return evolve(m, settings=e.settings)


def _plan_revised(m: Mission, e: h.PlanRevised, _: int) -> Mission:
    units = revise(m.units, e.plan)
    m = evolve(m, plan=e.plan, units=units, runs=run_fold.looked_at_again(m), plan_edited="")
    return evolve(m, gates={})  # their work may no longer be planned


def _decided(m: Mission, e: h.Decided, at_us: int) -> Mission:
    line = Decision(at_us, e.unit, e.sprint, e.decision, e.rationale, e.blocker)
    return evolve(m, decisions=(*m.decisions[-(DECISIONS_SHOWN - 1) :], line))


def _note(m: Mission, e: h.NoteTaken, _: int) -> Mission:
    return evolve(m, notebook={**m.notebook, e.key: e.value})


def _mission_ended(m: Mission, e: h.MissionEnded, at_us: int) -> Mission:
    m = evolve(m, stance=Stance.IDLE, stance_why=e.why, stance_budget="", stance_at_us=at_us)
    m = evolve(m, looking=None, listening=None)
    return evolve(m, ended=Ended(e.done, e.why, e.commands))


_FOLDS: Mapping[type, Callable[..., Mission]] = {
    h.SupervisorWoke: _woke,
    h.CommandGiven: _only_time,
    h.GroundSurveyed: _only_time,
    h.AgentActive: run_fold.active,
    h.AgentQuiet: run_fold.quiet,
    h.AgentSpent: run_fold.spent,
    h.AgentExited: run_fold.exited,
    h.BackgroundSeen: run_fold.background_seen,
    h.BackgroundEnded: run_fold.background_ended,
    h.WorkChecked: run_fold.checked,
    h.ConditionPolled: run_fold.polled,
    h.WorkIntegrated: sprint_folds.work_integrated,
    h.GateRan: gate_folds.ran,
    h.PlanEdited: _plan_edited,
    h.FilesObserved: observed,
    h.FilesEdited: edited,
    h.BusHeard: bus_heard,
    h.MessagesPosted: posted,
    h.ErrandDone: errand_done,
    h.TimePassed: _only_time,
    h.MissionBegan: _began,
    h.StanceTaken: _stance,
    h.UnitMoved: sprint_folds.unit_moved,
    h.SprintMoved: sprint_folds.moved,
    h.RunOpened: run_fold.opened,
    h.RunDispatched: run_fold.dispatched,
    h.RunCancelled: run_fold.cancelled,
    h.RunClosed: run_fold.closed,
    h.BackgroundOpened: run_fold.background_opened,
    h.BackgroundCancelled: run_fold.background_cancelled,
    h.SprintJudged: sprint_folds.judged,
    h.FindingWaived: sprint_folds.waived,
    h.TroubleMet: sprint_folds.trouble,
    h.LimitMet: _limit_met,
    h.AgentDown: _agent_down,
    h.GroundKept: sprint_folds.ground_kept,
    h.HoldPlaced: sprint_folds.hold_placed,
    h.HoldLifted: sprint_folds.hold_lifted,
    h.SprintReopened: sprint_folds.reopened,
    h.UnitIntegrated: sprint_folds.integrated,
    h.BranchAccepted: sprint_folds.branch_accepted,
    h.GateOpened: gate_folds.opened,
    h.GateJudged: gate_folds.judged,
    h.GateClosed: gate_folds.closed,
    h.GateDropped: gate_folds.dropped,
    h.UnitHeld: gate_folds.held,
    h.SprintAdded: sprint_folds.added,
    h.NeedNoted: sprint_folds.need_noted,
    h.NeedResolved: sprint_folds.need_resolved,
    h.DefinitionsNoted: sprint_folds.definitions_noted,
    h.UnitAdded: sprint_folds.unit_added,
    h.ReconciliationEnded: sprint_folds.reconciliation_ended,
    h.PlanRevised: _plan_revised,
    h.SettingsChanged: _settings_changed,
    h.Decided: _decided,
    h.CommandRefused: _only_time,
    h.NoteTaken: _note,
    h.LookAsked: look_asked,
    h.EditsAsked: edits_asked,
    h.ListenAsked: listen_asked,
    h.PostAsked: post_asked,
    h.ErrandAsked: errand_asked,
    h.MissionEnded: _mission_ended,
}
assert _FOLDS.keys() == set(get_args(h.Happening)), "every happening is folded"
