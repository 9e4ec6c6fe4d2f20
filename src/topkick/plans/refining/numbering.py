"""Ids for the sprints of a plan that has more or fewer of them than before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topkick.core.plan import UnitPlan
from topkick.plans.waiting import Pair


@dataclass(frozen=True, slots=True)
class Numbered:
    """`of` are the ids that each old sprint now has: one, two where it was split, or another's."""

    of: Mapping[Pair, tuple[str, ...]]

    def headings(self) -> dict[Pair, str]:
        return {pair: ids[0] for pair, ids in self.of.items()}

    def references(self) -> dict[Pair, str]:
        """Who waits for a sprint that was split waits for its last part."""
        return {pair: ids[-1] for pair, ids in self.of.items()}


def numbered(
    units: Sequence[UnitPlan], parts: Mapping[Pair, int], into: Mapping[Pair, Pair]
) -> Numbered | None:
    """`parts` are the sprints that are split, `into` those that go into the one behind them.

    Plain numbers are counted anew. Other ids stay, and a second part gets a letter; None if
    there is none left for it.
    """
    plain = _start(units)
    of: dict[Pair, tuple[str, ...]] = {}
    count = int(units[0].sprints[0].id) if plain else 0
    taken = {sprint.id.lower() for unit in units for sprint in unit.sprints}
    for unit in units:
        if plain == "unit":
            count = int(unit.sprints[0].id)
        for sprint in unit.sprints:
            pair = (unit.name, sprint.id)
            if pair in into:
                continue
            more = parts.get(pair, 1)
            if plain:
                of[pair] = tuple(str(count + n) for n in range(more))
                count += more
            elif (ids := _lettered(sprint.id, more, taken)) is not None:
                of[pair] = ids
            else:
                return None
    for pair, other in into.items():
        while other in into:
            other = into[other]  # noqa: PLW2901
        of[pair] = of[other]
    return Numbered(of)


def _start(units: Sequence[UnitPlan]) -> str:
    """Whether numbers run on through the plan, or begin anew in each unit; or are no numbers."""
    ids = [[sprint.id for sprint in unit.sprints] for unit in units]
    if not all(id_.isdecimal() and str(int(id_)) == id_ for found in ids for id_ in found):
        return ""
    numbers = [[int(id_) for id_ in found] for found in ids]
    if any(found != list(range(found[0], found[0] + len(found))) for found in numbers):
        return ""
    flat = [number for found in numbers for number in found]
    return "plan" if flat == list(range(flat[0], flat[0] + len(flat))) else "unit"


def _lettered(id_: str, parts: int, taken: set[str]) -> tuple[str, ...] | None:
    found = [id_]
    ends = "23456789" if id_[-1:].isalpha() else "bcdefghi"
    for end in ends:
        if len(found) == parts:
            break
        if f"{id_}{end}".lower() not in taken:
            taken.add(f"{id_}{end}".lower())
            found.append(f"{id_}{end}")
    return tuple(found) if len(found) == parts else None
