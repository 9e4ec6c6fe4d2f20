"""Why a sprint does not go on by itself just now, rule by rule; what would move it.

The same questions that the policy asks before it gives an order, answered in words. Every sprint
that is not completed has at least one answer.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from topkick.boards import gates, moments, safe
from topkick.boards.beginning import not_begun
from topkick.boards.reason import ENDED_BY, RESUME, Reason, needs_of, of_needs, of_the_run, page_of
from topkick.core import standing
from topkick.core.due import patience_ends_at_us
from topkick.core.gating import awaits_gate, is_gated
from topkick.core.mission import Mission, Sprint, Stance, Unit
from topkick.core.plan import SprintRef
from topkick.core.readiness import awaited
from topkick.core.runs import WITHOUT_AGENT, Run, Stage
from topkick.core.standing import Need
from topkick.core.transitions import SprintState, UnitState


def of_sprint(
    mission: Mission, unit: Unit, sprint: Sprint, needs: Sequence[Need] | None = None
) -> tuple[Reason, ...]:
    """Nothing for what is completed; else at least one."""
    if sprint.state is SprintState.COMPLETED:
        return ()
    if unit.current is None or sprint.id != unit.current.id:
        return tuple(_out_of_turn(unit))
    x = standing.handle(unit, sprint)
    asked = of_needs(mission, needs_of(mission, needs), x)
    found = (*asked, *_of_current(mission, unit, sprint))
    return found or (Reason("LP-02", "its next order is given at the supervisor's next step"),)


def _out_of_turn(unit: Unit) -> Iterator[Reason]:
    now = unit.current
    if now is None:  # between two records of one step
        yield Reason("SM-09", f"its unit {unit.handle} has no sprint before it")
        return
    x = safe.line(standing.handle(unit, now))
    yield Reason("SM-09", f"comes after {x}, which is {now.state}", f"topkick explain {x}")


def _of_current(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Reason]:
    match unit.state:
        case UnitState.NOT_STARTED:
            why = "; ".join(reason.what for reason in not_begun(mission, unit))
            yield Reason("GT-01", f"its unit {unit.handle} has not begun: {why}")
        case UnitState.STOPPED | UnitState.KILLED:
            why = safe.line(mission.stance_why, 120)
            ended = f" ({why})" if why and mission.stance is not Stance.WORKING else ""
            yield Reason("SD-04", f"its unit {unit.handle} is {unit.state}{ended}", RESUME, True)
        case UnitState.BLOCKED:
            if sprint.state is not SprintState.FATAL:
                yield Reason("SM-05", f"its unit {unit.handle} is BLOCKED", RESUME, True)
        case UnitState.RUNNING | UnitState.STOPPING:
            run = mission.run_of(unit.name)
            yield from _of_run(mission, unit, run) if run else _no_order(mission, unit, sprint)
        case UnitState.COMPLETED:
            yield Reason("SM-09", f"its unit {unit.handle} is COMPLETED")
        case _:
            assert_never(unit.state)


# --- somebody is at it ---------------------------------------------------------------------


def _of_run(mission: Mission, unit: Unit, run: Run) -> Iterator[Reason]:
    x = safe.line(f"{unit.handle}/{run.sprint}")
    yield _stage(mission, run, x)
    if run.stage is not Stage.WORKING:
        return
    if run.cancel is not None:
        rule = ENDED_BY[run.cancel.why]
        yield Reason(rule, f"its agent is being ended: {run.cancel.why}", at_work=True)
    elif unit.state is UnitState.STOPPING:
        by = moments.iso(patience_ends_at_us(mission, unit))
        what = f"{unit.handle} is STOPPING: no order after this one, and it is ended by {by}"
        yield Reason("SD-01", what, f"topkick stop {unit.handle} --now", at_work=True)


def _stage(mission: Mission, run: Run, x: str) -> Reason:
    match run.stage:
        case Stage.SURVEYING:
            return Reason("DP-08", f"the tree is looked at before {x} is given out", at_work=True)
        case Stage.WORKING:
            return Reason("DP-05", f"{_agent(run)} is at work on {x}", _logs(x), at_work=True)
        case Stage.CHECKING:
            return _checking(mission, run, x)
        case Stage.WAITING:
            poll = f"looked at {run.polls} times, next at {moments.iso(run.next_poll_at_us)}"
            return Reason("ER-02", f"{x} waits for its condition: {poll}", at_work=True)
        case Stage.INTEGRATING:
            return Reason("GT-06", f"the work of {x} is being merged", at_work=True)
        case _:
            assert_never(run.stage)


def _agent(run: Run) -> str:
    d = run.dispatch
    if d is None:
        return "an agent"
    model = f" ({safe.line(d.model, 40)})" if d.model else ""
    return f"{safe.line(d.agent, 40)}{model}, attempt {d.attempt}, since {moments.iso(d.at_us)},"


def _checking(mission: Mission, run: Run, x: str) -> Reason:
    sprint = mission.sprint(run.unit, run.sprint)
    if sprint.claim is not None and run.dispatch is None:
        said = safe.line(sprint.claim.said, 120)
        return Reason("ST-02", f"said to be done before ({said}): looked at first", at_work=True)
    if run.dispatch is None:
        what = f"the work that {x} was interrupted in is looked at before it is given out again"
        return Reason("SD-02", what, at_work=True)
    return Reason("VF-01", f"the work on {x} is being checked", at_work=True)


def _logs(x: str) -> str:
    return f"topkick logs {x} -f"


def _rests(sprint: Sprint) -> bool:
    return bool(sprint.rest) and sprint.state is SprintState.PARTIAL


# --- nobody is -----------------------------------------------------------------------------


def _no_order(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Reason]:
    if unit.state is UnitState.RUNNING and (sprint.hold or _rests(sprint)):
        return  # a person is asked for by it
    refs = awaited(mission, sprint)
    if refs:
        yield Reason("GT-08", f"waits for {', '.join(_awaited(mission, r) for r in refs)}")
    if awaits_gate(mission, unit):
        gate = gates.waits_for(mission, unit) or f"the gate of {gates.phase(unit)}"
        yield Reason("GT-07", f"waits for {gate}", page_of(gate))
    found = tuple(of_the_run(mission))
    yield from found
    if sprint.state is SprintState.FATAL:
        yield Reason("SM-05", f"FATAL: {safe.line(sprint.fatal_why, 200)}")
    elif sprint.state in {SprintState.DISPATCHED, SprintState.RUNNING}:
        yield Reason("ER-02", "its condition is looked at again at the supervisor's next step")
    elif not found:
        yield from _of_place(mission, unit, sprint)


def _of_place(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Reason]:
    if unit.state is UnitState.STOPPING:
        yield Reason("SD-01", f"its unit {unit.handle} is being stopped", RESUME, person=True)
    if sprint.rest:
        yield Reason("ER-04", safe.line(sprint.rest, 200), RESUME, person=True)
    if sprint.not_before_us > mission.at_us:
        until = moments.iso(sprint.not_before_us)
        after = f"after trouble around the agent, {sprint.troubles} so far; not charged"
        yield Reason("DP-09", f"rests until {until} {after}", f"{RESUME}  (tries it now)")
    assert mission.settings is not None
    busy = [r for r in mission.runs.values() if r.stage not in WITHOUT_AGENT]
    most = mission.settings.max_agents
    if len(busy) >= most:
        who = ", ".join(_name(mission, r) for r in busy[:8])
        what = f"all {most} places for agents are taken ({who})" if most > 1 else f"{who} is first"
        yield Reason("LP-02", f"{what}; max_agents is {most}")
    alone = [r for r in busy if r.dispatch is not None and r.dispatch.alone]
    if alone and mission.isolation is None and is_gated(mission):
        who = _name(mission, alone[0])
        yield Reason("GT-04", f"{who} may build in the tree that all share, and is alone there")


def _name(mission: Mission, run: Run) -> str:
    unit = mission.units.get(run.unit)
    return safe.line(f"{unit.handle if unit is not None else run.unit}/{run.sprint}")


def _awaited(mission: Mission, ref: SprintRef) -> str:
    unit = mission.units.get(ref.unit)
    found = next((s for s in unit.sprints if s.id == ref.sprint), None) if unit else None
    if unit is None or found is None:
        return safe.line(f"{ref.unit}/{ref.sprint}")
    merged = ", not merged yet" if found.state is SprintState.COMPLETED else ""
    return f"{safe.line(standing.handle(unit, found))} ({found.state}{merged})"
