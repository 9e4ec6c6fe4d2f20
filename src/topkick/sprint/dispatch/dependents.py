"""Count how many sprints of a plan wait, directly or not, for each sprint."""

from collections import deque
from collections.abc import Mapping

from topkick.plan_format.model import Plan, SprintRef

_last: list[tuple[Plan, Mapping[SprintRef, int]]] = []


def dependents_of(plan: Plan) -> Mapping[SprintRef, int]:
    """Return how many sprints each one holds up; the answer for the last plan is cached."""
    if not _last or _last[0][0] is not plan:
        _last[:] = [(plan, _counted(plan))]
    return _last[0][1]


def _counted(plan: Plan) -> Mapping[SprintRef, int]:
    """Count with sets as bits, each edge looked at once."""
    refs = [SprintRef(unit.name, sprint.id) for unit in plan.units for sprint in unit.sprints]
    at = {ref: n for n, ref in enumerate(refs)}
    needs = _needs(plan, at)
    waiting = [0] * len(refs)
    for before in needs:
        for one in before:
            waiting[one] += 1
    ready = deque(n for n, count in enumerate(waiting) if count == 0)
    holds_up = [0] * len(refs)
    while ready:  # sprints that none waits for come first; a cycle would be left out
        last = ready.popleft()
        bits = holds_up[last] | 1 << last
        for one in needs[last]:
            holds_up[one] |= bits
            waiting[one] -= 1
            if waiting[one] == 0:
                ready.append(one)
    return {ref: bits.bit_count() for ref, bits in zip(refs, holds_up, strict=True)}


def _needs(plan: Plan, at: Mapping[SprintRef, int]) -> list[list[int]]:
    """Return what each sprint waits for directly: the one before it, earlier units, other
    sprints.
    """
    ends = {u.name: SprintRef(u.name, u.sprints[-1].id) for u in plan.units if u.sprints}
    needs: list[list[int]] = []
    for unit in plan.units:
        before = [ends[name] for name in unit.waits_for if name in ends]
        for sprint in unit.sprints:
            needs.append([at[ref] for ref in (*before, *sprint.waits_for) if ref in at])
            before = [SprintRef(unit.name, sprint.id)]
    return needs
