"""Describe blockers in words. This is the only module that turns them into text.

Text from a plan, an agent or git is escaped here.
"""

from collections.abc import Iterator
from typing import Any, assert_never

from topkick.engine import messages as h
from topkick.engine.agents.runs import Run, Stage
from topkick.engine.blockers import Intent, Offer
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
from topkick.sprint.blockers.model import Blocked, Blocker, UnitNotBegun
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
from topkick.sprint.gates.model import Gate
from topkick.sprint.model import Decision, Stance, Unit
from topkick.sprint.transitions import SprintState, UnitState
from topkick.text import escape
from topkick.text import format as fmt

LOOKS = {
    LookWhy.MANUAL: "a person has to check it",
    LookWhy.NO_CHECK: "no check shows that anything was done",
    LookWhy.NOT_CHECKABLE: "it has nothing that a machine can check",
    LookWhy.DONE_BEFORE: "all criteria passed before the order and the agent changed nothing",
}
STEPS = {
    NextMove.ORDER: "its next order is dispatched at the supervisor's next step",
    NextMove.BEGIN: "it begins at the supervisor's next step",
    NextMove.GO_ON: "it continues at the supervisor's next step",
    NextMove.MERGE: "its work is merged next",
    NextMove.CONDITION: "its condition is polled at the supervisor's next step",
}
DOES = {
    "explain": "what each check printed",
    "reject": "send it back; an attempt is charged",
    "retry": "one more order; no attempt is charged",
    "waive": "let this finding pass",
    "accept": "take it as it is",
}
"""What each command does to a sprint that waits for a decision about its work."""


# --- blockers that are stored --------------------------------------------------------------


def told(hold: Hold | None) -> str:
    """Return the blocker that the journal stores as one line, not escaped yet."""
    match hold:
        case None:
            return ""
        case EntryUnmet(criterion):
            return f"entry criterion not met: {criterion}"
        case CheckUnrunnable(check, lacks):
            return f"`{check}` cannot run here: {lacks}"
        case BudgetSpent(spent, begun):
            accept = ", or accept the sprint" if begun else ""
            return f"{spent}; raise it in topkick.toml{accept}"
        case DispatchesUsed(used):
            limit = "accept it, change the plan, or raise max_dispatches"
            return f"dispatched {used} times, still not done; {limit}"
        case Unchecked():
            return "no exit criterion that a machine can check; resume with --accept-unchecked"
        case MergeTrouble(why) | AgentUnusable(why=why):
            return why
        case FindingsOpen(findings):
            more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
            return f"a finding: {findings[0].what}{more}"
        case CheckCannotRun(check):
            return f"a check cannot run here: {check}"
        case PersonHasToLook(why):
            return LOOKS[why]
        case FatalCause():
            return _fatal(hold)
        case NotCleared(why):
            return f"what it builds on does not verify: {why}"
        case _:
            assert_never(hold)


def _fatal(cause: FatalCause) -> str:
    match cause.kind:
        case FatalKind.ATTEMPTS:
            return f"failed {cause.count} of {cause.most} attempts"
        case FatalKind.SAME_FAILURE:
            return f"the same failure {cause.count} times ({cause.mark})"
        case FatalKind.DISPATCHES:
            return f"dispatched {cause.count} times, still not done"
        case FatalKind.TROUBLES:
            return f"met infrastructure trouble {cause.count} times"
        case FatalKind.DECLARED:
            return "the condition failed in the way that the plan declares as failure"
        case _:
            assert_never(cause.kind)


def excerpt(hold: Hold | None) -> str:
    """Return what the failed command printed, if that is recorded."""
    match hold:
        case EntryUnmet() | CheckUnrunnable() | NotCleared():
            return hold.excerpt
        case _:
            return ""


def whole(hold: Hold | None) -> str:
    """Return the blocker's line, and below it what the command printed."""
    return "\n".join(filter(None, (told(hold), excerpt(hold))))


def rationale(decision: Decision | h.Decided) -> str:
    """Return a decision's reason: the blocker that it is about, then the rest of the reason."""
    return "; ".join(filter(None, (told(decision.blocker), decision.rationale)))


# --- all blockers --------------------------------------------------------------------------


def words(blocked: Blocked) -> str:
    """Return one line that is safe to show."""
    match blocked.by:
        case FatalCause():
            return escape.line(f"FATAL: {told(blocked.by)}", 300)
        case UnitStopped(unit, state, why):
            if blocked.handle == unit:
                return state.value
            return f"its unit {unit} is {state}{f' ({escape.line(why, 120)})' if why else ''}"
        case _:
            return _plain(blocked.by)


