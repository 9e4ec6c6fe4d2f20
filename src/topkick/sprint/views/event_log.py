"""Describe each notable record in one line; other records of the journal have none."""

from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, Ending
from topkick.engine.views import refusal_lines
from topkick.sprint.gates import log as gate_story
from topkick.sprint.model import Mission, Proof, Stance
from topkick.sprint.transitions import SprintCause, SprintState, UnitState
from topkick.sprint.views import blocker_lines, proofs
from topkick.sprint.views.next_event import handle_of
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

SALVAGED = "refs/topkick/salvage/"
SAID_ELSEWHERE = (
    h.DecisionKind.EVENT,
    h.DecisionKind.MODEL_BY_SCORE,
    h.DecisionKind.MODEL_BY_RULE,
)


def tell(mission: Mission, happening: h.Happening, at_us: int, utc_offset_s: int = 0) -> str | None:
    """Return the line with its time, or None: `12:04:11 U2/1 parser: dispatched to claude`."""
    said = line(mission, happening)
    return None if said is None else f"{fmt.clock(at_us, utc_offset_s)} {said}"


def line(mission: Mission, happening: h.Happening) -> str | None:
    """Return the line of a record, or None. `mission` is the state after the record, or after its
    whole step.
    """
    match happening:
        case h.UnitMoved():
            return _unit_moved(mission, happening)
        case h.SprintMoved():
            return _sprint_moved(mission, happening)
        case h.RunDispatched():
            return _dispatched(mission, happening)
        case h.RunCancelled(run_id, why, grace_s):
            return f"{_of_run(mission, run_id)}: ending its agent ({why}, {grace_s:g} s grace)"
        case h.AgentExited(run_id, agent_exit):
            return f"{_of_run(mission, run_id)}: {ended(agent_exit)}"
        case h.TroubleMet(unit, sprint, why, not_before_us):
            until = f", rests until {fmt.iso(not_before_us)}"
            rests = until if not_before_us > mission.at_us else ""
            return f"{_of(mission, unit, sprint)}: {escape.line(why, 160)}; not charged{rests}"
        case h.HoldPlaced(unit, sprint, hold):
            held = escape.line(blocker_lines.told(hold), 160)
            return f"{_of(mission, unit, sprint)}: held, {held}"
        case h.SprintReopened(unit, sprint):
            return f"{_of(mission, unit, sprint)}: to be tried again, as a person asked"
        case h.Decided(unit) if unit not in mission.units and gate_story.is_gate(unit):
            return gate_story.decided(happening)
        case h.Decided():
            return _decided(mission, happening)
        case h.SprintAdded(unit, plan):
            return (
                f"{_of(mission, unit)}: gets {escape.line(plan.id)}, {escape.line(plan.name, 60)}"
            )
        case h.UnitHeld(unit, hold) if hold:
            why = escape.line(blocker_lines.told(hold), 200)
            return f"{_of(mission, unit)}: may not begin, {why}"
        case h.GateOpened() | h.GateRan() | h.GateJudged() | h.GateClosed() | h.GateDropped():
            return gate_story.line(mission, happening)
        case _:
            return _of_the_whole(mission, happening) or (
                None if mission.units else _of_files(happening)
            )


def _of_the_plan_file(mission: Mission) -> str:
    if mission.plan_edited == h.PLAN_DELETED:
        return "the plan was deleted; the run goes on with the plan as it was accepted"
    if not mission.plan_edited:
        return "the plan is again as it was accepted"
    return "the plan was edited; the next resume takes it over"


def _of_the_whole(mission: Mission, happening: h.Happening) -> str | None:
    match happening:
        case h.SupervisorWoke(epoch, driven):
            return f"supervisor {epoch} took over" if driven else None
        case h.MissionBegan(_, policy, plan) if not plan.units:
            return f"{escape.line(policy)}: {escape.line(plan.title, 80)}"
        case h.MissionBegan(_, _, plan):
            sprints = sum(len(u.sprints) for u in plan.units)
            name = escape.line(plan.feature_name or plan.title, 60)
            return f"{name}: {counted(len(plan.units), 'work unit')}, {counted(sprints, 'sprint')}"
        case h.StanceTaken(stance, why):
            return f"{_STANCES[stance]} ({escape.line(why, 100)})"
        case h.AgentDown(down):
            return f"agent {escape.line(down.agent)} cannot be used: {escape.line(down.why, 160)}"
        case h.PlanEdited():
            return _of_the_plan_file(mission)
        case h.PlanRevised():
            return "the edited plan was taken over"
        case h.SettingsChanged():
            return "the settings were changed"
        case h.BackgroundEnded(_, agent_exit):
            code = f" with {agent_exit.code}" if agent_exit.code is not None else ""
            return f"a background process ended{code}"
        case h.CommandRefused(refusal):
            return refusal_lines.line(refusal)
        case h.NeedResolved(number, why):
            return f"cross-unit need {number} is resolved: {escape.line(why, 100)}"
        case _:
            return None


