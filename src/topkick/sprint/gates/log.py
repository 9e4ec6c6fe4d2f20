"""Describe what happens at gates, one line for each event, for the log."""

import re

from topkick.engine import messages as h
from topkick.engine.evolve import evolve
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
from topkick.sprint.model import Mission
from topkick.text import escape

GateHappening = h.GateOpened | h.GateRan | h.GateJudged | h.GateClosed | h.GateDropped


def is_gate(name: str) -> bool:
    return re.fullmatch(r"G\d+", name) is not None


def line(mission: Mission, happening: GateHappening) -> str | None:
    match happening:
        case h.GateOpened(gate):
            return _opened(gate)
        case h.GateRan(gate_id, number, run):
            ran = gates.find(mission, gate_id)
            return _ran(ran, number, run) if ran is not None else None
        case h.GateJudged(gate_id):
            judged = gates.find(mission, gate_id)
            return _judged(mission, judged, happening) if judged is not None else None
        case h.GateClosed():
            return None
        case h.GateDropped(gate_id):
            return f"Gate {gate_id}: set aside; it is run anew when it is due"


def _opened(gate: Gate) -> str:
    if gate.kind is GateKind.CLEARANCE:
        return f"{gates.title(gate)}: verifying what it builds on"
    if gate.task:
        return f"{gates.title(gate)}: judging the work of {gates.names(gate.units)}"
    together = " together" if len(gate.units) > 1 else ""
    return f"{gates.title(gate)}: building the work of {gates.names(gate.units)}{together}"


def _ran(gate: Gate, number: int, run: GateRun) -> str | None:
    """Describe one run of a build gate; None for a first run that is not red, since its verdict
    follows at once.
    """
    red = _red(gate, run)
    if gate.kind is not GateKind.BUILD or (number == 1 and not red):
        return None
    what = f"Gate {gate.id}, run {number}, {gates.content(gate, run.units, number)}"
    if run.trouble:
        return f"{what}: cannot be put together ({escape.line(run.trouble, 120)})"
    return f"{what}: {escape.line(red, 120) if red else 'green'}"


def _red(gate: Gate, run: GateRun) -> str:
    held = frozenset(x.command for x in gate.held)
    return next((told(r) for r in run.results if is_red(r, held)), "")


def _judged(mission: Mission, gate: Gate, e: h.GateJudged) -> str | None:
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


def decided(e: h.Decided) -> str | None:
    """Describe what a gate asks a person, or a person's answer; other decisions are logged by their
    events.
    """
    if e.kind is h.DecisionKind.GATE_ASKS:
        why, gate = escape.line(e.rationale, 160), escape.line(e.unit)
        return f"Gate {gate} waits for a person, for {why}: topkick explain {gate}"
    if e.kind is h.DecisionKind.GATE_ANSWERED:
        how = e.decision.removeprefix("Gate ")
        return f"Gate {escape.line(e.unit)} {escape.line(how)}: {escape.line(e.rationale, 160)}"
    return None
