"""Turns and budgets: when an agent has had enough, and when the whole run has (DP-07, DP-10)."""

from collections.abc import Iterator, Sequence

from topkick.core import happenings as h
from topkick.core.budgets import FORCED_AT, NO_SPENDING, Share, Spending, day_of, share_of
from topkick.core.model import CancelWhy, Mission, Run, Settings, Sprint, Stage, Stance, Unit
from topkick.policies.sprint.ending import drain, force
from topkick.policies.sprint.events import decided


def end_what_has_had_enough(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """One agent over its own limit is ended, and its work judged."""
    run = mission.run_of(unit.name)
    if run is None or run.stage is not Stage.WORKING or run.cancel is not None:
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
        decided(run, "Agent ended", f"{why}: {told}"),
    )


def spent_by(mission: Mission, unit: Unit, sprint: Sprint) -> str:
    """Which budget of the sprint or the unit is spent, if one is."""
    budgets = _settings(mission).budgets
    for what, budget, spent in (
        ("the sprint", budgets.sprint, _with_time(mission, unit, sprint.spent)),
        ("the unit", budgets.unit, _with_time(mission, unit, unit_spent(unit))),
    ):
        share = share_of(budget, spent)
        if share.part >= 1.0:
            return f"the budget of {what} is spent ({share.told})"
    return ""


def unit_spent(unit: Unit) -> Spending:
    spent = NO_SPENDING
    for sprint in unit.sprints[: unit.at + 1]:
        spent = spent.plus(sprint.spent)
    return spent


def _with_time(mission: Mission, unit: Unit, spent: Spending) -> Spending:
    run = mission.run_of(unit.name)
    return spent if run is None else spent.plus(Spending(busy_us=_so_far_us(mission, run)))


def _so_far_us(mission: Mission, run: Run) -> int:
    """The time of an agent at work is added when it ends; until then it is seen here."""
    at_work = run.stage is Stage.WORKING and run.dispatch is not None
    return mission.at_us - run.dispatch.at_us if at_work and run.dispatch is not None else 0


# --- the run and the day -----------------------------------------------------------------------


def run_share(mission: Mission, settings: Settings | None = None) -> Share:
    """Of the budgets of the run and of the day, the one that is nearest to its end."""
    budgets = (settings or _settings(mission)).budgets
    now = Spending(busy_us=sum(_so_far_us(mission, r) for r in mission.runs.values()))
    today = mission.spent_today if mission.day == day_of(mission.at_us) else NO_SPENDING
    of_run = share_of(budgets.run, mission.spent.plus(now))
    of_day = share_of(budgets.day, today.plus(now))
    if of_day.part > of_run.part:
        return Share(of_day.part, f"the budget of the day: {of_day.told}")
    return Share(of_run.part, f"the budget of the run: {of_run.told}")


def drain_when_spent(mission: Mission) -> Iterator[h.Event]:
    """At the whole of it nothing new is begun; at 110 % what works is ended."""
    if mission.settings is None:
        return
    share = run_share(mission)
    if share.part < 1.0:
        return
    if mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, f"spent: {share.told}")
        yield h.Decided("", "", "Budget spent", share.told)
        yield from drain(mission, mission.units.values())
    elif mission.stance is Stance.STOPPING and share.part >= FORCED_AT:
        working = (r for r in mission.runs.values() if r.stage is Stage.WORKING)
        for run in working:
            yield from force(mission, run) if run.cancel is None else ()


def _settings(mission: Mission) -> Settings:
    assert mission.settings is not None
    return mission.settings
