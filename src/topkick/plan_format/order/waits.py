"""Dependencies between units, and between single sprints (PL-12, GT-08)."""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeVar

from topkick.engine.errors import PlanError
from topkick.plan_format.model import PlanFinding, SprintPlan, SprintRef, shortened
from topkick.plan_format.order.references import (
    SprintNames,
    UnitNames,
    says_nothing,
    unit_number,
    wanted,
)
from topkick.plan_format.units.detection import FoundSprint
from topkick.plan_format.units.units import DeclaredUnit, known, names_of

Pair = tuple[str, str]
Node = TypeVar("Node", bound=Hashable)
LONGEST_CELL = 4_000
_DONE = re.compile(
    r"\b(?:completed?|done|finished|merged|passed|passes|satisfied|met|landed|exit criteria|green"
    r"|concluída|abgeschlossen|完了|完成)\b",
    re.IGNORECASE,
)
_A_NAME = re.compile(r"^[\w.-]+$|^(?:wu|work unit|unit|package|module|component)[\s-]?\w+$")


@dataclass(frozen=True, slots=True)
class PlanWaits:
    """The dependencies of units and sprints; `after` holds every stated pair of sprints.

    `ordered` are the sprints of each unit in working order.
    """

    units: Mapping[str, tuple[str, ...]]
    sprints: Mapping[Pair, tuple[SprintRef, ...]]
    after: tuple[tuple[Pair, Pair], ...]
    ordered: Mapping[str, tuple[FoundSprint, ...]]
    findings: tuple[PlanFinding, ...]


def waiting(
    declared: Sequence[DeclaredUnit],
    shares: Mapping[str, Sequence[FoundSprint]],
    graph: Mapping[str, Sequence[str]],
    ids: SprintNames,
    *,
    chained: bool,
) -> PlanWaits:
    """Compute the dependencies; `graph` comes from drawings, `chained` if units are consecutive
    phases.
    """
    names = names_of(declared)
    findings: list[PlanFinding] = []
    stated = _stated(declared, names, ids, graph, findings)
    _refuse_circle(declared, stated.units)
    gated = _gated(declared, stated, chained=chained)
    whole = _without_knots(declared, stated.units, gated, findings)
    whole = _without_empty(whole, shares)
    pairs = dict.fromkeys((*_stated_pairs(shares, names, ids), *stated.pairs))
    after = _without_circles(tuple(pairs))
    inside: dict[str, list[tuple[str, str]]] = {name: [] for name in shares}
    for before, later in after:
        if before[0] == later[0]:
            inside[before[0]].append((before[1], later[1]))
    ordered = {n: _ordered(found, inside[n], findings) for n, found in shares.items()}
    sprints = _cross(whole, ordered, stated.single, after, findings)
    return PlanWaits(whole, sprints, after, ordered, tuple(findings))


@dataclass(frozen=True, slots=True)
class _Stated:
    """The stated dependencies: units, sprints before a unit's first, and pairs of sprints."""

    units: dict[str, tuple[str, ...]]
    single: dict[str, tuple[Pair, ...]]
    pairs: tuple[tuple[Pair, Pair], ...]


# --- units -----------------------------------------------------------------------------------


def _stated(
    units: Sequence[DeclaredUnit],
    names: UnitNames,
    ids: SprintNames,
    graph: Mapping[str, Sequence[str]],
    findings: list[PlanFinding],
) -> _Stated:
    before: list[str] = []
    stated: dict[str, tuple[str, ...]] = {}
    single: dict[str, tuple[Pair, ...]] = {}
    pairs: list[tuple[Pair, Pair]] = []
    for unit in units:
        if len(unit.dependencies) > LONGEST_CELL:
            told = f"the dependencies of '{unit.name}' are over {LONGEST_CELL} characters long"
            raise PlanError(unit.line, f"{told}; name units and sprints only.")
        found = wanted(unit.dependencies, unit.name, names, before, ids)
        _report_unknown(unit, found.unknown, names, findings)
        drawn = () if unit.dependencies.strip() else graph.get(unit.name, ())
        stated[unit.name] = tuple(n for n in (*found.units, *drawn) if n != unit.name)
        if unit.name in found.units:
            raise PlanError(unit.line, f"'{unit.name}' depends on itself; remove that dependency.")
        single[unit.name] = tuple(p for p in found.sprints if p[0] != unit.name)
        pairs.extend(found.pairs)
        before.append(unit.name)
    return _Stated(stated, single, tuple(pairs))


def _report_unknown(
    unit: DeclaredUnit, unknown: Sequence[str], names: UnitNames, findings: list[PlanFinding]
) -> None:
    """Raise for an unknown name; a sentence is a condition that people must check."""
    for piece in unknown:
        name = piece if _A_NAME.match(piece) else unit_number(piece)
        if name:
            told = f"'{unit.name}' depends on '{shortened(name)}', which is not a work unit."
            raise PlanError(unit.line, f"{told} {known(names.all)}")
        what = shortened(piece, 100)
        told = f"'{unit.name}' waits for something outside the plan, unchecked: {what}"
        findings.append(PlanFinding(unit.line, told))


