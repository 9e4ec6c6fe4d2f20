"""Check what must hold after every step, and when nothing more happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.simulation.views import OUT, UnitView

if TYPE_CHECKING:
    from proof.simulation.oracle import Oracle


def look(o: Oracle) -> None:
    for unit in o.books.units.values():
        _unit(o, unit)
    if o.books.stance == "killed":
        kept = set(o.books.backgrounds) - o.books.ending
        o.require(not kept, "K4", f"killall leaves {sorted(kept)} running")


def _unit(o: Oracle, unit: UnitView) -> None:
    current = unit.current
    fatal = current is not None and current.state == "FATAL"
    o.require(
        fatal == (unit.state == "BLOCKED"), "S3", f"{unit.name} is {unit.state}, fatal: {fatal}"
    )
    if unit.state == "COMPLETED":
        o.require(current is None, "S5", f"{unit.name} is COMPLETED with sprints left")
    begun = [s.id for s in unit.sprints if s.state not in ("PENDING", "COMPLETED")]
    o.require(len(begun) <= 1, "S6", f"{unit.name} has {begun} begun at once")
    if current is not None:
        later = unit.sprints[unit.sprints.index(current) + 1 :]
        ahead = [s.id for s in later if s.state != "PENDING"]
        o.require(not ahead, "S7", f"{unit.name}: {ahead} begun before {current.id} is done")
    runs = o.books.open_runs(unit.name)
    o.require(len(runs) <= 1, "D4", f"{unit.name} has {len(runs)} runs open")
    working = [r for r in runs if r.dispatched or r.stage == "waiting"]
    out = current is not None and current.state in OUT
    paused = current is not None and current.kind == "deferred"
    o.require(out or not working, "S8", f"{unit.name} has an agent and no sprint that is out")
    o.require(not out or working or paused, "S8", f"{unit.name} has a sprint out and no agent")
    live = unit.state in ("RUNNING", "STOPPING")
    rechecks = o.gates.may_recheck(unit) and not any(r.dispatched for r in runs)
    o.require(live or rechecks or not runs, "K2", f"{unit.name} is {unit.state} with a run open")
    if o.books.stance == "killed" and unit.state in ("RUNNING", "STOPPING"):
        o.require(runs, "K4", f"{unit.name} is {unit.state} after killall")
    if live and current is not None and current.state == "BACKOFF" and not current.unlooked:
        spent = current.failures >= o.books.max_retries
        spent = spent or current.counted >= o.books.max_dispatches
        o.require(not spent, "C4", f"{unit.name}/{current.id} is spent and not FATAL")
    if unit.state == "STOPPING":
        o.require(runs, "Y1", f"{unit.name} is STOPPING, and nothing is left to wait for")


def at_rest(o: Oracle) -> None:
    """Check that every unit that could continue has done so; a blocked unit stops no other."""
    books = o.books
    o.require(not books.open_runs(), "Y1", "at rest with a run open")
    if books.stance != "working" or books.agent in books.down:
        return
    for unit in books.units.values():
        only = books.only and unit.name not in books.only
        ready = all(books.units[n].state == "COMPLETED" for n in unit.waits_for)
        if unit.state == "NOT_STARTED":
            asked = only or not ready or unit.hold
            o.require(asked, "G4", f"{unit.name} could begin and does not")
        current = unit.current
        asked = o.gates.waits() or any(map(_waits, books.units.values()))
        if unit.state == "RUNNING" and current is not None:
            o.require(
                current.rest or current.hold or (asked and o.gates.is_before(unit)),
                "Y1",
                f"{unit.name}/{current.id} is {current.state}, and nobody is asked",
            )
        elif unit.state == "RUNNING":
            o.require(asked, "Y1", f"{unit.name} waits for a gate or a merge, and nobody is asked")


def _waits(unit: UnitView) -> bool:
    """Return whether the unit waits for a person."""
    stuck = unit.state in ("BLOCKED", "STOPPED", "KILLED") or unit.hold
    return bool(stuck or any(s.hold or s.rest for s in unit.sprints))
