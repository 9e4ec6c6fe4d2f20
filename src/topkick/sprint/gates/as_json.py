"""Gates as JSON: what each gate covers, its verdict, and on request every run."""

from typing import Any

from topkick.sprint.explain.evidence import result_json
from topkick.sprint.gates.attribution import Try, next_step
from topkick.sprint.gates.due import gate_commands
from topkick.sprint.gates.model import Gate, GateRun
from topkick.sprint.model import Mission
from topkick.text import format as fmt


def mode(mission: Mission) -> dict[str, Any]:
    """Return the mode of build gates, their commands, and where the commands come from."""
    if mission.settings is None:
        return {"mode": None, "commands": [], "from": None}
    named = gate_commands(mission)
    commands = named or mission.gate_detected
    whose = "manifests" if commands else None
    if named:
        whose = "plan" if mission.plan is not None and mission.plan.gate else "configuration"
    return {"mode": mission.settings.gate.value, "commands": list(commands), "from": whose}


def all_of(mission: Mission) -> list[dict[str, Any]]:
    return [of(gate) for gate in (*mission.past_gates, *mission.gates.values())]


def of(gate: Gate) -> dict[str, Any]:
    wanted = next_step(gate) if gate.verdict is None else None
    return {
        "id": gate.id,
        "kind": gate.kind.value,
        "phase": gate.phase or None,
        "final": gate.final,
        "units": list(gate.units),
        "clears": gate.clears or None,
        "checkpoint": gate.task or None,
        "state": _state(gate),
        "running": list(wanted.units) if isinstance(wanted, Try) else None,
        "runs": len(gate.runs),
        "verdict": gate.verdict.value if gate.verdict is not None else None,
        "why": gate.why or None,
        "blamed": [list(group) for group in gate.groups],
        "passed": gate.passed,
        "accepted": gate.accepted or None,
        "commands": list(gate.commands),
        "held": [{"unit": held.unit, "command": held.command} for held in gate.held],
        "opened_at": fmt.iso(gate.opened_at_us) if gate.opened_at_us else None,
        "closed_at": fmt.iso(gate.closed_at_us) if gate.closed_at_us else None,
    }


def _state(gate: Gate) -> str:
    if gate.closed_at_us:
        return "closed"
    return "open" if gate.verdict is None else "waits for a person"


def with_runs(gate: Gate) -> dict[str, Any]:
    return {**of(gate), "every_run": [_run(run) for run in gate.runs]}


def _run(run: GateRun) -> dict[str, Any]:
    return {
        "units": list(run.units),
        "commits": [{"path": tip.path, "commit": tip.commit} for tip in run.tips],
        "tree": run.tree or None,
        "trouble": run.trouble or None,
        "by_manifests": run.detected,
        "results": [result_json(result) for result in run.results],
        "failing": [mark.replace("\t", ": ") for mark in run.failing],
        "suspects": list(run.suspects),
    }
