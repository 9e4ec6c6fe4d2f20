"""Fold units' needs, and their reconciliation, into the mission."""

from topkick.engine import messages as h
from topkick.engine.evolve import evolve
from topkick.sprint.fold import new_unit
from topkick.sprint.model import Mission


def noted(m: Mission, e: h.NeedNoted, _: int) -> Mission:
    others = tuple(n for n in m.cross_needs if n.number != e.need.number)
    return evolve(m, cross_needs=tuple(sorted((*others, e.need), key=lambda n: n.number)))


def resolved(m: Mission, e: h.NeedResolved, _: int) -> Mission:
    found = (evolve(n, resolved=True) if n.number == e.number else n for n in m.cross_needs)
    return evolve(m, cross_needs=tuple(found))


def defined(m: Mission, e: h.DefinitionsNoted, _: int) -> Mission:
    return evolve(m, definitions={**m.definitions, e.unit: e.names})


def unit_added(m: Mission, e: h.UnitAdded, _: int) -> Mission:
    assert e.plan.name not in m.units
    number = max((int(u.handle[1:]) for u in m.units.values()), default=0) + 1
    return evolve(m, units={**m.units, e.plan.name: new_unit(number, e.plan)})


def ended(m: Mission, e: h.ReconciliationEnded, _: int) -> Mission:
    return evolve(m, reconciled=e.why)