def _plain(blocker: Blocker) -> str:  # noqa: PLR0912
    match blocker:
        case EntryUnmet() | CheckUnrunnable() | BudgetSpent() | DispatchesUsed() | Unchecked():
            return escape.line(told(blocker), 300)
        case MergeTrouble() | FindingsOpen() | CheckCannotRun() | PersonHasToLook():
            return escape.line(told(blocker), 300)
        case FatalCause() | NotCleared() | AgentUnusable():
            return escape.line(told(blocker), 300)
        case UnderWay(x, run, claim):
            return _under_way(run, claim, escape.line(x))
        case AgentEnding(why):
            return f"its agent is being ended: {why}"
        case Draining(unit, until_us):
            by = fmt.iso(until_us)
            return f"{unit} is STOPPING: no order after this one, and it is ended by {by}"
        case OutOfTurn(unit, after, state):
            first = f"comes after {escape.line(after)}, which is {state}"
            return first if after else f"its unit {unit} has no sprint before it"
        case UnitsOpen(units):
            return f"waits for {', '.join(_standing(unit) for unit in units)}"
        case SprintsOpen(sprints):
            return f"waits for {', '.join(_awaited(sprint) for sprint in sprints)}"
        case GateDue(wait):
            done = "its sprints are done; it " if wait is GateWait.COMPLETION else ""
            return f"{done}waits for {gate_name(blocker)}"
        case ClearanceDue(commands):
            shown = ", ".join(f"`{escape.line(c, 60)}`" for c in commands[:3])
            return f"before it begins {shown} must pass"
        case PlacesTaken(by, most):
            return _places(by, most)
        case TreeTaken(by):
            return f"{escape.line(by)} may build in the shared tree, so no other agent works there"
        case Backoff(until_us, _, troubles):
            after = f"after infrastructure trouble ({troubles} so far); no attempt charged"
            return f"waits until {fmt.iso(until_us)} {after}"
        case UsageLimited(why, until_us):
            return f"{escape.line(why, 160)}; orders continue at {fmt.iso(until_us)}"
        case GateAsks(gate):
            return escape.line(_asks(gate), 300)
        case UnitLeftOut():
            return "left out by --only"
        case AwaitsLeftOut(names):
            return escape.line(f"waits for {', '.join(names)}, left out by --only", 300)
        case NotWorking(stance, why):
            return _stance(stance, escape.line(why, 120))
        case NotDriven():
            return "the last supervisor only answered commands, so no order is given"
        case NoSupervisor():
            return "no supervisor is running, so no order is given and no work is checked"
        case UnitStopped(unit, state):
            return f"its unit {unit} is {state}"
        case NotBegunAtStop():
            return "not begun when the run was stopped"
        case StopAsked(unit):
            return f"its unit {unit} is being stopped"
        case FileRunEnded(why):
            return escape.line(why, 400)
        case NextStep(step):
            return STEPS[step]
        case InTransition(unit, state):
            return f"its unit {unit} is {state}" if isinstance(state, UnitState) else f"is {state}"
        case UnitNotBegun(unit, by):
            return f"its unit {unit} has not begun: {'; '.join(map(_plain, by))}"
        case _:
            assert_never(blocker)


def _under_way(run: Run, claim: str | None, x: str) -> str:
    match run.stage:
        case Stage.SURVEYING:
            return f"the tree is surveyed before {x} is dispatched"
        case Stage.WORKING:
            return f"{_agent(run)} is at work on {x}"
        case Stage.CHECKING if run.dispatch is not None:
            return f"the work on {x} is being checked"
        case Stage.CHECKING if claim is not None:
            return f"claimed to be done before this run ({escape.line(claim, 120)}): being checked"
        case Stage.CHECKING:
            return f"the interrupted work on {x} is checked before it is dispatched again"
        case Stage.WAITING:
            poll = f"polled {run.polls} times, next at {fmt.iso(run.next_poll_at_us)}"
            return f"{x} waits for its condition: {poll}"
        case Stage.INTEGRATING:
            return f"the work of {x} is being merged"
        case _:
            assert_never(run.stage)


def _agent(run: Run) -> str:
    d = run.dispatch
    if d is None:
        return "an agent"
    model = f" ({escape.line(d.model, 40)})" if d.model else ""
    return f"{escape.line(d.agent, 40)}{model}, attempt {d.attempt}, since {fmt.iso(d.at_us)},"


