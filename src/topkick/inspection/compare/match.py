"""Which test case after a change is which before it, wherever it stands and whatever its name."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from topkick.inspection.compare.cases import Renames
from topkick.inspection.compare.reader import ChangeReading, Placed
from topkick.inspection.inventory import Inventory, TestCase


@dataclass(frozen=True, slots=True)
class Matching:
    """`pairs` of the same test before and after, those that are `gone`, those that are `fresh`.

    `stray` are those that stand where no runner looks for tests.
    """

    pairs: tuple[tuple[Placed, Placed], ...]
    gone: tuple[Placed, ...]
    fresh: tuple[Placed, ...]
    stray: tuple[tuple[Placed, Placed], ...] = ()


Sign = Callable[[Placed], Hashable | None]

# From the surest sign to the weakest. What a test does says more than a name that many tests
# have, and a name in its own file says more than anything elsewhere.
SIGNS: tuple[Sign, ...] = (
    lambda it: (it.number, replace(it.case, line=0)),
    lambda it: (it.number, it.case.name, it.case.essence),
    lambda it: (it.number, it.case.name, it.case.assertions) if it.case.assertions else None,
    lambda it: (it.number, it.case.name),
    lambda it: replace(it.case, line=0),
    lambda it: (it.case.name, it.case.essence),
    lambda it: (it.short, it.case.essence),
    lambda it: (it.number, it.short),
    lambda it: (it.number, it.case.essence) if it.case.assertions else None,
    lambda it: it.case.essence if it.case.assertions and it.case.essence else None,
    lambda it: (it.case.name, it.case.assertions),
    lambda it: (it.short, it.case.assertions),
    lambda it: (it.number, it.case.assertions) if it.case.assertions else None,
    lambda it: it.case.assertions or None,
    lambda it: it.case.name,
    lambda it: it.short,
)


def match(readings: Sequence[ChangeReading], moved: Renames) -> Matching:
    before = [it for it in _placed(readings, is_after=False) if it.counts]
    all_after = list(_placed(readings, is_after=True))
    pairs, gone, fresh = _paired(before, [it for it in all_after if it.is_collected])
    if gone and fresh and moved.words:
        more, gone, fresh = _paired_renamed(gone, fresh, moved)
        pairs += more
    strays, gone, _ = _paired(gone, [it for it in all_after if not it.is_collected])
    stayed = [(old, new) for old, new in strays if not old.is_collected]
    lost = [(old, new) for old, new in strays if old.is_collected]
    return Matching(tuple(pairs + stayed), tuple(gone), tuple(fresh), tuple(lost))


def _paired_renamed(
    before: list[Placed], after: list[Placed], moved: Renames
) -> tuple[list[tuple[Placed, Placed]], list[Placed], list[Placed]]:
    """Again, with the names that were changed everywhere."""
    under_new_names = [_renamed(it, moved) for it in before]
    pairs, gone, fresh = _paired(under_new_names, after)
    was = {id(new): old for old, new in zip(before, under_new_names, strict=True)}
    return [(was[id(old)], new) for old, new in pairs], [was[id(it)] for it in gone], fresh


def _renamed(at: Placed, moved: Renames) -> Placed:
    assertions = tuple(map(moved.applied, at.case.assertions))
    case = replace(at.case, assertions=assertions, essence=moved.applied(at.case.essence))
    return replace(at, case=case)


def _placed(readings: Sequence[ChangeReading], is_after: bool) -> Iterator[Placed]:
    for number, reading in enumerate(readings):
        side = reading.after if is_after else reading.before
        if side is not None and side.is_read:
            for case in _defined(side.inventory):
                yield Placed(number, side, case)


def _defined(inventory: Inventory) -> Iterable[TestCase]:
    """In Python, a second function of the same name takes the place of the first."""
    if inventory.language != "python":
        return inventory.cases
    return {case.name: case for case in inventory.cases}.values()


def _paired(
    before: list[Placed], after: list[Placed]
) -> tuple[list[tuple[Placed, Placed]], list[Placed], list[Placed]]:
    pairs: list[tuple[Placed, Placed]] = []
    for sign in SIGNS:
        if not before or not after:
            break
        found, before, after = _paired_by(sign, before, after)
        pairs += found
    return pairs, before, after


def _paired_by(
    sign: Sign, before: list[Placed], after: list[Placed]
) -> tuple[list[tuple[Placed, Placed]], list[Placed], list[Placed]]:
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for place, new in enumerate(after):
        key = sign(new)
        if key is not None:
            waiting[key].append(place)
    pairs, left, taken = [], [], set()
    for old in before:
        key = sign(old)
        queue = waiting.get(key) if key is not None else None
        if queue:
            place = queue.popleft()
            taken.add(place)
            pairs.append((old, after[place]))
        else:
            left.append(old)
    return pairs, left, [new for place, new in enumerate(after) if place not in taken]