def _of_files(happening: h.Happening) -> str | None:
    """Describe a record of a run whose truth is a file, which has no units."""
    match happening:
        case h.LimitMet(_, why, until_us):
            return f"{escape.line(why, 160)}; waits until {fmt.iso(until_us)}"
        case h.MissionEnded(done, why):
            return f"{'done' if done else 'ended'}: {escape.line(why, 400)}"
        case _:
            return None


_STANCES = {
    Stance.IDLE: "idle",
    Stance.WORKING: "at work",
    Stance.STOPPING: "stopping: no new orders, agents at work may finish",
    Stance.KILLED: "killing all agents",
}


def _unit_moved(mission: Mission, e: h.UnitMoved) -> str:
    who = _of(mission, e.unit)
    match e.now:
        case UnitState.RUNNING:
            return f"{who}: {'started' if e.was is UnitState.NOT_STARTED else 'resumed'}"
        case UnitState.BLOCKED:
            return f"BLOCKED {who}: its sprint is FATAL; topkick status says why and what helps"
        case _:
            return f"{who}: {e.now.value}"


def _sprint_moved(mission: Mission, e: h.SprintMoved) -> str | None:
    who = _of(mission, e.unit, e.sprint)
    said = blocker_lines.told(e.blocker) or e.why
    why = f": {escape.line(said, 200)}" if said else ""
    match e.now:
        case SprintState.COMPLETED:
            return f"{who}: COMPLETED{_proof(mission, e)}"
        case SprintState.PARTIAL:
            return f"{who}: PARTIAL{why}"
        case SprintState.BACKOFF if e.cause is SprintCause.KILLED:
            return f"{who}: BACKOFF, interrupted; not charged"
        case SprintState.BACKOFF if e.cause is not SprintCause.TROUBLED:
            return f"{who}: BACKOFF{why}"
        case SprintState.FATAL:
            return f"{who}: FATAL{why}"
        case SprintState.RUNNING:
            return f"{who}: at work"
        case _:
            return None


def _proof(mission: Mission, e: h.SprintMoved) -> str:
    if e.cause is SprintCause.ACCEPTED:
        return f", accepted by a person: {escape.line(e.why, 160)}"
    sprint = mission.sprint(e.unit, e.sprint)
    match sprint.proof:
        case Proof.CHECKED:
            return f", {proofs.told(sprint)}"
        case Proof.UNCHECKED:
            return ", unchecked (committed; no check proves it)"
        case _:
            return ""


def _dispatched(mission: Mission, e: h.RunDispatched) -> str:
    d = e.dispatch
    most = mission.settings.max_retries if mission.settings is not None else 0
    model = f" ({escape.line(d.model, 40)})" if d.model else ""
    who = _of_run(mission, e.run_id)
    if not mission.units:
        return f"{who}: dispatched to {escape.line(d.agent)}{model} as {escape.line(e.run_id)}"
    return f"{who}: dispatched to {escape.line(d.agent)}{model}, attempt {d.attempt}/{most}"


def ended(agent_exit: AgentExit) -> str:
    match agent_exit.how:
        case Ending.EXITED:
            return f"its agent ended with {agent_exit.code}"
        case Ending.SIGNALED:
            return f"its agent was ended by signal {agent_exit.signal}"
        case Ending.DEADLINE:
            return "its agent ran out of time"
        case Ending.STOPPED:
            return "its agent was stopped"
        case Ending.CANNOT_START:
            return f"its agent cannot start: {escape.line(agent_exit.detail, 160)}"
        case Ending.LOST:
            return "its agent is lost"


def _decided(mission: Mission, e: h.Decided) -> str | None:
    if e.kind in SAID_ELSEWHERE:
        return None
    why = blocker_lines.rationale(e).replace(SALVAGED, "topkick salvage show ")
    said = f"{escape.line(e.decision, 80)}: {escape.line(why, 160)}"
    if not e.unit and not mission.units:
        return f"{escape.line(e.sprint, 80)}: {said}" if e.sprint else said
    if not e.unit:
        return said if e.kind is h.DecisionKind.AGENT_CHANGED else None
    return f"{_of(mission, e.unit, e.sprint)}: {said}"


def _of_run(mission: Mission, run_id: str) -> str:
    """Name the sprint of a run, even if the run is closed: one step may close a run and describe
    it.
    """
    run = mission.runs.get(run_id)
    if run is not None:
        return _of(mission, run.unit, run.sprint)
    for unit in mission.units.values():
        for sprint in unit.sprints:
            judged = sprint.outcome is not None and sprint.outcome.run_id == run_id
            if judged or sprint.interrupted_run == run_id:
                return _of(mission, unit.name, sprint.id)
    return escape.line(run_id)


def _of(mission: Mission, unit: str, sprint: str = "") -> str:
    known = mission.units.get(unit)
    if known is None:
        return escape.line(f"{unit}/{sprint}" if unit and sprint else sprint or unit)
    handle = handle_of(mission, unit, sprint) if sprint else known.handle
    return f"{escape.line(handle)} {escape.line(unit)}"
