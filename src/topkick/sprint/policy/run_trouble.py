"""Handle what ends an order other than its work: trouble, usage limits, limits of the user.

Trouble is an account's usage limit, a provider's failure, an agent that was lost, or an agent
program that cannot work. It charges no attempt and chooses no stronger model (DP-09). An agent that
exceeds the user's limits is ended, and its work is judged; a run whose budget is spent stops
(DP-07, DP-10).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.engine import messages as h
from topkick.engine.agents.budgets import FORCED_AT
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.agents.runs import JUDGED, CancelWhy, Run, Stage
from topkick.engine.agents.usage_limits import DOWN, agent_of, limited_until_us, why_limited
from topkick.engine.settings import OnLimit, Settings
from topkick.sprint.blockers.holds import AgentUnusable
from topkick.sprint.model import Mission, Sprint, Stance, Unit
from topkick.sprint.obey.stop import drain, force
from topkick.sprint.policy.decisions import decided, sprint_moves, unit_moves
from topkick.sprint.spending import run_share, spent_by
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause

# --- activity, silence and exit of an agent ------------------------------------------------

QUIET_NOTED = 5
QUIET_ENDED = 10
FIRST_REST_S = 10
LONGEST_REST_S = 600


def saw_activity(mission: Mission, run: Run) -> Sequence[h.Event]:
    sprint = mission.sprint(run.unit, run.sprint)
    if sprint.state is not SprintState.DISPATCHED:
        return ()
    return (sprint_moves(run.unit, sprint, SprintCause.FIRST_ACTIVITY),)


def heard_nothing(mission: Mission, run: Run, polls: int) -> Sequence[h.Event]:
    """Note a silent agent after five polls; end it after ten, and judge its work (ER-01)."""
    if run.cancel is not None:
        return ()
    if polls >= QUIET_ENDED:
        assert mission.settings is not None
        grace_s = mission.settings.stop_grace_s
        return (
            h.RunCancelled(run.id, CancelWhy.UNRESPONSIVE, grace_s),
            decided(
                run, "Agent ended", f"no sign of life for {polls} polls", kind=h.DecisionKind.STEP
            ),
        )
    if polls == QUIET_NOTED:
        return (
            decided(
                run,
                "Agent may be unresponsive",
                f"no sign of life for {polls} polls",
                kind=h.DecisionKind.STEP,
            ),
        )
    return ()


def saw_exit(mission: Mission, run: Run, agent_exit: AgentExit) -> Sequence[h.Event]:
    """Settle an agent that was killed or could not start. Any other exit is judged by its work,
    once that is checked.
    """
    if _was_killed(mission, run, agent_exit):
        return _killed(mission, run, agent_exit)
    if agent_exit.how is Ending.CANNOT_START:
        return _cannot_start(mission, run, agent_exit)
    return ()


def _was_killed(mission: Mission, run: Run, agent_exit: AgentExit) -> bool:
    if run.cancel is not None and run.cancel.why in JUDGED:
        return False
    return (
        run.cancel is not None
        or mission.stance is Stance.KILLED
        or agent_exit.how is Ending.STOPPED
    )


def _killed(mission: Mission, run: Run, agent_exit: AgentExit) -> Sequence[h.Event]:
    """Record a killed agent. No attempt is charged; a check at resume finds out whether its work
    was finished (SD-02).
    """
    sprint, unit = mission.sprint(run.unit, run.sprint), mission.units[run.unit]
    left = ", ".join(str(pid) for pid in agent_exit.survivors)
    said = f"survivors: {left}" if left else "its whole process tree is gone"
    return (
        sprint_moves(run.unit, sprint, SprintCause.KILLED),
        h.RunClosed(run.id, "killed"),
        unit_moves(unit, UnitCause.KILLED),
        decided(run, "Agent terminated", said, kind=h.DecisionKind.STEP),
    )


def _cannot_start(mission: Mission, run: Run, agent_exit: AgentExit) -> Sequence[h.Event]:
    assert run.dispatch is not None
    sprint = mission.sprint(run.unit, run.sprint)
    why = f"{run.dispatch.agent} cannot be started: {agent_exit.detail}"
    return (
        h.AgentDown(AgentUnusable(run.dispatch.agent, why)),
        h.TroubleMet(run.unit, run.sprint, why, mission.at_us),
        sprint_moves(run.unit, sprint, SprintCause.TROUBLED),
        h.RunClosed(run.id, why),
        decided(run, "Agent cannot start", why, kind=h.DecisionKind.EVENT),
    )


def rest_until_us(mission: Mission, troubles: int) -> int:
    """Return when the sprint may be tried again: after 10 s, doubling with each trouble up to 10
    min (DP-09).
    """
    rest_s: int = min(FIRST_REST_S * 2**troubles, LONGEST_REST_S)
    return mission.at_us + rest_s * 1_000_000


# --- trouble that is not charged -----------------------------------------------------------

LOST = "the agent was lost (reboot, out of memory, or killed from outside)"


def nobodys_fault(
    mission: Mission, run: Run, sprint: Sprint, report: AgentReport | None
) -> Sequence[h.Event]:
    """Return the events of a run that ended for a reason other than its work; empty if the work
    itself has to be judged.
    """
    if run.cancel is not None and run.cancel.why is not CancelWhy.UNRESPONSIVE:
        return ()
    if run.exit is not None and run.exit.how is Ending.LOST:
        return _rests(mission, run, sprint, "Agent lost", LOST)
    match report:
        case AgentReport(conclusion=Conclusion.USAGE_LIMIT):
            return tuple(_limited(mission, run, sprint, report))
        case AgentReport(conclusion=Conclusion.PROVIDER_TROUBLE, said=said):
            return _rests(mission, run, sprint, "Provider trouble", said)
        case AgentReport(conclusion=Conclusion.CONVERSATION_LOST, said=said):
            return _troubled(run, sprint, "Conversation lost", said, mission.at_us)
        case AgentReport(conclusion=conclusion) if conclusion in DOWN:
            return _down(mission, run, sprint, report)
        case AgentReport(conclusion=Conclusion.BUDGET_SPENT, said=said):
            return _share_spent(mission, run, sprint, said)
        case _:
            return ()


def _share_spent(mission: Mission, run: Run, sprint: Sprint, said: str) -> Sequence[h.Event]:
    """Retry a sprint that used up its share of the run's budget but not its own: other units spent
    the rest.
    """
    if spent_by(mission, mission.units[run.unit], sprint):
        return ()
    return _troubled(run, sprint, "Share of the budget spent", said, mission.at_us)


def also(mission: Mission, run: Run, report: AgentReport | None) -> Iterator[h.Event]:
    """Yield what the report says about the whole account, whatever the verdict on this order is."""
    if report is None or run.dispatch is None:
        return
    if report.conclusion is Conclusion.USAGE_LIMIT:
        yield from _account_limited(mission, run, report)
    elif report.conclusion in DOWN:
        yield h.AgentDown(AgentUnusable(run.dispatch.agent, _told_down(run, report)))


def _rests(
    mission: Mission, run: Run, sprint: Sprint, decision: str, why: str
) -> Sequence[h.Event]:
    return _troubled(run, sprint, decision, why, rest_until_us(mission, sprint.troubles))


def _troubled(
    run: Run, sprint: Sprint, decision: str, why: str, until_us: int
) -> Sequence[h.Event]:
    return (
        h.TroubleMet(run.unit, run.sprint, why, until_us),
        sprint_moves(run.unit, sprint, SprintCause.TROUBLED, why),
        h.RunClosed(run.id, why),
        decided(run, decision, f"{why}; not charged", kind=h.DecisionKind.STEP),
    )


def _down(mission: Mission, run: Run, sprint: Sprint, report: AgentReport) -> Sequence[h.Event]:
    """Mark the agent as unusable: it would end the same way every time, so a person has to resume
    it.
    """
    assert run.dispatch is not None
    told = _told_down(run, report)
    return (
        h.AgentDown(AgentUnusable(run.dispatch.agent, told)),
        *_troubled(run, sprint, "Agent cannot work", told, mission.at_us),
    )


def _told_down(run: Run, report: AgentReport) -> str:
    assert run.dispatch is not None
    return f"{run.dispatch.agent} cannot work: {report.conclusion}: {report.said}"


# --- usage limits ------------------------------------------------------------------------------


def _limited(mission: Mission, run: Run, sprint: Sprint, report: AgentReport) -> Iterator[h.Event]:
    assert mission.settings is not None
    agent = agent_of(mission, run)
    why = why_limited(agent, report)
    until_us = limited_until_us(mission, agent.shares_limits_as, report)
    switched = _switched(mission.settings, agent.name)
    is_in_use = switched is None and agent.name == mission.settings.agent.name
    rest_us = until_us if is_in_use else mission.at_us
    yield h.TroubleMet(run.unit, run.sprint, why, rest_us, expected=True, uncounted=report.proven)
    yield sprint_moves(run.unit, sprint, SprintCause.TROUBLED, why)
    yield h.RunClosed(run.id, why)
    yield from _account_limited(mission, run, report)


def _account_limited(mission: Mission, run: Run, report: AgentReport) -> Iterator[h.Event]:
    assert mission.settings is not None
    agent = agent_of(mission, run)
    why = why_limited(agent, report)
    switched = _switched(mission.settings, agent.name)
    account = agent.shares_limits_as
    yield h.LimitMet(account, why, limited_until_us(mission, account, report))
    yield decided(run, "Usage limit", f"{why}; not charged", kind=h.DecisionKind.EVENT)
    if switched is not None:
        yield h.SettingsChanged(switched)
        change = f"{agent.name} to {switched.agent.name}"
        yield h.Decided("", "", f"Agent changed: {change}", why, kind=h.DecisionKind.AGENT_CHANGED)
    elif mission.settings.on_limit is OnLimit.ASK:
        down = AgentUnusable(agent.name, f"{why}; resume when it may continue", waits_for_yes=True)
        yield h.AgentDown(down)


def _switched(settings: Settings, limited: str) -> Settings | None:
    """Return settings with the other agent in use, or None. It happens once: if the other agent is
    limited too, both wait.
    """
    other = settings.other_agent
    if settings.on_limit is not OnLimit.SWITCH or other is None or settings.agent.name != limited:
        return None
    return replace(settings, agent=other, other_agent=settings.agent, on_limit=OnLimit.WAIT)


# --- limits and budgets --------------------------------------------------------------------


def end_over_limit(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Cancel an agent that exceeds its turn limit or budget; the checker still judges its work."""
    run = mission.run_of(unit.name)
    if (
        not mission.driven
        or run is None
        or run.stage is not Stage.WORKING
        or run.cancel is not None
    ):
        return ()
    settings = _settings(mission)
    if run.counted and run.usage.turns > settings.max_turns:
        why = f"{run.usage.turns} turns, {settings.max_turns} allowed"
        return _ended(run, CancelWhy.TURN_LIMIT, why, settings)
    sprint = mission.sprint(run.unit, run.sprint)
    if why := spent_by(mission, unit, sprint):
        return _ended(run, CancelWhy.BUDGET_SPENT, why, settings)
    return ()


def _ended(run: Run, why: CancelWhy, told: str, settings: Settings) -> Sequence[h.Event]:
    return (
        h.RunCancelled(run.id, why, settings.stop_grace_s),
        decided(run, "Agent ended", f"{why}: {told}", kind=h.DecisionKind.STEP),
    )


def drain_when_spent(mission: Mission) -> Iterator[h.Event]:
    """Dispatch nothing new once the run's budget is spent; at 110 % of it, end the agents too."""
    if mission.settings is None:
        return
    share = run_share(mission)
    if share.part < 1.0:
        return
    if mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, f"spent: {share.told}", share.told)
        yield h.Decided("", "", "Budget spent", share.told)
        yield from drain(mission, mission.units.values())
    elif mission.stance is Stance.STOPPING and share.part >= FORCED_AT:
        working = (r for r in mission.runs.values() if r.stage is Stage.WORKING)
        for run in working:
            yield from force(mission, run) if run.cancel is None else ()


def _settings(mission: Mission) -> Settings:
    assert mission.settings is not None
    return mission.settings
