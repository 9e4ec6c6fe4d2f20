"""The plan as topkick read it: in at most forty lines, in full, or line by line."""

import re
from collections.abc import Iterator, Sequence

from topkick.engine.settings import Settings
from topkick.plan_format.criteria.criteria import form_of
from topkick.plan_format.document import PlanReading, not_understood
from topkick.plan_format.model import CheckpointPlan, Criterion, Plan, PlanFinding
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.text import escape
from topkick.text.format import counted

LINES = 40
FINDINGS_SHOWN = 8
DANGERS_SHOWN = 3
NAMES_SHOWN = 8
LISTED = 8
GATE_COMMANDS_SHOWN = 3
GATE_COMMAND_WIDTH = 60
RISKY = re.compile(
    r"\b(?:sudo|rm|mv|dd|chmod|chown|curl|wget|ssh|scp|rsync|docker|kubectl|terraform|psql|mysql"
    r"|npm|npx|pip|pipx|uvx|brew|apt|apt-get|gh|deploy|publish|push|kill|eval)\b|(?<!\d)>|\|\s*\w*sh\b"
)


def page(mission: Mission, reading: PlanReading, manifests: tuple[str, ...] = ()) -> list[str]:
    """Return the page. `manifests` are the commands that the project's manifests call for now."""
    return [
        escape.line(reading.plan.title, 80),
        *_counts(mission, reading),
        *_layers(mission),
        "",
        *_graph(mission),
        *_gates(mission, reading, manifests),
        *_unchecked(mission),
        *_some("Commands in the plan that topkick never runs", reading.notes.dangers),
        *_findings(reading),
        "Next: topkick plan lint, then topkick start --dry-run, then topkick start",
    ]


