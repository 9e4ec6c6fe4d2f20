"""Find units in a later layer than their stated dependencies require (PR-02)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from topkick.core.plan import UnitPlan
from topkick.plans.document import Reading
from topkick.plans.refining.cells import cell_at
from topkick.plans.refining.source import Draft

_HEADERS = ("layer", "tier")
_PLAIN = re.compile(r"^\d{1,6}$")


@dataclass(frozen=True, slots=True)
class LayerMove:
    unit: str
    was: int
    now: int
    line: int


def better_layers(reading: Reading) -> tuple[LayerMove, ...]:
    """Return the moves; only stated dependencies decide, and a silent unit is held by its layer.

    No unit moves below a silent one, which would then wait for it too.
    """
    units = {unit.name: unit for unit in reading.plan.units}
    lowest = min((u.layer for u in units.values() if u.layer is not None), default=0)
    needs = {name: _needed(unit) & units.keys() for name, unit in units.items()}
    silent = [
        u.layer for u in units.values() if u.layer is not None and u.name not in reading.stated
    ]
    now: dict[str, int] = {}
    moves: list[LayerMove] = []
    for name in TopologicalSorter(needs).static_order():
        unit = units[name]
        if unit.layer is None:
            continue
        below = [now[other] for other in needs[name] if other in now]
        held = [layer for layer in silent if layer <= unit.layer]
        wanted = max([max(below) + 1 if below else lowest, *held])
        known = name in reading.stated and len(below) == len(needs[name])
        now[name] = min(unit.layer, wanted) if known else unit.layer
        if now[name] != unit.layer:
            moves.append(LayerMove(name, unit.layer, now[name], unit.line))
    return tuple(sorted(moves, key=lambda move: move.line))


def _needed(unit: UnitPlan) -> set[str]:
    refs = {ref.unit for sprint in unit.sprints for ref in sprint.waits_for}
    return {*unit.waits_for, *refs} - {unit.name}


def apply_layers(draft: Draft, moves: Sequence[LayerMove]) -> tuple[LayerMove, ...]:
    """Return the moves that could be written: the cell must contain only the number."""
    return tuple(move for move in moves if _apply(draft, move))


def _apply(draft: Draft, move: LayerMove) -> bool:
    cell = cell_at(draft, move.line, _HEADERS)
    if cell is None:
        return False
    row = draft[move.line]
    said = row[cell[0] : cell[1]]
    if not _PLAIN.match(said.strip()):
        return False
    new = said.replace(said.strip(), str(move.now))
    draft[move.line] = row[: cell[0]] + new.ljust(len(said)) + row[cell[1] :]
    return True
