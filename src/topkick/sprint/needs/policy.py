"""Record the needs that progress files list, and pass them on. No unit is stopped for a need
(RP-05).
"""

from collections.abc import Iterator

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.fold import apply
from topkick.sprint.model import Mission, Unit
from topkick.sprint.needs.model import (
    CrossNeed,
    Noted,
    Resolution,
    named_in,
    on_a_line,
    resolution_of,
    same,
)

MOST_OPEN = 500


def noted(mission: Mission, evidence: Evidence) -> Iterator[h.Event]:
    """Yield the events of each progress file in turn, on the state after the file before: two files
    may define the same name.
    """
    for found in evidence.noted:
        if found.unit not in mission.units:
            continue
        for event in (*_needs(mission, found), *_definitions(mission, found)):
            yield event
            mission = apply(mission, event, mission.at_us)


# --- needs that a file lists ---------------------------------------------------------------


def _needs(mission: Mission, found: Noted) -> Iterator[h.Event]:
    unit = mission.units[found.unit]
    known = {
        same(n.text): n for n in mission.cross_needs if not n.subject and _is_of(mission, n, unit)
    }
    listed = {same(text): text for text in found.needs}
    for key, need in known.items():
        if key not in listed and not need.resolved:
            yield h.NeedResolved(need.number, "its progress file lists it no more")
    number = len(mission.cross_needs)
    for key, text in listed.items():
        before = known.get(key)
        if before is not None and not before.resolved:
            continue
        number += before is None
        if number <= MOST_OPEN:
            yield from _new(mission, unit, text, before.number if before is not None else number)


def _is_of(mission: Mission, need: CrossNeed, unit: Unit) -> bool:
    """Return whether the need is in this unit's progress file; units in one directory share the
    file.
    """
    return mission.units[need.unit].plan.directory == unit.plan.directory


def _new(mission: Mission, unit: Unit, text: str, number: int) -> Iterator[h.Event]:
    others = [u.name for u in mission.units.values() if u is not unit and not u.plan.reconciles]
    target = next(named_in(text, others), "")
    how = resolution_of(text, target, unit.plan.imports, unit.plan.waits_for)
    yield h.NeedNoted(CrossNeed(number, unit.name, text, target, resolution=how))
    if how is Resolution.IMPORT:
        why = f"{on_a_line(text)}: the plan lets it import {target}, which its next order says"
    else:
        why = f"{on_a_line(text)}: kept for the reconciliation"
    yield h.Decided(unit.name, "", "Cross-unit need", why)


# --- names that two units define -----------------------------------------------------------


def _definitions(mission: Mission, found: Noted) -> Iterator[h.Event]:
    before = mission.definitions.get(found.unit, ())
    if found.defines == before:
        return
    yield h.DefinitionsNoted(found.unit, found.defines)
    open_ones = [n for n in mission.cross_needs if n.subject and not n.resolved]
    for need in open_ones:
        if found.unit in (need.unit, need.target) and need.subject not in found.defines:
            yield h.NeedResolved(need.number, f"{found.unit} does not define it any more")
    number = len(mission.cross_needs)
    for name in found.defines:
        other = _also_defines(mission, found.unit, name) if name not in before else ""
        if other and number < MOST_OPEN:
            number += 1
            text = f"{name} is defined by {other} and by {found.unit}"
            yield h.NeedNoted(CrossNeed(number, found.unit, text, other, subject=name))
            yield h.Decided(found.unit, "", "Two definitions", f"{text}; nobody is stopped for it")


def _also_defines(mission: Mission, unit: str, name: str) -> str:
    return next((u for u, names in mission.definitions.items() if u != unit and name in names), "")
