"""Decide when a gate is due and what it covers (GT-01, GT-02, GT-07), from a mission."""

from collections.abc import Iterator

from topkick.engine.agents.runs import WITHOUT_AGENT
from topkick.sprint.check_wording import plan_words
from topkick.sprint.gates.model import (
    LETS_PASS,
    REPAIR,
    Covered,
    Gate,
    GateKind,
    GateMode,
    Held,
    waits_at_the_end,
)
from topkick.sprint.model import Mission, Proof, Unit
from topkick.sprint.readiness import awaited, may_start, needs_clearance
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.unit_index import Trait, done_by, index_of


def is_gated(mission: Mission) -> bool:
    return mission.settings is not None and mission.settings.gate is not GateMode.OFF


def awaits_gate(mission: Mission, unit: Unit) -> bool:
    """Return whether the unit cannot continue before its finished work is built (GT-02, GT-07)."""
    done = done_by(mission, unit)
    if unit.gated >= done or not _has_gate(mission, unit):
        return False
    if unit.current is None:
        return done == len(unit.sprints)
    if unit.current.plan.generated:  # it repairs or merges what the gate covers
        return False
    fresh = unit.sprints[unit.gated : done]
    return is_gated(mission) and any(s.plan.dependencies_only for s in fresh)


def _has_gate(mission: Mission, unit: Unit) -> bool:
    """Return whether there is a command to run or a person to ask.

    Held criteria must run even if gates were turned off since.
    """
    assert mission.settings is not None
    if any(s.proof is Proof.HELD for s in unit.sprints[unit.gated :]):
        return True
    asks = mission.settings.gate is GateMode.ASK
    is_known = bool(gate_commands(mission) or mission.gate_detected)
    return is_gated(mission) and (asks or is_known)


def phase_of(unit: Unit) -> str:
    """Return the unit's layer, or the phase that the plan names; without either, all units share
    one.
    """
    if unit.plan.phase:
        return unit.plan.phase
    return f"layer {unit.plan.layer}" if unit.plan.layer is not None else ""


# --- build gates ---------------------------------------------------------------------------


def due_gate(mission: Mission) -> Gate | None:
    """Return the gate to open now: when all units of a phase are done or cannot move, or sooner if
    a unit waits for it.
    """
    if any(g.verdict is None for g in mission.gates.values()):
        return None
    in_tree = (r for r in mission.runs.values() if r.stage not in WITHOUT_AGENT)
    if mission.isolation is None and any(in_tree):
        return None
    first = next(_due(mission), None)
    if first is None or any(_is_mending(mission)):
        return None
    gate = _gate_of(mission, first)
    return None if _was_red(mission, gate) else gate


def _due(mission: Mission) -> Iterator[Unit]:
    """Yield the units that wait for a gate which is due; each phase is looked at once."""
    open_ones = {unit for gate in mission.gates.values() for unit in gate.units}
    rests: dict[str, bool] = {}
    for unit in index_of(mission).having(Trait.UNGATED):
        if unit.name in open_ones or not awaits_gate(mission, unit):
            continue
        phase = phase_of(unit)
        if phase not in rests:
            rests[phase] = _phase_rests(mission, phase)
        if rests[phase] or _is_awaited(mission, unit):
            yield unit


def outdated(mission: Mission) -> Iterator[Gate]:
    """Yield gates that wait for a person although their result no longer counts: their work has
    passed another gate, or the gate is stuck and the work to cover has changed.
    """
    waiting = [
        g for g in mission.gates.values() if g.kind is GateKind.BUILD and g.verdict is not None
    ]
    now = sorted((c.unit, c.sprints) for c in _covered(mission)) if waiting else []
    for gate in waiting:
        was = sorted((c.unit, c.sprints) for c in gate.covers)
        passed = all(mission.units[c.unit].gated >= c.sprints for c in gate.covers)
        if passed or (is_stuck(gate) and was != now):
            yield gate


def is_stuck(gate: Gate) -> bool:
    """Return whether a gate cannot pass by itself: it is red, or it proved nothing at the end of
    the run.
    """
    red = gate.verdict is not None and gate.verdict not in LETS_PASS
    return red or waits_at_the_end(gate)


def _is_mending(mission: Mission) -> Iterator[bool]:
    """Yield whether each unit still has a repair to do: broken work is not built again before
    that.
    """
    for unit in mission.units.values():
        to_do = unit.sprints[unit.at :] if done_by(mission, unit) > unit.gated else ()
        yield any(s.id.startswith(REPAIR) for s in to_do)


def _phase_rests(mission: Mission, phase: str) -> bool:
    """Return whether no unit of the phase can move. Units with a run are asked first, since one of
    them is enough for the answer.
    """
    index = index_of(mission)
    at_work = index.in_order(index.with_run())
    units = (u for u in (*at_work, *mission.units.values()) if phase_of(u) == phase)
    return not any(can_move(mission, unit) for unit in units)


