"""The closed union of blockers: each has a rule, a mover, offers in order, and words."""

from dataclasses import replace
from typing import get_args

import pytest

from rig import SETTINGS, Rig, plan, sprint, unit
from topkick.checks.model import Finding, FindingKind
from topkick.engine import messages as h
from topkick.engine.agents.runs import CancelWhy, Run, Stage
from topkick.engine.blockers import Intent, Mover
from topkick.plan_format.model import UnitPlan
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.blockers.holds import (
    AgentUnusable,
    BudgetSpent,
    CheckCannotRun,
    CheckUnrunnable,
    DispatchesUsed,
    EntryUnmet,
    FatalCause,
    FatalKind,
    FindingsOpen,
    LookWhy,
    MergeTrouble,
    NotCleared,
    PersonHasToLook,
    Unchecked,
)
from topkick.sprint.blockers.model import Blocked, Blocker, UnitNotBegun, mover_of, offers, rule_of
from topkick.sprint.blockers.order import first_blocker
from topkick.sprint.blockers.waits import (
    AgentEnding,
    AwaitedSprint,
    AwaitsLeftOut,
    Backoff,
    ClearanceDue,
    Draining,
    FileRunEnded,
    GateAsks,
    GateDue,
    GateWait,
    InTransition,
    NextMove,
    NextStep,
    NoSupervisor,
    NotBegunAtStop,
    NotDriven,
    NotWorking,
    OutOfTurn,
    PlacesTaken,
    SprintsOpen,
    StopAsked,
    TreeTaken,
    UnderWay,
    UnitLeftOut,
    UnitsOpen,
    UnitStopped,
    UsageLimited,
)
from topkick.sprint.gates.model import Covered, Gate, GateVerdict
from topkick.sprint.model import Stance, Unit
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views import blocker_lines

FOUND = (Finding(FindingKind.STUB, "f1", "a stub", "a.py"), Finding(FindingKind.STUB, "f2", "b"))
RUN = Run("m-1", "A", "1", Stage.WORKING)
GATE = Gate(
    "G1", covers=(Covered("A", 1), Covered("B", 1)), verdict=GateVerdict.CULPRITS, why="red"
)
EACH: tuple[Blocker, ...] = (
    EntryUnmet("`test -f a` ended with 1", "no such file"),
    CheckUnrunnable("make", "no make here"),
    BudgetSpent("the budget of the sprint is spent ($2 of $2)", begun=True),
    DispatchesUsed(12),
    Unchecked(),
    MergeTrouble("in use"),
    FindingsOpen(FOUND),
    CheckCannotRun("make"),
    *(PersonHasToLook(why) for why in LookWhy),
    *(FatalCause(kind, 3, 3, "abc") for kind in FatalKind),
    NotCleared("`make` ended with 2", "broken"),
    AgentUnusable("claude", "not logged in"),
    AgentUnusable("claude", "a limit", waits_for_yes=True),
    *(UnderWay("U1/1", replace(RUN, stage=stage)) for stage in Stage),
    UnderWay("U1/1", replace(RUN, stage=Stage.CHECKING), "PROGRESS.md"),
    *(AgentEnding(why) for why in CancelWhy),
    Draining("U1", 5),
    OutOfTurn("U1"),
    OutOfTurn("U1", "U1/1", SprintState.RUNNING),
    UnitsOpen((Unit("U1", UnitPlan("A")),)),
    SprintsOpen((AwaitedSprint("U1/1"), AwaitedSprint("U1/2", SprintState.COMPLETED))),
    *(GateDue(wait, gate, "layer 0", "CP-1") for wait in GateWait for gate in ("", "G1")),
    ClearanceDue(("make",)),
    PlacesTaken(("U1/1", "U2/1"), 2),
    TreeTaken("U1/1"),
    Backoff(5, "U1/1", 2),
    UsageLimited("limited", 5),
    GateAsks(GATE),
    UnitLeftOut(),
    AwaitsLeftOut(("B",)),
    *(NotWorking(stance, "why") for stance in Stance),
    NotDriven(),
    NoSupervisor(),
    UnitStopped("U1", UnitState.STOPPED, "by a person"),
    NotBegunAtStop(),
    StopAsked("U1"),
    FileRunEnded("the board is stuck", ("topkick kanban run B.md",)),
    *(NextStep(step) for step in NextMove),
    InTransition("U1", SprintState.RUNNING),
    UnitNotBegun("U1", (UnitLeftOut(), NextStep(NextMove.BEGIN))),
)


