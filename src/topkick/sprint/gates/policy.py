"""Open gates when they are due, and decide what follows from their verdict.

A build gate builds and tests the work of several units together; a clearance runs the commands that
verify the units that a unit waits for; a checkpoint asks a judge. `gates.due` says which gate is
due and what it covers. `gates.attribution` says which build to run next and, in the end, the
verdict. This module turns the verdict into events:

- A verdict that lets pass (passed, warned, flaky, red before the work began, nothing to run) closes
  the gate. In mode ASK the gate waits for a person anyway. So does the last gate of a run if it ran
  something and proved nothing.
- A verdict that names units leads to repairs: each group of units that fails gets one repair
  sprint, for the unit of the group that was integrated last. Its exit criteria are the gate's
  commands and all earlier criteria of the unit. No attempt is charged and no finished sprint is
  reopened. The gate is closed; once the repairs are done, a new gate covers the work.
- If one of these units is not RUNNING, or has had MOST_REPAIRS repairs since it last passed a gate,
  nothing is repaired and the gate waits for a person. So does a gate that is not passed and names
  no unit: unclear, cannot run, or blocked by a judge.
- A clearance never waits for a person. If it does not pass, its unit is held, and tried again when
  a unit completes or on resume.

A gate that is stuck is dropped when the work that it would cover has changed, and on resume. It is
run again when it is due.
"""

from collections.abc import Iterator, Sequence

from topkick.checks.model import CheckResult
from topkick.engine import messages as h
from topkick.engine.evolve import evolve
from topkick.engine.refusals import CommandName
from topkick.plan_format.model import Criterion, CriterionKind, SprintPlan
from topkick.sprint.blockers.holds import NotCleared
from topkick.sprint.check_wording import name_of
from topkick.sprint.checkpoint.due import due_checkpoint
from topkick.sprint.checkpoint.policy import overridden, revised_by
from topkick.sprint.gates.attribution import Blame, next_step
from topkick.sprint.gates.due import clearance_for, due_gate, is_stuck, outdated
from topkick.sprint.gates.model import (
    LETS_PASS,
    REPAIR,
    Gate,
    GateKind,
    GateMode,
    GateVerdict,
    is_red,
    waits_at_the_end,
)
from topkick.sprint.model import Mission, Unit
from topkick.sprint.obey.model import GateNotAsking, GateUnitNeeded, UnitNotRunning
from topkick.sprint.transitions import SprintState, UnitState
from topkick.text.format import counted

MOST_REPAIRS = 3
WAITS = "Gate waits for a person"
ASKS, ANSWERED = h.DecisionKind.GATE_ASKS, h.DecisionKind.GATE_ANSWERED
OUTPUT_SHOWN = 6_000
REPAIR_TEXT = """\
{why}

topkick built and tested the work of all units together, and it fails with the work of this
unit{who}. The work of all units is in this tree. Find out why, and fix it where it is wrong. Keep
everything that the sprints delivered, and do not weaken any test.

{output}"""


def open_a_gate(mission: Mission) -> Sequence[h.Event]:
    """Drop outdated gates; else open the gate that is due. The policy asks this only if no unit can
    be given work.
    """
    if dropped := tuple(h.GateDropped(gate.id) for gate in outdated(mission)):
        return dropped
    gate = due_gate(mission) or due_checkpoint(mission)
    if gate is None:
        return ()
    about = f"{gate.task}, of " if gate.task else "of "
    return (h.GateOpened(gate), _decided(gate, "Gate opened", about + ", ".join(gate.units)))


