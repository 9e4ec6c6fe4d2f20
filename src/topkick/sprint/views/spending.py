"""Describe what was used: turns, tokens, money, budgets, and which models did the work.

The cost is the money that agents reported. If none is known and the agent has several models, it is
a cost relative to the smallest of them. With a single model no relative cost is shown.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.engine.agents.budgets import (
    MICRO,
    NO_BUDGETS,
    NO_SPENDING,
    Budget,
    Spending,
    day_of,
    share_of,
)
from topkick.engine.agents.program import Tier, Usage
from topkick.engine.agents.runs import Run, Stage
from topkick.sprint.model import Mission, Sprint, Stance
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
    told = "no cost reported yet," if untold else money(spent.usage.cost_microusd or 0)
    return f"{told} of ${limit_usd:.2f}"


def _unlimited(budget: Budget, mission: Mission) -> Iterator[str]:
    usage = mission.spent.usage
    if budget.usd is None and usage.cost_microusd is not None:
        yield money(usage.cost_microusd)
    if budget.tokens is None and usage.tokens:
        yield f"{short(usage.tokens)} tokens"
    if usage.turns:
        yield counted(usage.turns, "turn")


# --- models and cost -----------------------------------------------------------------------

WEIGHTS = {Tier.HAIKU: 1, Tier.SONNET: 10, Tier.OPUS: 30}
NOT_TOLD = "not reported by the agents"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """All orders of a model, including those that failed, and the number of sprints whose last
    order it had.
    """

    model: str
    tier: Tier
    orders: int
    sprints: int

    @property
    def relative_cost(self) -> int:
        return self.orders * WEIGHTS[self.tier]


def model_use(mission: Mission) -> tuple[ModelUse, ...]:
    sprints = Counter((s.tier, s.model) for u in mission.units.values() for s in u.sprints)
    uses = [
        ModelUse(model, tier, orders, sprints[tier, model])
        for (tier, model), orders in mission.orders_given.items()
    ]
    return tuple(sorted(uses, key=lambda u: (WEIGHTS[u.tier], u.model)))


def is_relative(mission: Mission, cost_microusd: int | None) -> bool:
    """Return whether to show a relative cost: no money is known, and the agent has
    several models.
    """
    several = mission.settings is not None and not mission.settings.agent.has_one_model
    return several and cost_microusd is None


def total_cost(mission: Mission, cost_microusd: int | None) -> str:
    """Return the cost in the words of status and reports: `$0.07`, or `22x (…)` if only a relative
    cost is known.

    The caller passes the money: a report leaves out what agents at work have spent so far.
    """
    if is_relative(mission, cost_microusd):
        total = sum(u.relative_cost for u in model_use(mission))
        return f"{total}x (relative: haiku=1x, sonnet=10x, opus=30x)"
    return NOT_TOLD if cost_microusd is None else money(cost_microusd)


def model_name(sprint: Sprint) -> str:
    """Return the model's real name, not its tier."""
    return escape.line(sprint.model or sprint.asked_model, 40) or "—"


def summary(mission: Mission) -> list[str]:
    uses = [use for use in model_use(mission) if use.model]
    if not uses:
        return []
    cost_microusd = mission.spent.usage.cost_microusd
    relative = is_relative(mission, cost_microusd)
    total = [f"  Total cost: {total_cost(mission, cost_microusd)}"] if relative else []
    return ["Models:", *(f"  {_use(use, relative=relative)}" for use in uses), *total]


def _use(use: ModelUse, *, relative: bool) -> str:
    name = escape.line(use.model, 40)
    tier = f" ({use.tier})" if relative and name != use.tier else ""
    cost = f", {use.relative_cost}x" if relative else ""
    return f"{name}{tier}: {counted(use.orders, 'order')}{cost}"
