"""Render SUPERVISOR_STATE.md: the run for people, written from the journal and never read back.

Only its first line is read again: the anchor, which shows when the journal has lost its tail.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from topkick.engine.agents.runs import Run
from topkick.engine.codec.chain import Head, anchor_line
from topkick.engine.settings import Settings
from topkick.sprint import status
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.gates import views as gates
from topkick.sprint.model import (
    DECISIONS_SHOWN,
    Decision,
    Mission,
    Overall,
    Sprint,
    Unit,
    open_findings,
)
from topkick.sprint.needs import views as cross_needs
from topkick.sprint.status import attempt, proof_told
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views import blocker_lines, spending, wording
from topkick.sprint.views.wording import code
from topkick.text import escape, markdown
from topkick.text import format as fmt

# --- the file ------------------------------------------------------------------------------

FILE = "SUPERVISOR_STATE.md"
NOT_SCORED = "—"
ACTIVE_COLUMNS = (
    "Work Unit",
    "Sprint",
    "Sprint State",
    "Attempt",
    "Model",
    "Complexity Score",
    "Task ID",
    "Output File",
    "Dispatched At",
    "Process",
)


NO_PROCESSES: Mapping[str, int | None] = {}
NOTHING_LEFT: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class _Outside:
    """Facts that the mission does not know: processes by run id, and where runs are."""

    processes: Mapping[str, int | None]
    runs_directory: str


@dataclass(frozen=True, slots=True)
class _UnitFacts:
    """Everything that the lines of a unit depend on: as long as it is equal, the lines are too.

    `tree` is where its own clones are and the branch where its work is merged; `gate` is the gate
    that it waits for, `needs` the number of its open needs, `files` what it left uncommitted.
    """

    unit: Unit
    settings: Settings | None
    tree: tuple[str, str] | None
    gate: str
    needs: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _UnitLines:
    row: str
    block: tuple[str, ...]


class KeptLines:
    """A cache of the lines of units. Units are frozen and most of them are the same objects as
    before, so the comparison is cheap.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[_UnitFacts, _UnitLines]] = {}

    def of(self, facts: _UnitFacts) -> _UnitLines:
        kept = self._kept.get(facts.unit.name)
        if kept is None or kept[0] != facts:
            lines = _UnitLines(_work_unit(facts.unit), tuple(_unit_block(facts)))
            kept = self._kept[facts.unit.name] = (facts, lines)
        return kept[1]


def render(
    mission: Mission,
    head: Head,
    now_us: int,
    processes: Mapping[str, int | None] = NO_PROCESSES,
    *,
    runs_directory: str = "",
    uncommitted: Mapping[str, tuple[str, ...]] = NOTHING_LEFT,
    kept: KeptLines | None = None,
) -> str:
    """Return the whole file; with `kept`, only units that have changed are rendered again."""
    kept = kept or KeptLines()
    units = [kept.of(_facts(mission, unit, uncommitted)) for unit in mission.units.values()]
    outside = _Outside(processes, runs_directory)
    title = mission.plan.feature_name or mission.plan.title if mission.plan is not None else ""
    lines = [
        anchor_line(head),
        f"# Supervisor State: {escape.prose(title)}",
        "",
        "This file is a projection of topkick's journal and is rewritten during the run: "
        "edits to it are ignored. `topkick status` shows the same.",
        "",
        f"Updated: {fmt.iso(now_us)}",
        "",
        *_plan_summary(mission),
        *_work_units(unit.row for unit in units),
        *(line for unit in units for line in unit.block),
        *_active_agents(mission, outside),
        *_gates(mission, now_us),
        *_waits(mission),
        *cross_needs.registry(mission),
        *_decisions(mission),
        *cross_needs.status(mission),
        *_overall(mission, now_us),
    ]
    return "\n".join(lines) + "\n"


def first_board(head: Head) -> str:
    """Return the state file of a run whose supervisor has not written one yet."""
    return (
        f"{anchor_line(head)}\n# Supervisor State\n\n"
        "A run was started here. Its supervisor has not reported yet: `topkick status`\n"
    )


# --- the plan ------------------------------------------------------------------------------


def _plan_summary(mission: Mission) -> Iterator[str]:
    units = mission.units.values()
    yield "## Plan Summary"
    if mission.plan is not None:
        yield f"- Plan: {escape.prose(mission.plan.file)}"
    yield f"- Work units: {len(mission.units)}"
    yield f"- Total sprints: {sum(len(u.sprints) for u in units)}"
    yield f"- Dependency structure: {_structure(mission)}"
    template = mission.plan is not None and mission.plan.template
    yield f"- Dispatch mode: {'template (of the plan)' if template else 'dynamic'}"
    if mission.settings is not None:
        yield f"- Max retries: {mission.settings.max_retries}"
    yield ""


