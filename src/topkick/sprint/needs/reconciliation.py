"""Reconciliation: when all units are done, add units that resolve the needs still open between them
(RP-06).
"""

from collections.abc import Iterator, Sequence
from shlex import quote

from topkick.engine import messages as h
from topkick.plan_format.model import Criterion, CriterionKind, SprintPlan, UnitPlan
from topkick.sprint.model import Mission, Unit
from topkick.sprint.needs.model import CrossNeed
from topkick.sprint.transitions import UnitState

MOST_PASSES = 5
MOST_SPRINTS = 50
TEXT = """\
Two work units have to be brought together. {unit} has noted, in {progress}:

> {text}

1. Look at both sides{sides}. Decide on one of:
   - Move: the type goes to the unit that should own it;
   - Align: its definition is changed where it is owned, and those who use it follow;
   - Adapt: both stay, with a conversion where it is used (the last resort);
   - Extract: several need it, so it gets a place of its own.
2. Do it, one unit at a time, what others build on first. No unit may come to depend on one that
   depends on it.
3. Take the line off the list in {progress}. If something new is needed of another unit, list it.
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
        text=TEXT.format(
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
