"""Assign ids to the sprints of a plan after splits and merges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topkick.core.plan import UnitPlan
from topkick.plans.waiting import Pair


@dataclass(frozen=True, slots=True)
class Numbered:
    """The new ids; `of` maps each old sprint to one id, two if it was split, or another
    sprint's.
    """

    of: Mapping[Pair, tuple[str, ...]]

    def headings(self) -> dict[Pair, str]:
        return {pair: ids[0] for pair, ids in self.of.items()}

    def references(self) -> dict[Pair, str]:
        """Return the id for references: that of the last part of a split sprint."""
        return {pair: ids[-1] for pair, ids in self.of.items()}


def numbered(
    units: Sequence[UnitPlan], parts: Mapping[Pair, int], into: Mapping[Pair, Pair]
) -> Numbered | None:
    """Return new ids; `parts` are the sprints that are split, `into` those merged into the next
    one.

    Plain numbers are counted anew. Other ids stay, and a second part gets a letter; None if no
    letter is left.
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
    """Return whether numbers continue through the plan or restart in each unit; empty if not
    numbers.
    """
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
