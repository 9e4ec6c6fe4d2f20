"""Describe what was used: turns, tokens, money, and how much of a budget is spent."""

from collections.abc import Iterator

from topkick.engine.agents.budgets import (
    MICRO,
    NO_BUDGETS,
    NO_SPENDING,
    Budget,
    Spending,
    day_of,
    share_of,
)
from topkick.engine.agents.program import Usage
from topkick.engine.agents.runs import Run, Stage
from topkick.sprint.model import Mission, Stance
from topkick.text import escape
from topkick.text.format import counted, money, short


def used(usage: Usage) -> str:
    """Return `12 turns, 45k tokens, $0.42`; what is not known is left out."""
    parts = [counted(usage.turns, "turn")] if usage.turns else []
    parts += [f"{short(usage.tokens)} tokens"] if usage.tokens else []
    parts += [money(usage.cost_microusd)] if usage.cost_microusd is not None else []
    return ", ".join(parts)


def headline(mission: Mission) -> str:
    """Return `$1.20 of $5.00`; if no cost is known and no budget set, the tokens."""
    limit_usd = mission.settings.budgets.run.usd if mission.settings is not None else None
    usage = mission.spent.usage
    if limit_usd is not None:
        return _of_limit(mission.spent, limit_usd)
    return cost(mission) or (f"{short(usage.tokens)} tokens" if usage.tokens else "")


def cost(mission: Mission) -> str:
    """Return the money spent; empty if it is not known."""
    microusd = mission.spent.usage.cost_microusd
    return money(microusd) if microusd is not None else ""


def of_the_run(mission: Mission, now_us: int) -> list[str]:
    """Return one line with everything that is known about the run and, if the day has a budget,
    about the day.
    """
    budgets = mission.settings.budgets if mission.settings is not None else NO_BUDGETS
    parts = [*_limited(budgets.run, so_far(mission, now_us)), *_unlimited(budgets.run, mission)]
    today = list(_limited(budgets.day, _today(mission, now_us)))
    if not parts and not today:
        return []
    of_day = f"today {', '.join(today)}" if today else ""
    return [f"Spent: {'; '.join(filter(None, (', '.join(parts), of_day)))}"]


def of_the_sprint(mission: Mission, run: Run, now_us: int) -> str:
    """Describe the limit of the sprint's budget that is closest to being spent."""
    if mission.settings is None or run.unit not in mission.units:
        return ""
    spent = mission.sprint(run.unit, run.sprint).spent.plus(Spending(busy_us=_busy_us(run, now_us)))
    return share_of(mission.settings.budgets.sprint, spent).told


def ended_by(mission: Mission) -> str:
    """Return the budget that stopped the run, if one did."""
    stopped = mission.stance is Stance.STOPPING
    return escape.line(mission.stance_budget, 100) if stopped else ""


def so_far(mission: Mission, now_us: int) -> Spending:
    """Return the spending including the time of agents at work, which is recorded only when they
    end.
    """
    return mission.spent.plus(_at_work(mission, now_us))


def _at_work(mission: Mission, now_us: int) -> Spending:
    return Spending(busy_us=sum(_busy_us(run, now_us) for run in mission.runs.values()))


def _today(mission: Mission, now_us: int) -> Spending:
    before = mission.spent_today if mission.day == day_of(now_us) else NO_SPENDING
    return before.plus(_at_work(mission, now_us))


def _busy_us(run: Run, now_us: int) -> int:
    if run.dispatch is None or run.stage is not Stage.WORKING:
        return 0
    return max(0, now_us - run.dispatch.at_us)


def _limited(budget: Budget, spent: Spending) -> Iterator[str]:
    if budget.usd is not None:
        yield _of_limit(spent, budget.usd)
    if budget.tokens is not None:
        yield f"{short(spent.usage.tokens)} of {short(budget.tokens)} tokens"
    if budget.minutes is not None:
        yield f"{spent.busy_us / (60 * MICRO):.0f} of {budget.minutes:g} min"


def _of_limit(spent: Spending, limit_usd: float) -> str:
    """Describe the money spent of a limit. An unknown cost is not shown as zero."""
    untold = spent.usage.cost_microusd is None and spent != NO_SPENDING
    told = "no cost told yet," if untold else money(spent.usage.cost_microusd or 0)
    return f"{told} of ${limit_usd:.2f}"


def _unlimited(budget: Budget, mission: Mission) -> Iterator[str]:
    usage = mission.spent.usage
    if budget.usd is None and usage.cost_microusd is not None:
        yield money(usage.cost_microusd)
    if budget.tokens is None and usage.tokens:
        yield f"{short(usage.tokens)} tokens"
    if usage.turns:
        yield counted(usage.turns, "turn")
