"""Failures without anyone at fault: limits of accounts, and agents that are unusable (DP-09)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.simulation.views import RunView
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentReport
from topkick.engine.settings import Settings

if TYPE_CHECKING:
    from proof.simulation.oracle import Oracle

LIMIT, AUTH = "usage limit", "authentication"
SPARED = (LIMIT, AUTH, "provider trouble")


def of_fact(o: Oracle, fact: h.Fact) -> AgentReport | None:
    """Return an agent's report if it is about a failure without anyone at fault."""
    if not isinstance(fact, h.WorkChecked):
        return None
    run, report = o.books.runs[fact.run_id], fact.evidence.report
    spared = report is not None and report.conclusion.value in SPARED
    return report if run.dispatched and spared else None


def ended_itself(run: RunView) -> bool:
    """Return whether the agent ended by itself; reports of other agents may count or not."""
    return not run.cancel and run.exit_how != "lost"


def heard(o: Oracle, fact: h.Fact, at_us: int) -> None:
    """Record the report from here on, whatever the program concludes."""
    report = of_fact(o, fact)
    if report is None or not isinstance(fact, h.WorkChecked):
        return
    books, agent = o.books, o.books.runs[fact.run_id].agent
    if not ended_itself(books.runs[fact.run_id]):
        return
    limited = report.conclusion.value == LIMIT
    if limited:
        account = books.accounts[agent]
        known_us = max(books.limits.get(account, 0), at_us + 1)
        books.limits[account] = max(known_us, report.resets_at_us or 0)
    if report.conclusion.value == AUTH or (limited and books.on_limit == "ask"):
        books.down.add(agent)


def limit_met(o: Oracle, fact: h.Fact, event: h.LimitMet) -> None:
    report = of_fact(o, fact)
    limited = report is not None and report.conclusion.value == LIMIT
    o.require(limited, "DP-09", f"{event.account} is limited, and nobody said so")
    known = o.books.limits.get(event.account, 0)
    o.require(event.until_us >= known, "DP-09", f"{event.account} is limited for longer than that")
    o.books.limits[event.account] = event.until_us


def agent_down(o: Oracle, fact: h.Fact, event: h.AgentDown) -> None:
    report = of_fact(o, fact)
    asks = report is not None and (report.conclusion.value == AUTH or o.books.on_limit == "ask")
    told = event.blocker.agent in o.books.down or asks
    o.require(
        told or isinstance(fact, h.AgentExited),
        "DP-09",
        f"{event.blocker.agent} waits for a person, and for no reason",
    )
    o.books.down.add(event.blocker.agent)


def trouble_met(o: Oracle, fact: h.Fact, event: h.TroubleMet) -> None:
    view, report = o.books.sprint(event.unit, event.sprint), of_fact(o, fact)
    limited = report is not None and report.conclusion.value == LIMIT
    o.require(limited or not event.expected, "DP-09", f"{event.unit}: no trouble is like a limit")
    proven = report is not None and limited and report.proven
    o.require(proven or not event.uncounted, "C8", f"{event.unit}: an order does not count")
    view.troubles += not event.expected
    view.exempt += event.uncounted
    view.not_before_us = event.not_before_us


def settings(o: Oracle, fact: h.Fact, changed: Settings) -> None:
    """Check that another agent is set by a person, or once in place of a limited one (D12)."""
    books, report = o.books, of_fact(o, fact)
    limited = report is not None and report.conclusion.value == LIMIT
    switched = limited and books.on_limit == "switch"
    by_hand = isinstance(fact, h.CommandGiven)
    o.require(by_hand or switched, "D12", f"{books.agent} gives way to {changed.agent.name}")
    books.agent, books.on_limit = changed.agent.name, changed.on_limit.value
    for program in (changed.agent, changed.other_agent):
        if program is not None:
            books.accounts[program.name] = program.shares_limits_as


def stance(o: Oracle, fact: h.Fact, taken: str) -> None:
    """Check that only a person's command resumes work; it clears agents that were unusable."""
    o.books.stance = taken
    if taken == "working":
        o.require(isinstance(fact, h.CommandGiven), "D7", "work goes on, and nobody said so")
        o.books.down.clear()
        o.books.limits.clear()


def dispatched(o: Oracle, run: RunView, agent: str, at_us: int) -> None:
    books, name = o.books, f"{run.unit}/{run.sprint}"
    o.require(agent == books.agent, "D12", f"{name} is given to {agent}, not to {books.agent}")
    o.require(agent not in books.down, "DP-09", f"{name}: {agent} waits for a person")
    until_us = books.limits.get(books.accounts[agent], 0)
    o.require(until_us <= at_us, "DP-09", f"{name} is given to {agent}, whose account is limited")
    run.agent = agent