def _gated(
    units: Sequence[DeclaredUnit], stated: _Stated, *, chained: bool
) -> dict[str, tuple[str, ...]]:
    """Return the edges from layers or phases, which apply only to units that state nothing."""
    paired = {after[0] for _, after in stated.pairs}
    busy = {u.name for u in units if stated.units[u.name] or stated.single[u.name]} | paired
    free = [unit for unit in units if unit.name not in busy]
    gated: dict[str, tuple[str, ...]] = {unit.name: () for unit in units}
    layered = [(unit.layer, unit.name) for unit in units if unit.layer is not None]
    for unit in free:
        if unit.layer is not None and not says_nothing(unit.dependencies or "?"):
            gated[unit.name] = tuple(name for layer, name in layered if layer < unit.layer)
    if chained and not layered and not busy:
        for one, other in pairwise(units):
            gated[other.name] = (one.name,)
    return gated


def _refuse_circle(units: Sequence[DeclaredUnit], stated: Mapping[str, Sequence[str]]) -> None:
    try:
        TopologicalSorter(stated).prepare()
    except CycleError as error:
        circle = error.args[1]
        first = next(unit for unit in units if unit.name in circle)
        told = f"work units wait for each other: {' → '.join(reversed(circle))}."
        raise PlanError(first.line, f"{told} Remove one of these dependencies.") from None


def _without_knots(
    units: Sequence[DeclaredUnit],
    stated: Mapping[str, tuple[str, ...]],
    gated: Mapping[str, tuple[str, ...]],
    findings: list[PlanFinding],
) -> dict[str, tuple[str, ...]]:
    whole = {u.name: tuple(dict.fromkeys((*stated[u.name], *gated[u.name]))) for u in units}
    knot = _knot(whole)
    for unit in units:
        kept = tuple(n for n in gated[unit.name] if unit.name not in knot or n not in knot)
        if kept != gated[unit.name]:
            told = f"The layer of '{unit.name}' contradicts stated dependencies, which win."
            findings.append(PlanFinding(unit.line, told))
            whole[unit.name] = (*stated[unit.name], *kept)
    return whole


def _knot(edges: Mapping[Node, Sequence[Node]]) -> set[Node]:
    """Return the nodes on or between cycles: what is left when all that can be ordered is
    removed.
    """
    backward: dict[Node, list[Node]] = {name: [] for name in edges}
    for name, needed in edges.items():
        for other in needed:
            backward[other].append(name)
    left = _not_orderable(edges, backward, set(edges))
    return _not_orderable(backward, edges, left)


def _not_orderable(
    needs: Mapping[Node, Sequence[Node]], needed_by: Mapping[Node, Sequence[Node]], among: set[Node]
) -> set[Node]:
    waiting_for = {name: sum(other in among for other in needs[name]) for name in among}
    ready = [name for name, count in waiting_for.items() if count == 0]
    while ready:
        name = ready.pop()
        for other in needed_by[name]:
            if other in waiting_for:
                waiting_for[other] -= 1
                if waiting_for[other] == 0:
                    ready.append(other)
    return {name for name, count in waiting_for.items() if count > 0}


def _without_empty(
    needs: Mapping[str, tuple[str, ...]], shares: Mapping[str, Sequence[FoundSprint]]
) -> dict[str, tuple[str, ...]]:
    """Replace a dependency on a unit without sprints by that unit's own dependencies."""
    found: dict[str, tuple[str, ...]] = {}
    for name in TopologicalSorter(needs).static_order():
        reach = (n for other in needs[name] for n in ([other] if shares[other] else found[other]))
        found[name] = tuple(dict.fromkeys(reach))
    return found


# --- sprints ---------------------------------------------------------------------------------


def _stated_pairs(
    shares: Mapping[str, Sequence[FoundSprint]], names: UnitNames, ids: SprintNames
) -> tuple[tuple[Pair, Pair], ...]:
    """Return pairs (before, after) that the sprints' own words state."""
    pairs: dict[tuple[Pair, Pair], None] = {}
    for unit, found in shares.items():
        for one in found:
            after = (unit, one.plan.id)
            for before in _named_by(one, unit, names, ids):
                if before != after:
                    pairs[before, after] = None
    return tuple(pairs)


def _without_circles(pairs: Sequence[tuple[Pair, Pair]]) -> tuple[tuple[Pair, Pair], ...]:
    """Drop mutual dependencies inside a unit: such sprints keep their order."""
    needs: dict[Pair, list[Pair]] = {}
    for before, after in pairs:
        needs.setdefault(before, [])
        needs.setdefault(after, [])
        if before[0] == after[0]:
            needs[after].append(before)
    knot = _knot(needs)
    return tuple(p for p in pairs if p[0][0] != p[1][0] or not {*p} <= knot)


