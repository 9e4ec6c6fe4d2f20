"""How a mission stands: its overall status, and what only a person can move."""

from collections.abc import Iterator
from dataclasses import dataclass

from topkick.core import happenings as h
from topkick.core.checkpointing import due_checkpoint, holding
from topkick.core.due import wake_at_us
from topkick.core.gates import Gate
from topkick.core.gating import due_gate
from topkick.core.mission import Mission, Overall, Proof, Sprint, Stance, Unit
from topkick.core.orders import orders
from topkick.core.readiness import awaited, is_left_out, may_start, to_integrate, to_recheck
from topkick.core.transitions import SprintState, UnitState
from topkick.core.verdict import open_findings
from topkick.text.format import counted

SPRINT = "sprint"
PIPELINE = "pipeline"
_VERBS = {"kanban": "kanban run", "epic": "epic tick", PIPELINE: "checkpoint run"}


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that a person may type, and what it does."""

    command: str
    does: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that waits for a person, and the commands that help, the best one first."""

    handle: str
    what: str
    command: str
    does: str = ""
    others: tuple[Offer, ...] = ()

    @property
    def offers(self) -> tuple[Offer, ...]:
        return (Offer(self.command, self.does), *self.others)


@dataclass(frozen=True, slots=True)
class Tally:
    """Every sprint that is done is checked, unchecked, accepted or held."""

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
    """Where a file is the truth, there is always something to do until the end is said."""
    match mission.stance:
        case Stance.KILLED:
            return Overall.KILLED
        case Stance.STOPPING:
            return Overall.STOPPING if mission.runs else Overall.STOPPED
        case _:
            down = mission.agents_down and not mission.runs
            return Overall.BLOCKED if down else Overall.RUNNING


def _could_move(mission: Mission) -> bool:
    """Whether a supervisor that drives would find something to do."""
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
    """With --only, the rest of the plan is left alone on purpose."""
    only = mission.settings.only if mission.settings is not None else ()
    return bool(only) and all(
        u.state is UnitState.COMPLETED for u in mission.units.values() if u.name in only
    )


def is_at_rest(mission: Mission) -> bool:
    """Nothing is left to wait for; what runs in the background runs on without us."""
    wanted = orders(mission, mission.at_us)
    waits = wake_at_us(mission, mission.at_us) is not None
    return not waits and all(_goes_on_alone(mission, order) for order in wanted)


def _goes_on_alone(mission: Mission, order: h.Order) -> bool:
    """Who leaves an agent at work on purpose comes back for what it did."""
    match order:
        case h.KeepBackground():
            return True
        case h.RunAgent(id=run_id):
            return mission.ended is not None and mission.runs[run_id].active
        case _:
            return False


def handle(unit: Unit, sprint: Sprint) -> str:
    return f"{unit.handle}/{sprint.id}"


def needs(mission: Mission) -> tuple[Need, ...]:
    of_units = (need for unit in mission.units.values() for need in _of_unit(mission, unit))
    if mission.policy != SPRINT:
        return tuple(_of_ended(mission))
    of_gates = (_of_gate(gate) for gate in mission.gates.values() if gate.verdict is not None)
    return (*_down(mission), *of_gates, *of_units) or tuple(_of_stopped(mission))


def _of_ended(mission: Mission) -> Iterator[Need]:
    if mission.ended is not None and not mission.ended.done:
        for command in mission.ended.commands or (goes_on(mission),):
            yield Need("run", mission.ended.why, command)


def goes_on(mission: Mission) -> str:
    """What a person types to go on with a run whose truth is a file."""
    file = mission.plan.file if mission.plan is not None else ""
    if mission.policy == PIPELINE:
        told = mission.settings.pipeline if mission.settings is not None else None
        file = (told.session if told is not None else "") or file.rpartition("/")[0] or "."
    return f"topkick {_VERBS.get(mission.policy, 'resume')} {file}".rstrip()


def _of_gate(gate: Gate) -> Need:
    """What a person finds at it, and the command that lets it pass."""
    of = f"{gate.task} after {gate.phase}" if gate.task else f"gate of {', '.join(gate.units)}"
    about = f"{of}: {gate.verdict}"
    what = f"{about}: {gate.why}" if gate.why else f"{about}; a person is to say whether it goes on"
    return Need(gate.id, what, f'topkick accept {gate.id} --why "..."')


def _of_stopped(mission: Mission) -> Iterator[Need]:
    """All that had begun was at its end when the stop was, and the rest has not begun."""
    if mission.stance is Stance.WORKING or mission.runs:
        return
    for unit in mission.units.values():
        if unit.state is UnitState.NOT_STARTED:
            yield Need(unit.handle, "not begun when work was stopped", "topkick resume")


def _down(mission: Mission) -> Iterator[Need]:
    """An agent that only waits for a yes needs no doctor."""
    for agent, why in mission.agents_down.items():
        limited = any(limit.why in why for limit in mission.limits.values())
        command = "topkick resume" if limited else "topkick doctor, then topkick resume"
        yield Need(agent, why, command)


def _of_unit(mission: Mission, unit: Unit) -> Iterator[Need]:
    sprint = unit.current
    match unit.state:
        case UnitState.BLOCKED if sprint is not None:
            yield _of_fatal(mission, handle(unit, sprint), sprint)
        case UnitState.STOPPED | UnitState.KILLED:
            yield Need(unit.handle, unit.state.value, "topkick resume")
        case UnitState.RUNNING if sprint is not None:
            yield from _of_sprint(mission, unit, sprint)
            yield from _of_awaited(mission, unit, sprint)
            yield from _of_unmerged(mission, unit)
        case UnitState.RUNNING:
            yield from _of_unmerged(mission, unit)
        case UnitState.NOT_STARTED:
            yield from _of_waiting(mission, unit)
        case _:
            return


