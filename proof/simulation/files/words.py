"""The texts of agents that give no answer, and where an order's inputs are in its prompt."""

import re

from proof.simulation.schedule import Agent
from topkick.checks.model import Evidence
from topkick.engine.agents.program import AgentReport, Conclusion
from topkick.engine.codec.texts import Text

INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
GARBAGE = {
    "garbage": "I think that I am done.",
    "wrong": '{"status": "fine", "message": "Yes.", "verdict": "MAYBE", "action": "sing"}',
    "crashes": "",
}
LIMIT_US = 1_200_000_000


def reported(agent: Agent, now_us: int) -> Evidence:
    """Return a report; half of the limit reports know when the limit ends."""
    if agent.kind == "limit":
        until_us = now_us + LIMIT_US if agent.deaf else None
        report = AgentReport(Conclusion.USAGE_LIMIT, "five hours", resets_at_us=until_us)
        return Evidence(answer=Text.of("You have hit your limit"), report=report)
    if agent.kind == "trouble":
        report = AgentReport(Conclusion.PROVIDER_TROUBLE, "overloaded")
        return Evidence(answer=Text.of(""), report=report)
    return Evidence(answer=Text.of(GARBAGE[agent.kind]))
