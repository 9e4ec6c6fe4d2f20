"""Describe gates in words: what is being built, the result, and which units wait for it."""

from collections.abc import Iterator

from topkick.sprint import status
from topkick.sprint.blockers.order import unit_gate
from topkick.sprint.check_wording import name_of, words_for
from topkick.sprint.gates.due import is_gated, phase_of
from topkick.sprint.gates.model import LETS_PASS, NOBODY, Gate, GateKind, GateRun, GateVerdict
from topkick.sprint.model import Mission, Overall, Sprint, Stance, Unit
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views.blocker_lines import gate_name
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

LISTED = 8
NOTHING_KNOWN = (
    "no build or test command is known; name one in the plan, or as [gate] command in topkick.toml"
)


def find(mission: Mission, gate_id: str) -> Gate | None:
    """Return the gate if it is open or among the last that were closed."""
    past = (g for g in reversed(mission.past_gates) if g.id == gate_id)
    return mission.gates.get(gate_id) or next(past, None)


def title(gate: Gate) -> str:
    """Return the gate's title, such as `Gate G1 (layer 0)`."""
    if gate.kind is GateKind.CLEARANCE:
        return f"Gate {gate.id} (before {escape.line(gate.clears, 40)})"
    if gate.task:
        return f"Gate {gate.id} ({gate.task} after {escape.line(gate.phase, 40)})"
    return f"Gate {gate.id} ({escape.line(gate.phase, 40)})" if gate.phase else f"Gate {gate.id}"


def names(units: tuple[str, ...]) -> str:
    shown = ", ".join(escape.line(name, 40) for name in units[:LISTED])
    return shown + (f" and {len(units) - LISTED} more" if len(units) > LISTED else "")


# --- runs of a gate ------------------------------------------------------------------------


def content(gate: Gate, units: tuple[str, ...], number: int = 0) -> str:
    """Describe what a run builds: `the work of all units`, `without c`, `a alone`."""
    before = gate.runs[: max(number - 1, 0)]
    again = ", again" if any(run.units == units for run in before) else ""
    return f"{_content(gate, units)}{again}"


def _content(gate: Gate, units: tuple[str, ...]) -> str:
    if gate.kind is GateKind.CLEARANCE:
        return "what it builds on"
    if gate.task:
        return f"what was done up to {escape.line(gate.phase, 40)}"
    if units == gate.units:
        return "the work of all units" if len(units) > 1 else f"the work of {names(units)}"
    if units == (NOBODY,):
        return "the base with commits that belong to no unit"
    if not units:
        return "the base, without their work" if len(gate.units) > 1 else "the base, without it"
    left_out = tuple(u for u in gate.units if u not in units)
    if len(left_out) < len(units):
        return f"without {names(left_out)}"
    return f"{names(units)} alone" if len(units) == 1 else f"{names(units)} without the others"


def under_way(mission: Mission, gate: Gate, now_us: int) -> str:
    """Describe the run that is under way: `run 3, without c: `make test` (begun 2 min ago)`."""
    from topkick.sprint.gates.attribution import Try, next_step

    wanted = next_step(gate)
    units = wanted.units if isinstance(wanted, Try) else gate.units
    number = len(gate.runs) + 1
    what = f"run {number}, {content(gate, units, number)}{_by(gate)}"
    if mission.stance is not Stance.WORKING:
        return f"{what}, after topkick resume"
    return f"{what} (begun {fmt.lasted(now_us - gate.opened_at_us)} ago)"


def _by(gate: Gate) -> str:
    ran = gate.runs[0].results if gate.runs else ()
    found = [f"`{c}`" for c in gate.commands] or [name_of(r) for r in ran]
    commands = tuple(dict.fromkeys((*found, *(held.named for held in gate.held))))
    shown = ", ".join(escape.line(c, 62) for c in commands[:2])
    more = f" and {len(commands) - 2} more" if len(commands) > 2 else ""
    return f": {shown}{more}" if shown else ""


# --- result of a gate ----------------------------------------------------------------------


def outcome(gate: Gate) -> str:
    """Describe the result of the gate, and what a person decided about it."""
    if gate.accepted:
        return f"{found(gate)}; a person let it pass: {escape.line(gate.accepted, 120)}"
    if gate.closed_at_us and not gate.passed and gate.verdict in LETS_PASS:
        return f"{found(gate)}; a person refused it"
    return found(gate)


def found(gate: Gate) -> str:
    """Describe the verdict; only PASSED is called passed."""
    why = escape.line(gate.why, 200)
    match gate.verdict:
        case None:
            return "not run yet"
        case GateVerdict.PASSED:
            return f"passed{at_commit(gate)}{_counted(gate)}"
        case GateVerdict.NOT_RUN:
            return f"not run: {why}"
        case GateVerdict.PRE_EXISTING:
            return f"red, but not because of this work: {why}"
        case GateVerdict.FLAKY:
            return f"flaky: {why}"
        case GateVerdict.CANNOT_RUN:
            return f"cannot run: {why}"
        case GateVerdict.UNCLEAR:
            perhaps = f"; perhaps {blamed(gate)}" if gate.groups else ""
            return f"red, and the cause is not clear: {why}{perhaps}"
        case GateVerdict.WARNED | GateVerdict.BLOCKED:
            return f"{gate.verdict}{at_commit(gate)}: {why}"
        case GateVerdict.CULPRITS if gate.kind is GateKind.CLEARANCE:
            return f"does not verify: {why}"
        case GateVerdict.CULPRITS | GateVerdict.INTERACTION:
            return f"red: {why}; found in {counted(len(gate.runs), 'run')}: {blamed(gate)}"


