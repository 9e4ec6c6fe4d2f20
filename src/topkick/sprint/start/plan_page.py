"""The plan as topkick read it, in at most forty lines, or in full."""

from collections.abc import Iterator, Sequence

from topkick.plan_format.document import PlanReading, not_understood
from topkick.plan_format.model import PlanFinding
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.sprint.start.start_screen import checkpoint, commands_of, gate, unchecked, verbatim
from topkick.text import escape
from topkick.text.format import counted

LINES = 40
FINDINGS_SHOWN = 8
DANGERS_SHOWN = 3
NAMES_SHOWN = 8


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
        *_some("Never run by topkick, though it stands in the plan", reading.notes.dangers),
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
        yield f"Unchecked (no machine can tell that they are done): {names}{more}"


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
    return [verbatim(c, 4) for c in commands_of(mission.plan, mission.settings)]
