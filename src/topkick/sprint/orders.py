"""Derive what should be running now from a mission."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from topkick.checks.model import Ahead, Where
from topkick.engine import messages as h
from topkick.engine.agents.runs import Background, Run, Stage
from topkick.git.isolation import Tip
from topkick.plan_format.model import Criterion, SprintPlan, SprintType
from topkick.sprint.gates.model import Gate, GateMode
from topkick.sprint.model import Mission, Proof, Sprint, Stance, Unit
from topkick.sprint.transitions import UnitState
from topkick.sprint.unit_index import Trait, index_of


def orders(mission: Mission, now_us: int) -> tuple[h.Order, ...]:
    """Return the wanted orders. If the supervisor does not drive the mission, only agents that must
    end are ended; the others are left alone.
    """
    of_runs = (order for run in mission.runs.values() for order in _of_run(mission, run, now_us))
    of_backgrounds = (_background(b) for b in mission.backgrounds.values())
    wanted = (*of_runs, *_gate(mission), *of_backgrounds, *_files(mission))
    return wanted if mission.driven else tuple(o for o in wanted if isinstance(o, h.EndAgent))


def _of_run(mission: Mission, run: Run, now_us: int) -> Iterator[h.Order]:
    match run.stage:
        case Stage.SURVEYING:
            yield _survey(mission, run)
        case Stage.WORKING:
            yield _work(mission, run)
        case Stage.CHECKING:
            yield _check(mission, run)
        case Stage.WAITING:
            if run.next_poll_at_us <= now_us:
                yield _poll(mission, run)
        case Stage.INTEGRATING:
            if run is _first_to_integrate(mission):
                yield _integrate(mission, run)


def _first_to_integrate(mission: Mission) -> Run:
    """Return the first run to integrate: merges happen one after the other, each on top of the
    last.
    """
    return next(r for r in mission.runs.values() if r.stage is Stage.INTEGRATING)


def _gate(mission: Mission) -> Iterator[h.RunGate]:
    """Yield the next gate run: one gate at a time, and none while work is stopped."""
    gate = next((g for g in mission.gates.values() if g.verdict is None), None)
    if gate is None or mission.stance is not Stance.WORKING:
        return
    from topkick.sprint.gates.attribution import Try, next_step

    wanted = next_step(gate)
    assert isinstance(wanted, Try), "a gate whose verdict is clear is judged in the same step"
    number = len(gate.runs) + 1
    yield h.RunGate(
        id=f"{mission.id}-{gate.id}.{number}.{gate.look}",
        gate_id=gate.id,
        number=number,
        covers=gate.covers,
        units=wanted.units,
        commands=gate.commands or _detected(gate),
        held=tuple(x for x in gate.held if x.unit in wanted.units),
        bases=gate.bases,
        directories=_directories(mission),
        checkpoint=gate.checkpoint and gate.checkpoint.in_round(gate.round),
        criteria=tuple(_stated(mission, gate)),
    )


def _stated(mission: Mission, gate: Gate) -> Iterator[Criterion]:
    """Yield the plan's criteria that are held for this gate."""
    for held in gate.held:
        unit = mission.units.get(held.unit)
        checks = (c for s in unit.sprints for c in s.plan.checks) if unit is not None else ()
        yield from (c for c in checks if c.command == held.command)


def _detected(gate: Gate) -> tuple[str, ...]:
    """Return the commands that the manifests named at first, to be run again."""
    held = {x.command for x in gate.held}
    ran = gate.runs[0].results if gate.runs else ()
    return tuple(r.command for r in ran if r.command not in held)


def _files(mission: Mission) -> Iterator[h.Order]:
    """Yield requests that have no answer yet, including those of an earlier supervisor."""
    if mission.looking is not None:
        yield h.ReadFiles(f"{mission.id}-look-{mission.looks}", mission.looks, mission.looking)
    if mission.editing:
        number = mission.edits_asked
        yield h.EditFiles(f"{mission.id}-edit-{number}", number, mission.editing)
    if mission.posting:
        post = mission.posts_asked
        order_id = f"{mission.id}-post-{post}"
        yield h.PostMessages(order_id, post, mission.posting, mission.posting_after)
    if mission.listening is not None and mission.stance is Stance.WORKING:
        name, after = mission.listening
        yield h.HearBus(f"{mission.id}-hear-{name}-{after}", name, after)
    if mission.errand is not None:
        number = mission.errands_asked
        yield h.RunErrand(f"{mission.id}-errand-{number}", number, mission.errand)


def _background(background: Background) -> h.Order:
    if background.end_within_s is not None:
        return h.EndAgent(background.id, background.end_within_s, background=True)
    return h.KeepBackground(background.id, background.argv, background.cwd)