def _structure(mission: Mission) -> str:
    units = mission.units.values()
    if any(u.plan.layer is not None for u in units):
        return "layers"
    if any(u.plan.waits_for for u in units):
        return "sequential"
    return "parallel" if len(mission.units) > 1 else "none"


def _work_units(rows: Iterable[str]) -> Iterator[str]:
    yield "## Work Units"
    yield from markdown.table(("Name", "Directory", "Sprints", "Dependencies"), ())
    yield from rows
    yield ""


def _work_unit(unit: Unit) -> str:
    waits_for = ", ".join(unit.plan.waits_for) or "none"
    return markdown.row((unit.name, unit.plan.directory, str(len(unit.sprints)), waits_for))


# --- one unit ------------------------------------------------------------------------------


def _facts(mission: Mission, unit: Unit, uncommitted: Mapping[str, tuple[str, ...]]) -> _UnitFacts:
    tree = None
    if mission.isolation is not None:
        place = f"{mission.isolation.place}/{unit.handle.lower()}/{mission.isolation.home}"
        tree = (place, mission.isolation.branch)
    return _UnitFacts(
        unit,
        mission.settings,
        tree,
        gates.waits_for(mission, unit),
        len(cross_needs.open_of(mission, unit)),
        uncommitted.get(unit.name, ()),
    )


def _unit_block(facts: _UnitFacts) -> Iterator[str]:
    unit, settings = facts.unit, facts.settings
    sprint = unit.current or (unit.sprints[-1] if unit.sprints else None)
    yield f"### {escape.prose(unit.name)}"
    yield f"- Work unit state: {unit.state.value}"
    yield f"- Current sprint: {_position(unit, sprint)}"
    yield f"- Sprint state: {sprint.state.value if sprint else SprintState.PENDING.value}"
    yield f"- Sprint type: {sprint.plan.effective_type.value if sprint else '—'}"
    yield f"- Model: {_model(settings, sprint)}"
    yield f"- Complexity score: {_score(sprint)}"
    yield f"- Attempt: {_attempt(settings, sprint, ' of ')}"
    yield f"- Last verified: {_last_verified(unit)}"
    yield f"- Last commit: {_last_commit(unit)}"
    if facts.tree is not None:
        place, branch = facts.tree
        merged = f"{unit.integrated} of {len(unit.sprints)} sprints"
        yield f"- Tree: {escape.prose(place)} (on {branch}: {merged})"
    yield f"- Cross-package needs: {facts.needs}"
    yield f"- Notes: {escape.prose('; '.join(_notes(facts))) or 'none'}"
    yield ""


def _position(unit: Unit, sprint: Sprint | None) -> str:
    return f"{escape.prose(sprint.id) if sprint else '—'} of {len(unit.sprints)}"


def _model(settings: Settings | None, sprint: Sprint | None) -> str:
    if sprint is None or sprint.tier is None:
        return "—"
    real = spending.model_name(sprint)
    one = settings is not None and settings.agent.has_one_model
    if one or real == sprint.tier:
        return escape.prose(real)
    return f"{sprint.tier.value} ({escape.prose(real)})"


def _attempt(settings: Settings | None, sprint: Sprint | None, between: str) -> str:
    if sprint is None or settings is None:
        return "—"
    return f"{attempt(sprint, settings.max_retries)}{between}{settings.max_retries}"


def _last_verified(unit: Unit) -> str:
    done = [s for s in unit.sprints if s.state is SprintState.COMPLETED]
    if not done:
        return "nothing yet"
    last = max(done, key=lambda s: s.completed_at_us)
    how = f" ({proof_told(last)})" if last.proof is not None else ""
    return f"Sprint {escape.prose(last.id)}{how} at {fmt.iso(last.completed_at_us)}"


def _last_commit(unit: Unit) -> str:
    for sprint in reversed(unit.sprints):
        if sprint.outcome is not None and sprint.outcome.commits:
            return escape.prose(sprint.outcome.commits[-1])
    return "—"


