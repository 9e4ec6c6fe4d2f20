"""Fold the events of runs into the mission."""

from collections.abc import Mapping

from topkick.checks.model import Counted, Ground
from topkick.engine import messages as h
from topkick.engine.agents.budgets import NO_SPENDING, Spending, day_of
from topkick.engine.agents.program import (
    NO_USAGE,
    AgentExit,
    AgentReport,
    Conclusion,
    Conversation,
    Ending,
    Usage,
)
from topkick.engine.agents.runs import Background, Cancellation, Dispatch, Run, Stage
from topkick.engine.evolve import evolve
from topkick.sprint.fold import with_run, with_sprint
from topkick.sprint.model import Mission, Sprint


def looked_at_again(m: Mission) -> Mapping[str, Run]:
    return {
        r.id: r if r.stage is Stage.WORKING else evolve(r, look=r.look + 1) for r in m.runs.values()
    }


def active(m: Mission, f: h.AgentActive, _: int) -> Mission:
    return with_run(m, f.run_id, lambda r: evolve(r, active=True))


def quiet(m: Mission, f: h.AgentQuiet, _: int) -> Mission:
    return with_run(m, f.run_id, lambda r: evolve(r, quiet_polls=f.polls))


def spent(m: Mission, f: h.AgentSpent, at_us: int) -> Mission:
    said = f.conversation or m.runs[f.run_id].conversation
    m = with_run(m, f.run_id, lambda r: evolve(r, counted=f.counted, conversation=said))
    return _used(m, f.run_id, f.usage, at_us)


def _used(m: Mission, run_id: str, usage: Usage, at_us: int) -> Mission:
    """Add only the increase: a run reports its total usage again and again.

    A supervisor that rereads the stream from its start reports less for a while.
    """
    run = m.runs[run_id]
    more = usage.minus(run.usage)
    most = run.usage.plus(more)
    m = with_run(m, run_id, lambda r: evolve(r, usage=most))
    return _spending(m, run, Spending(more), at_us)


def _spending(m: Mission, run: Run, more: Spending, at_us: int) -> Mission:
    today = day_of(at_us)
    before = m.spent_today if m.day == today else NO_SPENDING
    m = evolve(m, spent=m.spent.plus(more), spent_today=before.plus(more), day=today)
    if run.unit not in m.units:
        return m
    return with_sprint(m, run.unit, run.sprint, lambda s: evolve(s, spent=s.spent.plus(more)))


def exited(m: Mission, f: h.AgentExited, at_us: int) -> Mission:
    run = m.runs[f.run_id]
    m = with_run(m, f.run_id, lambda r: evolve(r, exit=f.exit, stage=Stage.CHECKING))
    if run.dispatch is not None:
        m = _spending(m, run, Spending(busy_us=_busy_us(run.dispatch, f.exit, at_us)), at_us)
    return evolve(m, last_end_at_us=at_us)


def _busy_us(dispatch: Dispatch, ended: AgentExit, at_us: int) -> int:
    """Return the working time from the exit record if there is one: the supervisor may have been
    away.
    """
    if ended.busy_ms is not None:
        return ended.busy_ms * 1000
    return 0 if ended.how is Ending.LOST else at_us - dispatch.at_us


def background_seen(m: Mission, f: h.BackgroundSeen, _: int) -> Mission:
    seen = evolve(m.backgrounds[f.id], running=True)
    return evolve(m, backgrounds={**m.backgrounds, f.id: seen})


def background_ended(m: Mission, f: h.BackgroundEnded, _: int) -> Mission:
    return evolve(m, backgrounds={k: b for k, b in m.backgrounds.items() if k != f.id})


def checked(m: Mission, f: h.WorkChecked, at_us: int) -> Mission:
    run, e = m.runs[f.run_id], f.evidence
    if e.report is not None:
        m = _used(m, run.id, e.report.usage, at_us)
    if run.unit not in m.units:
        return m
    m = evolve(m, gate_detected=e.gate) if e.gate else m
    counts = tuple(Counted(r.command, r.counts) for r in e.results if r.counts is not None)
    ground = Ground(e.head, passing=e.passing, uncommitted=e.uncommitted, counts=counts)
    return with_sprint(
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
    """Return the conversation; don't resume one whose context is exhausted or lost."""
    over = (Conclusion.CONTEXT_EXHAUSTED, Conclusion.CONVERSATION_LOST)
    return None if report is None or report.conclusion in over else report.conversation


def polled(m: Mission, f: h.ConditionPolled, at_us: int) -> Mission:
    assert m.settings is not None
    due_us = at_us + round(m.settings.deferred_poll_s * 1e6)
    return with_run(m, f.run_id, lambda r: evolve(r, polls=f.poll, next_poll_at_us=due_us))


def opened(m: Mission, e: h.RunOpened, at_us: int) -> Mission:
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
    ):  # usage before the interruption is counted already
        run = evolve(run, usage=m.sprint(e.unit, e.sprint).interrupted_usage)
    return evolve(m, runs={**m.runs, run.id: run}, runs_opened=m.runs_opened + 1)


def dispatched(m: Mission, e: h.RunDispatched, at_us: int) -> Mission:
    d = evolve(e.dispatch, at_us=at_us)
    m = with_run(m, e.run_id, lambda r: evolve(r, dispatch=d, stage=Stage.WORKING))
    run = m.runs[e.run_id]
    if run.unit not in m.units:
        return m
    key = (d.tier, d.model)
    m = evolve(m, orders_given={**m.orders_given, key: m.orders_given.get(key, 0) + 1})
    return with_sprint(
        m,
        run.unit,
        run.sprint,
        lambda s: evolve(
            s,
            dispatches=s.dispatches + 1,
            tier=d.tier,
            model=d.model,
            score=d.score,
            hold=None,
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


def cancelled(m: Mission, e: h.RunCancelled, _: int) -> Mission:
    return with_run(m, e.run_id, lambda r: evolve(r, cancel=Cancellation(e.why, e.grace_s)))


def closed(m: Mission, e: h.RunClosed, _: int) -> Mission:
    run = m.runs[e.run_id]
    runs = {k: r for k, r in m.runs.items() if k != e.run_id}
    m = evolve(m, runs=runs)
    return with_sprint(m, run.unit, run.sprint, _looked_at) if e.looked else m


def _looked_at(sprint: Sprint) -> Sprint:
    if sprint.claim is not None:  # its entry criteria were not checked
        return evolve(sprint, claim=None, ground=None)
    return evolve(
        sprint, interrupted=None, interrupted_run="", interrupted_usage=NO_USAGE, recheck=False
    )


def background_opened(m: Mission, e: h.BackgroundOpened, _: int) -> Mission:
    made = Background(e.id, e.unit, e.sprint, e.name, e.argv, e.cwd)
    return evolve(m, backgrounds={**m.backgrounds, e.id: made}, runs_opened=m.runs_opened + 1)


def background_cancelled(m: Mission, e: h.BackgroundCancelled, _: int) -> Mission:
    ending = evolve(m.backgrounds[e.id], end_within_s=e.grace_s)
    return evolve(m, backgrounds={**m.backgrounds, e.id: ending})