def _survey(mission: Mission, run: Run) -> h.SurveyGround:
    plan = mission.sprint(run.unit, run.sprint).plan
    return h.SurveyGround(
        id=f"{run.id}.survey.{run.look}",
        run_id=run.id,
        directory=mission.units[run.unit].plan.directory,
        entry=_to_run(plan.entry),
        exit=_to_run(plan.exit),
        tree=_tree(mission, run),
        catch_up=bool(plan.waits_for) or plan.repair,
        repair=plan.repair,
        where=_where(mission, plan),
        sprint=plan.id,
        criteria=(*plan.entry, *plan.exit),
    )


def _where(mission: Mission, plan: SprintPlan, *, last: bool = False) -> Where:
    """Return where to check: the work of a code sprint is checked at its commit, any other in place
    (VF-07).
    """
    assert mission.settings is not None
    if plan.type is not SprintType.CODE or mission.settings.verify_at is Where.PLACE:
        return Where.PLACE
    return Where.COLD if last else mission.settings.verify_at


def _tree(mission: Mission, run: Run) -> str:
    return mission.units[run.unit].handle if mission.isolation is not None else ""


def _work(mission: Mission, run: Run) -> h.Order:
    assert run.dispatch is not None
    if run.cancel is not None:
        return h.EndAgent(run.id, run.cancel.grace_s)
    unit = mission.units.get(run.unit)
    directory = unit.plan.directory if unit is not None else "."
    draining = unit is not None and unit.state is UnitState.STOPPING
    launch = mission.stance is Stance.WORKING and not draining and not run.active
    tree = _tree(mission, run) if unit is not None else ""
    return h.RunAgent(run.id, run.unit, run.sprint, directory, run.dispatch, launch, tree)


def recheck(mission: Mission, unit: Unit, sprint: Sprint, where: Where) -> h.CheckWork:
    """Return the order that repeats a sprint's last check, for `verify`."""
    assert sprint.outcome is not None
    run = Run(f"{mission.id}-verify", unit.name, sprint.id, Stage.CHECKING)
    order = _check(mission, run)
    in_tree = order.where is not Where.PLACE
    return replace(
        order,
        ahead=None,
        output_of="",
        since_us=0,
        where=where if in_tree else Where.PLACE,
        commit=sprint.outcome.head,
    )


def _check(mission: Mission, run: Run) -> h.CheckWork:
    if run.unit not in mission.units:
        return _read_answer(run)
    assert mission.settings is not None
    sprint = mission.sprint(run.unit, run.sprint)
    dispatch = run.dispatch or sprint.interrupted
    unit = mission.units[run.unit]
    is_last = sprint is unit.sprints[-1]
    return h.CheckWork(
        id=f"{run.id}.check.{run.look}",
        run_id=run.id,
        directory=unit.plan.directory,
        checks=tuple(c for c in _commands(mission, run) if c not in sprint.held),
        always=mission.settings.verify_always,
        base=dispatch.base if dispatch is not None else None,
        output_of=run.id if run.dispatch is not None else sprint.interrupted_run,
        ahead=_ahead(mission, unit),
        program=dispatch.program if dispatch is not None else None,
        resumed=dispatch.resumes if dispatch is not None else None,
        ended=run.exit,
        tree=_tree(mission, run),
        since_us=dispatch.at_us if dispatch is not None else 0,
        whole=sprint.plan.generated,
        where=_where(mission, sprint.plan, last=is_last),
        before=h.Before(
            sprint.base_at_first,
            sprint.counts_at_first,
            sprint.branch_at_first,
            sprint.tools_at_first,
        ),
        asked=_asked(sprint.plan),
        plan_file=mission.plan.file if mission.plan is not None else "",
        not_ours=_not_ours(mission, unit),
        sprint=sprint.id,
        syntax=sprint.plan.type is SprintType.CODE,
        manifests_in=_manifests_in(mission),
        repair=sprint.plan.repair,
        progress_of=_progress_of(mission, unit),
        criteria=(*sprint.plan.exit, *(c for s in _following(unit) for c in s.plan.entry)),
    )


def _asked(plan: SprintPlan) -> str:
    """Return the text that states the task; the indented output that a repair quotes asks for
    nothing.
    """
    if not plan.repair:
        return plan.text
    return "\n".join(line for line in plan.text.splitlines() if not line.startswith("    "))


def _manifests_in(mission: Mission) -> tuple[str, ...]:
    """Return the directories whose manifests name the gate's commands, if no person does
    (GT-02).
    """
    assert mission.settings is not None
    of_plan = mission.plan.gate if mission.plan is not None else ()
    if mission.settings.gate is GateMode.OFF or mission.settings.gate_commands or of_plan:
        return ()
    return _directories(mission)


