"""Say how a mission stands: its overall status, and the number of its sprints by proof."""

import shlex
from dataclasses import dataclass

from topkick.engine import messages as h
from topkick.plan_format.model import SprintType
from topkick.sprint.checkpoint.due import due_checkpoint
from topkick.sprint.gates.due import due_gate
from topkick.sprint.model import (
    JUDGE,
    PIPELINE,
    SPRINT,
    Mission,
    Overall,
    Proof,
    Sprint,
    Stance,
    Unit,
)
from topkick.sprint.orders import orders
from topkick.sprint.readiness import awaited, may_start, to_integrate, to_recheck
from topkick.sprint.timers import wake_at_us
from topkick.sprint.transitions import SprintState, UnitState

PROCESS_RUNS = "checked: its process runs"
VERBS = {
    "kanban": "kanban run",
    "epic": "epic tick",
    PIPELINE: "checkpoint run",
    JUDGE: "checkpoint serve",
}


@dataclass(frozen=True, slots=True)
class SprintTally:
    """The number of sprints; every sprint that is done is checked, unchecked, accepted or held."""

    total: int = 0
    done: int = 0
    checked: int = 0
    unchecked: int = 0
    accepted: int = 0
    held: int = 0


def overall(mission: Mission) -> Overall:
    if mission.ended is not None:
        return Overall.COMPLETED if mission.ended.done else Overall.BLOCKED
    if mission.policy != SPRINT:
        return _of_files(mission)
    if mission.units and all(u.state is UnitState.COMPLETED for u in mission.units.values()):
        return Overall.COMPLETED
    if mission.stance is Stance.KILLED:
        return Overall.KILLED
    if mission.stance is Stance.STOPPING:
        draining = any(u.state is UnitState.STOPPING for u in mission.units.values())
        return Overall.STOPPING if draining or mission.runs else Overall.STOPPED
    if asked_for_is_done(mission):
        return Overall.STOPPED
    stuck = is_at_rest(mission) if mission.driven else not _could_move(mission)
    return Overall.BLOCKED if stuck else Overall.RUNNING


def _of_files(mission: Mission) -> Overall:
    """Return the status of a run whose truth is a file: it has something to do until its end is
    recorded.
    """
    match mission.stance:
        case Stance.KILLED:
            return Overall.KILLED
        case Stance.STOPPING:
            return Overall.STOPPING if mission.runs else Overall.STOPPED
        case _:
            down = mission.agents_down and not mission.runs
            return Overall.BLOCKED if down else Overall.RUNNING


def _could_move(mission: Mission) -> bool:
    """Return whether a supervisor that drives the run would find something to do."""
    if mission.runs:
        return True
    if mission.agents_down:
        return False
    units = mission.units.values()
    moving = [u.current for u in units if u.state is UnitState.RUNNING]
    can_go_on = any(s and not s.hold and not s.rest and not awaited(mission, s) for s in moving)
    can_go_on = can_go_on or any(map(to_recheck, units))
    can_go_on = can_go_on or any(_may_integrate(mission, u) for u in units)
    can_go_on = can_go_on or any(may_start(mission, u) for u in mission.units.values())
    building = any(gate.verdict is None for gate in mission.gates.values())
    due = due_gate(mission) or due_checkpoint(mission)
    return can_go_on or building or due is not None


def _may_integrate(mission: Mission, unit: Unit) -> bool:
    finished = to_integrate(mission, unit) if unit.state is UnitState.RUNNING else None
    return finished is not None and not finished.hold


def asked_for_is_done(mission: Mission) -> bool:
    """Return whether --only was given and all units that it names are COMPLETED."""
    only = mission.settings.only if mission.settings is not None else ()
    return bool(only) and all(
        u.state is UnitState.COMPLETED for u in mission.units.values() if u.name in only
    )


def is_at_rest(mission: Mission) -> bool:
    """Return whether the supervisor has nothing left to wait for; background processes continue
    without it.
    """
    wanted = orders(mission, mission.at_us)
    waits = wake_at_us(mission, mission.at_us) is not None
    return not waits and all(_goes_on_alone(mission, order) for order in wanted)


def _goes_on_alone(mission: Mission, order: h.Order) -> bool:
    """Return whether the order continues without a supervisor: a background process, or an agent
    that was left at work on purpose when the run ended.
    """
    match order:
        case h.KeepBackground():
            return True
        case h.RunAgent(id=run_id):
            return mission.ended is not None and mission.runs[run_id].active
        case _:
            return False


def handle(unit: Unit, sprint: Sprint) -> str:
    return f"{unit.handle}/{sprint.id}"


def attempt(sprint: Sprint, max_retries: int) -> int:
    """Return the number of the present attempt, counted from 1."""
    return min(sprint.failures + 1, max_retries)


def goes_on(mission: Mission) -> str:
    """Return the command that continues a run; for boards, epics and sessions it names the file."""
    if mission.policy not in VERBS:
        return "topkick resume"
    file = mission.plan.file if mission.plan is not None else ""
    if mission.policy in (PIPELINE, JUDGE):
        told = mission.settings.pipeline if mission.settings is not None else None
        file = (told.session if told is not None else "") or file.rpartition("/")[0] or "."
    return f"topkick {VERBS[mission.policy]} {shlex.quote(file) if file else 'FILE'}"


def is_given_out(mission: Mission, sprint: Sprint) -> bool:
    """Return whether the sprint has had as many orders as it may ever get (SM-10)."""
    most = mission.settings.max_dispatches if mission.settings is not None else 0
    return sprint.counted_dispatches >= most


def tally(mission: Mission) -> SprintTally:
    sprints = [s for u in mission.units.values() for s in u.sprints]
    done = [s for s in sprints if s.state is SprintState.COMPLETED]

    def count(proof: Proof) -> int:
        return sum(s.proof is proof for s in done)

    return SprintTally(
        total=len(sprints),
        done=len(done),
        checked=count(Proof.CHECKED),
        unchecked=count(Proof.UNCHECKED),
        accepted=count(Proof.ACCEPTED),
        held=count(Proof.HELD),
    )


def is_proven_by_process(sprint: Sprint) -> bool:
    """Return whether the running process alone is the proof: a background sprint
    without a command.
    """
    background = sprint.plan.type is SprintType.BACKGROUND and not sprint.plan.checks
    return background and sprint.proof is Proof.CHECKED


def proof_told(sprint: Sprint) -> str:
    """Return how a completed sprint was proven, `checked`, `unchecked` and so on, in the words that
    every page uses; empty while it is not completed.
    """
    if is_proven_by_process(sprint):
        return PROCESS_RUNS
    return sprint.proof.value if sprint.proof is not None else ""
