"""The plan as topkick understood it, in at most forty lines, or whole, or for programs."""

from collections.abc import Iterator

from topkick.boards import safe
from topkick.boards.counted import counted
from topkick.core.model import Mission, Sprint, Unit
from topkick.faces.start_screen import commands_of, unchecked
from topkick.plans.document import Reading

LINES = 40
FINDINGS_SHOWN = 10


def page(mission: Mission, reading: Reading) -> list[str]:
    sprints = [s for u in mission.units.values() for s in u.sprints]
    checks = sum(len(s.plan.checks) for s in sprints)
    return [
        f"{safe.line(reading.plan.title, 80)}",
        f"{counted(len(mission.units), 'work unit')}, {counted(len(sprints), 'sprint')}, "
        f"{counted(checks, 'runnable check')}"
        + (f" (units found by {safe.line(reading.rule, 60)})" if reading.rule else ""),
        *_layers(mission),
        "",
        *_unchecked(mission),
        *_findings(reading),
        "Next: topkick start --dry-run, then topkick start",
    ]


def shortened(lines: list[str]) -> list[str]:
    """Forty lines: the sprints go first, for they are the most."""
    if len(lines) <= LINES:
        return lines
    without = [line for line in lines if not line.startswith("    ")]
    if len(without) <= LINES:
        return without
    left = len(without) - LINES + 1
    return [*without[: LINES - 9], f"… {left} lines more: topkick plan show --full", *without[-8:]]


def _layers(mission: Mission) -> Iterator[str]:
    depth = _depths(mission)
    for layer in sorted(set(depth.values())):
        units = [u for u in mission.units.values() if depth[u.name] == layer]
        yield ""
        yield "First" if layer == 0 else f"Then ({layer})"
        for unit in units:
            yield _unit_line(mission, unit)
            yield from (f"    {_sprint_line(unit, s)}" for s in unit.sprints)


def _depths(mission: Mission) -> dict[str, int]:
    """How many units must be completed one after the other before this one can begin."""
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
    count = counted(len(unit.sprints), "sprint")
    name = f"{safe.line(unit.name, 40)} ({safe.line(unit.plan.directory, 40)})"
    return f"  {unit.handle} {name}: {count}{after}, line {unit.plan.line}"


def _sprint_line(unit: Unit, sprint: Sprint) -> str:
    kind = sprint.plan.effective_type.value
    checks = len(sprint.plan.checks)
    others = len(sprint.plan.exit) - checks
    told = counted(checks, "check") + (f", {others} for people" if others else "")
    name = f"{unit.handle}/{safe.line(sprint.id)} {safe.line(sprint.plan.name, 50)}"
    return f"{name} [{kind}]: {told}, line {sprint.plan.line}"


def _unchecked(mission: Mission) -> Iterator[str]:
    found = unchecked(mission)
    if found:
        names = ", ".join(f"{u.handle}/{safe.line(s.id)}" for u, s in found[:8])
        more = f" and {len(found) - 8} more" if len(found) > 8 else ""
        yield f"Unchecked (no machine can tell that they are done): {names}{more}"


def _findings(reading: Reading) -> Iterator[str]:
    if not reading.findings:
        return
    yield f"Noticed ({len(reading.findings)}):"
    for finding in reading.findings[:FINDINGS_SHOWN]:
        yield f"  line {finding.line}: {safe.line(finding.message, 140)}"
    if len(reading.findings) > FINDINGS_SHOWN:
        yield f"  … and {len(reading.findings) - FINDINGS_SHOWN} more (--json has all)"


def commands(mission: Mission) -> list[str]:
    assert mission.plan is not None
    assert mission.settings is not None
    return [safe.line(c) for c in commands_of(mission.plan, mission.settings)]
