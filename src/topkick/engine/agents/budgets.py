"""Budgets and spending: money, tokens and minutes of a sprint, a unit, a run, a day."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from topkick.engine.agents.program import NO_USAGE, Bounds, Usage

MICRO = 1_000_000
DAY_US = 86_400 * MICRO
FORCED_AT = 1.1

Amount = Annotated[float, Bounds(gt=0, le=1e9)]
TokenCount = Annotated[int, Bounds(ge=1, le=10**12)]


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits; None means no limit. An unknown cost counts against no budget."""

    usd: Amount | None = None
    tokens: TokenCount | None = None
    minutes: Amount | None = None


@dataclass(frozen=True, slots=True)
class Budgets:
    sprint: Budget = Budget()
    unit: Budget = Budget()
    run: Budget = Budget()
    day: Budget = Budget()


@dataclass(frozen=True, slots=True)
class Spending:
    """The total usage of agents, and how long they worked."""

    usage: Usage = NO_USAGE
    busy_us: int = 0

    def plus(self, other: "Spending") -> "Spending":
        return Spending(self.usage.plus(other.usage), self.busy_us + other.busy_us)


NO_SPENDING = Spending()
NO_BUDGETS = Budgets()


@dataclass(frozen=True, slots=True)
class BudgetShare:
    """The used part of a budget; 1.0 is all of it."""

    part: float
    told: str


NOTHING = BudgetShare(0.0, "")


def share_of(budget: Budget, spent: Spending) -> BudgetShare:
    """Return the share of the limit that is nearest to its end."""
    return max(_shares(budget, spent), key=lambda share: share.part, default=NOTHING)


def _shares(budget: Budget, spent: Spending) -> Iterator[BudgetShare]:
    cost_usd = (spent.usage.cost_microusd or 0) / MICRO
    minutes = spent.busy_us / (60 * MICRO)
    if budget.usd is not None:
        yield BudgetShare(_part(cost_usd, budget.usd), f"${cost_usd:.2f} of ${budget.usd:.2f}")
    if budget.tokens is not None:
        tokens = spent.usage.tokens
        yield BudgetShare(_part(tokens, budget.tokens), f"{tokens:,} of {budget.tokens:,} tokens")
    if budget.minutes is not None:
        told = f"{minutes:.0f} of {budget.minutes:.0f} minutes"
        yield BudgetShare(_part(minutes, budget.minutes), told)


def _part(used: float, limit: float) -> float:
    return used / limit if limit else 1.0


def day_of(at_us: int) -> int:
    """Return the day in UTC, so that the same journal always gives the same sums."""
    return at_us // DAY_US
