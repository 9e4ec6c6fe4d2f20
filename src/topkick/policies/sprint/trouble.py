"""What is nobody's fault: limits of an account, trouble of a provider, a program that cannot work.

No attempt is charged and no stronger model is chosen (DP-09).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core.agents import AgentReport, Conclusion, Ending
from topkick.core.budgets import DAY_US, MICRO
from topkick.core.model import CancelWhy, Mission, OnLimit, Run, Settings, Sprint
from topkick.core.transitions import SprintCause
from topkick.policies.sprint.events import decided, sprint_moves
from topkick.policies.sprint.watching import rest_until_us

LIMIT_REST_US = 30 * 60 * MICRO
SOONEST_US = 60 * MICRO
DOWN = (Conclusion.AUTHENTICATION, Conclusion.BAD_REQUEST)
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
        case AgentReport(conclusion=conclusion, said=said) if conclusion in DOWN:
            return _down(mission, run, sprint, f"{conclusion}: {said}")
        case _:
            return ()


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
        decided(run, decision, f"{why}; not charged"),
    )


def _down(mission: Mission, run: Run, sprint: Sprint, why: str) -> Sequence[h.Event]:
    """It would end in the same way every time: it is not tried again before a person came."""
    assert run.dispatch is not None
    told = f"{run.dispatch.agent} cannot work: {why}"
    return (
        h.AgentDown(run.dispatch.agent, told),
        *_troubled(run, sprint, "Agent cannot work", told, mission.at_us),
    )


# --- usage limits ------------------------------------------------------------------------------


def _limited(mission: Mission, run: Run, sprint: Sprint, report: AgentReport) -> Iterator[h.Event]:
    assert mission.settings is not None
    assert run.dispatch is not None
    agent = mission.settings.agent_named(run.dispatch.agent)
    until_us = _until_us(mission, report)
    why = f"usage limit of {agent.shares_limits_as}: {report.said}".rstrip(": ")
    switched = _switched(mission.settings, agent.name)
    is_in_use = switched is None and agent.name == mission.settings.agent.name
    rest_us = until_us if is_in_use else mission.at_us
    yield h.TroubleMet(run.unit, run.sprint, why, rest_us, expected=True, uncounted=report.proven)
    yield sprint_moves(run.unit, sprint, SprintCause.TROUBLED, why)
    yield h.RunClosed(run.id, why)
    yield h.LimitMet(agent.shares_limits_as, why, until_us)
    yield decided(run, "Usage limit", f"{why}; not charged")
    if switched is not None:
        yield h.SettingsChanged(switched)
        change = f"{agent.name} to {switched.agent.name}"
        yield h.Decided("", "", f"Agent changed: {change}", why)
    elif mission.settings.on_limit is OnLimit.ASK:
        yield h.AgentDown(agent.name, f"{why}; resume when it may go on")


def _switched(settings: Settings, limited: str) -> Settings | None:
    """The other agent takes over once; should it be limited too, both wait."""
    other = settings.other_agent
    if settings.on_limit is not OnLimit.SWITCH or other is None or settings.agent.name != limited:
        return None
    return replace(settings, agent=other, other_agent=settings.agent, on_limit=OnLimit.WAIT)


def _until_us(mission: Mission, report: AgentReport) -> int:
    """When the account says, or the user; half an hour where nobody does."""
    assert mission.settings is not None
    minute = mission.settings.limit_ends_at_minute
    if mission.settings.on_limit is OnLimit.WAIT_UNTIL and minute is not None:
        return _next_us(mission.at_us, minute)
    if report.resets_at_us is None:
        return mission.at_us + LIMIT_REST_US
    return max(report.resets_at_us, mission.at_us + SOONEST_US)


def _next_us(at_us: int, minute: int) -> int:
    today_us = at_us - at_us % DAY_US + minute * 60 * MICRO
    return today_us if today_us > at_us else today_us + DAY_US
