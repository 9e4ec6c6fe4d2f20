"""An account's usage limit: the account, the reason, and when it ends (DP-09)."""

from topkick.engine.agents.budgets import DAY_US, MICRO
from topkick.engine.agents.program import AgentProgram, AgentReport, Conclusion
from topkick.engine.agents.runs import Run
from topkick.engine.settings import OnLimit
from topkick.sprint.model import Mission

LIMIT_REST_US = 30 * 60 * MICRO
SOONEST_US = 60 * MICRO
DOWN = (Conclusion.AUTHENTICATION, Conclusion.BAD_REQUEST)
"""Conclusions that would repeat with every try."""


def agent_of(mission: Mission, run: Run) -> AgentProgram:
    assert mission.settings is not None
    program = run.dispatch.program if run.dispatch is not None else None
    return program or mission.settings.agent


def why_limited(agent: AgentProgram, report: AgentReport) -> str:
    return f"usage limit of {agent.shares_limits_as}: {report.said}".rstrip(": ")


def limited_until_us(mission: Mission, account: str, report: AgentReport) -> int:
    """Return when the limit ends, by the account's report or the settings, else in half an hour.

    An account has several limits, and reports may arrive out of order: the latest end counts.
    """
    assert mission.settings is not None
    minute = mission.settings.limit_ends_at_minute
    if mission.settings.on_limit is OnLimit.WAIT_UNTIL and minute is not None:
        return _next_us(mission.at_us, minute)
    known = mission.limits.get(account)
    known_us = known.until_us if known is not None and known.until_us > mission.at_us else 0
    if report.resets_at_us is None:
        return known_us or mission.at_us + LIMIT_REST_US
    return max(known_us, report.resets_at_us, mission.at_us + SOONEST_US)


def _next_us(at_us: int, minute: int) -> int:
    today_us = at_us - at_us % DAY_US + minute * 60 * MICRO
    return today_us if today_us > at_us else today_us + DAY_US
