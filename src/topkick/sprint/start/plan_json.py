"""The plan as topkick read it, as JSON."""

from dataclasses import asdict
from typing import Any

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import Criterion, PlanFinding
from topkick.plan_format.order.waits import pairs_of_unit
from topkick.sprint.model import Mission, Sprint, Unit

SCHEMA = "topkick.plan/2"


def as_json(mission: Mission, reading: PlanReading) -> dict[str, Any]:
    """Return the plan as JSON. Field names that people who grade plans by hand use are kept;
    topkick adds others.
    """
    units = list(mission.units.values())
    notes = reading.notes
    return {
        "schema": SCHEMA,
        "title": reading.title,
        "name": reading.plan.title,
        "operation": reading.plan.feature_name,
        "sha256": reading.plan.sha256,
        "work_unit_count": len(units),
        "total_sprints": sum(len(unit.sprints) for unit in units),
        "work_units": [_unit(unit, reading) for unit in units],
        "detection": {"work_units": reading.rule, "sprints": reading.sprint_rule},
        "sprint_dependencies": [
            pair
            for unit in units
            for pair in pairs_of_unit([s.plan for s in unit.sprints], unit.name, reading.after)
        ],
        "cross_unit_sprint_dependencies": [
            [f"{ref.unit}/{ref.sprint}", f"{unit.name}/{sprint.id}"]
            for unit in units
            for sprint in unit.sprints
            for ref in sprint.plan.waits_for
        ],
        "dispatch_template": _template(reading),
        "gate": list(reading.plan.gate),
        "checkpoints": [asdict(checkpoint) for checkpoint in reading.plan.checkpoints],
        "global_entry_checks": len(notes.entry),
        "global_exit_checks": len(notes.exit),
        "global_exit_commands": _commands(notes.exit),
        "dangerous_commands_in_fences": [danger.message for danger in notes.dangers],
        "open_questions": [_finding(question) for question in notes.questions],
        "referenced_files": list(notes.files),
        "findings": [_finding(finding) for finding in reading.findings],
    }


def _unit(unit: Unit, reading: PlanReading) -> dict[str, Any]:
    return {
        "handle": unit.handle,
        "name": unit.name,
        "dir": _written(unit, reading),
        "directory": unit.plan.directory,
        "sprint_count": len(unit.sprints),
        "layer": unit.plan.layer,
        "phase": unit.plan.phase,
        "verify": list(unit.plan.verify),
        "depends_on": list(unit.plan.waits_for),
        "allowed_imports": unit.plan.imports,
        "line": unit.plan.line,
        "sprints": [_sprint(unit, sprint, reading) for sprint in unit.sprints],
    }


def _written(unit: Unit, reading: PlanReading) -> str:
    written = reading.written.get(unit.name, "").replace("`", "").strip()
    return written or unit.plan.directory


def _sprint(unit: Unit, sprint: Sprint, reading: PlanReading) -> dict[str, Any]:
    plan = sprint.plan
    read = reading.sprints[unit.name, sprint.id]
    return {
        "handle": f"{unit.handle}/{sprint.id}",
        "id": sprint.id,
        "name": plan.name,
        "type": plan.effective_type.value,
        "line": plan.line,
        "exit_criteria": len(read.listed),
        "exit_commands": _commands(read.listed),
        "verification_commands": list(read.scripts),
        "tasks": len(plan.tasks),
        "entry_criteria": len(plan.entry),
        "priority": read.priority,
        "estimated_turns": read.turns,
        "checked": read.ticked,
        "checkbox_items": read.boxes,
        "task_list": list(plan.tasks),
        "entry": [_criterion(criterion) for criterion in plan.entry],
        "exit": [_criterion(criterion) for criterion in plan.exit],
        "dependencies_only": plan.dependencies_only,
        "waits_for": [f"{ref.unit}/{ref.sprint}" for ref in plan.waits_for],
    }


def _commands(criteria: tuple[Criterion, ...]) -> list[list[Any]]:
    """Return [number of the criterion, command] for criteria that name a command."""
    return [[n, c.named] for n, c in enumerate(criteria, start=1) if c.named]


def _template(reading: PlanReading) -> dict[str, Any]:
    template = reading.template
    if not template.text:
        return {"present": False}
    return {
        "present": True,
        "heading": template.heading,
        "line": template.line,
        "placeholders": list(template.placeholders),
    }


def _criterion(criterion: Criterion) -> dict[str, Any]:
    return {
        "text": criterion.text,
        "kind": criterion.kind.value,
        "check": criterion.command,
        "line": criterion.line,
    }


def _finding(finding: PlanFinding) -> dict[str, Any]:
    return {"line": finding.line, "message": finding.message}