def _ordered(
    found: Sequence[FoundSprint], pairs: Sequence[tuple[str, str]], findings: list[PlanFinding]
) -> tuple[FoundSprint, ...]:
    """Return the sprints in their order, but none before a sprint that it waits for."""
    at = {one.plan.id: n for n, one in enumerate(found)}
    missing = dict.fromkeys(at, 0)
    later: dict[str, list[str]] = {}
    for before, after in pairs:
        missing[after] += 1
        later.setdefault(before, []).append(after)
    ready = [at[id_] for id_, count in missing.items() if count == 0]
    heapify(ready)
    order: list[FoundSprint] = []
    while ready:
        one = found[heappop(ready)]
        order.append(one)
        for other in later.get(one.plan.id, ()):
            missing[other] -= 1
            if missing[other] == 0:
                heappush(ready, at[other])
    moved = next((old.plan for old, new in zip(found, order, strict=True) if old != new), None)
    if moved is not None:
        told = f"Sprint {moved.id} runs later than the plan lists it: it depends on a later sprint."
        findings.append(PlanFinding(moved.line, told))
    return tuple(order)


def _named_by(one: FoundSprint, unit: str, names: UnitNames, ids: SprintNames) -> Iterator[Pair]:
    for remark in one.reading.depends:
        text = remark.text
        if remark.is_entry:  # an entry criterion may only mention a sprint
            text = next((one for one in re.split(r"\.\s", text) if _DONE.search(one)), "")
        yield from ids.named_in(text[:400], unit, names)


def _cross(
    units: Mapping[str, Sequence[str]],
    shares: Mapping[str, Sequence[FoundSprint]],
    single: Mapping[str, Sequence[Pair]],
    after: Sequence[tuple[Pair, Pair]],
    findings: list[PlanFinding],
) -> dict[Pair, tuple[SprintRef, ...]]:
    """Return what a sprint waits for in other units, beyond its unit's own dependencies."""
    waits_for = _Reach(units)
    wants: dict[Pair, dict[Pair, None]] = {}
    for unit, pairs in single.items():
        if shares[unit]:
            wants[unit, shares[unit][0].plan.id] = dict.fromkeys(pairs)
    for before, later in after:
        if before[0] != later[0] and not waits_for(later[0], before[0]):
            wants.setdefault(later, {})[before] = None
    knot = _knot(_all_sprints(units, shares, wants))
    lines = {(u, one.plan.id): one.plan.line for u, found in shares.items() for one in found}
    kept: dict[Pair, tuple[SprintRef, ...]] = {}
    for later, befores in wants.items():
        fine = [b for b in befores if b not in knot or later not in knot]
        for lost in [b for b in befores if b not in fine]:
            told = f"Sprint {later[1]} cannot wait for {lost[0]}/{lost[1]}, which waits for it"
            findings.append(PlanFinding(lines[later], f"{told}; topkick ignores that."))
        if fine:
            kept[later] = tuple(SprintRef(unit, id_) for unit, id_ in fine)
    return kept


def _all_sprints(
    units: Mapping[str, Sequence[str]],
    shares: Mapping[str, Sequence[FoundSprint]],
    wants: Mapping[Pair, Mapping[Pair, None]],
) -> dict[Pair, list[Pair]]:
    """Return what each sprint needs: the one before it, earlier units, and stated sprints."""
    needs: dict[Pair, list[Pair]] = {}
    for unit, found in shares.items():
        ends = [(other, shares[other][-1].plan.id) for other in units[unit] if shares[other]]
        for one in found:
            needs[unit, one.plan.id] = [*ends, *wants.get((unit, one.plan.id), ())]
            ends = [(unit, one.plan.id)]
    return needs


class _Reach:
    """The units that a unit waits for, directly or not; sets as bits, as there may be half a
    million.
    """

    def __init__(self, units: Mapping[str, Sequence[str]]) -> None:
        self._bit = {name: 1 << n for n, name in enumerate(units)}
        self._found: dict[str, int] = {}
        for name in TopologicalSorter(units).static_order():
            bits = 0
            for other in units[name]:
                bits |= self._bit[other] | self._found[other]
            self._found[name] = bits

    def __call__(self, unit: str, needed: str) -> bool:
        return bool(self._found[unit] & self._bit[needed])


def pairs_of_unit(
    sprints: Sequence[SprintPlan], unit: str, after: Sequence[tuple[Pair, Pair]]
) -> list[list[str]]:
    """Return pairs of ids inside a unit: stated ones, else one after the other."""
    stated: dict[str, list[str]] = {}
    for before, later in after:
        if before[0] == later[0] == unit:
            stated.setdefault(later[1], []).append(before[1])
    ids = [sprint.id for sprint in sprints]
    before_it = dict(zip(ids[1:], ids, strict=False))
    return [
        [first, id_]
        for id_ in ids
        for first in stated.get(id_) or filter(None, [before_it.get(id_)])
    ]