def _notes(facts: _UnitFacts) -> Iterator[str]:
    unit = facts.unit
    sprint = unit.current or (unit.sprints[-1] if unit.sprints else None)
    if facts.gate:
        yield f"waits for {facts.gate}"
    if unit.hold:
        yield f"may not begin: {blocker_lines.told(unit.hold)}"
    for one in unit.sprints:
        if one.held:
            yield f"Sprint {one.id} held: {gates.held_of(one)}"
    if sprint is not None and sprint.state is not SprintState.COMPLETED:
        if sprint.hold:
            yield f"held: {blocker_lines.told(sprint.hold)}"
        if sprint.rest:
            yield f"waits: {blocker_lines.told(sprint.rest)}"
        if sprint.fatal:
            yield f"FATAL: {blocker_lines.told(sprint.fatal)}"
        if found := open_findings(sprint):
            yield from (finding.what for finding in found)
        elif sprint.outcome is not None:
            yield from sprint.outcome.reasons
        if sprint.not_before_us:
            yield f"not before {fmt.iso(sprint.not_before_us)}"
    if facts.files:
        at = f" from killed Sprint {sprint.id}" if sprint and sprint.interrupted_run else ""
        yield f"{unit.name}: has uncommitted work{at} ({', '.join(facts.files[:5])})"


# --- agents, decisions, overall ------------------------------------------------------------


def _active_agents(mission: Mission, outside: _Outside) -> Iterator[str]:
    yield "## Active Agents"
    rows = [row for unit in mission.units.values() for row in _active(mission, unit, outside)]
    if rows:
        yield from markdown.table(ACTIVE_COLUMNS, rows)
    elif status.overall(mission) is Overall.KILLED:
        yield "(none — all agents terminated)"
    else:
        yield "(none)"
    yield ""


def _active(mission: Mission, unit: Unit, outside: _Outside) -> Iterator[tuple[str, ...]]:
    sprint = unit.current
    listed = {SprintState.DISPATCHED, SprintState.RUNNING, SprintState.PARTIAL, SprintState.BACKOFF}
    if sprint is None or sprint.state not in listed:
        return
    if unit.state not in {UnitState.RUNNING, UnitState.STOPPING}:
        return
    yield (
        unit.name,
        sprint.id,
        sprint.state.value,
        _attempt(mission.settings, sprint, "/"),
        sprint.model or "—",
        _score(sprint),
        *_whereabouts(mission.run_of(unit.name), outside),
    )


def _score(sprint: Sprint | None) -> str:
    return str(sprint.score) if sprint is not None and sprint.score is not None else NOT_SCORED


def _whereabouts(run: Run | None, outside: _Outside) -> tuple[str, str, str, str]:
    if run is None or run.dispatch is None:
        return (run.id if run is not None else "—", "—", "—", "—")
    output = f"{outside.runs_directory}/{run.id}" if outside.runs_directory else "—"
    process = outside.processes.get(run.id) if run.exit is None else None
    return (run.id, output, fmt.iso(run.dispatch.at_us), str(process or "—"))


def _gates(mission: Mission, now_us: int) -> Iterator[str]:
    told = gates.lines(mission, now_us)[1:]
    if told:
        yield "## Gates"
        yield from (f"- {escape.prose(line)}" for line in told)
        yield ""


def _waits(mission: Mission) -> Iterator[str]:
    needs = blockers_unit.needs(mission)
    if needs:
        yield "## Waits for a Person"
        for need in needs:
            yield f"- {escape.prose(need.handle)}: {escape.prose(blocker_lines.words(need))}"
            for offer in need.offers:
                does = blocker_lines.does(need, offer)
                yield f"  - {code(offer.command)}{f' ({does})' if does else ''}"
        yield ""


def _rationale(decision: Decision) -> str:
    return escape.line(blocker_lines.rationale(decision), 500)


def _decisions(mission: Mission) -> Iterator[str]:
    yield "## Decisions Log"
    yield from markdown.table(
        ("Timestamp", "Work Unit", "Sprint", "Decision", "Rationale"),
        (
            (fmt.iso(d.at_us), d.unit, d.sprint, d.decision, _rationale(d))
            for d in mission.decisions[-DECISIONS_SHOWN:]
        ),
    )
    yield ""


def _overall(mission: Mission, now_us: int) -> Iterator[str]:
    overall = status.overall(mission)
    tally = status.tally(mission)
    yield "## Overall Status"
    yield f"Status: {overall.value}"
    if overall is Overall.KILLED:
        yield f"Kill reason: {escape.prose(mission.stance_why)}"
        yield f"Kill timestamp: {fmt.iso(mission.stance_at_us)}"
    held = f"{tally.held} held, " if tally.held else ""
    yield (
        f"Sprints: {tally.done} of {tally.total} completed ({tally.checked} checked, {held}"
        f"{tally.unchecked} unchecked, {tally.accepted} accepted)"
    )
    yield f"Elapsed: {wording.elapsed(mission, now_us) or '—'}"
    yield f"Cost: {spending.total_cost(mission, mission.spent.usage.cost_microusd)}"
