"""Every state, every cause: what the specification's tables say, and nothing else."""

from dataclasses import replace
from itertools import product

import pytest
from tables import SPRINTS, UNITS

from rig import Rig, plan, sprint, unit
from topkick.engine import messages as h
from topkick.engine.fold import apply
from topkick.sprint.blockers.holds import FatalCause, FatalKind
from topkick.sprint.transitions import (
    SPRINT_MOVES,
    UNIT_MOVES,
    IllegalMove,
    SprintCause,
    SprintState,
    UnitCause,
    UnitState,
    move_sprint,
    move_unit,
)


@pytest.mark.spec("SM-01", "S1")
def test_the_alphabets_are_those_of_the_specification():
    assert {s.value for s in UnitState} == (
        {state for state, _ in UNITS} | set(UNITS.values())  # COMPLETED has no way out
    )
    assert {s.value for s in SprintState} == {state for state, _ in SPRINTS} | set(SPRINTS.values())
    assert {c.value for c in UnitCause} == {cause for _, cause in UNITS}
    assert {c.value for c in SprintCause} == {cause for _, cause in SPRINTS}


@pytest.mark.spec("SM-02", "S2", "S4")
@pytest.mark.parametrize(("state", "cause"), list(product(UnitState, UnitCause)))
def test_every_pair_of_the_unit_machine(state: UnitState, cause: UnitCause):
    now = UNITS.get((state.value, cause.value))
    if now is None:
        with pytest.raises(IllegalMove, match=f"{state} cannot move on '{cause}'"):
            move_unit(state, cause)
    else:
        assert move_unit(state, cause) is UnitState(now)


@pytest.mark.spec("SM-02", "S2", "S4")
@pytest.mark.parametrize(("state", "cause"), list(product(SprintState, SprintCause)))
def test_every_pair_of_the_sprint_machine(state: SprintState, cause: SprintCause):
    now = SPRINTS.get((state.value, cause.value))
    if now is None:
        with pytest.raises(IllegalMove, match=f"{state} cannot move on '{cause}'"):
            move_sprint(state, cause)
    else:
        assert move_sprint(state, cause) is SprintState(now)


@pytest.mark.spec("SM-02")
def test_the_tables_hold_no_further_move():
    assert {(s.value, c.value): n.value for (s, c), n in UNIT_MOVES.items()} == UNITS
    assert {(s.value, c.value): n.value for (s, c), n in SPRINT_MOVES.items()} == SPRINTS


def mission_with(unit_state: UnitState, sprint_state: SprintState):
    rig = Rig()
    rig.start(plan(unit("A", sprint("1"), sprint("2"))), driven=False)
    a = rig.mission.units["A"]
    first = replace(a.sprints[0], state=sprint_state)
    a = replace(a, state=unit_state, sprints=(first, a.sprints[1]))
    return replace(rig.mission, units={"A": a})


@pytest.mark.spec("SM-02", "S2")
@pytest.mark.parametrize(("state", "cause"), list(product(UnitState, UnitCause)))
def test_a_forged_move_of_a_unit_is_not_folded(state: UnitState, cause: UnitCause):
    mission = mission_with(state, SprintState.PENDING)
    for now in UnitState:
        if UNITS.get((state.value, cause.value)) == now.value:
            assert apply(mission, h.UnitMoved("A", state, cause, now), 0).units["A"].state is now
        else:
            with pytest.raises(AssertionError):
                apply(mission, h.UnitMoved("A", state, cause, now), 0)


@pytest.mark.spec("SM-02", "S2")
@pytest.mark.parametrize(("state", "cause"), list(product(SprintState, SprintCause)))
def test_a_forged_move_of_a_sprint_is_not_folded(state: SprintState, cause: SprintCause):
    mission = mission_with(UnitState.RUNNING, state)
    fatal = FatalCause(FatalKind.ATTEMPTS) if cause is SprintCause.EXHAUSTED else None
    for now in SprintState:
        event = h.SprintMoved("A", "1", state, cause, now, blocker=fatal)
        if SPRINTS.get((state.value, cause.value)) == now.value:
            assert apply(mission, event, 0).sprint("A", "1").state is now
        else:
            with pytest.raises(AssertionError):
                apply(mission, event, 0)


@pytest.mark.spec("SM-02")
def test_a_legal_move_from_a_state_it_is_not_in_is_not_folded():
    mission = mission_with(UnitState.STOPPED, SprintState.PARTIAL)
    stop = h.UnitMoved("A", UnitState.RUNNING, UnitCause.STOP, UnitState.STOPPING)
    with pytest.raises(AssertionError, match="A is STOPPED, not RUNNING"):
        apply(mission, stop, 0)
    pending, out = SprintState.PENDING, SprintState.DISPATCHED
    with pytest.raises(AssertionError, match="A/1 is PARTIAL, not PENDING"):
        apply(mission, h.SprintMoved("A", "1", pending, SprintCause.DISPATCHED, out), 0)
