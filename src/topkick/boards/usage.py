"""Which models did the work, and what that costs relative to the smallest."""

from collections import Counter
from dataclasses import dataclass

from topkick.boards import safe
from topkick.core.agents import Tier
from topkick.core.mission import Mission, Sprint

WEIGHTS = {Tier.HAIKU: 1, Tier.SONNET: 10, Tier.OPUS: 30}


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Sprints by the model of their last order."""

    model: str
    tier: Tier
    sprints: int

    @property
    def relative_cost(self) -> int:
        return self.sprints * WEIGHTS[self.tier]


def model_use(mission: Mission) -> tuple[ModelUse, ...]:
    sprints = [s for u in mission.units.values() for s in u.sprints if s.tier is not None]
    counted = Counter((s.tier, s.model) for s in sprints)
    uses = [ModelUse(model, tier, n) for (tier, model), n in counted.items() if tier is not None]
    return tuple(sorted(uses, key=lambda u: (WEIGHTS[u.tier], u.model)))


def model_name(sprint: Sprint) -> str:
    """The real name, not the tier."""
    return safe.line(sprint.model or sprint.asked_model, 40) or "—"


def summary(mission: Mission) -> list[str]:
    uses = model_use(mission)
    if not uses:
        return []
    lines = ["Models (by the last order of each sprint):"]
    for use in uses:
        name = safe.line(use.model, 40)
        tier = "" if name == use.tier else f" ({use.tier})"
        sprints = f"{use.sprints} sprint" + ("s" if use.sprints != 1 else "")
        lines.append(f"  {name}{tier}: {sprints}, {use.relative_cost}x")
    total = sum(u.relative_cost for u in uses)
    return [*lines, f"  Total relative cost: {total}x (baseline: haiku = 1x)"]