def can_move(mission: Mission, unit: Unit) -> bool:
    """Return whether the unit can move without a gate, a person, or another unit."""
    assert mission.settings is not None
    if unit.state is UnitState.NOT_STARTED:
        return may_start(mission, unit)
    if unit.state is not UnitState.RUNNING or awaits_gate(mission, unit):
        return False
    if mission.run_of(unit.name) is not None:
        return True
    sprint = unit.current
    if sprint is None:
        return not unit.sprints[unit.at - 1].hold  # it will be merged or finished
    is_stuck = bool(sprint.hold or sprint.rest or awaited(mission, sprint))
    is_down = mission.settings.agent.name in mission.agents_down
    return not is_stuck and not is_down and sprint.state is not SprintState.FATAL


def _is_awaited(mission: Mission, unit: Unit) -> bool:
    """Return whether only this gate keeps the unit from continuing, or another from beginning."""
    if unit.current is not None:
        return True
    only = mission.settings.only if mission.settings is not None else ()
    return any(
        all(_is_done(mission, mission.units[name]) for name in other.plan.waits_for)
        for other in (mission.units[n] for n in index_of(mission).dependents.get(unit.name, ()))
        if other.state is UnitState.NOT_STARTED and (not only or other.name in only)
    )


def _is_done(mission: Mission, unit: Unit) -> bool:
    finished = unit.current is None and awaits_gate(mission, unit)
    return unit.state is UnitState.COMPLETED or finished


def _gate_of(mission: Mission, unit: Unit) -> Gate:
    covers = tuple(_covered(mission))
    finished = {u.name for u in mission.units.values() if _is_done(mission, u)}
    asked = mission.settings.only if mission.settings is not None else ()
    return Gate(
        id=f"G{mission.gates_opened + 1}",
        phase=phase_of(unit),
        covers=covers,
        commands=gate_commands(mission),
        held=tuple(_held(mission, covers)),
        bases=mission.gated_at,
        final=finished >= set(asked or mission.units),
    )


def gate_commands(mission: Mission) -> tuple[str, ...]:
    """Return the plan's commands, else the configured ones; with neither, the manifests decide."""
    assert mission.settings is not None
    of_plan = mission.plan.gate if mission.plan is not None else ()
    return of_plan or mission.settings.gate_commands


def _covered(mission: Mission) -> Iterator[Covered]:
    """Yield all work that has not passed a gate yet, in the order in which it was integrated."""
    fresh = [u for u in mission.units.values() if done_by(mission, u) > u.gated]
    for unit in sorted(fresh, key=lambda u: _met_at_us(mission, u)):
        done = done_by(mission, unit)
        sprints = unit.sprints[unit.gated : done]
        base = next((s.base_at_first for s in sprints if s.base_at_first), None)
        heads = [s.outcome.head for s in sprints if s.outcome is not None and s.outcome.head]
        yield Covered(
            unit.name,
            done,
            unit.plan.directory,
            base or "",
            heads[-1] if heads else "",
            unit.handle,
        )


def _met_at_us(mission: Mission, unit: Unit) -> int:
    if mission.isolation is not None:
        return unit.integrated_at_us
    return unit.sprints[unit.at - 1].completed_at_us


def _held(mission: Mission, covers: tuple[Covered, ...]) -> Iterator[Held]:
    for covered in covers:
        unit = mission.units[covered.unit]
        for sprint in unit.sprints[unit.gated : covered.sprints]:
            is_own = sprint.proof is Proof.HELD and not sprint.plan.repair
            held = sprint.held if is_own else ()  # the gate runs a repair's held criteria anyway
            checks = sprint.plan.checks
            yield from (Held(unit.name, c, plan_words(checks, c)) for c in held)


def _was_red(mission: Mission, gate: Gate) -> bool:
    """Return whether the last gate covered the same work and did not pass."""
    builds = [g for g in mission.past_gates if g.kind is GateKind.BUILD]
    asked = sorted((c.unit, c.sprints) for c in gate.covers)
    was = sorted((c.unit, c.sprints) for c in builds[-1].covers) if builds else []
    return bool(builds) and not builds[-1].passed and asked == was


# --- clearances ----------------------------------------------------------------------------


def clearance_for(mission: Mission, unit: Unit) -> Gate | None:
    """Return the checks that must pass before this unit may begin (GT-01)."""
    commands = needs_clearance(mission, unit)
    if not commands or not may_start(mission, unit):
        return None
    if any(g.clears == unit.name for g in mission.gates.values()):
        return None
    return Gate(
        id=f"G{mission.gates_opened + 1}",
        kind=GateKind.CLEARANCE,
        phase=phase_of(unit),
        commands=commands,
        bases=mission.gated_at,
        clears=unit.name,
    )