def _of_fatal(mission: Mission, x: str, sprint: Sprint) -> Need:
    assert mission.settings is not None
    spent = is_given_out(mission, sprint)
    command = f'topkick accept {x} --why "..."' if spent else f'topkick retry {x} --note "..."'
    return Need(x, f"FATAL: {sprint.fatal_why}", command)


def is_given_out(mission: Mission, sprint: Sprint) -> bool:
    """Whether the sprint has had all the orders that it may ever get (SM-10)."""
    most = mission.settings.max_dispatches if mission.settings is not None else 0
    return sprint.counted_dispatches >= most


def _of_sprint(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Need]:
    assert mission.settings is not None
    x = handle(unit, sprint)
    accept = f'topkick accept {x} --why "..."'
    if sprint.state is SprintState.PARTIAL and sprint.rest:
        used_up = sprint.counted_dispatches >= mission.settings.max_dispatches
        first, *others = _offers(x, sprint, again=not used_up)
        yield Need(x, sprint.rest, first.command, first.does, tuple(others))
    elif sprint.hold:
        used_up = sprint.counted_dispatches >= mission.settings.max_dispatches
        begun = sprint.state is not SprintState.PENDING
        command = accept if used_up and begun else "topkick resume"
        yield Need(x, sprint.hold.splitlines()[0], command)


def _offers(x: str, sprint: Sprint, *, again: bool) -> tuple[Offer, ...]:
    """What a person may do about a sprint that rests. To let a finding pass is offered last;
    `again` says that another order may be given."""
    accept = Offer(f'topkick accept {x} --why "..."', "take it as it is")
    reject = Offer(f'topkick reject {x} --why "..."', "send it back; an attempt is charged")
    retry = Offer(f'topkick retry {x} --note "..."', "one more order; no attempt is charged")
    found = open_findings(sprint)
    if not found:
        return (accept, *((retry, reject) if again else ()))
    return (
        Offer(f"topkick explain {x} --evidence", "the finding and the diff"),
        *((reject, retry) if again else ()),
        Offer(f'topkick waive {x} {found[0].id} --why "..."', "let this finding pass"),
        accept,
    )


def waiting(mission: Mission) -> frozenset[str]:
    """The names of units that run, have no agent, and that only a person can move on."""
    asked = {need.handle.partition("/")[0] for need in needs(mission)}
    return frozenset(
        unit.name
        for unit in mission.units.values()
        if unit.state is UnitState.RUNNING and unit.handle in asked
        if mission.run_of(unit.name) is None
    )


def blocked_by(mission: Mission) -> str:
    """What a run that is blocked waits for: `2 findings, 1 unit BLOCKED`."""
    asked = needs(mission)
    units = [mission.units[name] for name in waiting(mission)]
    found = [open_findings(unit.current) for unit in units if unit.current is not None]
    findings, sprints = sum(map(len, found)), sum(not one for one in found)
    gates = sum(need.handle in mission.gates for need in asked)
    blocked = sum(unit.state is UnitState.BLOCKED for unit in mission.units.values())
    others = len(asked) - len(found) - gates - blocked
    counts = {"finding": findings, "sprint": sprints, "gate": gates, "other": others}
    told = [counted(n, what) for what, n in counts.items() if n > 0]
    told += [f"{counted(blocked, 'unit')} BLOCKED"] if blocked else []
    return ", ".join(told)


def _of_waiting(mission: Mission, unit: Unit) -> Iterator[Need]:
    """A unit left out by --only or waiting for one, and not one that merely waits its turn."""
    only = mission.settings.only if mission.settings is not None else ()
    if unit.hold:
        yield Need(unit.handle, unit.hold.splitlines()[0], "topkick resume")
    if not only:
        return
    judged = (name for held in holding(mission, unit) for name in held.after)
    awaited_ones = dict.fromkeys((*unit.plan.waits_for, *judged))
    out = [n for n in awaited_ones if n not in only and not _is_done(mission.units[n])]
    if unit.name in only and out:
        yield Need(unit.handle, f"waits for {', '.join(out)}, left out by --only", "topkick resume")
    elif is_left_out(mission, unit) and asked_for_is_done(mission):
        yield Need(unit.handle, "left out by --only", "topkick resume")


def _of_unmerged(mission: Mission, unit: Unit) -> Iterator[Need]:
    finished = to_integrate(mission, unit)
    if finished is not None and finished.hold:
        yield Need(unit.handle, finished.hold, "topkick resume")


def _of_awaited(mission: Mission, unit: Unit, sprint: Sprint) -> Iterator[Need]:
    """A sprint that waits for one of a unit left out by --only waits for ever."""
    only = mission.settings.only if mission.settings is not None else ()
    out = [r for r in awaited(mission, sprint) if only and r.unit not in only]
    if out:
        x, names = handle(unit, sprint), ", ".join(f"{r.unit}/{r.sprint}" for r in out)
        yield Need(x, f"waits for {names}, left out by --only", "topkick resume")


def _is_done(unit: Unit) -> bool:
    return unit.state is UnitState.COMPLETED


def tally(mission: Mission) -> Tally:
    sprints = [s for u in mission.units.values() for s in u.sprints]
    done = [s for s in sprints if s.state is SprintState.COMPLETED]

    def count(proof: Proof) -> int:
        return sum(s.proof is proof for s in done)

    return Tally(
        total=len(sprints),
        done=len(done),
        checked=count(Proof.CHECKED),
        unchecked=count(Proof.UNCHECKED),
        accepted=count(Proof.ACCEPTED),
        held=count(Proof.HELD),
    )
