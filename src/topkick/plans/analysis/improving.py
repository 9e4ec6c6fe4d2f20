"""A plan in the best order and shape that a program can give it: `refine`."""

from dataclasses import dataclass, replace

from topkick.plans.refining.evaluating import Evaluated, Read, evaluated
from topkick.plans.refining.prioritizing import Prioritized, prioritized
from topkick.plans.surroundings import Surroundings

ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Improved:
    """`order` is the first, of the plan as it was; `shape` counts what all rounds changed."""

    text: str
    order: Prioritized
    shape: Evaluated


def improved(text: str, read: Read, around: Surroundings, max_turns: int) -> Improved:
    """Until neither changes anything: sprints that were split or merged may ask for new places."""
    order = prioritized(text, read(text))
    shape = evaluated(order.text, read, around, max_turns)
    for _ in range(ROUNDS):
        again = prioritized(shape.text, read(shape.text))
        more = evaluated(again.text, read, around, max_turns)
        if more.text == shape.text:
            break
        shape = _added(shape, more)
    return Improved(shape.text, order, shape)


def _added(shape: Evaluated, more: Evaluated) -> Evaluated:
    return replace(
        more,
        before=shape.before,
        splits=shape.splits + more.splits,
        merges=shape.merges + more.merges,
        proposed=shape.proposed + more.proposed,
        sharpened=shape.sharpened + more.sharpened,
        checked_before=shape.checked_before,
    )
