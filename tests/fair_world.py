"""A world in which everything works: every agent succeeds, every check passes, people answer."""

from dataclasses import replace

from rig import Rig, expect, result, said_by_judge
from topkick.checks.model import Evidence, Ground, Integration
from topkick.engine import messages as h
from topkick.engine.agents.budgets import NO_BUDGETS
from topkick.engine.agents.program import AgentExit, Ending
from topkick.engine.blockers import Intent
from topkick.plan_format.model import SprintType
from topkick.sprint.blockers.unit import needs
from topkick.sprint.gates.model import GateRun
from topkick.sprint.model import Overall
from topkick.sprint.orders import orders
from topkick.sprint.status import overall
from topkick.sprint.timers import wake_at_us
from topkick.sprint.transitions import UnitState

FACTS_A_SPRINT = 24


def bring_to_an_end(rig: Rig) -> int:
    """Y1, Y2: once faults stop and the user resumes, it converges; the facts it took."""
    rig.tell(h.SupervisorWoke(99, driven=True))
    resume(rig)
    sprints = sum(len(u.sprints) for u in rig.mission.units.values())
    limit = 60 + FACTS_A_SPRINT * sprints
    for taken in range(limit):
        if overall(rig.mission) is Overall.COMPLETED:
            return taken
        go_on(rig)
    raise AssertionError(f"Y2: not at an end after {limit} facts: {needs(rig.mission)}")


def go_on(rig: Rig) -> None:
    """Answer one wanted order, or let time pass until the next timer, or ask a person."""
    kept = {b.id for b in rig.mission.backgrounds.values() if b.running and b.end_within_s is None}
    wanted = [o for o in orders(rig.mission, rig.at_us) if o.id not in kept]
    if wanted:
        answer(rig, wanted[0])
        return
    moment = wake_at_us(rig.mission, rig.mission.at_us)
    if moment is not None:
        rig.at_us = max(rig.at_us, moment)
        rig.tell(h.TimePassed())
        return
    ask_a_person(rig)


def answer(rig: Rig, order: h.Order) -> None:
    match order:
        case h.SurveyGround(run_id=run_id, entry=entry):
            ground = Ground("base", tuple(result(c) for c in entry))
            rig.tell(h.GroundSurveyed(run_id, ground))
        case h.KeepBackground(id=id_):
            rig.tell(h.BackgroundSeen(id_))
        case h.EndAgent(id=id_) if id_ in rig.mission.backgrounds:
            rig.tell(h.BackgroundEnded(id_, AgentExit(Ending.STOPPED)))
        case h.RunAgent(id=run_id, launch=True):
            keep_running_what_should(rig, order)
            rig.tell(h.AgentExited(run_id, AgentExit(Ending.EXITED, 0)))
        case h.RunAgent(id=run_id) | h.EndAgent(id=run_id):
            rig.tell(h.AgentExited(run_id, AgentExit(Ending.STOPPED)))
        case h.CheckWork(run_id=run_id, checks=checks):
            results = tuple(result(c) for c in checks)
            seen = Evidence(results, head="h", commits=("c",), substance=True)
            rig.tell(h.WorkChecked(run_id, seen))
        case h.RunGate(gate_id=gate_id, number=number):
            rig.tell(h.GateRan(gate_id, number, green(order)))
        case h.EditFiles(number=number):
            rig.tell(h.FilesEdited(number))
        case h.IntegrateWork(run_id=run_id):
            rig.tell(h.WorkIntegrated(run_id, Integration("tip")))
        case h.PollCondition(run_id=run_id, poll=poll, checks=checks):
            seen = Evidence(tuple(result(c) for c in checks))
            rig.tell(h.ConditionPolled(run_id, poll, seen))


def green(order: h.RunGate) -> GateRun:
    if order.checkpoint is not None:
        return GateRun(order.units, (said_by_judge(order.commands[0], "pass"),))
    named = (*order.commands, *(x.command for x in order.held)) or ("make test",)
    return GateRun(order.units, tuple(result(c) for c in named))


def keep_running_what_should(rig: Rig, order: h.RunAgent) -> None:
    if rig.mission.sprint(order.unit, order.sprint).plan.type is not SprintType.BACKGROUND:
        return
    rig.command(h.BeginBackground(order.id, "server", ("serve",), "."))
    *_, newest = rig.mission.backgrounds
    rig.tell(h.BackgroundSeen(newest))


def ask_a_person(rig: Rig) -> None:
    """Y1: at rest and not at its end, it must say what a person could do; that must help."""
    found = needs(rig.mission)
    expect(bool(found), f"Y1: {overall(rig.mission)}, and no word to anyone")
    before = rig.mission
    for need in found:
        if any(offer.intent is Intent.LET_PASS for offer in need.offers):
            accept(rig, need.handle)
        else:
            resume(rig)
    moved = (rig.mission.units, rig.mission.gates) != (before.units, before.gates)
    expect(moved, f"Y1: the answers moved nothing: {found}")


def accept(rig: Rig, handle: str) -> None:
    if handle in rig.mission.gates:
        rig.command(h.PassGate(handle, "seen"))
        return
    number, _, id_ = handle.partition("/")
    owner = next(u for u in rig.mission.units.values() if u.handle == number)
    rig.command(h.Accept(owner.name, id_, "seen"))


def resume(rig: Rig) -> None:
    assert rig.mission.settings is not None
    settings = replace(rig.mission.settings, accept_unchecked=True, only=(), budgets=NO_BUDGETS)
    rig.command(h.Resume(retry_blocked=True, settings=settings))
    for owner in rig.mission.units.values():
        blocked = owner.state is UnitState.BLOCKED and owner.current is not None
        if blocked and owner.current.dispatches >= settings.max_dispatches:
            rig.command(h.Accept(owner.name, owner.current.id, "given out often enough"))
