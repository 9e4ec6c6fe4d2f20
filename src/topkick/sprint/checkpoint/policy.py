"""Carry out a person's answer at a checkpoint (CK-14): continue anyway, or have the
work revised.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit
from topkick.engine.messages import questions as q
from topkick.plan_format.model import CHECKPOINT_OVERRIDES, SprintPlan, UnitPlan
from topkick.sprint.gates.model import Gate, GateVerdict
from topkick.sprint.model import Mission, Unit

OUTPUT_SHOWN = 6_000
REVISION_TEXT = """\
A judge checked {task} after {place}. A person wants the work revised before the run continues:

> {why}

The work of all units is in this tree. Find out what the judge means, and fix it where it is wrong.
Keep everything that the sprints delivered, and do not weaken any check. The judge checks the work
again afterwards.

Output of the judge:

{output}"""


def overridden(mission: Mission, gate: Gate, why: str) -> h.EditsAsked:
    """Add the override to the session's wisdom, together with edits that are not written yet."""
    assert gate.checkpoint is not None
    day = datetime.fromtimestamp(mission.at_us / 1e6, UTC).date().isoformat()
    said = " ".join(why.split())
    line = f"- {day} {gate.task} ({gate.verdict}): overridden by a person at {gate.id}: {said}\n"
    edit = Edit(
        f"{gate.checkpoint.session}/{CHECKPOINT_OVERRIDES}", "", Text.of(line), appends=True
    )
    return h.EditsAsked((*mission.editing, edit))


def was_written(question: q.WhatOfEdits) -> Sequence[h.Event]:
    if not question.trouble:
        return ()
    return (h.Decided("", "", "Not written into wisdom", question.trouble),)


def revised_by(mission: Mission, gate: Gate, unit: Unit, why: str) -> Iterator[h.Event]:
    """Add a unit that revises the work in the same directory; COMPLETED units stay completed."""
    assert gate.checkpoint is not None
    number = 1 + sum(bool(u.plan.revises) for u in mission.units.values())
    name = f"Revision {number}"
    while name in mission.units:
        name += "'"
    yield h.UnitAdded(
        UnitPlan(
            name,
            unit.plan.directory,
            sprints=(_sprint(gate, unit, why),),
            imports=unit.plan.imports,
            phase=f"revision {number}",
            revises=gate.checkpoint.id,
        )
    )
    yield h.Decided(name, "", "Revision begins", f"what {unit.name} did, for {gate.task}")


def _sprint(gate: Gate, unit: Unit, why: str) -> SprintPlan:
    checks = {c.command: c for s in unit.sprints for c in s.plan.checks}
    results = gate.runs[-1].results if gate.runs else ()
    lines = (line for r in results for line in r.excerpt[-OUTPUT_SHOWN:].splitlines())
    text = REVISION_TEXT.format(
        task=gate.task,
        place=gate.phase,
        why=why.replace("\n", "\n> "),
        output="\n".join(f"    {line}" for line in lines),
    )
    return SprintPlan(
        id="1",
        name=f"Revise {unit.name} for {gate.task}",
        text=text.strip(),
        exit=tuple(checks.values()),
        generated=True,
        repair=True,
    )


def judged_anew(mission: Mission) -> Iterator[h.Event]:
    """Have a blocked checkpoint judged again on resume, in a new round, since the old round has its
    report.
    """
    for gate in mission.gates.values():
        if gate.checkpoint is not None and gate.verdict is GateVerdict.BLOCKED:
            yield h.GateClosed(gate.id, passed=False)
            next_one = gate.checkpoint.in_round(gate.round + 1).id
            yield h.Decided(gate.id, "", "Judged again", f"as {next_one}, on resume")
