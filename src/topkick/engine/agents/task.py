"""Orders outside a plan: one role, one agent, one answer. Shared by the supervisors of files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.budgets import FORCED_AT
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.agents.runs import JUDGED, CancelWhy, Dispatch, Run, Stage
from topkick.engine.agents.usage_limits import DOWN, agent_of, limited_until_us, why_limited
from topkick.engine.codec.codec import Text
from topkick.engine.refusals import CommandName, CommandUnfit
from topkick.engine.settings import OnLimit, Role
from topkick.sprint.model import Mission, Stance
from topkick.sprint.spending import run_cost_left_microusd, run_share
from topkick.sprint.status import goes_on

QUIET_POLLS = 10
FIRST_REST_US = 10_000_000
LONGEST_REST_US = 600_000_000
TROUBLES = "troubles"
Events = Sequence[h.Event]


# --- commands --------------------------------------------------------------------------------


def obey(policy: str, mission: Mission, command: h.Command) -> Events:
    match command:
        case h.Start(mission_id, plan, settings) if mission.plan is None:
            began = h.MissionBegan(mission_id, policy, plan, settings)
            return (began, h.StanceTaken(Stance.WORKING, "started by a person"))
        case h.Resume(settings=settings) if mission.plan is not None:
            changed = (h.SettingsChanged(settings),) if settings is not None else ()
            fresh = h.NoteTaken(TROUBLES, "0")
            return (*changed, fresh, h.StanceTaken(Stance.WORKING, "resumed by a person"))
        case h.Stop(force=force) if mission.plan is not None:
            return tuple(_stop(mission, command.told, force=force))
        case h.KillAll(why) if mission.plan is not None:
            return (h.StanceTaken(Stance.KILLED, why), *_end(mission, CancelWhy.KILLALL))
        case _:
            unfit = CommandUnfit(policy, _name_of(command), goes_on(mission))
            return (h.CommandRefused(unfit),)


def _name_of(command: h.Command) -> CommandName:
    match command:
        case h.Start():
            return CommandName.START
        case h.Resume():
            return CommandName.RESUME
        case h.Stop():
            return CommandName.STOP
        case h.KillAll():
            return CommandName.KILLALL
        case h.Accept() | h.PassGate() | h.AcceptBranch():
            return CommandName.ACCEPT
        case h.Reject() | h.RefuseGate():
            return CommandName.REJECT
        case h.Waive():
            return CommandName.WAIVE
        case h.Retry():
            return CommandName.RETRY
        case h.BeginBackground():
            return CommandName.BACKGROUND_RUN
        case h.EndBackground():
            return CommandName.BACKGROUND_STOP
        case h.OverrideCheckpoint():
            return CommandName.OVERRIDE
        case h.ReviseUpstream():
            return CommandName.REVISE
        case h.AbortPipeline():
            return CommandName.ABORT
        case _:
            assert_never(command)


def _stop(mission: Mission, why: str, *, force: bool) -> Iterator[h.Event]:
    if mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, why)
    if force:
        yield from _end(mission, CancelWhy.STOP_FORCED)


def _end(mission: Mission, why: CancelWhy) -> Iterator[h.Event]:
    assert mission.settings is not None
    killing = why is CancelWhy.KILLALL
    grace_s = mission.settings.kill_grace_s if killing else mission.settings.stop_grace_s
    for run in mission.runs.values():
        if run.stage is Stage.WORKING and (run.cancel is None or run.cancel.why is not why):
            yield h.RunCancelled(run.id, why, grace_s)


# --- dispatch --------------------------------------------------------------------------------


def role_named(mission: Mission, name: str) -> Role:
    """Return the configured role; else the run's own agent plays it."""
    assert mission.settings is not None
    known = {role.name.casefold(): role for role in mission.settings.roles}
    return known.get(name.casefold()) or Role(name, mission.settings.agent)


def may_go_on(mission: Mission) -> bool:
    """Return whether the run is active and nothing is under way."""
    at_work = mission.stance is Stance.WORKING and mission.driven and mission.ended is None
    waits = mission.looking is not None or bool(mission.editing) or bool(mission.runs)
    return at_work and not waits and not mission.agents_down


def is_limited(mission: Mission, role: Role) -> bool:
    limit = mission.limits.get(role.agent.shares_limits_as)
    return limit is not None and limit.until_us > mission.at_us


def give(mission: Mission, role: Role, subject: str, prompt: str, max_turns: int = 0) -> Events:
    """Return the events that dispatch an order, unless the budget of the run is spent."""
    tier = role.tier
    order = Dispatch(
        agent=role.agent.name,
        model=role.agent.model_for(tier),
        tier=tier,
        attempt=1,
        prompt=Text.of(prompt),
        program=role.agent,
        max_turns=max_turns,
    )
    return give_again(mission, subject, order)


def give_again(mission: Mission, subject: str, order: Dispatch) -> Events:
    """Dispatch the same order again; only the cost that is left is computed anew."""
    share = run_share(mission)
    if share.part >= 1.0:
        return (h.StanceTaken(Stance.STOPPING, f"spent: {share.told}", share.told),)
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    order = replace(order, cost_left_microusd=run_cost_left_microusd(mission))
    return (
        h.RunOpened(run_id, "", subject, Stage.SURVEYING),
        h.RunDispatched(run_id, order),
    )