def _standing(unit: Unit) -> str:
    """Describe where a unit is: `U1 parser (RUNNING, sprint 2/5)`."""
    of = len(unit.sprints)
    at = f", sprint {min(unit.at + 1, of)}/{of}" if unit.state is not UnitState.NOT_STARTED else ""
    return f"{unit.handle} {escape.line(unit.name, 40)} ({unit.state}{at})"


def _awaited(sprint: AwaitedSprint) -> str:
    x = escape.line(sprint.handle)
    if sprint.state is None:
        return x
    merged = ", not merged yet" if sprint.state is SprintState.COMPLETED else ""
    return f"{x} ({sprint.state}{merged})"


def gate_name(due: GateDue) -> str:
    """Name the gate: `gate G1`, `the gate of layer 0`."""
    gate = f"gate {due.gate}"
    match due.wait:
        case GateWait.CLEARANCE:
            return f"{gate}: what it builds on is verified first"
        case GateWait.CHECKPOINT:
            place = f"{due.checkpoint} after {escape.line(due.phase, 40)}"
            return f"{gate}: {place}" if due.gate else place
        case GateWait.NEXT_SPRINT | GateWait.COMPLETION:
            return gate if due.gate else f"the gate of {escape.line(due.phase, 40) or 'all units'}"
        case _:
            assert_never(due.wait)


def _places(by: tuple[str, ...], most: int) -> str:
    who = ", ".join(escape.line(name) for name in by[:8])
    first = (
        f"all {most} places for agents are taken ({who})"
        if most > 1
        else f"{who} has the only place"
    )
    return f"{first}; max_agents is {most}"


def _asks(gate: Gate) -> str:
    of = f"{gate.task} after {gate.phase}" if gate.task else f"gate of {', '.join(gate.units)}"
    about = f"{of}: {gate.verdict}"
    return (
        f"{about}: {gate.why}"
        if gate.why
        else f"{about}; a person decides whether the run continues"
    )


def _stance(stance: Stance, why: str) -> str:
    match stance:
        case Stance.IDLE:
            return "the run has not begun"
        case Stance.WORKING:
            return "the run is at work"
        case Stance.STOPPING:
            return f"the run is stopped ({why}): no new orders"
        case Stance.KILLED:
            return f"all agents were ended ({why}): no new orders"
        case _:
            assert_never(stance)


# --- commands to offer ---------------------------------------------------------------------


def does(blocked: Blocked, offer: Offer) -> str:
    """Describe what a command does; empty if the blocker needs no such description."""
    match blocked.by:
        case FindingsOpen():
            return {**DOES, "explain": "the finding and the diff"}[offer.verb]
        case FatalCause():
            return {**DOES, "retry": "try again, with all attempts"}[offer.verb]
        case CheckCannotRun() | PersonHasToLook():
            return DOES[offer.verb]
        case GateAsks(gate):
            return _does_at_gate(gate, offer.intent)
        case Backoff():
            return "tries it now"
        case _:
            return ""


def _does_at_gate(gate: Gate, intent: Intent) -> str:
    match intent:
        case Intent.LOOK:
            return "each command, and its result"
        case Intent.UNDO:
            return _refusal(gate)
        case Intent.GO_ON:
            return "has it judged again" if gate.task else "runs it again"
        case Intent.LET_PASS:
            return "lets it pass"
        case _:
            assert_never(intent)


def _refusal(gate: Gate) -> str:
    """Say which unit repairs a gate that a person refuses."""
    handles = {c.unit: c.handle or escape.line(c.unit) for c in gate.covers}
    blamed = [handles[name] for name in gate.to_repair if name in handles]
    all_of_them = list(handles.values())
    if len(all_of_them) < 2 or blamed:
        return f"{(blamed or all_of_them or ['it'])[-1]} gets a repair sprint"
    which = f"{', '.join(all_of_them[:-1])} or {all_of_them[-1]}"
    return f"U is {which}: it gets a repair sprint"


def offer_lines(blocked: Blocked, *, looks: bool = True) -> Iterator[str]:
    """Yield a line for each command, with what it does next to it; without `looks`, only commands
    that change something.
    """
    offers = [o for o in blocked.offers if looks or o.intent is not Intent.LOOK]
    found = [(escape.line(o.command), does(blocked, o)) for o in offers]
    wide = max((len(command) for command, what in found if what), default=0)
    for command, what in found:
        yield f"{command:<{wide}}  {what}" if what else command


def offers_json(blocked: Blocked) -> list[dict[str, Any]]:
    return [{"command": o.command, "does": does(blocked, o) or None} for o in blocked.offers]


def first_command(blocked: Blocked) -> str:
    return next((offer.command for offer in blocked.offers), "")
