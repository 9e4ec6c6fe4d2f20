"""Compute what a mission has spent of its budgets, without deciding anything (DP-10)."""

from collections.abc import Iterator

from topkick.engine.agents.budgets import (
    FORCED_AT,
    MICRO,
    NO_SPENDING,
    BudgetShare,
    Spending,
    day_of,
    share_of,
)
from topkick.engine.agents.runs import Run, Stage
from topkick.engine.settings import Settings
from topkick.sprint.model import Mission, Sprint, Unit

SETTLING_US = MICRO


def spent_by(mission: Mission, unit: Unit, sprint: Sprint) -> str:
    """Return which budget of the sprint or the unit is spent, if one is."""
    budgets = _settings(mission).budgets
    for what, budget, spent in (
        ("the sprint", budgets.sprint, _with_time(mission, unit, sprint.spent)),
        ("the unit", budgets.unit, _with_time(mission, unit, unit_spent(unit))),
    ):
        share = share_of(budget, spent)
        if share.part >= 1.0:
            return f"the budget of {what} is spent ({share.told})"
    return ""


def cost_left_microusd(mission: Mission, unit: Unit, sprint: Sprint) -> int | None:
    """Return what the next order may cost by the tightest budget, for programs with a cost
    limit.
    """
    budgets = _settings(mission).budgets
    left = [
        round(budget.usd * MICRO) - (spent.usage.cost_microusd or 0)
        for budget, spent in ((budgets.sprint, sprint.spent), (budgets.unit, unit_spent(unit)))
        if budget.usd is not None
    ]
    left += [
        (round(budget.usd * MICRO) - (spent.usage.cost_microusd or 0)) // _sharers(mission)
        for budget, spent in ((budgets.run, mission.spent), (budgets.day, _today(mission)))
        if budget.usd is not None
    ]
    return max(0, min(left)) if left else None


def run_cost_left_microusd(mission: Mission) -> int | None:
    """Return what an order outside a plan may cost: all that the run and the day have left."""
    budgets = _settings(mission).budgets
    left = [
        round(budget.usd * MICRO) - (spent.usage.cost_microusd or 0)
        for budget, spent in ((budgets.run, mission.spent), (budgets.day, _today(mission)))
        if budget.usd is not None
    ]
    return max(0, min(left)) if left else None


def _sharers(mission: Mission) -> int:
    """Return how many agents share what is left of the run's or the day's budget."""
    open_units = sum(u.current is not None for u in mission.units.values())
    return max(1, min(_settings(mission).max_agents, open_units))


def unit_spent(unit: Unit) -> Spending:
    spent = NO_SPENDING
    for sprint in unit.sprints[: unit.at + 1]:
        spent = spent.plus(sprint.spent)
    return spent


def _with_time(mission: Mission, unit: Unit, spent: Spending) -> Spending:
    run = mission.run_of(unit.name)
    return spent if run is None else spent.plus(Spending(busy_us=_so_far_us(mission, run)))


def _so_far_us(mission: Mission, run: Run) -> int:
    """Return the time of a working agent, which is added to the total only when it ends.

    A supervisor that has just started does not know yet which agents ended meanwhile.
    """
    if run.stage is not Stage.WORKING or run.dispatch is None or _has_just_woken(mission):
        return 0
    return mission.at_us - run.dispatch.at_us


def _has_just_woken(mission: Mission) -> bool:
    return mission.at_us == mission.woke_at_us


def spent_at_us(mission: Mission) -> Iterator[int]:
    """Yield when time alone will have used up a budget in minutes, with the agents that work
    now.
    """
    if mission.settings is None or not mission.driven:
        return
    moments = (*_own_moments(mission), *_common_moments(mission))
    if _has_just_woken(mission):  # wait until it is known which agents are still alive
        moments = tuple(max(moment, mission.at_us + SETTLING_US) for moment in moments)
    yield from (moment for moment in moments if moment > mission.at_us)


def _own_moments(mission: Mission) -> Iterator[int]:
    budgets = _settings(mission).budgets
    for run in _working(mission):
        unit = mission.units.get(run.unit)
        if unit is None or run.dispatch is None:
            continue
        sprint = mission.sprint(run.unit, run.sprint)
        for budget, spent in ((budgets.sprint, sprint.spent), (budgets.unit, unit_spent(unit))):
            if budget.minutes is not None:
                yield run.dispatch.at_us + _us(budget.minutes) - spent.busy_us


def _common_moments(mission: Mission) -> Iterator[int]:
    """Yield when shared budgets end: time runs as fast as agents work, rounded up."""
    working = _working(mission)
    so_far_us = sum(_so_far_us(mission, run) for run in working)
    budgets = _settings(mission).budgets
    for budget, spent in ((budgets.run, mission.spent), (budgets.day, _today(mission))):
        for part in (1.0, FORCED_AT) if budget.minutes is not None and working else ():
            left_us = _us((budget.minutes or 0) * part) - spent.busy_us - so_far_us
            yield mission.at_us - (-left_us // len(working))


def _working(mission: Mission) -> list[Run]:
    return [r for r in mission.runs.values() if r.stage is Stage.WORKING and r.cancel is None]


def _today(mission: Mission) -> Spending:
    return mission.spent_today if mission.day == day_of(mission.at_us) else NO_SPENDING


def _us(minutes: float) -> int:
    return round(minutes * 60 * MICRO)


# --- the run and the day -----------------------------------------------------------------------


def run_share(mission: Mission, settings: Settings | None = None) -> BudgetShare:
    """Return the share of the run's or the day's budget, whichever is nearer to its end."""
    budgets = (settings or _settings(mission)).budgets
    now = Spending(busy_us=sum(_so_far_us(mission, r) for r in mission.runs.values()))
    of_run = share_of(budgets.run, mission.spent.plus(now))
    of_day = share_of(budgets.day, _today(mission).plus(now))
    if of_day.part > of_run.part:
        return BudgetShare(of_day.part, f"the budget of the day: {of_day.told}")
    return BudgetShare(of_run.part, f"the budget of the run: {of_run.told}")


def _settings(mission: Mission) -> Settings:
    assert mission.settings is not None
    return mission.settings
