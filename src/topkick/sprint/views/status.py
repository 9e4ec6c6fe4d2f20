"""The status of a run as plain text: the table, what happens next, and what waits for a person."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from topkick.engine import messages as h
from topkick.sprint import status
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.blockers.holds import FatalCause
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.gates import views as gates
from topkick.sprint.model import Mission, Overall, Sprint, Unit
from topkick.sprint.needs import views as cross_needs
from topkick.sprint.readiness import awaited
from topkick.sprint.status import PROCESS_RUNS, attempt, is_proven_by_process
from topkick.sprint.transitions import UnitState
from topkick.sprint.views import activity as live
from topkick.sprint.views import blocker_lines, spending, wording
from topkick.text import columns, escape
from topkick.text import format as fmt
from topkick.text.columns import Column
from topkick.text.format import counted


@dataclass(frozen=True, slots=True)
class Restart:
    """A supervisor that died and that its respawner will start again at this time."""

    at_us: int
    died: str
    deaths: int


@dataclass(frozen=True, slots=True)
class Situation:
    """Facts that the mission does not know: the time, and which processes are alive on this
    machine.

    `doing` is what agents at work last reported to do, by the id of their run.
    """

    now_us: int
    supervisor_pid: int | None = None
    live_agents: int = 0
    utc_offset_s: int = 0
    doing: Mapping[str, str] = field(default_factory=dict)
    restart: Restart | None = None

    @property
    def is_supervised(self) -> bool:
        """Return whether a supervisor is alive, or will be started again."""
        return self.supervisor_pid is not None or self.restart is not None


@dataclass(frozen=True, slots=True)
class StatusRow:
    handle: str
    unit: str
    deps: str
    state: str
    sprint: str
    sprint_state: str
    type: str
    model: str
    attempt: str
    so_far: str
    waits: bool = False

    def cells(self) -> tuple[str, ...]:
        return (
            self.handle,
            self.unit,
            self.deps,
            self.state + (WAITS if self.waits else ""),
            self.sprint,
            self.sprint_state,
            self.type,
            self.model,
            self.attempt,
            self.so_far,
        )


WAITS = " · waits for you"
COLUMNS = (
    Column("Handle", least=11),
    Column("Work Unit", least=10),
    Column("Deps", least=4, leaves=2),
    Column("State", least=15),
    Column("Sprint"),
    Column("Sprint State"),
    Column("Type", leaves=1),
    Column("Model", least=8, leaves=3, ends=True),
    Column("Attempt"),
    Column("Time"),
)


# --- the table -----------------------------------------------------------------------------


def rows(mission: Mission, now_us: int) -> tuple[StatusRow, ...]:
    waiting = blockers_unit.waiting(mission)
    found = ((u, _row(mission, u, now_us)) for u in mission.units.values())
    return tuple(replace(row, waits=u.name in waiting) for u, row in found)


def _row(mission: Mission, unit: Unit, now_us: int) -> StatusRow:
    deps = ",".join(mission.units[n].handle for n in unit.plan.waits_for if n in mission.units)
    sprint = unit.current
    shows_sprint = sprint is not None and unit.state is not UnitState.NOT_STARTED
    position = unit.at + 1 if shows_sprint else unit.at
    return StatusRow(
        handle=status.handle(unit, sprint) if shows_sprint and sprint else unit.handle,
        unit=escape.line(unit.name),
        deps=deps or "—",
        state=unit.state.value,
        sprint=f"{position}/{len(unit.sprints)}",
        sprint_state=sprint.state.value if shows_sprint and sprint else "—",
        type=sprint.plan.effective_type.value if shows_sprint and sprint else "—",
        model=spending.model_name(sprint) if shows_sprint and sprint else "—",
        attempt=_attempt(mission, sprint) if shows_sprint and sprint else "—",
        so_far=_so_far(mission, unit, now_us),
    )


def _attempt(mission: Mission, sprint: Sprint) -> str:
    most = mission.settings.max_retries if mission.settings is not None else 0
    return f"{attempt(sprint, most)}/{most}"


def _so_far(mission: Mission, unit: Unit, now_us: int) -> str:
    """Return the time of the current order; of the whole unit once it is completed."""
    run = mission.run_of(unit.name)
    if run is not None:
        since_us = run.dispatch.at_us if run.dispatch is not None else run.opened_at_us
        return fmt.lasted(now_us - since_us)
    begun = [s.first_dispatched_at_us for s in unit.sprints if s.first_dispatched_at_us]
    if unit.state is UnitState.COMPLETED and begun:
        return fmt.lasted(unit.moved_at_us - min(begun))
    return "—"


def table(mission: Mission, now_us: int, width: int) -> list[str]:
    return columns.lay_out(COLUMNS, [r.cells() for r in rows(mission, now_us)], width)


# --- the whole page ------------------------------------------------------------------------


def render_text(mission: Mission, situation: Situation, width: int = 100) -> str:
    lines = [
        f"Supervisor Status — {fmt.day_and_clock(situation.now_us, situation.utc_offset_s)}",
        headline(mission, situation.now_us, supervised=situation.is_supervised),
        "",
        *table(mission, situation.now_us, width),
        "",
        *_counts(mission, situation),
        *_paragraphs(mission, situation, width),
    ]
    return "\n".join(lines) + "\n"


def stands(mission: Mission, *, supervised: bool) -> str:
    """Return the overall status as screens show it: a run without a supervisor is not running."""
    overall = status.overall(mission)
    if overall is Overall.RUNNING and not supervised:
        return "no supervisor"
    if overall is Overall.BLOCKED and (by := blockers_unit.blocked_by(mission)):
        return f"{overall.value}, waits for you: {by}"
    return overall.value


def headline(mission: Mission, now_us: int, *, supervised: bool = True) -> str:
    name = mission.plan.feature_name or mission.plan.title if mission.plan is not None else ""
    how = stands(mission, supervised=supervised)
    words = [escape.line(name, 60), how, progress(mission), wording.elapsed(mission, now_us)]
    words.append(spending.headline(mission))
    words.append(f"on {mission.isolation.branch}" if mission.isolation is not None else "")
    return " · ".join(w for w in words if w)


def progress(mission: Mission) -> str:
    """Return `18 done (14 checked, 4 unchecked)`, or `3 of 18 sprints done …`."""
    t = status.tally(mission)
    parts = [f"{t.checked} checked", f"{t.held} held", f"{t.unchecked} unchecked"]
    parts.append(f"{t.accepted} accepted")
    shown = [p for p in parts if not p.startswith("0 ")]
    of = f"{t.done} done" if t.done == t.total else f"{t.done} of {t.total} sprints done"
    return of + (f" ({', '.join(shown)})" if shown else "")


def active(mission: Mission) -> int:
    return sum(r.dispatch is not None and r.exit is None for r in mission.runs.values())


def _counts(mission: Mission, situation: Situation) -> Iterator[str]:
    blocked = sum(u.state is UnitState.BLOCKED for u in mission.units.values())
    yield f"Active agents: {active(mission)}"
    if blocked or status.overall(mission) is not Overall.BLOCKED:  # not "0" if the run is BLOCKED
        yield f"Blocked work units: {blocked}"
    if needs := _needs(mission, blocked_too=False):
        shown = ", ".join(escape.line(need.handle) for need in needs[:6])
        yield f"Waits for a person: {len(needs)} ({shown}{', …' * (len(needs) > 6)})"
    yield from cross_needs.counts(mission)
    yield from spending.of_the_run(mission, situation.now_us)
    alive = situation.supervisor_pid is not None
    again_us = situation.restart.at_us if situation.restart is not None else 0
    offset_s = situation.utc_offset_s
    told = live.next_event(mission, alive=alive, offset_s=offset_s, restarts_at_us=again_us)
    yield f"Next event: {told}"


def _paragraphs(mission: Mission, situation: Situation, width: int) -> Iterator[str]:
    for paragraph in (
        live.at_work(mission, situation.now_us, situation.doing, width),
        live.usage_limits(mission, situation.now_us, situation.utc_offset_s),
        live.spent_budget(mission),
        dead_supervisor(mission, situation),
        changed_program(mission, situation),
        blocked_notices(mission),
        plan_notice(mission),
        gates.lines(mission, situation.now_us),
        waits_for_others(mission),
        waits_for_a_person(mission),
        in_the_background(mission),
        spending.summary(mission),
    ):
        if paragraph:
            yield ""
            yield from paragraph


def dead_supervisor(mission: Mission, situation: Situation) -> list[str]:
    """Say that no supervisor drives the run, and how many agents work without one."""
    overall = status.overall(mission)
    agents = situation.live_agents
    if situation.supervisor_pid is not None or (
        not agents and overall not in {Overall.RUNNING, Overall.STOPPING}
    ):
        return []
    still = f"{counted(agents, 'agent')} still working; " if agents else ""
    if situation.restart is not None:
        return restart_told(situation.restart, situation.utc_offset_s, still)
    # The supervisor exits when a run cannot move; a later command of the user may let it move.
    gone = "The supervisor is dead" if mission.driven or agents else "No supervisor is running"
    return [f"{gone}; {still}topkick resume takes over from here."]


def restart_told(restart: Restart, offset_s: int, still: str = "") -> list[str]:
    times = f"{restart.deaths} {'time' if restart.deaths == 1 else 'times'} in this run"
    at = fmt.clock(restart.at_us, offset_s)
    return [
        f"The supervisor was {escape.line(restart.died, 80)} ({times}).",
        f"{still}it will be restarted at {at}. Start it now: topkick resume",
    ]


def changed_program(mission: Mission, situation: Situation) -> list[str]:
    if not mission.program_changed_at_us:
        return []
    at = fmt.clock(mission.program_changed_at_us, situation.utc_offset_s)
    return [
        f"topkick's own files changed during this run (seen at {at}). If you did not upgrade",
        "topkick, do not trust its verdicts: install it again, then topkick verify what is done.",
    ]


def blocked_notices(mission: Mission) -> list[str]:
    lines: list[str] = []
    for unit in mission.units.values():
        sprint = unit.current
        if unit.state is UnitState.BLOCKED and sprint is not None:
            lines += [*([""] if lines else []), *blocked_notice(mission, unit, sprint)]
    return lines


def blocked_notice(mission: Mission, unit: Unit, sprint: Sprint) -> list[str]:
    x = status.handle(unit, sprint)
    most = mission.settings.max_retries if mission.settings is not None else 0
    reasons = sprint.outcome.reasons if sprint.outcome is not None else ()
    after = f"failed after {counted(most, 'attempt')}" if sprint.failures >= most else "is FATAL"
    last = reasons[0] if reasons else blocker_lines.told(sprint.fatal)
    head = [
        f"BLOCKED: {escape.line(unit.name)} Sprint {escape.line(sprint.id)} {after}.",
        f"Last failure: {escape.line(last, 200)}",
    ]
    assert sprint.fatal is not None
    spent = status.is_given_out(mission, sprint)
    blocked = Blocked(x, sprint.fatal, unit.name, spent)
    raise_it = "Raise max_dispatches in topkick.toml first, then: " if spent else ""
    return [
        *head,
        *(f"  → {text}" for text in blocker_lines.offer_lines(blocked)),
        f"  → {raise_it}topkick resume {unit.handle}",
    ]


def plan_notice(mission: Mission) -> list[str]:
    if not mission.plan_edited:
        return []
    if mission.plan_edited == h.PLAN_DELETED:
        return ["The plan was deleted during this run; the run continues with the accepted plan."]
    return ["The plan was edited during this run; the next topkick resume applies the edit."]


def waits_for_others(mission: Mission) -> list[str]:
    """Return units that wait for a gate (GT-02), and sprints of running units that wait for a
    sprint of another unit (GT-08).
    """
    lines = [*_wait_for_gates(mission)]
    for unit in mission.units.values():
        refs = awaited(mission, unit.current) if unit.current is not None else ()
        if unit.state is UnitState.RUNNING and unit.current is not None and refs:
            names = ", ".join(
                f"{mission.units[r.unit].handle}/{escape.line(r.sprint)}" for r in refs
            )
            lines.append(f"{status.handle(unit, unit.current)} waits for {names}")
    return lines


def _wait_for_gates(mission: Mission) -> Iterator[str]:
    waiting: dict[str, list[str]] = {}
    for unit in mission.units.values():
        if gate := gates.waits_for(mission, unit):
            waiting.setdefault(gate, []).append(f"{unit.handle} {escape.line(unit.name, 40)}")
    for gate, units in waiting.items():
        yield f"{', '.join(units)} {'waits' if len(units) == 1 else 'wait'} for {gate}"


def in_the_background(mission: Mission) -> list[str]:
    if not mission.backgrounds:
        return []
    lines = ["In the background (topkick background stop NAME ends one):"]
    for one in mission.backgrounds.values():
        how = "running" if one.running else "starting"
        lines.append(f"  {escape.line(one.name, 40)}  {how}  {escape.line(' '.join(one.argv), 80)}")
        sprint = mission.sprint(one.unit, one.sprint)
        if is_proven_by_process(sprint):
            x = status.handle(mission.units[one.unit], sprint)
            lines.append(f"    {x} {PROCESS_RUNS}")
    return lines


def waits_for_a_person(mission: Mission, *, blocked_too: bool = False) -> list[str]:
    needs = _needs(mission, blocked_too=blocked_too)
    if not needs:
        return []
    wide = max(columns.width_of(n.handle) for n in needs)
    lines = ["Waits for a person:"]
    for need in needs:
        about = columns.fit(escape.line(need.handle), wide)
        lines.append(f"  {about}  {blocker_lines.words(need)}")
        lines += [f"  {' ' * wide}  → {text}" for text in blocker_lines.offer_lines(need)]
    return lines


def _needs(mission: Mission, *, blocked_too: bool) -> list[Blocked]:
    """Return what waits for a person; without `blocked_too`, not the FATAL sprints, which have
    their own notice on the page.
    """
    found = blockers_unit.needs(mission)
    return [n for n in found if blocked_too or not isinstance(n.by, FatalCause)]
