"""Attribution of a red gate: every set of culprits among two to five units, with the run count."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import pytest

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.sprint.gates.attribution import MOST_RUNS, Blame, Try, next_step
from topkick.sprint.gates.model import Covered, Gate, GateKind, GateRun, GateVerdict, Held

SIZES = range(2, 6)
NAMES = ("a", "b", "c", "d", "e")
COMMAND = "make test"


@dataclass(frozen=True)
class World:
    """The faults in the work of each unit."""

    groups: tuple[frozenset[str], ...] = ()
    before: bool = False
    flake_runs: int = 0
    outcome: CheckOutcome = CheckOutcome.FAILED
    hints: tuple[str, ...] = ()
    conflicts: tuple[frozenset[str], ...] = ()
    by_nobody: bool = False

    def run(self, units: tuple[str, ...], number: int) -> GateRun:
        if frozenset(units) in self.conflicts:
            return GateRun(units, trouble="cannot be put together")
        failing = [f"test_{''.join(sorted(g))}" for g in self.groups if g <= set(units)]
        failing += ["test_old"] if self.before else []
        failing += ["test_stray"] if self.by_nobody and units else []
        failing += ["test_flaky"] if number <= self.flake_runs else []
        outcome = self.outcome if failing else CheckOutcome.PASSED
        result = CheckResult(COMMAND, outcome, 1 if failing else 0)
        stray = ("1a2b3c4",) if self.by_nobody else ()
        return GateRun(units, (result,), tuple(failing), self.hints, unowned=stray)


def judged(world: World, count: int, **more: object) -> tuple[Blame, Gate]:
    gate = replace(Gate("G1", covers=tuple(Covered(n, 1) for n in NAMES[:count])), **more)
    while isinstance(found := next_step(gate), Try):
        run = world.run(found.units, len(gate.runs) + 1)
        gate = replace(gate, runs=(*gate.runs, run))
        assert len(gate.runs) <= MOST_RUNS
    return found, gate


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("count", SIZES)
def test_a_green_gate_takes_one_run(count: int) -> None:
    found, gate = judged(World(), count)
    assert found.verdict is GateVerdict.PASSED
    assert len(gate.runs) == 1


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("hinted", [False, True])
@pytest.mark.parametrize(("count", "at"), [(n, at) for n in range(1, 6) for at in range(n)])
def test_a_single_culprit_is_found_wherever_it_came_in(count: int, at: int, hinted: bool) -> None:
    name = NAMES[at]
    world = World((frozenset({name}),), hints=(name,) if hinted else ())
    found, gate = judged(world, count)
    assert (found.verdict, found.groups) == (GateVerdict.CULPRITS, ((name,),))
    assert len(gate.runs) <= (6 if hinted else 9), "the tip, the base, two again, and the search"


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize(
    ("count", "pair"), [(n, p) for n in SIZES for p in combinations(NAMES[:n], 2)]
)
def test_two_culprits_are_both_found(count: int, pair: tuple[str, str]) -> None:
    found, gate = judged(World(tuple(frozenset({n}) for n in pair)), count)
    assert found.verdict is GateVerdict.CULPRITS
    assert sorted(found.groups) == [(n,) for n in pair]
    assert len(gate.runs) <= 12


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("hint", [0, 1, None])
@pytest.mark.parametrize(
    ("count", "pair"), [(n, p) for n in SIZES for p in combinations(NAMES[:n], 2)]
)
def test_two_that_only_fail_together(count: int, pair: tuple[str, str], hint: int | None) -> None:
    hints = () if hint is None else (pair[hint],)
    found, gate = judged(World((frozenset(pair),), hints=hints), count)
    assert (found.verdict, found.groups) == (GateVerdict.INTERACTION, (pair,))
    assert len(gate.runs) <= 13
    assert replace(gate, groups=found.groups).to_repair == (pair[1],), "whose work came last"


@pytest.mark.spec("GT-03")
def test_three_that_only_fail_together() -> None:
    found, _ = judged(World((frozenset("bde"),)), 5)
    assert found.groups == (("b", "d", "e"),)


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_flake_is_nobodys_fault(count: int, runs: int) -> None:
    found, gate = judged(World(flake_runs=runs), count)
    assert (found.verdict, found.groups) == (GateVerdict.FLAKY, ())
    assert len(gate.runs) <= 5


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("count", SIZES)
def test_what_failed_before_is_nobodys_fault(count: int) -> None:
    found, gate = judged(World(before=True), count)
    assert (found.verdict, found.groups) == (GateVerdict.PRE_EXISTING, ())
    assert len(gate.runs) == 4, "each of the two twice: a flake would look the same once"


@pytest.mark.spec("GT-03")
def test_what_is_new_beside_what_failed_before_has_its_culprit() -> None:
    found, _ = judged(World((frozenset("b"),), before=True), 4)
    assert (found.verdict, found.groups) == (GateVerdict.CULPRITS, (("b",),))


@pytest.mark.spec("GT-03")
def test_a_gate_that_hangs_by_itself_cannot_run_and_one_that_a_unit_hangs_has_its_culprit() -> None:
    hangs = World(before=True, outcome=CheckOutcome.TIMED_OUT)
    assert judged(hangs, 3)[0].verdict is GateVerdict.CANNOT_RUN
    hung = World((frozenset("c"),), outcome=CheckOutcome.TIMED_OUT)
    assert judged(hung, 3)[0].groups == (("c",),)


@pytest.mark.spec("GT-02", "GT-03")
def test_a_gate_that_cannot_run_blames_nobody() -> None:
    world = World(before=True, outcome=CheckOutcome.CANNOT_RUN)
    found, gate = judged(world, 3)
    assert (found.verdict, found.groups, len(gate.runs)) == (GateVerdict.CANNOT_RUN, (), 1)
    trouble, _ = judged(World(conflicts=(frozenset("ab"),)), 2)
    assert trouble.verdict is GateVerdict.CANNOT_RUN


def _once(*results: CheckResult, detected: bool = False, **more: object) -> GateVerdict:
    run = GateRun(("a",), results, detected=detected)
    gate = replace(Gate("G1", covers=(Covered("a", 1),), runs=(run,)), **more)
    found = next_step(gate)
    assert isinstance(found, Blame)
    return found.verdict


@pytest.mark.spec("GT-02")
def test_not_run_is_never_passed() -> None:
    passed = CheckResult("make", CheckOutcome.PASSED, 0)
    idle = CheckResult("pytest", CheckOutcome.RAN_NOTHING, 0)
    missing = CheckResult("swift test", CheckOutcome.CANNOT_RUN, 127)
    assert _once() is GateVerdict.NOT_RUN
    assert _once(passed, idle) is GateVerdict.NOT_RUN
    assert _once(missing, detected=True) is GateVerdict.NOT_RUN
    assert _once(missing) is GateVerdict.CANNOT_RUN, "a person asked for it"
    assert _once(passed) is GateVerdict.PASSED


@pytest.mark.spec("GT-02")
def test_a_held_criterion_that_runs_no_test_is_not_met() -> None:
    idle = CheckResult("pytest", CheckOutcome.RAN_NOTHING, 0)
    gate = Gate(
        "G1",
        covers=(Covered("a", 1),),
        held=(Held("a", "pytest"),),
        runs=(GateRun(("a",), (idle,), ("pytest",)),),
    )
    assert next_step(gate) == Try(()), "the base is looked at: it is red"


@pytest.mark.spec("GT-03")
def test_what_cannot_be_put_together_alone_is_laid_to_who_turned_it_red() -> None:
    world = World((frozenset("b"),), conflicts=(frozenset("b"),))
    assert judged(world, 3)[0].groups == (("b",),)


@pytest.mark.spec("GT-01")
def test_a_clearance_blames_nobody() -> None:
    run = World(before=True).run((), 1)
    found = next_step(Gate("G1", GateKind.CLEARANCE, clears="b", runs=(run,)))
    assert isinstance(found, Blame)
    assert (found.verdict, found.groups) == (GateVerdict.CULPRITS, ())


@pytest.mark.spec("GT-03")
def test_the_search_has_a_bound() -> None:
    """Nothing that is run over and over with another result each time goes on for ever."""

    def never_the_same(units: tuple[str, ...], number: int) -> GateRun:
        result = CheckResult(COMMAND, CheckOutcome.FAILED, 1)
        return GateRun(units, (result,), (f"test_{number}",))

    gate = Gate("G1", covers=tuple(Covered(f"u{n}", 1) for n in range(40)))
    gate = _driven(gate, never_the_same)
    found = next_step(gate)
    assert isinstance(found, Blame)
    assert len(gate.runs) <= MOST_RUNS


def _driven(gate: Gate, run: Callable[[tuple[str, ...], int], GateRun]) -> Gate:
    while isinstance(found := next_step(gate), Try):
        gate = replace(gate, runs=(*gate.runs, run(found.units, len(gate.runs) + 1)))
    return gate


@pytest.mark.spec("GT-02", "GT-03")
def test_a_criterion_is_to_be_met_even_if_it_failed_before() -> None:
    found, _ = judged(World(before=True), 3, held=(Held("b", COMMAND),))
    assert (found.verdict, found.groups) == (GateVerdict.CULPRITS, (("b",),))


@pytest.mark.spec("GT-03")
def test_what_nobody_did_is_nobodys_fault() -> None:
    found, _ = judged(World(by_nobody=True), 3)
    assert (found.verdict, found.groups) == (GateVerdict.UNCLEAR, ())
    assert "1a2b3c4" in found.why


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize(("before", "verdict"), [(False, "culprits"), (True, "cannot run")])
def test_who_made_a_gate_unrunnable_is_found(before: bool, verdict: str) -> None:
    """The gate's command cannot run with the work of b; without b only if it never could."""
    passed = CheckResult("make lint", CheckOutcome.PASSED, 0)
    cannot = CheckResult(
        "make lint", CheckOutcome.CANNOT_RUN, 2, missing="no program x", of_tree=True
    )
    gate = Gate("G1", covers=(Covered("a", 1), Covered("b", 1), Covered("c", 1)))
    while isinstance(found := next_step(gate), Try):
        result = cannot if before or "b" in found.units else passed
        gate = replace(gate, runs=(*gate.runs, GateRun(found.units, (result,))))
    assert (found.verdict, found.groups) == (verdict, () if before else (("b",),))
