"""Describe each notable record in one line; other records of the journal have none."""

import re

from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, Ending
from topkick.engine.evolve import evolve
from topkick.engine.views import refusal_lines
from topkick.sprint.check_wording import told
from topkick.sprint.gates import views as gates
from topkick.sprint.gates.model import (
    LETS_PASS,
    Gate,
    GateKind,
    GateMode,
    GateRun,
    GateVerdict,
    is_red,
    waits_at_the_end,
)
from topkick.sprint.model import Mission, Proof, Stance
from topkick.sprint.status import proof_told
from topkick.sprint.transitions import SprintCause, SprintState, UnitState
from topkick.sprint.views import blocker_lines
from topkick.sprint.views.activity import handle_of
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
            until = f", waits until {fmt.iso(not_before_us)}"
            rests = until if not_before_us > mission.at_us else ""
            return f"{_of(mission, unit, sprint)}: {escape.line(why, 160)}; not charged{rests}"
        case h.HoldPlaced(unit, sprint, hold):
            held = escape.line(blocker_lines.told(hold), 160)
            return f"{_of(mission, unit, sprint)}: held, {held}"
        case h.SprintReopened(unit, sprint):
            return f"{_of(mission, unit, sprint)}: reopened, a person asked for another try"
        case h.Decided(unit) if unit not in mission.units and _is_gate(unit):
            return _gate_decided(happening)
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
            return _of_gate(mission, happening)
        case _:
            return _of_the_whole(mission, happening) or (
                None if mission.units else _of_files(happening)
            )


def _of_the_plan_file(mission: Mission) -> str:
    if mission.plan_edited == h.PLAN_DELETED:
        return "the plan file was deleted; the run continues with the accepted plan"
    if not mission.plan_edited:
        return "the plan file is the accepted plan again"
    return "the plan was edited; the next resume applies the edit"


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
            return "the edited plan was applied"
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
            return f", {proof_told(sprint)}"
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


# --- gates ---------------------------------------------------------------------------------

GateHappening = h.GateOpened | h.GateRan | h.GateJudged | h.GateClosed | h.GateDropped


def _is_gate(name: str) -> bool:
    return re.fullmatch(r"G\d+", name) is not None


def _of_gate(mission: Mission, happening: GateHappening) -> str | None:
    match happening:
        case h.GateOpened(gate):
            return _gate_opened(gate)
        case h.GateRan(gate_id, number, run):
            ran = gates.find(mission, gate_id)
            return _gate_ran(ran, number, run) if ran is not None else None
        case h.GateJudged(gate_id):
            judged = gates.find(mission, gate_id)
            return _gate_judged(mission, judged, happening) if judged is not None else None
        case h.GateClosed():
            return None
        case h.GateDropped(gate_id):
            return f"Gate {gate_id}: dropped; a new gate runs when it is due"


def _gate_opened(gate: Gate) -> str:
    if gate.kind is GateKind.CLEARANCE:
        return f"{gates.title(gate)}: verifying what it builds on"
    if gate.task:
        return f"{gates.title(gate)}: judging the work of {gates.names(gate.units)}"
    together = " together" if len(gate.units) > 1 else ""
    return f"{gates.title(gate)}: building the work of {gates.names(gate.units)}{together}"


def _gate_ran(gate: Gate, number: int, run: GateRun) -> str | None:
    """Describe one run of a build gate; None for a first run that is not red, since its verdict
    follows at once.
    """
    red = _red(gate, run)
    if gate.kind is not GateKind.BUILD or (number == 1 and not red):
        return None
    what = f"Gate {gate.id}, run {number}, {gates.content(gate, run.units, number)}"
    if run.trouble:
        return f"{what}: the work cannot be merged ({escape.line(run.trouble, 120)})"
    return f"{what}: {escape.line(red, 120) if red else 'green'}"


def _red(gate: Gate, run: GateRun) -> str:
    held = frozenset(x.command for x in gate.held)
    return next((told(r) for r in run.results if is_red(r, held)), "")


def _gate_judged(mission: Mission, gate: Gate, e: h.GateJudged) -> str | None:
    """Describe the gate as it was at its verdict, since the mission may have moved on. A clearance
    that did not pass has its own line at the unit.
    """
    if gate.kind is GateKind.CLEARANCE and e.verdict is not GateVerdict.PASSED:
        return None
    then = evolve(gate, verdict=e.verdict, why=e.why, groups=e.groups, accepted="", closed_at_us=0)
    asks = mission.settings is not None and mission.settings.gate is GateMode.ASK
    is_asked = gate.kind is not GateKind.CLEARANCE
    asks = asks or waits_at_the_end(then)
    waits = is_asked and (asks if e.verdict in LETS_PASS else not e.groups)
    then_what = f"; waits for a person: topkick explain {gate.id}" if waits else ""
    return f"{gates.title(gate)} {gates.found(then)}{then_what}"


def _gate_decided(e: h.Decided) -> str | None:
    """Describe what a gate asks a person, or a person's answer; other decisions are logged by their
    events.
    """
    if e.kind is h.DecisionKind.GATE_ASKS:
        why, gate = escape.line(e.rationale, 160), escape.line(e.unit)
        return f"Gate {gate} waits for a person because {why}: topkick explain {gate}"
    if e.kind is h.DecisionKind.GATE_ANSWERED:
        how = e.decision.removeprefix("Gate ")
        return f"Gate {escape.line(e.unit)} {escape.line(how)}: {escape.line(e.rationale, 160)}"
    return None
