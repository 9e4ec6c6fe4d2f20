"""Describe what goes on now, which models did the work, and what it cost, for all pages.

The cost is the money that agents reported. If none is known and the agent has several models, it is
a cost relative to the smallest of them. With a single model no relative cost is shown.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from topkick.engine.agents.program import PLAIN, Tier
from topkick.engine.agents.runs import Run, Stage
from topkick.sprint.model import Mission, Sprint
from topkick.sprint.views import next_event, spending
from topkick.text import columns, escape
from topkick.text import format as fmt
from topkick.text.format import counted, money

# --- what goes on now ----------------------------------------------------------------------

DOING_CHARS = 60


def at_work(mission: Mission, now_us: int, doing: Mapping[str, str], width: int) -> list[str]:
    """Return a line for each agent that reports something: what it has used, and what
    it does now.
    """
    lines = [
        f"  {escape.line(next_event.handle_of(mission, run.unit, run.sprint), 20)}  {told}"
        for run in mission.runs.values()
        if run.stage is Stage.WORKING and (told := _told(mission, run, now_us, doing))
    ]
    return ["At work:", *(columns.fit(line, width).rstrip() for line in lines)] if lines else []


def _told(mission: Mission, run: Run, now_us: int, doing: Mapping[str, str]) -> str:
    does, has_used = escape.line(doing.get(run.id, ""), DOING_CHARS), spending.used(run.usage)
    if not does and not has_used:
        return ""
    of_sprint = spending.of_the_sprint(mission, run, now_us)
    parts = (has_used, of_sprint and f"sprint {of_sprint}", does)
    return " · ".join(part for part in parts if part)


def usage_limits(mission: Mission, now_us: int, utc_offset_s: int = 0) -> list[str]:
    """Return until when the orders of each limited account wait; a resume tries at once."""
    lines = []
    for account, limit in mission.limits.items():
        if limit.until_us > now_us:
            until = fmt.day_and_clock(limit.until_us, utc_offset_s)
            why = escape.line(limit.why, 100)
            lines.append(f"Orders to {escape.line(account, 40)} wait until {until} ({why}).")
    return [*lines, "To try at once: topkick resume"] if lines else []


def spent_budget(mission: Mission) -> list[str]:
    which = spending.ended_by(mission)
    if not which:
        return []
    return [
        f"Nothing new is begun: {which}.",
        "To go on: raise it in topkick.toml ([budget]), then topkick resume",
    ]


# --- models and cost -----------------------------------------------------------------------

WEIGHTS = {Tier.HAIKU: 1, Tier.SONNET: 10, Tier.OPUS: 30}
NOT_TOLD = "not told by the agents"


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


def has_adapter(mission: Mission, run: Run) -> bool:
    """Return whether topkick can read what the agent of this run prints."""
    if run.dispatch is None or mission.settings is None:
        return False
    return (run.dispatch.program or mission.settings.agent).adapter != PLAIN
