"""Give a plan the best order and shape that a program can: `refine`."""

from dataclasses import dataclass, replace

from topkick.plans.refining.evaluating import Evaluated, Read, evaluated
from topkick.plans.refining.prioritizing import Prioritized, prioritized
from topkick.plans.surroundings import Surroundings

ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Improved:
    """The result; `order` is that of the original plan, `shape` counts the changes of all
    rounds.
    """

    text: str
    order: Prioritized
    shape: Evaluated


def improved(text: str, read: Read, around: Surroundings, max_turns: int) -> Improved:
    """Repeat until nothing changes: split or merged sprints may need new places."""
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
