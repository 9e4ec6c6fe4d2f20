"""How many turns a sprint was expected to take, by the formula that its score counts with.

R + 2C + 2M + B + ceil(L / 75) + V + 5: files to read, to create and to modify, builds, lines to
write, criteria to verify, and what every sprint takes; or what the sprint states itself.
"""

from topkick.core.dependents import dependents_of
from topkick.core.plan import Plan, SprintPlan, SprintRef
from topkick.core.sprint_traits import Traits, traits_of


def traits_in(plan: Plan, unit: str, sprint: SprintPlan) -> Traits:
    """A sprint of our own making holds up nobody by itself."""
    return traits_of(plan, sprint, dependents_of(plan).get(SprintRef(unit, sprint.id), 0))


def estimated_turns(plan: Plan, unit: str, sprint: SprintPlan) -> int:
    return traits_in(plan, unit, sprint).turns
