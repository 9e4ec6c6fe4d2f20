"""Record the needs that progress files list, pass them on, and reconcile what is left.

No unit is stopped for a need (RP-05). When all units are done, reconciliation adds units that
resolve the needs that are still open between them (RP-06).
"""

from collections.abc import Iterator, Sequence
from shlex import quote

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.fold import apply
from topkick.plan_format.model import Criterion, CriterionKind, SprintPlan, UnitPlan
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
from topkick.sprint.transitions import UnitState

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
            yield h.NeedResolved(need.number, "its progress file no longer lists it")
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
            yield h.Decided(found.unit, "", "Two definitions", f"{text}; no unit is stopped for it")


def _also_defines(mission: Mission, unit: str, name: str) -> str:
    return next((u for u, names in mission.definitions.items() if u != unit and name in names), "")


# --- reconciliation (RP-06) ----------------------------------------------------------------

MOST_PASSES = 5
MOST_SPRINTS = 50
RECONCILE = """\
Two work units do not fit together yet. {unit} has noted, in {progress}:

> {text}

1. Look at both sides{sides}. Decide on one of:
   - Move: the type goes to the unit that should own it;
   - Align: its definition is changed in the unit that owns it, and the code that uses it follows;
   - Adapt: both stay, with a conversion where it is used (the last resort);
   - Extract: several units need it, so it moves to a place of its own.
2. Do it, one unit at a time; begin with the unit on which others depend. Do not create a cycle of
   dependencies.
3. Remove the line from the list in {progress}. If you need something else of a unit, list it.
4. Commit as `Reconciliation Pass {number}, Sprint {sprint}: <what was done>`."""


def reconcile(mission: Mission) -> Sequence[h.Event]:
    """Add a pass when one is due. A pass is a unit like any other, with a sprint for each open
    need.
    """
    assert mission.settings is not None
    units = mission.units.values()
    if not mission.settings.reconcile or mission.reconciled or mission.settings.only:
        return ()
    if all(need.resolved for need in mission.cross_needs):
        return ()
    if not units or any(u.state is not UnitState.COMPLETED for u in units):
        return ()
    needs = open_needs(mission)
    passes = [u for u in units if u.plan.reconciles]
    if why := _why_no_more(passes, needs):
        return (h.ReconciliationEnded(why), h.Decided("", "", "Reconciliation ended", why))
    plan = _pass(mission, len(passes) + 1, needs)
    told = f"{len(plan.sprints)} needs are open between the units"
    return (h.UnitAdded(plan), h.Decided(plan.name, "", "Reconciliation begins", told))


def open_needs(mission: Mission) -> list[CrossNeed]:
    """Return the open needs, those of lower layers first, since other units depend on these."""
    found = [n for n in mission.cross_needs if not n.resolved]
    return sorted(found, key=lambda n: (_layer(mission, n), n.number))[:MOST_SPRINTS]


def _layer(mission: Mission, need: CrossNeed) -> int:
    names = [name for name in (need.target, need.unit) if name in mission.units]
    return min(_depth(mission, mission.units[name]) for name in names)


def _depth(mission: Mission, unit: Unit) -> int:
    """Return the unit's layer as the plan numbers it, else how many units have to be done before
    it.
    """
    if unit.plan.layer is not None:
        return unit.plan.layer
    below = [mission.units[n] for n in unit.plan.waits_for if n in mission.units]
    return 1 + max((_depth(mission, u) for u in below), default=-1)


def _why_no_more(passes: Sequence[Unit], needs: Sequence[CrossNeed]) -> str:
    if not passes:
        return ""
    last = set(passes[-1].plan.reconciles)
    if last <= {n.number for n in needs}:
        return f"{passes[-1].name} resolved none of its {len(last)} needs"
    if len(passes) >= MOST_PASSES:
        return f"{len(needs)} needs are open after {len(passes)} passes"
    return ""


def _pass(mission: Mission, number: int, needs: Sequence[CrossNeed]) -> UnitPlan:
    name = f"Reconciliation {number}"
    while name in mission.units:
        name += "'"
    sprints = tuple(
        _sprint(mission, number, n, need, len(needs)) for n, need in enumerate(needs, 1)
    )
    phase = f"reconciliation {number}"
    numbers = tuple(n.number for n in needs)
    return UnitPlan(name, sprints=sprints, phase=phase, reconciles=numbers)


def _sprint(
    mission: Mission, pass_number: int, number: int, need: CrossNeed, count: int
) -> SprintPlan:
    """Return the sprint for one need. It repeats the last checks of the units concerned; the last
    sprint of a pass, those of all units.
    """
    unit = mission.units[need.unit]
    progress = _progress(unit)
    others = [need.target] if need.target else []
    sides = f" ({need.unit} and {need.target})" if others else ""
    concerned = mission.units if number == count else (need.unit, *others)
    checks = {c.command: c for name in concerned for c in _last_checks(mission.units[name])}
    return SprintPlan(
        id=str(number),
        name=f"Reconcile {need.subject or need.unit}",
        text=RECONCILE.format(
            unit=need.unit,
            progress=progress,
            text=need.text.replace("\n", "\n> "),
            sides=sides,
            number=pass_number,
            sprint=number,
        ),
        exit=(_is_resolved(mission, need), *checks.values()),
        reconciles=True,
    )


def _progress(unit: Unit) -> str:
    return f"{unit.plan.directory}/PROGRESS.md".removeprefix("./")


def _last_checks(unit: Unit) -> Iterator[Criterion]:
    if unit.plan.reconciles or not unit.sprints:
        return
    planned = [s.plan for s in unit.sprints if not s.plan.generated]
    yield from planned[-1].checks if planned else ()


def _is_resolved(mission: Mission, need: CrossNeed) -> Criterion:
    """Return the criterion that the progress files no longer list the need; a name that two units
    define is listed by at most one of them.
    """
    mine = quote(_progress(mission.units[need.unit]))
    if need.subject:
        other = quote(_progress(mission.units[need.target]))
        listed = quote(rf"/{need.subject}\.[A-Za-z]+")
        command = f'test "$(grep -lE {listed} {mine} {other} | wc -l)" -le 1'
    else:
        command = f"! grep -qF -- {quote(need.text.partition(chr(10))[0])} {mine}"
    text = f"`{command}` exits 0"
    return Criterion(text, CriterionKind.COMMAND, command, named=command)
