"""Every answer to "why does this not move?", as one closed union of values.

`rule_of` names the rule, `mover_of` says who can move it, `offers` lists the commands that a person
may type, always in the order of `Intent`. Policy, pages, reports and refusals read these values;
only `views.blocker_lines` turns them into words, and nothing depends on those words.
"""

from dataclasses import dataclass
from typing import assert_never

from topkick.engine.agents.runs import CancelWhy, Stage
from topkick.engine.blockers import REASON, Mover, Offer, go_on, let_pass, look, undo
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
    Hold,
    LookWhy,
    MergeTrouble,
    NotCleared,
    PersonHasToLook,
    Unchecked,
)
from topkick.sprint.blockers.waits import (
    AgentEnding,
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
from topkick.sprint.gates.due import is_stuck
from topkick.sprint.gates.model import Gate
from topkick.sprint.model import Stance


@dataclass(frozen=True, slots=True)
class UnitNotBegun:
    """The sprint's unit has not begun, for these reasons."""

    unit: str
    by: tuple["Blocker", ...]


Blocker = (
    Hold
    | UnderWay
    | AgentEnding
    | Draining
    | OutOfTurn
    | UnitsOpen
    | SprintsOpen
    | GateDue
    | ClearanceDue
    | PlacesTaken
    | TreeTaken
    | Backoff
    | UsageLimited
    | GateAsks
    | UnitLeftOut
    | AwaitsLeftOut
    | NotWorking
    | NotDriven
    | NoSupervisor
    | UnitStopped
    | NotBegunAtStop
    | StopAsked
    | FileRunEnded
    | NextStep
    | InTransition
    | UnitNotBegun
)


@dataclass(frozen=True, slots=True)
class Blocked:
    """A blocker with what it blocks. `handle` is that of a unit, a sprint, a gate or an agent;
    `unit` names the unit it belongs to. `spent` says that the sprint may get no further order.
    """

    handle: str
    by: Blocker
    unit: str = ""
    spent: bool = False

    @property
    def rule(self) -> str:
        return rule_of(self.by)

    @property
    def mover(self) -> Mover:
        return mover_of(self.by)

    @property
    def offers(self) -> tuple[Offer, ...]:
        return offers(self)

    @property
    def waits_for_person(self) -> bool:
        return self.mover is Mover.PERSON


# --- the rule of a blocker -----------------------------------------------------------------

ENDED_BY = {
    CancelWhy.STOP_FORCED: "SD-01",
    CancelWhy.KILLALL: "SD-02",
    CancelWhy.UNRESPONSIVE: "ER-01",
    CancelWhy.TURN_LIMIT: "DP-07",
    CancelWhy.BUDGET_SPENT: "DP-10",
}
STAGES = {
    Stage.SURVEYING: "DP-08",
    Stage.WORKING: "DP-05",
    Stage.CHECKING: "VF-01",
    Stage.WAITING: "ER-02",
    Stage.INTEGRATING: "GT-06",
}
STANCES = {
    Stance.IDLE: "ST-03",
    Stance.WORKING: "LP-04",
    Stance.STOPPING: "SD-01",
    Stance.KILLED: "SD-02",
}
GATES = {
    GateWait.CLEARANCE: "GT-01",
    GateWait.CHECKPOINT: "GT-01",
    GateWait.NEXT_SPRINT: "GT-07",
    GateWait.COMPLETION: "GT-02",
}
STEPS = {
    NextMove.ORDER: "LP-02",
    NextMove.BEGIN: "LP-02",
    NextMove.GO_ON: "LP-02",
    NextMove.MERGE: "GT-06",
    NextMove.CONDITION: "ER-02",
}
FATALS = {
    FatalKind.ATTEMPTS: "SM-05",
    FatalKind.TROUBLES: "SM-05",
    FatalKind.DECLARED: "SM-05",
    FatalKind.DISPATCHES: "SM-10",
    FatalKind.SAME_FAILURE: "SM-10",
}


def rule_of(blocker: Blocker) -> str:  # noqa: PLR0912
    match blocker:
        case UnderWay(_, run, claim):
            if run.stage is Stage.CHECKING and run.dispatch is None:
                return "SD-02" if claim is None else "ST-02"
            return STAGES[run.stage]
        case AgentEnding(why):
            return ENDED_BY[why]
        case Draining() | StopAsked():
            return "SD-01"
        case OutOfTurn() | InTransition():
            return "SM-09"
        case UnitsOpen() | ClearanceDue() | NotCleared() | UnitNotBegun():
            return "GT-01"
        case SprintsOpen() | AwaitsLeftOut():
            return "GT-08"
        case GateDue(wait):
            return GATES[wait]
        case GateAsks():
            return "GT-03"
        case PlacesTaken() | UnitLeftOut():
            return "LP-02"
        case TreeTaken():
            return "GT-04"
        case Backoff() | UsageLimited() | AgentUnusable():
            return "DP-09"
        case NotWorking(stance):
            return STANCES[stance]
        case NotDriven():
            return "LP-04"
        case NoSupervisor() | UnitStopped() | NotBegunAtStop() | FileRunEnded():
            return "SD-04"
        case NextStep(step):
            return STEPS[step]
        case EntryUnmet() | CheckUnrunnable():
            return "DP-08"
        case BudgetSpent():
            return "DP-10"
        case DispatchesUsed():
            return "SM-10"
        case Unchecked():
            return "DP-11"
        case MergeTrouble():
            return "GT-06"
        case PersonHasToLook(LookWhy.MANUAL):
            return "ER-04"
        case FindingsOpen() | CheckCannotRun() | PersonHasToLook():
            return "VF-06"
        case FatalCause(kind):
            return FATALS[kind]
        case _:
            assert_never(blocker)


# --- who or what can move it ---------------------------------------------------------------


def mover_of(blocker: Blocker) -> Mover:
    match blocker:
        case UnderWay() | AgentEnding() | Draining():
            return Mover.AT_WORK
        case Backoff() | UsageLimited():
            return Mover.TIME
        case OutOfTurn() | UnitsOpen() | SprintsOpen() | GateDue() | PlacesTaken() | TreeTaken():
            return Mover.OTHERS
        case UnitNotBegun():
            return Mover.OTHERS
        case NextStep() | InTransition() | ClearanceDue():
            return Mover.SUPERVISOR
        case GateAsks() | UnitLeftOut() | AwaitsLeftOut() | NotWorking() | NotDriven():
            return Mover.PERSON
        case NoSupervisor() | UnitStopped() | NotBegunAtStop() | StopAsked() | FileRunEnded():
            return Mover.PERSON
        case EntryUnmet() | CheckUnrunnable() | BudgetSpent() | DispatchesUsed() | Unchecked():
            return Mover.PERSON
        case MergeTrouble() | FindingsOpen() | CheckCannotRun() | PersonHasToLook():
            return Mover.PERSON
        case FatalCause() | NotCleared() | AgentUnusable():
            return Mover.PERSON
        case _:
            assert_never(blocker)


# --- commands to offer ---------------------------------------------------------------------

RESUME = go_on("resume")
SHOWN = 5
"""The most findings for which a waiver is offered at a time."""
ANY_UNIT = "U"
"""Placeholder for the handle of a unit that the person has to choose."""


def offers(blocked: Blocked) -> tuple[Offer, ...]:
    """Return the commands to offer, sorted in the order of `Intent`."""
    return tuple(sorted(_offers(blocked), key=lambda offer: offer.intent))


def _offers(blocked: Blocked) -> tuple[Offer, ...]:  # noqa: PLR0912
    x = blocked.handle
    match blocked.by:
        case UnderWay(at, run):
            return (look("logs", at, "-f"),) if run.stage is Stage.WORKING else ()
        case Draining(unit):
            return (go_on("stop", unit, "--now"),)
        case OutOfTurn(_, after):
            return (look("explain", after),) if after else ()
        case UnitsOpen(units):
            return (look("explain", units[0].handle),)
        case GateDue(_, gate):
            return (look("explain", gate),) if gate else ()
        case GateAsks(gate):
            anew = (RESUME,) if is_stuck(gate) else ()
            return (look("explain", gate.id), _refuse(gate), *anew, _accept(gate.id))
        case AgentUnusable(waits_for_yes=waits):
            return (RESUME,) if waits else (look("doctor"), RESUME)
        case BudgetSpent(begun=begun):
            return (RESUME, _accept(x)) if begun else (RESUME,)
        case DispatchesUsed(begun=begun):
            return (_accept(x),) if begun else (RESUME,)
        case Unchecked():
            return (go_on("resume", "--accept-unchecked"),)
        case FindingsOpen(findings):
            waived = tuple(let_pass("waive", x, f.id, "--why", REASON) for f in findings[:SHOWN])
            return (_evidence(x), *_again(blocked, _reject(x)), *waived, _accept(x))
        case CheckCannotRun() | PersonHasToLook():
            return (_evidence(x), *_again(blocked, _reject(x)), _accept(x))
        case FatalCause():
            return (_evidence(x), *_again(blocked), _accept(x))
        case FileRunEnded(_, commands):
            return tuple(go_on(*command.split(" ")[1:]) for command in commands)
        case EntryUnmet() | CheckUnrunnable() | MergeTrouble() | NotCleared() | Backoff():
            return (RESUME,)
        case UnitLeftOut() | AwaitsLeftOut() | NotWorking() | NotDriven() | NoSupervisor():
            return (RESUME,)
        case UnitStopped() | NotBegunAtStop() | StopAsked():
            return (RESUME,)
        case AgentEnding() | SprintsOpen() | ClearanceDue() | PlacesTaken() | TreeTaken():
            return ()
        case UsageLimited() | NextStep() | InTransition() | UnitNotBegun():
            return ()
        case _:
            assert_never(blocked.by)


def _evidence(x: str) -> Offer:
    return look("explain", x, "--evidence")


def _reject(x: str) -> Offer:
    return undo("reject", x, "--why", REASON)


def _accept(x: str) -> Offer:
    return let_pass("accept", x, "--why", REASON)


def _again(blocked: Blocked, *first: Offer) -> tuple[Offer, ...]:
    """Return the commands that lead to another order, if the sprint may get one (SM-10)."""
    retry = undo("retry", blocked.handle, "--note", REASON)
    return () if blocked.spent else (*first, retry)


def _refuse(gate: Gate) -> Offer:
    """Return the command that refuses a gate. If the gate covers several units, it names the unit
    that has to repair.
    """
    handles = {c.unit: c.handle or c.unit for c in gate.covers}
    blamed = [handles[name] for name in gate.to_repair if name in handles]
    named = ("--unit", blamed[-1] if blamed else ANY_UNIT) if len(handles) > 1 else ()
    return undo("reject", gate.id, *named, "--why", REASON)
