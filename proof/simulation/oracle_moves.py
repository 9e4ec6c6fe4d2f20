"""Check each recorded event against all before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.simulation import oracle_reports, oracle_verdicts
from proof.simulation.tables import SPRINTS, UNITS
from proof.simulation.views import RunView, SprintView, UnitView
from topkick.checks.model import Evidence, Ground
from topkick.engine import messages as h
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan

if TYPE_CHECKING:
    from proof.simulation.oracle import Oracle


def take(o: Oracle, fact: h.Fact, event: h.Event, before: tuple[h.Event, ...], at_us: int) -> None:
    books = o.books
    if o.gates.take(fact, event, before):
        return
    match event:
        case h.MissionBegan(plan=plan, settings=settings):
            o.gates.isolated = event.isolation is not None
            _settings(o, fact, settings)
            _plan(o, plan)
        case h.SettingsChanged(settings):
            _settings(o, fact, settings)
        case h.PlanRevised(plan):
            o.gates.revised()
            _plan(o, plan)
        case h.StanceTaken(stance):
            oracle_reports.stance(o, fact, stance.value)
        case h.UnitMoved():
            _unit_moved(o, fact, event, before)
        case h.SprintMoved():
            _sprint_moved(o, fact, event, before)
        case h.SprintJudged():
            oracle_verdicts.judged(o, fact, event)
        case h.SprintReopened(unit, sprint, fresh):
            view = books.sprint(unit, sprint)
            o.require(isinstance(fact, h.CommandGiven), "C2", "reopened by nobody")
            view.rest = view.hold = ""
            view.not_before_us = 0
            if fresh:
                view.failures = view.troubles = view.idle = 0
                view.declared = ""
        case h.TroubleMet():
            oracle_reports.trouble_met(o, fact, event)
        case h.LimitMet():
            oracle_reports.limit_met(o, fact, event)
        case h.AgentDown():
            oracle_reports.agent_down(o, fact, event)
        case h.HoldPlaced(unit, sprint, why):
            books.sprint(unit, sprint).hold = str(why)
        case h.HoldLifted(unit, sprint):
            books.sprint(unit, sprint).hold = ""
        case h.BackgroundOpened(id=id_):
            o.require(id_ not in books.runs and id_ not in o.background_of, "D8", f"{id_} again")
            o.require(books.stance != "killed", "D7", f"{id_} is kept running after killall")
            o.background_of[id_] = event.unit
            books.backgrounds[id_] = event.unit
        case h.BackgroundCancelled(id_):
            books.ending.add(id_)
        case _:
            _run(o, fact, event, at_us)


def _settings(o: Oracle, fact: h.Fact, settings: Settings) -> None:
    oracle_reports.settings(o, fact, settings)
    o.books.max_agents = settings.max_agents
    o.books.max_retries = settings.max_retries
    o.books.max_dispatches = settings.max_dispatches
    o.books.max_continuations = settings.max_continuations
    o.books.stop_patience_s = settings.stop_patience_s
    o.books.deferred_poll_s = settings.deferred_poll_s
    o.books.only = settings.only
    o.books.accept_unchecked = settings.accept_unchecked
    o.gates.mode = settings.gate.value
    o.gates.commands_known = o.gates.commands_known or bool(settings.gate_commands)


def _plan(o: Oracle, plan: Plan) -> None:
    """Apply a revised plan: begun sprints keep their place, new ones come after them."""
    planned = {u.name: u for u in plan.units}
    units = o.books.units
    for name in [n for n in units if n not in planned]:
        units[name].sprints = [s for s in units[name].sprints if s.begun]
        if not units[name].sprints:
            del units[name]
    for name, unit in planned.items():
        fresh = [_sprint_view(s) for s in unit.sprints]
        if name not in units:
            units[name] = UnitView(name, unit.waits_for, fresh, verify=unit.verify)
            continue
        mine = units[name]
        mine.waits_for, mine.verify = unit.waits_for, unit.verify
        kept = [s for s in mine.sprints if s.begun]
        known = {s.id for s in kept}
        if mine.state == "COMPLETED":
            continue
        for view in kept:
            again = next((f for f in fresh if f.id == view.id), view)
            stays = view.state in ("DISPATCHED", "RUNNING") and again.kind != view.kind
            if view.state != "COMPLETED" and not stays:
                view.type, view.checks = again.type, again.checks
        mine.sprints = [*kept, *(f for f in fresh if f.id not in known)]


def _sprint_view(sprint: object) -> SprintView:
    checks = tuple(c.command for c in sprint.exit if c.command)  # type: ignore[attr-defined]
    return SprintView(sprint.id, sprint.type.value, checks)  # type: ignore[attr-defined]


# --- runs ----------------------------------------------------------------------------------


def _run(o: Oracle, fact: h.Fact, event: h.Event, at_us: int) -> None:
    books = o.books
    match event:
        case h.RunOpened(run_id, unit, sprint, stage):
            _opened(o, run_id, unit, sprint, stage.value)
        case h.RunDispatched(run_id, dispatch):
            run = books.runs[run_id]
            o.gates.dispatched(run.unit, dispatch)
            oracle_reports.dispatched(o, run, dispatch.agent, at_us)
            _dispatched(o, fact, run, dispatch.uncommitted, at_us)
            run.passing, run.alone = dispatch.passing, dispatch.alone
            books.sprint(run.unit, run.sprint).held = dispatch.held
        case h.RunCancelled(run_id, why, grace_s):
            run = books.runs[run_id]
            run.cancel, run.grace_s, run.cancelled_at_s = why.value, grace_s, o.now_s()
        case h.RunClosed(run_id, looked=looked):
            run = books.runs[run_id]
            o.require(run.is_open, "D8", f"{run_id} was closed twice")
            run.is_open = False
            if looked:
                view = books.sprint(run.unit, run.sprint)
                view.unlooked = view.recheck = False
        case _:
            return


def _opened(o: Oracle, run_id: str, unit: str, sprint: str, stage: str) -> None:
    books = o.books
    o.require(run_id not in books.runs and run_id not in o.background_of, "D8", f"{run_id} again")
    merging = stage == "integrating"
    if merging:
        _merging(o, run_id, unit, sprint)
        return
    at_work = books.stance == "working" and books.driven
    o.require(at_work, "D7", f"{run_id} was opened, and the stance is {books.stance}")
    rechecks = stage == "checking" and o.gates.may_recheck(books.units[unit])
    lives = books.units[unit].state == "RUNNING" or rechecks
    o.require(lives, "D5", f"{unit} is {books.units[unit].state}")
    o.require(not books.open_runs(unit), "D4", f"{unit} has an open run already")
    agentless = stage == "waiting" or rechecks
    usable = agentless or books.agent not in books.down
    o.require(usable, "DP-09", f"{unit}/{sprint}: its agent waits for a person")
    current = books.units[unit].current
    o.require(current and current.id == sprint, "S7", f"{unit}/{sprint} is out of turn")
    view = books.sprint(unit, sprint)
    o.require(
        not (view.unlooked and stage == "surveying"),
        "N5",
        f"{unit}/{sprint} was killed and not looked at",
    )
    books.runs[run_id] = RunView(
        run_id, unit, sprint, stage, looked_at_s=o.now_s(), limit=books.max_agents
    )
    busy = sum(r.stage not in ("waiting", "integrating") for r in books.open_runs())
    allowed = stage == "waiting" or busy <= books.max_agents
    o.require(allowed, "D10", f"{busy} orders, {books.max_agents} allowed")


def _merging(o: Oracle, run_id: str, unit: str, sprint: str) -> None:
    """Check that finished work is merged while its unit lives, even during a stop (GT-06)."""
    books, owner = o.books, o.books.units[unit]
    o.require(o.gates.isolated, "GT-06", f"{run_id} merges where nothing has to be merged")
    o.require(books.driven and books.stance != "killed", "D7", f"{run_id} merges: {books.stance}")
    o.require(owner.state in ("RUNNING", "STOPPING"), "GT-06", f"{unit} is {owner.state}, merged")
    o.require(not books.open_runs(unit), "D4", f"{unit} has an open run already")
    done = books.sprint(unit, sprint)
    o.require(done.state == "COMPLETED", "GT-06", f"{unit}/{sprint} is {done.state}, merged")
    o.require(not done.hold, "GT-06", f"{unit}/{sprint} is held: {done.hold}")
    books.runs[run_id] = RunView(run_id, unit, sprint, "integrating", looked_at_s=o.now_s())


def _dispatched(
    o: Oracle, fact: h.Fact, run: RunView, uncommitted: tuple[str, ...], at_us: int
) -> None:
    books = o.books
    view, unit = books.sprint(run.unit, run.sprint), books.units[run.unit]
    name = f"{run.unit}/{run.sprint}"
    o.require(not run.dispatched, "D3", f"{run.id} was dispatched twice")
    o.require(unit.state == "RUNNING", "D5", f"{name}: the unit is {unit.state}")
    o.require(view.state in ("PENDING", "PARTIAL", "BACKOFF"), "D5", f"{name} is {view.state}")
    o.require(view.failures < books.max_retries, "D5", f"{name} failed {view.failures} times")
    o.require(books.stance == "working", "D7", f"{name}: the stance is {books.stance}")
    o.require(not view.rest, "V6", f"{name} rests for a person: {view.rest}")
    o.require(view.not_before_us <= at_us, "DP-09", f"{name} was to rest")
    o.require(view.kind != "deferred", "V5", f"{name} waits for a condition, not for an agent")
    living = [p.pid for p in o.of_unit(run.unit)]
    o.require(not living, "D6", f"{name} is dispatched while {living} live")
    told = o.reported.get(run.unit, ())
    o.require(
        set(uncommitted) == set(told), "N4", f"{name}: {told} lay uncommitted, not {uncommitted}"
    )
    ground = fact.ground if isinstance(fact, h.GroundSurveyed) else None
    if ground is not None:
        _entry(o, name, o.looks.get(run.id), ground)
    view.dispatches += 1
    view.hold = ""
    view.unlooked = False
    o.require(
        view.counted <= books.max_dispatches,
        "C8",
        f"{name} was dispatched {view.dispatches} times",
    )
    run.dispatched, run.stage = True, "working"


def _entry(o: Oracle, name: str, seen: Ground | Evidence | None, ground: Ground) -> None:
    o.require(seen == ground, "V1", f"{name}: the ground is not what was seen")
    o.require(all(r.passed for r in ground.entry), "DP-08", f"{name}: an entry criterion fails")


# --- moves ---------------------------------------------------------------------------------


def _unit_moved(o: Oracle, fact: h.Fact, event: h.UnitMoved, before: tuple[h.Event, ...]) -> None:
    unit, cause = o.books.units[event.unit], event.cause.value
    edge = (unit.state, cause)
    o.require(event.was.value == unit.state, "S1", f"{unit.name} is {unit.state}, not {event.was}")
    o.require(UNITS.get(edge) == event.now.value, "S2", f"{unit.name}: {edge} leads to {event.now}")
    o.edges.add(("unit", *edge))
    unit.state = event.now.value
    match cause:
        case "start":
            unmet = [n for n in unit.waits_for if o.books.units[n].state != "COMPLETED"]
            o.require(not unmet, "G1", f"{unit.name} began before {unmet}")
            o.require(o.books.stance == "working", "D7", f"{unit.name} began in {o.books.stance}")
            o.gates.begun(unit)
        case "finished":
            o.require(unit.current is None, "S5", f"{unit.name} has sprints left")
            o.gates.finished(unit)
        case "stop":
            unit.stopping_since_s = o.now_s()
        case "resume":
            wanted = isinstance(fact, h.CommandGiven) or _was_found_done(event, before)
            o.require(wanted, "SM-06", f"{unit.name} resumed by nobody")
            if unit.current is not None:  # a resume tries it at once
                unit.current.not_before_us = 0
        case "killed" | "drained":
            living = [p.pid for p in o.of_unit(unit.name)]
            o.require(not living, "K2", f"{unit.name} is {unit.state} and {living} live")
        case _:
            return


def _was_found_done(event: h.UnitMoved, before: tuple[h.Event, ...]) -> bool:
    """Return whether the FATAL sprint was just proven by checks that ran again after a gate."""
    moves = [e for e in before if isinstance(e, h.SprintMoved) and e.unit == event.unit]
    return event.was.value == "BLOCKED" and [e.cause.value for e in moves] == ["late finish"]


def _sprint_moved(
    o: Oracle, fact: h.Fact, event: h.SprintMoved, before: tuple[h.Event, ...]
) -> None:
    view, cause = o.books.sprint(event.unit, event.sprint), event.cause.value
    name, edge = f"{event.unit}/{event.sprint}", (view.state, event.cause.value)
    o.require(event.was.value == view.state, "S1", f"{name} is {view.state}, not {event.was}")
    o.require(SPRINTS.get(edge) == event.now.value, "S2", f"{name}: {edge} leads to {event.now}")
    o.edges.add(("sprint", *edge))
    command = fact.command if isinstance(fact, h.CommandGiven) else None
    match cause:
        case "succeeded" | "late finish" | "found done":
            oracle_verdicts.proven(o, name, view, fact)
        case "accepted":
            o.require(isinstance(command, h.Accept), "V6", f"{name} was accepted by nobody")
        case "rejected":
            o.require(isinstance(command, h.Reject), "S2", f"{name} was rejected by nobody")
        case "resumed":
            o.require(_asked_for(command, event, view), "SM-06", f"{name} was resumed by nobody")
        case "exhausted":
            oracle_verdicts.exhausted(o, name, view)
        case "killed":
            _killed(o, event, view)
        case "failed":
            o.require(view.kind != "deferred" or view.declared, "V5", f"{name} failed by waiting")
        case _:
            pass
    view.state, view.recheck = event.now.value, False
    if view.state == "COMPLETED":
        view.hold = view.rest = ""


def _asked_for(command: h.Command | None, event: h.SprintMoved, view: SprintView) -> bool:
    """Return whether a person's command moves the sprint out of FATAL, the only way."""
    if isinstance(command, h.Retry):
        return (command.unit, command.sprint) == (event.unit, event.sprint)
    if not isinstance(command, h.Resume):
        return False
    return view.state != "FATAL" or command.retry_blocked or event.unit in command.units


def _killed(o: Oracle, event: h.SprintMoved, view: SprintView) -> None:
    runs = o.books.open_runs(event.unit)
    run = runs[0] if runs else None
    wanted = o.books.stance == "killed" or (
        run is not None and (run.cancel or run.exit_how == "stopped")
    )
    o.require(wanted, "K3", f"{event.unit}/{event.sprint} was killed by nobody")
    silence = run is not None and run.cancel == "no sign of life"
    o.require(not silence or o.books.stance == "killed", "ER-01", "silence was not judged")
    if run is not None and run.dispatched:
        view.unlooked = True