def clear_a_unit(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Open the clearance that must pass before the unit begins, unless it is open
    already (GT-01).
    """
    gate = clearance_for(mission, unit)
    return () if gate is None else (h.GateOpened(gate),)


def was_run(mission: Mission, gate: Gate) -> Sequence[h.Event]:
    """Judge the gate after a run; empty if another run is needed before the verdict is clear."""
    found = next_step(gate)
    if not isinstance(found, Blame):
        return ()
    judged = h.GateJudged(gate.id, found.verdict, found.why, found.groups)
    gate = evolve(gate, verdict=found.verdict, groups=found.groups)
    if gate.kind is GateKind.CLEARANCE:
        return (judged, *_cleared(gate, found))
    told = _decided(gate, f"Gate {found.verdict}", _told(gate, found))
    return (judged, told, *_followed(mission, gate, found))


def _followed(mission: Mission, gate: Gate, found: Blame) -> Iterator[h.Event]:
    assert mission.settings is not None
    if found.verdict in LETS_PASS:
        if waits_at_the_end(gate):
            yield _decided(gate, WAITS, "the last gate of the run proved nothing", ASKS)
        elif mission.settings.gate is not GateMode.ASK:
            yield h.GateClosed(gate.id, passed=True)
        return
    repairs = tuple(_repairs(mission, gate, found))
    if repairs:
        yield from repairs
        yield h.GateClosed(gate.id, passed=False)
    elif found.groups:
        yield _decided(
            gate, WAITS, "the unit to blame cannot repair it, or has no repairs left", ASKS
        )


def _told(gate: Gate, found: Blame) -> str:
    runs = counted(len(gate.runs), "run")
    who = "; ".join(" with ".join(group) for group in found.groups)
    return "; ".join(part for part in (found.why, who, runs) if part)


def _cleared(gate: Gate, found: Blame) -> Iterator[h.Event]:
    """Close a clearance. If it did not pass, hold its unit; no attempt is charged, and the hold is
    lifted when a unit completes and on resume.
    """
    passed = found.verdict is GateVerdict.PASSED
    yield h.GateClosed(gate.id, passed=passed)
    if not passed:
        excerpt = "\n".join(r.excerpt for r in gate.runs[-1].results if not r.passed)
        hold = NotCleared(found.why, excerpt.strip())
        yield h.UnitHeld(gate.clears, hold)
        yield h.Decided(gate.clears, "", "Held", blocker=hold, kind=h.DecisionKind.EVENT)


# --- repairs -------------------------------------------------------------------------------


def _repairs(mission: Mission, gate: Gate, found: Blame) -> Iterator[h.Event]:
    """Yield a repair sprint for each group that fails; none if one of the units cannot repair or
    has tried too often.
    """
    chosen = [mission.units[group[-1]] for group in found.groups]
    if not chosen or not all(_may_repair(unit) for unit in chosen):
        return
    for unit, group in zip(chosen, found.groups, strict=True):
        plan = repair_sprint(gate, unit, group, found.why)
        yield repaired_by(mission, unit, plan)
        yield h.Decided(unit.name, plan.id, "To be repaired", found.why, kind=h.DecisionKind.EVENT)


def repaired_by(mission: Mission, unit: Unit, plan: SprintPlan) -> h.SprintAdded:
    current = unit.current
    begun = current is not None and current.state is not SprintState.PENDING
    return h.SprintAdded(unit.name, plan, begun or mission.run_of(unit.name) is not None)


def _may_repair(unit: Unit) -> bool:
    tried = sum(s.id.startswith(REPAIR) for s in unit.sprints[unit.gated :])
    return unit.state is UnitState.RUNNING and tried < MOST_REPAIRS


def repair_sprint(gate: Gate, unit: Unit, group: tuple[str, ...], why: str) -> SprintPlan:
    """Return the plan of a new sprint that repairs what the gate found; finished sprints are not
    reopened.
    """
    number = 1 + sum(s.plan.generated for s in unit.sprints)
    others = [name for name in group if name != unit.name]
    who = f" together with that of {', '.join(others)}" if others else ""
    failed = _failed(gate)
    commands = dict.fromkeys((*_commands(gate), *(r.command for r in failed)))
    checks = {c.command: c for s in unit.sprints[: unit.at] for c in s.plan.checks}
    output = "\n\n".join(f"Output of {name_of(r)}:\n{_shown(r)}" for r in failed)
    return SprintPlan(
        id=f"{REPAIR}{number}",
        name="Repair what the gate found",
        text=REPAIR_TEXT.format(why=why, who=who, output=output).strip(),
        exit=(
            *(_exits_0(command) for command in commands),
            *(c for c in checks.values() if c.command not in commands),
        ),
        generated=True,
        repair=True,
        judged_at_gate=_fails_for_more(gate),
    )


def _exits_0(command: str) -> Criterion:
    text = f"`{command}` exits 0"
    return Criterion(text, CriterionKind.COMMAND, command, named=command, builds=True)


def _fails_for_more(gate: Gate) -> bool:
    """Return whether this repair alone may not make the gate green: other units must repair too, or
    the base is red.
    """
    base = next((run for run in gate.runs if not run.units), None)
    return len(gate.groups) > 1 or (base is not None and any(is_red(r) for r in base.results))


def _failed(gate: Gate) -> list[CheckResult]:
    held = frozenset(x.command for x in gate.held)
    whole = next((run for run in gate.runs if run.units == gate.units), None)
    results = whole.results if whole is not None else ()
    return [r for r in results if is_red(r, held) or r.of_tree]


def _commands(gate: Gate) -> tuple[str, ...]:
    """Return the commands of the first run, except the criteria that were held for this gate."""
    held = {x.command for x in gate.held}
    ran = gate.runs[0].results if gate.runs else ()
    return tuple(r.command for r in ran if r.command not in held)


def _shown(result: CheckResult) -> str:
    text = result.excerpt[-OUTPUT_SHOWN:]
    return "\n".join(f"    {line}" for line in text.splitlines())


def _decided(
    gate: Gate, decision: str, why: str, kind: h.DecisionKind = h.DecisionKind.NOTE
) -> h.Decided:
    return h.Decided(gate.id, "", decision, why, kind=kind)


# --- a person's answer to a gate -----------------------------------------------------------


def answered(mission: Mission, command: h.PassGate | h.RefuseGate) -> Sequence[h.Event]:
    if isinstance(command, h.PassGate):
        return let_pass(mission, command)
    return refuse(mission, command)


def let_pass(mission: Mission, command: h.PassGate) -> Sequence[h.Event]:
    gate = mission.gates.get(command.gate)
    if gate is None or gate.verdict is None:
        return (_refused(mission, CommandName.ACCEPT, command.gate),)
    closed = h.GateClosed(gate.id, passed=True, accepted=command.why)
    accepted = _decided(gate, "Gate accepted by a person", command.why, ANSWERED)
    if gate.checkpoint is None:
        return (closed, accepted)
    return (closed, accepted, overridden(mission, gate, command.why))


def refuse(mission: Mission, command: h.RefuseGate) -> Sequence[h.Event]:
    gate = mission.gates.get(command.gate)
    if gate is None or gate.verdict is None:
        return (_refused(mission, CommandName.REJECT, command.gate),)
    names = gate.to_repair or gate.units
    name = command.unit or (names[0] if len(names) == 1 else "")
    if name not in gate.units:
        known = tuple(u.handle for u in mission.units.values() if u.name in gate.units)
        return (h.CommandRefused(GateUnitNeeded(gate.id, known)),)
    unit = mission.units[name]
    refused = _decided(gate, "Gate refused by a person", command.why, ANSWERED)
    if gate.checkpoint is not None:
        closed = h.GateClosed(gate.id, passed=False)
        return (*revised_by(mission, gate, unit, command.why), closed, refused)
    if unit.state is not UnitState.RUNNING:
        return (h.CommandRefused(UnitNotRunning(gate.id, unit.handle, unit.state)),)
    plan = repair_sprint(gate, unit, (name,), f"A person refused the gate: {command.why}")
    return (
        repaired_by(mission, unit, plan),
        h.GateClosed(gate.id, passed=False),
        refused,
    )


def _refused(mission: Mission, asked: CommandName, gate: str) -> h.CommandRefused:
    asking = tuple(g.id for g in mission.gates.values() if g.verdict is not None)
    return h.CommandRefused(GateNotAsking(asked, gate, asking))


def run_anew(mission: Mission) -> Iterator[h.Event]:
    """Drop stuck gates and lift holds of units, so that they are tried again on resume. A gate that
    passed and only waits for consent stays.
    """
    for gate in mission.gates.values():
        if is_stuck(gate):
            yield h.GateDropped(gate.id)
    for unit in mission.units.values():
        if unit.hold:
            yield h.UnitHeld(unit.name)
