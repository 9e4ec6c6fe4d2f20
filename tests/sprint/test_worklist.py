"""The worklist: what a step looks at does not grow with the plan, and nothing is overlooked."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rig import SETTINGS, Rig, plan, sprint, unit
from topkick.engine import messages as h
from topkick.engine import worklist
from topkick.engine.evolve import evolve
from topkick.engine.kernel import Overlooked, step
from topkick.engine.messages import questions as q
from topkick.engine.worklist import touches
from topkick.sprint.model import Mission, Stance
from topkick.sprint.policy import moves
from topkick.sprint.policy.decide import decide
from topkick.sprint.unit_index import Trait, UnitIndex, advance, index_of


def many(count: int, at_once: int = 2) -> Rig:
    rig = Rig()
    units = (unit(f"U{n}", sprint("1"), sprint("2")) for n in range(count))
    rig.start(plan(*units), replace(SETTINGS, max_agents=at_once))
    return rig


# --- the cost of a step --------------------------------------------------------------------


def units_looked_at(count: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the units that the rules look at, in a sprint from its survey to the next order."""
    rig, looked_at = many(count), list[str]()
    facts = _one_sprint(rig, "U0")

    def rule(_mission: Mission, of: object) -> tuple[h.Event, ...]:
        looked_at.append(of.name)
        return ()

    with monkeypatch.context() as patched:
        patched.setattr(moves, "RULES", (rule, *moves.RULES))
        for fact in facts:
            rig.mission = step(decide, rig.mission, fact, rig.at_us).mission
    assert rig.mission.units["U0"].at == 1
    return looked_at


def _one_sprint(rig: Rig, name: str) -> list[h.Fact]:
    run, told = rig.run(name), Rig(mission=rig.mission, at_us=rig.at_us)
    told.attempt(name)
    return [x for x, _ in told.records if not isinstance(x, h.Event) and run.id in repr(x)]


def test_a_step_looks_at_no_more_units_in_a_larger_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    few, lots = units_looked_at(5, monkeypatch), units_looked_at(300, monkeypatch)
    assert few == lots
    assert set(few) == {"U0", "U1"}, "those with an agent"


def test_all_units_that_may_begin_do_so_in_one_answer() -> None:
    asked = []

    def counting(mission: Mission, question: q.Question) -> object:
        asked.append(question)
        return decide(mission, question)

    rig = Rig(policy=counting)
    rig.start(plan(*(unit(f"U{n}", sprint("1")) for n in range(300))))
    assert len(asked) < 50
    assert all(u.state == "RUNNING" for u in rig.mission.units.values())


def test_a_unit_at_rest_is_struck_off() -> None:
    mission = many(5).mission
    names = set(mission.units)
    assert moves.what_next(mission, names) == ()
    assert names == set()


# --- whom a message touches ----------------------------------------------------------------


def test_a_message_touches_the_unit_it_names_or_that_of_its_run() -> None:
    mission = many(3).mission
    run = mission.run_of("U0")
    assert run is not None
    assert touches(mission, h.HoldLifted("U2", "1")) == ("U2",)
    assert touches(mission, h.RunClosed(run.id)) == ("U0",)
    assert touches(mission, h.RunClosed("gone")) == ()
    assert touches(mission, h.StanceTaken(Stance.STOPPING, "")) is None
    assert touches(mission, h.TimePassed()) == ()


def _completes(rig: Rig) -> None:
    rig.start(plan(unit("A", sprint("1")), unit("B", sprint("1"), after=["A"])))
    rig.attempt("A")
    rig.attempt("B")


def _stops(rig: Rig) -> None:
    rig.start(plan(unit("A", sprint("1")), unit("B", sprint("1"))))
    rig.command(h.Stop())


def _is_held(rig: Rig) -> None:
    """B is held; when A completes its hold is lifted, but E takes the place of A."""
    waits, held = unit("E", sprint("1"), after=["A"]), unit("B", sprint("1", entry=["ready"]))
    first = plan(unit("A", sprint("1")), waits, held, unit("D", sprint("1")))
    rig.start(first, replace(SETTINGS, max_agents=2))
    rig.survey("B", entry_code=1)
    rig.attempt("A")
    assert rig.mission.run_of("B") is None
    assert not rig.current("B").hold


@pytest.mark.parametrize(
    ("kinds", "story"),
    [
        ([h.UnitMoved], _completes),
        ([h.MissionBegan, h.StanceTaken], _completes),
        ([h.RunOpened], _completes),
        ([h.StanceTaken, h.UnitMoved], _stops),
        ([h.HoldPlaced, h.RunClosed], _is_held),
        ([h.HoldLifted], _is_held),
    ],
)
def test_events_that_are_hidden_from_the_worklist_are_missed(
    kinds: list[type], story: Callable[[Rig], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    story(Rig())
    hidden = dict.fromkeys(kinds, lambda _mission, _message: ())
    monkeypatch.setattr(worklist, "_TOUCHES", {**worklist._TOUCHES, **hidden})
    with pytest.raises(Overlooked):
        story(Rig())


# --- indexes -------------------------------------------------------------------------------


def test_an_index_follows_the_touched_units_and_no_others() -> None:
    mission = many(4).mission
    index_of(mission)
    held = evolve(mission.units["U2"], hold="for a reason")
    untold = evolve(mission.units["U3"], hold="for another one")
    after = evolve(mission, units={**mission.units, "U2": held, "U3": untold})
    advance(mission, after, {"U2"})
    assert [u.name for u in index_of(after).having(Trait.HELD)] == ["U2"]
    assert set(index_of(after).differences(UnitIndex(after))) == {"having", "traits"}


def test_an_index_of_another_state_is_made_anew() -> None:
    before, other = many(4).mission, many(3).mission
    kept = index_of(before)
    assert index_of(before) is kept
    assert list(index_of(other).place) == ["U0", "U1", "U2"]
    assert index_of(before) is not kept
    assert list(index_of(before).differences(kept)) == []


def test_units_are_found_in_the_order_of_the_plan() -> None:
    mission = many(12, at_once=1).mission
    ready = [u.name for u in index_of(mission).having(Trait.READY)]
    assert ready == [f"U{n}" for n in range(1, 12)]
    found = index_of(mission).in_order({"U10", "U9", "nobody"})
    assert [u.name for u in found] == ["U9", "U10"]
