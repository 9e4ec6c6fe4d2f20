"""Which models did the work, and what it cost: the figures that all pages share.

Money that the agents told is the figure. Where none is known and the agent has several models,
the cost is relative to the smallest of them; where there is one model, nothing is invented.
"""

from collections import Counter
from dataclasses import dataclass

from topkick.boards import safe
from topkick.core.agents import Tier
from topkick.core.mission import Mission, Sprint
from topkick.text.format import counted, money

WEIGHTS = {Tier.HAIKU: 1, Tier.SONNET: 10, Tier.OPUS: 30}
NOT_TOLD = "not told by the agents"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """All orders on a model, also those that failed, and the sprints of which it had the last."""

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
    """Whether a relative cost says anything: no money is known, and models differ."""
    several = mission.settings is not None and not mission.settings.agent.has_one_model
    return several and cost_microusd is None


def total_cost(mission: Mission, cost_microusd: int | None) -> str:
    """`$0.07`, or `22x (…)` where only that is known: the words of status and reports.

    The caller gives the money: a report leaves out what agents at work have spent so far.
    """
    if is_relative(mission, cost_microusd):
        total = sum(u.relative_cost for u in model_use(mission))
        return f"{total}x (relative: haiku=1x, sonnet=10x, opus=30x)"
    return NOT_TOLD if cost_microusd is None else money(cost_microusd)


def model_name(sprint: Sprint) -> str:
    """The real name, not the tier."""
    return safe.line(sprint.model or sprint.asked_model, 40) or "—"


def summary(mission: Mission) -> list[str]:
    uses = [use for use in model_use(mission) if use.model]
    if not uses:
        return []
    cost_microusd = mission.spent.usage.cost_microusd
    relative = is_relative(mission, cost_microusd)
    total = [f"  Total cost: {total_cost(mission, cost_microusd)}"] if relative else []
    return ["Models:", *(f"  {_use(use, relative=relative)}" for use in uses), *total]


def _use(use: ModelUse, *, relative: bool) -> str:
    name = safe.line(use.model, 40)
    tier = f" ({use.tier})" if relative and name != use.tier else ""
    cost = f", {use.relative_cost}x" if relative else ""
    return f"{name}{tier}: {counted(use.orders, 'order')}{cost}"