def about(blocker: Blocker, *, spent: bool = False) -> Blocked:
    return Blocked("U1/1", blocker, "A", spent)


def test_every_kind_of_blocker_is_tried_here() -> None:
    assert {type(one) for one in EACH} == set(get_args(Blocker))


@pytest.mark.spec("MS-03")
@pytest.mark.parametrize("blocker", EACH, ids=repr)
def test_each_has_a_rule_a_mover_words_and_offers_in_their_order(blocker: Blocker) -> None:
    blocked = about(blocker)
    assert rule_of(blocker)[2] == "-"
    assert blocker_lines.words(blocked)
    found = offers(blocked)
    assert [o.intent for o in found] == sorted(o.intent for o in found)
    assert len([*blocker_lines.offer_lines(blocked)]) == len(found)
    if mover_of(blocker) is Mover.PERSON:
        assert any(o.intent is not Intent.LOOK for o in found), "a person can do something about it"


@pytest.mark.spec("MS-03")
@pytest.mark.parametrize("blocker", EACH, ids=repr)
def test_no_word_of_others_steers_a_terminal(blocker: Blocker) -> None:
    evil = "\x1b[2J\u202e"
    fields = {
        name: f"{getattr(blocker, name)}{evil}"
        for name in ("why", "criterion", "check")
        if type(getattr(blocker, name, None)) is str
    }
    shown = blocker_lines.words(about(replace(blocker, **fields)))  # type: ignore[type-var]
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def verbs(blocker: Blocker, *, spent: bool = False) -> list[str]:
    return [o.verb for o in offers(about(blocker, spent=spent))]


@pytest.mark.spec("SM-05", "VF-06")
def test_looking_comes_first_and_letting_pass_comes_last() -> None:
    fatal, looks = FatalCause(FatalKind.ATTEMPTS, 3, 3), PersonHasToLook(LookWhy.MANUAL)
    assert verbs(FindingsOpen(FOUND)) == ["explain", "reject", "retry", "waive", "waive", "accept"]
    assert verbs(looks) == ["explain", "reject", "retry", "accept"]
    assert verbs(fatal) == ["explain", "retry", "accept"]
    assert verbs(GateAsks(GATE)) == ["explain", "reject", "resume", "accept"]
    assert verbs(BudgetSpent("spent", begun=True)) == ["resume", "accept"]
    assert verbs(AgentUnusable("claude", "not logged in")) == ["doctor", "resume"]


@pytest.mark.spec("SM-10")
def test_no_other_order_is_offered_to_a_sprint_that_had_them_all() -> None:
    assert verbs(FatalCause(FatalKind.DISPATCHES, 12, 12), spent=True) == ["explain", "accept"]
    assert verbs(PersonHasToLook(LookWhy.MANUAL), spent=True) == ["explain", "accept"]


# --- in a run ------------------------------------------------------------------------------


def fatal_rig() -> Rig:
    rig = Rig()
    rig.start(plan(unit("A", sprint("1"))), replace(SETTINGS, max_retries=1))
    rig.fail("A")
    return rig


@pytest.mark.spec("SM-05")
def test_after_fatal_a_person_still_has_every_choice_that_is_not_refused() -> None:
    rig = fatal_rig()
    (need,) = blockers_unit.needs(rig.mission)
    assert need.by == FatalCause(FatalKind.ATTEMPTS, 1, 1)
    assert [o.command for o in need.offers] == [
        "topkick explain U1/1 --evidence",
        'topkick retry U1/1 --note "..."',
        'topkick accept U1/1 --why "..."',
    ]
    before = rig.mission
    for command in (h.Retry("A", "1"), h.Accept("A", "1", "seen")):
        rig.mission = before
        assert not any(isinstance(e, h.CommandRefused) for e in rig.command(command).events)


@pytest.mark.spec("DP-11", "LP-02")
def test_policy_and_pages_read_the_same_blocker() -> None:
    rig = Rig()
    rig.start(plan(unit("A", sprint("1", checks=())), unit("B", sprint("1"))), SETTINGS)
    held = rig.mission.units["A"]
    assert held.current is not None
    assert held.current.hold == Unchecked(), "the journal has the value"
    assert first_blocker(rig.mission, held, held.current, has_slot=True) == Unchecked()
    (shown,) = blockers_unit.of_unit(rig.mission, held)
    assert shown.by == Unchecked()
    assert [e.blocker for e, _ in rig.records if isinstance(e, h.HoldPlaced)] == [Unchecked()]
