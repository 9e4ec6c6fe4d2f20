"""Decide which agent may build in a tree that several units share, and which failures are charged.

An agent may build only while no other agent can change the tree under it (GT-04). And no unit is
charged for what another unit broke there (GT-02, GT-03): units that take turns in one tree meet
each other's work before any gate has tested it, so a suite that is red when a unit begins, and
still red when it ends, says nothing about that unit. Only the gate can find out which unit broke
it: the gate tests the base and the units separately. Such a criterion is therefore held for the
gate, as if several agents had been at work. And when a gate passes, another unit may have repaired
what made a sprint FATAL: its checks are run once more.
"""

from collections.abc import Sequence
from dataclasses import replace

from topkick.checks.model import CheckOutcome, CheckResult, Evidence
from topkick.engine import messages as h
from topkick.engine.agents.runs import WITHOUT_AGENT, Run, Stage
from topkick.engine.evolve import evolve
from topkick.plan_format.model import SprintType
from topkick.sprint.blockers.order import DISPATCHABLE
from topkick.sprint.check_wording import told
from topkick.sprint.gates.due import awaits_gate, is_gated
from topkick.sprint.gates.model import GateKind
from topkick.sprint.model import Mission, Sprint, Unit, Verdict
from topkick.sprint.policy.decisions import decided, judged, sprint_moves, unit_moves
from topkick.sprint.policy.verdict import judge
from topkick.sprint.readiness import awaited, to_recheck
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState
from topkick.sprint.unit_index import Trait, done_by, index_of


def may_build(mission: Mission, unit: Unit) -> bool:
    """Return whether the unit's agent may build and test: it works in a clone, or it is alone in
    the shared tree and no other unit could begin there now.
    """
    if mission.isolation is not None or not is_gated(mission):
        return True
    assert mission.settings is not None
    others = (u for u in mission.units.values() if u is not unit)
    if any(r.stage not in WITHOUT_AGENT and r.unit != unit.name for r in mission.runs.values()):
        return False
    return mission.settings.max_agents == 1 or not any(_could_begin(mission, u) for u in others)


def with_ungated_work(mission: Mission, unit: Unit) -> tuple[str, ...]:
    """Return the other units whose work is in the shared tree and has not passed a gate yet."""
    if mission.isolation is not None or not is_gated(mission):
        return ()
    others = (u for u in mission.units.values() if u is not unit)
    return tuple(u.name for u in others if done_by(mission, u) > u.gated)


def _could_begin(mission: Mission, unit: Unit) -> bool:
    sprint = unit.current
    if unit.state is not UnitState.RUNNING or sprint is None or awaits_gate(mission, unit):
        return False
    waits = sprint.hold or sprint.rest or awaited(mission, sprint)
    is_agents = sprint.plan.effective_type is not SprintType.DEFERRED
    return not waits and is_agents and sprint.state in DISPATCHABLE


def completed_for_gate(mission: Mission, run: Run, evidence: Evidence) -> Sequence[h.Event]:
    """Complete the sprint with its red criteria held for the gate, if everything else about it is
    fine.

    This applies only if the criteria build or test, failed before the order as well, and other
    units' untested work is in the tree.
    """
    assert run.dispatch is not None
    assert mission.settings is not None
    sprint = mission.sprint(run.unit, run.sprint)
    red = [r for r in evidence.results if not r.passed]
    is_work = evidence.substance and sprint.plan.type is SprintType.CODE
    if not red or not is_work or sprint.plan.generated:
        return ()
    if not all(_was_red(sprint, r, run.dispatch.passing) for r in red):
        return ()
    others = with_ungated_work(mission, mission.units[run.unit])
    if not others:
        return ()
    held = tuple(r.command for r in red)
    rest = replace(evidence, results=tuple(r for r in evidence.results if r.passed))
    as_held = evolve(sprint, held=(*sprint.held, *held))
    found = judge(as_held, run.dispatch.passing, rest, run.exit, mission.settings)
    if found.verdict is not Verdict.SUCCESS:
        return ()
    why = f"{told(red[0])}, as before the order, and work of {', '.join(others)} is in the tree"
    return (
        judged(run, found, rest, held=held),
        sprint_moves(run.unit, sprint, SprintCause.SUCCEEDED),
        h.RunClosed(run.id, "completed"),
        decided(
            run,
            "Held for the gate",
            f"{why} that no gate has tested yet",
            kind=h.DecisionKind.EVENT,
        ),
    )


def _was_red(sprint: Sprint, result: CheckResult, passing: tuple[str, ...]) -> bool:
    """Return whether the failed check builds or tests, and failed before this order too."""
    builds = any(c.command == result.command and c.builds for c in sprint.plan.checks)
    return builds and result.outcome is CheckOutcome.FAILED and result.command not in passing


def look_again(mission: Mission) -> Sequence[h.Event]:
    """Check a FATAL sprint of the shared tree once more, without an agent, after a gate
    has passed.
    """
    index = index_of(mission)
    for unit in index.having(Trait.RECHECKED):
        sprint = to_recheck(unit)
        if sprint is not None and unit.name not in index.run_by_unit:
            run_id = f"{mission.id}-{mission.runs_opened + 1}"
            return (h.RunOpened(run_id, unit.name, sprint.id, Stage.CHECKING),)
    return ()


def judge_fatal(mission: Mission, run: Run, evidence: Evidence) -> Sequence[h.Event]:
    """Judge the repeated check of a FATAL sprint; no attempt is charged, whatever the result is."""
    assert mission.settings is not None
    unit, sprint = mission.units[run.unit], mission.sprint(run.unit, run.sprint)
    assert sprint.state is SprintState.FATAL
    gate = _last_passed(mission)
    found = judge(sprint, (), evidence, None, mission.settings)
    if found.verdict is not Verdict.SUCCESS:
        why = f", but: {found.reasons[0]}" if found.reasons else ""
        return (
            h.RunClosed(run.id, "still not done", looked=True),
            decided(run, "Checked again", f"gate {gate} passed{why}", found.rest),
        )
    why = f"gate {gate} passed, and its checks pass now"
    return (
        judged(run, found, evidence),
        sprint_moves(run.unit, sprint, SprintCause.LATE_FINISH, why),
        unit_moves(unit, UnitCause.RESUME),
        h.RunClosed(run.id, "found done", looked=True),
        decided(run, "Found done", why),
    )


def _last_passed(mission: Mission) -> str:
    builds = [g.id for g in mission.past_gates if g.kind is GateKind.BUILD and g.passed]
    return builds[-1] if builds else "a gate"