def blamed(gate: Gate) -> str:
    """Name the units to blame: `b`, or `a together with c`."""
    groups = (
        " together with ".join(filter(None, (names(group[:-1]), names(group[-1:]))))
        for group in gate.groups
    )
    return "; ".join(groups)


def whole_run(gate: Gate) -> GateRun | None:
    return next((r for r in gate.runs if r.units == gate.units and not r.trouble), None)


def at_commit(gate: Gate) -> str:
    run = whole_run(gate)
    told = commits(run) if run is not None else ""
    return f" at {told}" if told else ""


def commits(run: GateRun) -> str:
    """Return the short commits of a run, with the repositories' paths if there are several."""
    if len(run.tips) == 1:
        return run.tips[0].commit[:7]
    return ", ".join(f"{escape.line(t.path, 30)} {t.commit[:7]}" for t in run.tips[:4])


def _counted(gate: Gate) -> str:
    run = whole_run(gate)
    told = [_told(name_of(r), r.counts.ran if r.counts else 0) for r in run.results] if run else []
    more = [f"{len(told) - 3} more"] if len(told) > 3 else []
    return f" ({', '.join([*told[:3], *more])})" if told else ""


def _told(command: str, tests: int) -> str:
    shown = escape.line(command, 82)
    return f"{shown}: {counted(tests, 'test')}" if tests else shown


# --- gates of the whole mission ------------------------------------------------------------


def lines(mission: Mission, now_us: int) -> list[str]:
    """Return the lines about gates: open gates, the last result of each phase, held criteria,
    repairs.
    """
    told = [
        *(f"{_short(g)} {_standing(mission, g, now_us)}" for g in mission.gates.values()),
        *(f"{_short(g)} {outcome(g)}" for g in last_of_phases(mission)),
        *_not_run(mission),
        *_held(mission),
        *_mending(mission),
    ]
    return ["Gates:", *(f"  {line}" for line in told)] if told else []


def _short(gate: Gate) -> str:
    return title(gate).removeprefix("Gate ")


def _standing(mission: Mission, gate: Gate, now_us: int) -> str:
    if gate.verdict is not None:
        return f"waits for a person: {found(gate)}"
    of = f"of {names(gate.units)}: " if gate.covers else ""
    return f"{of}{under_way(mission, gate, now_us)}"


def last_build(mission: Mission) -> Gate | None:
    return next((g for g in reversed(mission.past_gates) if g.kind is GateKind.BUILD), None)


def last_of_phases(mission: Mission) -> tuple[Gate, ...]:
    """Return the last closed build gate of each phase, and the last round of each checkpoint."""
    last: dict[tuple[str, str], Gate] = {}
    for gate in mission.past_gates:
        if gate.kind is not GateKind.CLEARANCE:
            last.pop(about(gate), None)
            last[about(gate)] = gate
    return tuple(last.values())[-LISTED:]


def about(gate: Gate) -> tuple[str, str]:
    """Return a key that is the same for gates of which only the last one counts."""
    return gate.phase, gate.checkpoint.id if gate.checkpoint is not None else ""


def _not_run(mission: Mission) -> Iterator[str]:
    if never_run(mission):
        yield f"not run: {NOTHING_KNOWN}"


def never_run(mission: Mission) -> bool:
    """Return whether the run is COMPLETED although no build gate ever ran."""
    built = any(g.kind is GateKind.BUILD for g in mission.past_gates)
    is_over = status.overall(mission) is Overall.COMPLETED
    return is_over and is_gated(mission) and not built


def to_accept(mission: Mission) -> Iterator[str]:
    """Yield the gates that wait for a person, each with the command that lets it pass."""
    for gate in mission.gates.values():
        if gate.verdict is not None:
            yield f'{title(gate)}: {found(gate)}. Accept it: topkick accept {gate.id} --why "..."'


def held_sprints(mission: Mission) -> list[tuple[Unit, Sprint]]:
    units = mission.units.values()
    return [(u, s) for u in units for s in u.sprints if s.held and _is_done(s)]


def _held(mission: Mission) -> Iterator[str]:
    held = held_sprints(mission)
    for unit, sprint in held[:LISTED]:
        yield f"{escape.line(status.handle(unit, sprint))} COMPLETED, held: {held_of(sprint)}"
    if len(held) > LISTED:
        yield f"… and {len(held) - LISTED} more with criteria that are held"


def held_of(sprint: Sprint) -> str:
    checks = sprint.plan.checks
    return ", ".join(escape.line(words_for(checks, command), 80) for command in sprint.held)


def _mending(mission: Mission) -> Iterator[str]:
    for unit in mission.units.values():
        for sprint in unit.sprints:
            if sprint.plan.repair and not _is_done(sprint):
                x = escape.line(status.handle(unit, sprint))
                yield f"{x} {escape.line(unit.name, 40)}: repairs what the gate found"


def _is_done(sprint: Sprint) -> bool:
    return sprint.state is SprintState.COMPLETED


def waits_for(mission: Mission, unit: Unit) -> str:
    """Name the gate that the unit waits for, `gate G1` or `the gate of layer 0`; empty if there is
    none.
    """
    due = unit_gate(mission, unit) if unit.state is not UnitState.STOPPING else None
    return gate_name(due) if due is not None else ""


def phase(unit: Unit) -> str:
    """Return the unit's phase: `layer 0`, or the name that the plan gives."""
    return escape.line(phase_of(unit), 40) or "all units"
