"""Fold the events of gates into the mission."""

from topkick.engine import messages as h
from topkick.engine.evolve import evolve
from topkick.sprint.fold import put, with_unit
from topkick.sprint.gates.model import Gate, GateKind, GateVerdict
from topkick.sprint.model import GATES_KEPT, Mission, Proof, Sprint, Unit, held_against
from topkick.sprint.transitions import UnitState

CHECKED_BY = (GateVerdict.PASSED, GateVerdict.FLAKY)


def looked_at_again(m: Mission) -> dict[str, Gate]:
    """Repeat the builds of a supervisor that is gone."""
    return {g.id: evolve(g, look=g.look + 1) for g in m.gates.values()}


def ran(m: Mission, f: h.GateRan, _: int) -> Mission:
    gate = m.gates[f.gate_id]
    return _with_gate(m, evolve(gate, runs=(*gate.runs, f.run)))


def opened(m: Mission, e: h.GateOpened, at_us: int) -> Mission:
    assert e.gate.id not in m.gates
    m = _with_gate(m, evolve(e.gate, opened_at_us=at_us))
    return evolve(m, gates_opened=m.gates_opened + 1)


def judged(m: Mission, e: h.GateJudged, _: int) -> Mission:
    gate = m.gates[e.gate_id]
    return _with_gate(m, evolve(gate, verdict=e.verdict, why=e.why, groups=e.groups))


def dropped(m: Mission, e: h.GateDropped, _: int) -> Mission:
    return evolve(m, gates=_without(m, e.gate_id))


def closed(m: Mission, e: h.GateClosed, at_us: int) -> Mission:
    gate = evolve(m.gates[e.gate_id], passed=e.passed, accepted=e.accepted, closed_at_us=at_us)
    m = evolve(
        m,
        gates=_without(m, gate.id),
        past_gates=(*_kept(m.past_gates), gate),
    )
    if not gate.passed or gate.kind is GateKind.CHECKPOINT:
        return m
    if gate.kind is GateKind.CLEARANCE:
        return with_unit(m, evolve(m.units[gate.clears], cleared=True, hold=None))
    whole = next((r for r in gate.runs if r.units == gate.units and not r.trouble), None)
    m = evolve(m, gated_at=whole.tips if whole is not None else m.gated_at)
    for covered in gate.covers:
        m = with_unit(m, _passed(m.units[covered.unit], covered.sprints, gate))
    return _to_recheck(m) if gate.verdict is GateVerdict.PASSED else m


def _to_recheck(m: Mission) -> Mission:
    """Mark the FATAL sprints of a shared tree: another unit may have repaired what failed."""
    blocked = [u for u in m.units.values() if u.state is UnitState.BLOCKED]
    for unit in blocked if m.isolation is None else ():
        if unit.current is not None and _failed_by_checks(unit.current):
            m = with_unit(m, put(unit, evolve(unit.current, recheck=True)))
    return m


def _failed_by_checks(sprint: Sprint) -> bool:
    """Return whether checks failed; a gate answers neither a finding nor a person's rejection."""
    outcome = sprint.outcome
    if outcome is None or held_against(sprint, outcome.findings):
        return False
    return bool(outcome.failing)


def _kept(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Keep the last gates, and all checkpoints: whether one passed matters as long as the run
    lasts.
    """
    old, last = gates[: 1 - GATES_KEPT], gates[1 - GATES_KEPT :]
    return (*(g for g in old if g.kind is GateKind.CHECKPOINT), *last)


def _passed(unit: Unit, sprints: int, gate: Gate) -> Unit:
    """Mark held criteria as checked, accepted with the gate, or unchecked."""
    proof = Proof.ACCEPTED if gate.accepted else Proof.UNCHECKED
    proof = Proof.CHECKED if gate.verdict in CHECKED_BY else proof

    def proven(sprint: Sprint) -> Sprint:
        return evolve(sprint, proof=proof, held=()) if sprint.proof is Proof.HELD else sprint

    done = tuple(proven(s) for s in unit.sprints[:sprints])
    return evolve(unit, gated=max(unit.gated, sprints), sprints=(*done, *unit.sprints[sprints:]))


def held(m: Mission, e: h.UnitHeld, _: int) -> Mission:
    return with_unit(m, evolve(m.units[e.unit], hold=e.blocker))


def _without(m: Mission, gate_id: str) -> dict[str, Gate]:
    return {k: g for k, g in m.gates.items() if k != gate_id}


def _with_gate(m: Mission, gate: Gate) -> Mission:
    return evolve(m, gates={**m.gates, gate.id: gate})