def _progress_of(mission: Mission, unit: Unit) -> tuple[h.ProgressFile, ...]:
    """Return the unit's own progress file; a unit that reconciles reads those of all (RP-05,
    RP-06).
    """
    looks_at_all = bool(unit.plan.reconciles)
    of = [u for u in mission.units.values() if not u.plan.reconciles] if looks_at_all else [unit]
    return tuple(h.ProgressFile(u.name, u.plan.directory, _is_alone(mission, u)) for u in of)


def _is_alone(mission: Mission, unit: Unit) -> bool:
    """Return whether no other unit of the plan works in the unit's directory."""
    names = index_of(mission).directories[unit.plan.directory]
    planned = (name for name in names if not mission.units[name].plan.reconciles)
    return len(tuple(islice(planned, 2))) == 1


def _directories(mission: Mission) -> tuple[str, ...]:
    return tuple(index_of(mission).directories)


def _not_ours(mission: Mission, unit: Unit) -> tuple[str, ...]:
    """Return the directories of other units, whose changes in a shared tree are not this unit's."""
    if mission.isolation is not None:
        return ()
    ours = {unit.plan.directory, ".", ""}
    return tuple(d for d in index_of(mission).places_of_work if d not in ours)


def _following(unit: Unit) -> tuple[Sprint, ...]:
    return unit.sprints[unit.at + 1 : unit.at + 2]


def _ahead(mission: Mission, unit: Unit) -> Ahead | None:
    following = _following(unit)
    if not following or following[0].plan.effective_type is SprintType.DEFERRED:
        return None
    plan = following[0].plan
    return Ahead(_to_run(plan.entry), _to_run(plan.exit), _where(mission, plan), plan.id)


def _read_answer(run: Run) -> h.CheckWork:
    """Return a check outside a plan: only the agent's answer, or the named commands."""
    dispatch = run.dispatch
    return h.CheckWork(
        id=f"{run.id}.check.{run.look}",
        run_id=run.id,
        directory=run.directory or ".",
        checks=run.checks,
        always=(),
        base=None,
        output_of=run.id if not run.checks else "",
        program=dispatch.program if dispatch is not None else None,
        ended=run.exit,
        listens=not run.checks,
        bare=bool(run.checks),
    )


def _poll(mission: Mission, run: Run) -> h.PollCondition:
    return h.PollCondition(
        id=f"{run.id}.poll.{run.look}.{run.polls + 1}",
        run_id=run.id,
        poll=run.polls + 1,
        directory=mission.units[run.unit].plan.directory,
        checks=_commands(mission, run),
        tree=_tree(mission, run),
    )


def _integrate(mission: Mission, run: Run) -> h.IntegrateWork:
    """Return the order that merges what was checked; work that a person accepted is merged as it
    is.
    """
    unit = mission.units[run.unit]
    sprint = mission.sprint(run.unit, run.sprint)
    checked = sprint.outcome if sprint.proof is not Proof.ACCEPTED else None
    return h.IntegrateWork(
        id=f"{run.id}.integrate.{run.look}",
        run_id=run.id,
        tree=_tree(mission, run),
        directory=unit.plan.directory,
        commit=checked.head if checked is not None else "",
        told=f"Merge {unit.name} up to sprint {sprint.id}",
        commits=checked.heads if checked is not None else (),
        checked=tuple(_to_be_merged(mission)),
    )


def _to_be_merged(mission: Mission) -> Iterator[str]:
    """Yield the checked commits of finished sprints that are not on the mission's branch yet."""
    for unit in index_of(mission).having(Trait.UNMERGED):
        for tip in heads_of(unit)[unit.integrated :]:
            yield from (head.commit for head in tip)


def heads_of(unit: Unit) -> tuple[tuple[Tip, ...], ...]:
    """Return the last checked commits of each sprint up to the current one. A tip has an empty path
    if only the unit's own repository was recorded.
    """
    outcomes = (s.outcome for s in unit.sprints[: unit.at + 1])
    return tuple(() if o is None else o.heads or _alone(o.head) for o in outcomes)


def heads_by_handle(mission: Mission, handle: str) -> tuple[Tip, ...]:
    """Return all recorded commits of the unit, oldest first."""
    name = index_of(mission).by_handle.get(handle.lower())
    tips = heads_of(mission.units[name]) if name is not None else ()
    return tuple(tip for of_sprint in tips for tip in of_sprint)


def _alone(head: str) -> tuple[Tip, ...]:
    return (Tip("", head),) if head else ()


def _commands(mission: Mission, run: Run) -> tuple[str, ...]:
    return _to_run(mission.sprint(run.unit, run.sprint).plan.exit)


def _to_run(criteria: tuple[Criterion, ...]) -> tuple[str, ...]:
    return tuple(c.command for c in criteria if c.command is not None)