def shortened(lines: list[str]) -> list[str]:
    """Shorten the page to forty lines. Lines of sprints are dropped first, since they
    are the most.
    """
    if len(lines) <= LINES:
        return lines
    without = [line for line in lines if not line.startswith("    ")]
    if len(without) <= LINES:
        return without
    left = len(without) - LINES + 1
    tail = min(16, LINES // 2)
    head = LINES - tail - 1
    return [*without[:head], f"… {left} lines more: topkick plan show --full", *without[-tail:]]


def _counts(mission: Mission, reading: PlanReading) -> Iterator[str]:
    sprints = [s for u in mission.units.values() for s in u.sprints]
    open_ones = len(unchecked(mission))
    criteria = [c for s in sprints for c in s.plan.exit]
    checks = sum(c.command is not None for c in criteria)
    vague = len(not_understood(reading))
    yield (
        f"{counted(len(mission.units), 'work unit')}, {counted(len(sprints), 'sprint')}: "
        f"{len(sprints) - open_ones} checked, {open_ones} unchecked"
    )
    yield (
        f"{counted(len(criteria), 'exit criterion', 'exit criteria')}: "
        f"{counted(checks, 'check')}, {len(criteria) - checks - vague} for people, "
        f"{vague} not understood"
    )
    by_sprint = escape.line(reading.sprint_rule, 70)
    yield f"Units by {escape.line(reading.rule, 70)}; sprints by {by_sprint}"


def _layers(mission: Mission) -> Iterator[str]:
    depth = _depths(mission)
    for layer in sorted(set(depth.values())):
        units = [u for u in mission.units.values() if depth[u.name] == layer]
        yield ""
        yield "First" if layer == 0 else f"Then ({layer})"
        for unit in units:
            yield _unit_line(mission, unit)
            yield from (f"    {_sprint_line(mission, unit, s)}" for s in unit.sprints)


def _depths(mission: Mission) -> dict[str, int]:
    """Return for each unit how many units must be completed one after the other before it can
    begin.
    """
    depth: dict[str, int] = {}
    waiting = dict(mission.units)
    while waiting:
        ready = [u for u in waiting.values() if not waiting.keys() & set(u.plan.waits_for)]
        for unit in ready or list(waiting.values()):
            known = [depth[n] for n in unit.plan.waits_for if n in depth]
            depth[unit.name] = max(known, default=-1) + 1
            del waiting[unit.name]
    return depth


def _unit_line(mission: Mission, unit: Unit) -> str:
    waits = ", ".join(mission.units[n].handle for n in unit.plan.waits_for if n in mission.units)
    after = f", after {waits}" if waits else ""
    checked = sum(bool(s.plan.checks) for s in unit.sprints)
    count = f"{counted(len(unit.sprints), 'sprint')}, {checked} checked"
    phase = f", {escape.line(unit.plan.phase, 40)}" if unit.plan.phase else ""
    name = f"{unit.handle} {escape.line(unit.name, 40)} ({_place(unit)})"
    return f"  {name}: {count}{after}{phase}, line {unit.plan.line}"


def _place(unit: Unit) -> str:
    shown = escape.line(unit.plan.directory, 40)
    return f"{shown}, a repository beside this one" if shown.startswith("../") else shown


def _sprint_line(mission: Mission, unit: Unit, sprint: Sprint) -> str:
    kind = sprint.plan.effective_type.value
    checks = len(sprint.plan.checks)
    others = len(sprint.plan.exit) - checks
    told = counted(checks, "check") + (f", {others} for people" if others else "")
    name = f"{unit.handle}/{escape.line(sprint.id)} {escape.line(sprint.plan.name, 50)}"
    refs = ", ".join(
        f"{mission.units[r.unit].handle}/{escape.line(r.sprint)}" for r in sprint.plan.waits_for
    )
    after = f", after {refs}" if refs else ""
    gate = ", then a gate" if sprint.plan.dependencies_only else ""
    return f"{name} [{kind}]: {told}{after}{gate}, line {sprint.plan.line}"


def _graph(mission: Mission) -> Iterator[str]:
    """Yield the dependencies as edges in one row; a line for each layer would repeat the list
    above.
    """
    edges = [
        f"{mission.units[n].handle}→{unit.handle}"
        for unit in mission.units.values()
        for n in unit.plan.waits_for
        if n in mission.units
    ]
    if edges:
        more = f" and {len(edges) - 16} more" if len(edges) > 16 else ""
        yield f"Graph: {' '.join(edges[:16])}{more}"


def _gates(mission: Mission, reading: PlanReading, manifests: tuple[str, ...]) -> Iterator[str]:
    """Yield the gate's commands, the commands that verify units for others, and the checkpoints."""
    assert mission.settings is not None
    yield f"Gate: {gate(reading.plan, mission.settings, manifests)}"
    for unit in mission.units.values():
        for command in unit.plan.verify:
            yield f"Gate of {unit.handle}: {escape.line(command, 100)}"
    for one in reading.plan.checkpoints:
        yield f"Checkpoint: {checkpoint(one, mission)}"


def _unchecked(mission: Mission) -> Iterator[str]:
    found = unchecked(mission)
    if found:
        names = ", ".join(f"{u.handle}/{escape.line(s.id)}" for u, s in found[:NAMES_SHOWN])
        more = f" and {len(found) - NAMES_SHOWN} more" if len(found) > NAMES_SHOWN else ""
        yield f"Unchecked (no machine can check that they are done): {names}{more}"


def _some(title: str, found: Sequence[PlanFinding]) -> Iterator[str]:
    if found:
        yield f"{title} ({len(found)}):"
        for one in found[:DANGERS_SHOWN]:
            yield f"  line {one.line}: {escape.line(one.message, 100)}"


def _findings(reading: PlanReading) -> Iterator[str]:
    if not reading.findings:
        return
    yield f"Noticed ({len(reading.findings)}):"
    for finding in reading.findings[:FINDINGS_SHOWN]:
        yield f"  line {finding.line}: {escape.line(finding.message, 140)}"
    if len(reading.findings) > FINDINGS_SHOWN:
        more = len(reading.findings) - FINDINGS_SHOWN
        yield f"  … and {more} more: topkick plan lint"


def commands(mission: Mission) -> list[str]:
    assert mission.plan is not None
    assert mission.settings is not None
    return [escape.verbatim(c, 4) for c in commands_of(mission.plan, mission.settings)]


# --- lines that the start screen shows as well --------------------------------------------------


def commands_of(plan: Plan, settings: Settings) -> list[str]:
    """Return the commands that the supervisor will run itself, each once; those that look dangerous
    come first.
    """
    found = [
        c.command
        for u in plan.units
        for s in u.sprints
        for c in (*s.entry, *s.exit)
        if c.command is not None
    ]
    gates = [*plan.gate, *(command for u in plan.units for command in u.verify)]
    gates += [one.command for one in plan.checkpoints]
    once = list(dict.fromkeys([*found, *gates, *settings.verify_always]))
    return sorted(once, key=lambda c: RISKY.search(c) is None)


def gate(plan: Plan, settings: Settings, manifests: tuple[str, ...]) -> str:
    """Describe the commands of the gate and where they come from (GT-02)."""
    if settings.gate is GateMode.OFF:
        return "off: nothing is built and tested together"
    asks = "; then asks a person" if settings.gate is GateMode.ASK else ""
    commands, whose = plan.gate, "from the plan"
    if not commands:
        commands, whose = settings.gate_commands, "from topkick.toml"
    if not commands:
        commands, whose = manifests, "by manifests, as they are now"
    if not commands:
        return f"after each phase: not run, no build or test command is known{asks}"
    shown = ", ".join(
        f"`{escape.line(c, GATE_COMMAND_WIDTH)}`" for c in commands[:GATE_COMMANDS_SHOWN]
    )
    left = len(commands) - GATE_COMMANDS_SHOWN
    more = f" and {left} more" if left > 0 else ""
    return f"after each phase: {shown}{more} ({whose}){asks}"


def checkpoint(one: CheckpointPlan, mission: Mission) -> str:
    """Describe where the checkpoint is, what judges it, and which units wait for it (CK-14)."""
    held = [mission.units[name].handle for name in one.holds if name in mission.units]
    more = f" and {len(held) - LISTED} more" if len(held) > LISTED else ""
    waits = "waits" if len(held) == 1 else "wait"
    by = f"by {escape.line(one.role_spec, 60)} in {escape.line(one.session, 60)}"
    where = f"{one.id} after {escape.line(one.place, 40)}"
    return f"{where}, {by}; {', '.join(held[:LISTED])}{more} {waits} for it"


def unchecked(mission: Mission) -> list[tuple[Unit, Sprint]]:
    """Return the sprints that no check can prove done (DP-11)."""
    return [(u, s) for u in mission.units.values() for s in u.sprints if s.plan.lacks_check]


# --- line by line (plan show --explain) ----------------------------------------------------

Line = tuple[int, str]


def explained(mission: Mission, reading: PlanReading) -> list[str]:
    """Show for each line of the plan how it was read, and by which rule."""
    lines = sorted(_lines(mission, reading), key=lambda line: line[0])
    wide = max((len(str(number)) for number, _ in lines), default=1)
    return [
        f"Work units: {escape.line(reading.rule)} (PL-10)",
        f"Sprints: {escape.line(reading.sprint_rule)} (PL-11)",
        "",
        *(f"line {number:>{wide}}  {text}" for number, text in lines),
    ]


def _lines(mission: Mission, reading: PlanReading) -> Iterator[Line]:
    for outlined in reading.outline:
        title = escape.line(outlined.title, 70)
        yield outlined.line, f"{'#' * outlined.level} {title} → {escape.line(outlined.role, 80)}"
    for unit in mission.units.values():
        yield from _unit(mission, unit)
        for sprint in unit.sprints:
            yield from _sprint(unit, sprint, reading)
    yield from _gate_lines(mission, reading)
    if reading.template.text:
        yield reading.template.line, "  the template of every order (PL-14)"
    for finding in reading.findings:
        yield finding.line, f"  noticed: {escape.line(finding.message, 160)}"
    for danger in reading.notes.dangers:
        yield danger.line, f"  never run by topkick: {escape.line(danger.message, 120)}"


def _unit(mission: Mission, unit: Unit) -> Iterator[Line]:
    waits = ", ".join(mission.units[n].handle for n in unit.plan.waits_for if n in mission.units)
    layer = f", layer {unit.plan.layer}" if unit.plan.layer is not None else ""
    layer = layer or (f", {escape.line(unit.plan.phase, 40)}" if unit.plan.phase else "")
    told = f"{unit.handle} {escape.line(unit.name, 50)} in {escape.line(unit.plan.directory, 50)}"
    yield unit.plan.line, f"  work unit {told}{layer}, waits for {waits or 'nothing'} (PL-12)"


def _gate_lines(mission: Mission, reading: PlanReading) -> Iterator[Line]:
    for given in (g for found in reading.gates.given.values() for g in found):
        command = escape.line(given.command, 120)
        if given.unit:
            handle = mission.units[given.unit].handle
            yield given.line, f"  verifies {handle} before others build on it: {command} (GT-01)"
        else:
            yield given.line, f"  builds and tests everything together: {command} (GT-02)"
    for one in reading.plan.checkpoints:
        names = ", ".join(mission.units[name].handle for name in one.holds)
        yield one.line, f"  {one.id} is judged before {names} may begin (CK-14)"


def _sprint(unit: Unit, sprint: Sprint, reading: PlanReading) -> Iterator[Line]:
    plan = sprint.plan
    read = reading.sprints[unit.name, sprint.id]
    x = f"{unit.handle}/{escape.line(sprint.id)}"
    kind = plan.effective_type.value
    yield plan.line, f"  {x}: type {kind}, {len(plan.tasks)} tasks (PL-16)"
    if plan.dependencies_only:
        yield plan.line, f"  {x} is about dependencies alone: a gate runs after it (GT-07)"
    for remark in read.depends:
        yield remark.line, f"  {x} depends: {escape.line(remark.text, 100)}"
    for ref in plan.waits_for:
        yield (
            plan.line,
            f"  {x} waits for {escape.line(ref.unit)}/{escape.line(ref.sprint)} (GT-08)",
        )
    for criterion in plan.entry:
        yield criterion.line, f"  {x} entry {_criterion(criterion)}"
    for criterion in plan.exit:
        yield criterion.line, f"  {x} exit {_criterion(criterion)}"


def _criterion(criterion: Criterion) -> str:
    text = escape.line(criterion.text, 70)
    if criterion.command is not None:
        form = form_of(criterion.text)
        how = f" ({form})" if form else ""
        return f"check{how}: {text} → {escape.line(criterion.command, 120)}"
    if criterion.named:
        return f"not understood, so for people: {text}"
    return f"{criterion.kind.value}, for people: {text}"
