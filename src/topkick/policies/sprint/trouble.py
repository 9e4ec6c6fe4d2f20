"""What is nobody's fault: limits of an account, trouble of a provider, a program that cannot work.

No attempt is charged and no stronger model is chosen (DP-09).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core.agents import AgentReport, Conclusion, Ending
from topkick.core.holds import AgentUnusable
from topkick.core.mission import Mission, Sprint
from topkick.core.runs import CancelWhy, Run
from topkick.core.settings import OnLimit, Settings
from topkick.core.spending import spent_by
from topkick.core.transitions import SprintCause
from topkick.core.usage_limits import DOWN, agent_of, limited_until_us, why_limited
from topkick.policies.sprint.events import decided, sprint_moves
from topkick.policies.sprint.watching import rest_until_us

LOST = "the agent was lost (reboot, out of memory, or killed from outside)"


def nobodys_fault(
    mission: Mission, run: Run, sprint: Sprint, report: AgentReport | None
) -> Sequence[h.Event]:
    """Nothing, if the work is to be judged by what was done."""
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
    """It kept to its share of what the run has left; that others used the rest is not its fault."""
    if spent_by(mission, mission.units[run.unit], sprint):
        return ()
    return _troubled(run, sprint, "Share of the budget spent", said, mission.at_us)


def also(mission: Mission, run: Run, report: AgentReport | None) -> Iterator[h.Event]:
    """What holds for the whole account, whatever this order has brought about."""
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
    """It would end in the same way every time: it is not tried again before a person came."""
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
        down = AgentUnusable(agent.name, f"{why}; resume when it may go on", waits_for_yes=True)
        yield h.AgentDown(down)


def _switched(settings: Settings, limited: str) -> Settings | None:
    """The other agent takes over once; should it be limited too, both wait."""
    other = settings.other_agent
    if settings.on_limit is not OnLimit.SWITCH or other is None or settings.agent.name != limited:
        return None
    return replace(settings, agent=other, other_agent=settings.agent, on_limit=OnLimit.WAIT)
