"""Closed checkpoints: what they leave behind, and the rules for the units that they hold."""

from dataclasses import replace

import pytest

from rig import plan, sprint, unit
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.fold import apply
from topkick.engine.settings import Settings
from topkick.git.isolation import Tip
from topkick.plan_format.model import CheckpointPlan
from topkick.sprint.checkpoint.due import holding
from topkick.sprint.gates.model import Gate, GateKind, GateRun
from topkick.sprint.invariants import of_moves
from topkick.sprint.model import GATES_KEPT, Mission
from topkick.sprint.transitions import UnitCause, UnitState

CHECKPOINT = CheckpointPlan("CHECKPOINT-001", "layer 0", ("A",), ("C",), ("A",))
TIPS = (Tip("project", "a" * 40),)


def begun() -> Mission:
    planned = plan(unit("A", sprint("1")), unit("C", sprint("1")), checkpoints=(CHECKPOINT,))
    settings = Settings(AgentProgram("none", ("true",)))
    return apply(Mission(), h.MissionBegan("m", "sprint", planned, settings), 0)


def closed(mission: Mission, gate: Gate, *, passed: bool = True) -> Mission:
    mission = apply(mission, h.GateOpened(gate), 1)
    return apply(mission, h.GateClosed(gate.id, passed=passed), 2)


def of_checkpoint(number: int) -> Gate:
    run = GateRun((), tips=TIPS)
    return Gate(f"G{number}", GateKind.CHECKPOINT, runs=(run,), checkpoint=CHECKPOINT)


@pytest.mark.spec("CK-14")
def test_it_holds_until_it_was_passed_however_long_ago() -> None:
    mission = begun()
    assert holding(mission, mission.units["C"]) == (CHECKPOINT,)
    assert holding(mission, mission.units["A"]) == ()
    mission = closed(mission, of_checkpoint(1), passed=False)
    assert holding(mission, mission.units["C"]) == (CHECKPOINT,)
    mission = closed(mission, of_checkpoint(2))
    for number in range(GATES_KEPT + 20):
        mission = closed(mission, Gate(f"B{number}"))
    assert holding(mission, mission.units["C"]) == ()
    assert len(mission.past_gates) == GATES_KEPT + 2, "and no more is kept than that"


@pytest.mark.spec("CK-14", "GT-03")
def test_what_was_judged_was_not_built() -> None:
    mission = closed(begun(), of_checkpoint(1))
    assert mission.gated_at == (), "the base of the next build gate is that of the last one"


@pytest.mark.spec("CK-14", "G1")
def test_a_unit_that_begins_before_it_is_let_is_a_violation() -> None:
    before = begun()
    moved = h.UnitMoved("C", UnitState.NOT_STARTED, UnitCause.START, UnitState.RUNNING)
    after = apply(before, moved, 1)
    assert "CK-14: C began before checkpoint CHECKPOINT-001 passed" in set(
        of_moves(before, (moved,), after)
    )
    passed = replace(closed(before, of_checkpoint(1)), units=after.units)
    assert not [x for x in of_moves(before, (moved,), passed) if x.startswith("CK-14")]