def enough(mission: Mission) -> Events:
    """End agents that used all their turns; when the budget is spent, start nothing new (DP-10)."""
    if mission.settings is None or not mission.driven:
        return ()
    return (*_too_many_turns(mission), *_spent(mission))


def _too_many_turns(mission: Mission) -> Iterator[h.Event]:
    assert mission.settings is not None
    for run in _at_work(mission):
        own = run.dispatch.max_turns if run.dispatch is not None else 0
        most = own or mission.settings.max_turns
        if run.counted and run.usage.turns > most:
            yield h.RunCancelled(run.id, CancelWhy.TURN_LIMIT, mission.settings.stop_grace_s)
            why = f"{run.usage.turns} turns, {most} allowed"
            yield h.Decided("", run.sprint, "Agent ended", why)


def _spent(mission: Mission) -> Iterator[h.Event]:
    """Start nothing new at 100 % of the budget; end running agents at 110 %."""
    assert mission.settings is not None
    share = run_share(mission)
    if share.part >= 1.0 and mission.stance is Stance.WORKING and mission.runs:
        yield h.StanceTaken(Stance.STOPPING, f"spent: {share.told}", share.told)
    elif share.part >= FORCED_AT and mission.stance is Stance.STOPPING:
        for run in _at_work(mission):
            yield h.RunCancelled(run.id, CancelWhy.STOP_FORCED, mission.settings.stop_grace_s)


def _at_work(mission: Mission) -> list[Run]:
    return [r for r in mission.runs.values() if r.stage is Stage.WORKING and r.cancel is None]


# --- results ---------------------------------------------------------------------------------


def saw_silence(mission: Mission, run: Run, polls: int) -> Events:
    assert mission.settings is not None
    if polls < QUIET_POLLS or run.cancel is not None:
        return ()
    return (h.RunCancelled(run.id, CancelWhy.UNRESPONSIVE, mission.settings.stop_grace_s),)


def saw_exit(mission: Mission, run: Run, ended: AgentExit) -> Events:
    """Close a run that was ended for other reasons than its own; stop if the agent cannot start."""
    if ended.how is Ending.CANNOT_START:
        return _down(run, f"{agent_of(mission, run).name} cannot be started: {ended.detail}")
    for_its_own = run.cancel is not None and run.cancel.why in JUDGED
    if not for_its_own and (run.cancel is not None or ended.how is Ending.STOPPED):
        return (h.RunClosed(run.id, "ended before it had answered"),)
    return ()


def nobodys_fault(mission: Mission, run: Run, evidence: Evidence) -> Events:
    """Return the events for a failure that is not the agent's, or none if its answer counts
    (DP-09).
    """
    match evidence.report:
        case AgentReport(conclusion=Conclusion.USAGE_LIMIT) as report:  # even if the agent was lost
            return _limited(mission, run, report)
        case _ if run.exit is not None and run.exit.how is Ending.LOST:
            return _rests(mission, run, "its agent was lost (reboot, out of memory, killed)")
        case AgentReport(conclusion=Conclusion.PROVIDER_TROUBLE, said=said):
            return _rests(mission, run, f"provider trouble: {said}")
        case AgentReport(conclusion=conclusion, said=said) if conclusion in DOWN:
            return _down(run, f"{agent_of(mission, run).name} cannot work: {conclusion}: {said}")
        case _:
            return ()


def _rests(mission: Mission, run: Run, why: str) -> Events:
    """Back off for 10 s, doubling to 10 min, up to the limit of dispatches."""
    assert mission.settings is not None
    troubles = int(mission.notebook.get(TROUBLES, "0")) + 1
    rest_us = min(FIRST_REST_US * 2 ** (troubles - 1), LONGEST_REST_US)
    account = agent_of(mission, run).shares_limits_as
    events = (
        h.RunClosed(run.id, why),
        h.NoteTaken(TROUBLES, str(troubles)),
        h.LimitMet(account, why, mission.at_us + rest_us),
        h.Decided("", run.sprint, "Not charged", why),
    )
    if troubles < mission.settings.max_dispatches:
        return events
    return (*events, h.MissionEnded(False, f"{why}; that happened {troubles} times"))


def _limited(mission: Mission, run: Run, report: AgentReport) -> Events:
    assert mission.settings is not None
    agent = agent_of(mission, run)
    account, why = agent.shares_limits_as, why_limited(agent, report)
    until_us = limited_until_us(mission, account, report)
    events = (
        h.RunClosed(run.id, why),
        h.LimitMet(account, why, until_us),
        h.Decided("", run.sprint, "Usage limit", f"{why}; not charged", kind=h.DecisionKind.EVENT),
    )
    asks = mission.settings.on_limit is OnLimit.ASK
    return (*events, h.MissionEnded(False, why)) if asks else events


def _down(run: Run, why: str) -> Events:
    """End the mission: the agent would fail in the same way every time until a person fixes it."""
    return (h.RunClosed(run.id, why), h.MissionEnded(False, why))
