"""Compute how a run went: time, models, trend, efficiency. Figures only; division by
zero is None.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from topkick.engine.agents.budgets import MICRO
from topkick.engine.agents.program import TIERS, Tier, Usage
from topkick.sprint.report.reader import (
    ReportReading,
    SprintReport,
    is_foundation,
    total_usage,
    worked_us,
)
from topkick.sprint.report.reader import relative_cost as reader_relative_cost
from topkick.sprint.report.records import Attempt
from topkick.sprint.views import wording as words
from topkick.text import escape, intervals
from topkick.text import format as fmt
from topkick.text.intervals import Span

# --- bottleneck ----------------------------------------------------------------------------

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RunBottleneck:
    """The critical path; in `path`, each handle had to wait for the one before it."""

    path: tuple[str, ...]
    path_us: int
    longest: SprintReport | None
    most_tried: SprintReport | None


def bottleneck(reading: ReportReading) -> RunBottleneck:
    path = critical_path(reading)
    worked = [r for r in reading.sprints if r.worked_us]
    tried = [r for r in reading.sprints if len(r.judged) > 1]
    return RunBottleneck(
        tuple(r.handle for r in path),
        sum(r.worked_us for r in path),
        max(worked, key=lambda r: r.worked_us, default=None),
        max(tried, key=lambda r: len(r.judged), default=None),
    )


def critical_path(reading: ReportReading) -> tuple[SprintReport, ...]:
    """Return the longest chain of sprints by real durations, through the order in units and what
    units and sprints wait for.

    Sprints at its ends that took no time are left out. Of two chains of the same length, the first
    in the plan is returned.
    """
    known = {_key(r): r for r in reading.sprints}
    needs = _needs(reading)
    best: dict[Key, int] = {}
    came_from: dict[Key, Key | None] = {}
    for key in _in_order(needs):
        before = max((n for n in needs[key]), key=lambda n: best[n], default=None)
        best[key] = known[key].worked_us + (best[before] if before is not None else 0)
        came_from[key] = before
    last: Key | None = max(best, key=lambda k: best[k], default=None)
    path: list[SprintReport] = []
    while last is not None:
        path.append(known[last])
        last = came_from[last]
    path.reverse()
    return _trimmed(path)


def _trimmed(path: list[SprintReport]) -> tuple[SprintReport, ...]:
    took = [n for n, r in enumerate(path) if r.worked_us]
    return tuple(path[took[0] : took[-1] + 1]) if took else ()


def _key(one: SprintReport) -> Key:
    return (one.unit.name, one.sprint.id)


def _needs(reading: ReportReading) -> Mapping[Key, list[Key]]:
    """Return the sprints that each sprint waits for directly."""
    units = reading.mission.units
    ends = {u.name: (u.name, u.sprints[-1].id) for u in units.values() if u.sprints}
    known = {_key(r) for r in reading.sprints}
    needs: dict[Key, list[Key]] = {}
    for unit in units.values():
        before = [ends[name] for name in unit.plan.waits_for if name in ends]
        for sprint in unit.sprints:
            awaited = [(r.unit, r.sprint) for r in sprint.plan.waits_for]
            needs[unit.name, sprint.id] = [k for k in (*before, *awaited) if k in known]
            before = [(unit.name, sprint.id)]
    return needs


def _in_order(needs: Mapping[Key, list[Key]]) -> list[Key]:
    """Return the sprints in topological order; sprints of a cycle are left out."""
    waiting = {key: len(before) for key, before in needs.items()}
    followers: dict[Key, list[Key]] = {key: [] for key in needs}
    for key, before in needs.items():
        for one in before:
            followers[one].append(key)
    ready = deque(key for key, count in waiting.items() if count == 0)
    found: list[Key] = []
    while ready:
        key = ready.popleft()
        found.append(key)
        for one in followers[key]:
            waiting[one] -= 1
            if waiting[one] == 0:
                ready.append(one)
    return found


OVERSIZED = 0.80
UNDERSIZED = 0.15
HOUR_US = 3600 * MICRO


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def mean(numbers: Sequence[float]) -> float | None:
    return ratio(sum(numbers), len(numbers))


# --- overall -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Overview:
    """Figures of the run. In `idle_us` no supervisor and no agent worked; `driven_us`
    is the rest.
    """

    started_at_us: int
    ended_at_us: int
    elapsed_us: int
    idle_us: int
    active_us: int
    sprints: int
    average_us: float | None
    turns: int
    turns_available: int
    usage: Usage
    relative_cost: int

    @property
    def driven_us(self) -> int:
        return self.elapsed_us - self.idle_us

    @property
    def parallelism(self) -> float | None:
        """Return how many agents worked on average; 1 means one after the other without a gap."""
        return ratio(self.active_us, self.driven_us)

    @property
    def saved_us(self) -> int:
        return max(0, self.active_us - self.driven_us)

    @property
    def per_hour(self) -> float | None:
        return ratio(self.sprints * HOUR_US, self.driven_us)

    @property
    def utilization(self) -> float | None:
        return ratio(self.turns, self.turns_available)


def overview(reading: ReportReading) -> Overview:
    begin, end = reading.started_at_us, reading.ended_at_us
    orders = reading.account.orders
    told = telling(orders)
    return Overview(
        started_at_us=begin,
        ended_at_us=end,
        elapsed_us=end - begin if begin else 0,
        idle_us=_idle_us(reading, (begin, end)) if begin else 0,
        active_us=sum(r.worked_us for r in reading.sprints),
        sprints=len(reading.done),
        average_us=mean([r.worked_us for r in reading.done]),
        turns=sum(a.usage.turns for a in told),
        turns_available=sum(a.max_turns for a in told),
        usage=total_usage(orders),
        relative_cost=reader_relative_cost(orders),
    )


def telling(orders: Sequence[Attempt]) -> list[Attempt]:
    """Return the orders that have ended and whose agent reported its turns."""
    return [a for a in orders if a.usage.turns and not a.is_out]


def _idle_us(reading: ReportReading, within: Span) -> int:
    outside = [(0, within[0]), (within[1], max(within[1], reading.account.at_us))]
    at_work = [agent_span(a, reading.at_us) for a in reading.account.orders]
    return intervals.length_us(intervals.without(reading.pauses, [*outside, *at_work]))


def agent_span(attempt: Attempt, now_us: int) -> Span:
    """Return when the agent worked, by its own record: the supervisor may see its end later."""
    if attempt.is_out:
        return (attempt.at_us, max(now_us, attempt.at_us))
    return (attempt.at_us, min(attempt.exited_at_us, attempt.at_us + attempt.busy_us))


# --- by unit and by model ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnitFigures:
    """Figures of one unit. The `gain` of all units adds up to the parallelism of the run."""

    name: str
    handle: str
    sprints: int
    total_us: int
    average_us: float | None
    gain: float | None


def by_unit(reading: ReportReading, whole: Overview) -> tuple[UnitFigures, ...]:
    found = []
    for unit in reading.mission.units.values():
        mine = [r for r in reading.sprints if r.unit.name == unit.name]
        done = [r.worked_us for r in mine if r.is_done]
        total_us = sum(r.worked_us for r in mine)
        gain = ratio(total_us, whole.driven_us)
        found.append(UnitFigures(unit.name, unit.handle, len(done), total_us, mean(done), gain))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """Figures of one tier. Success rate and attempts are of the `sprints` that began on it; time,
    turns and cost are of all `orders` on it.
    """

    tier: Tier
    models: tuple[str, ...]
    sprints: int
    orders: int
    average_us: float | None
    average_turns: float | None
    success_rate: float | None
    average_attempts: float | None
    relative_cost: int
    usage: Usage


def by_model(reading: ReportReading) -> tuple[ModelFigures, ...]:
    orders = reading.account.orders
    return tuple(_of_tier(reading, tier) for tier in TIERS if any(a.tier is tier for a in orders))


def _of_tier(reading: ReportReading, tier: Tier) -> ModelFigures:
    orders = [a for a in reading.account.orders if a.tier is tier]
    began = [r for r in reading.sprints if r.judged and r.attempts[0].tier is tier]
    ended = [a for a in orders if not a.is_out]
    return ModelFigures(
        tier=tier,
        models=tuple(dict.fromkeys(a.model for a in orders)),
        sprints=len(began),
        orders=len(orders),
        average_us=mean([worked_us(a, reading.pauses, reading.at_us) for a in ended]),
        average_turns=mean([a.usage.turns for a in telling(orders)]),
        success_rate=ratio(sum(r.is_first_try for r in began), len(began)),
        average_attempts=mean([len(r.judged) for r in began]),
        relative_cost=reader_relative_cost(orders),
        usage=total_usage(orders),
    )


def label(reading: ReportReading, figures: ModelFigures) -> str:
    """Return `sonnet (claude-sonnet-4-5)`; the model alone if the agent has one for all tiers."""
    names = ", ".join(escape.line(name, 40) for name in figures.models if name)
    settings = reading.mission.settings
    if settings is not None and settings.agent.has_one_model:
        return names or fmt.NONE
    return words.model(figures.tier, names)


# --- trend ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Phase:
    """A third of the completed sprints, in the order of their completion, counted from 1."""

    first: int
    last: int
    average_us: float | None
    foundation: int
    retried: int

    @property
    def sprints(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Velocity:
    """The trend. `change` is the last third's average divided by the first's; below 1 is faster."""

    phases: tuple[Phase, ...]
    change: float | None


def velocity(reading: ReportReading) -> Velocity:
    """Return the trend; fewer than three sprints have none."""
    count = len(reading.done)
    if count < 3:
        return Velocity((), None)
    bounds = (0, count // 3, 2 * count // 3, count)
    phases = tuple(_phase(reading, bounds[n], bounds[n + 1]) for n in range(3))
    first, last = phases[0].average_us, phases[2].average_us
    change = ratio(last, first) if first is not None and last is not None else None
    return Velocity(phases, change)


def _phase(reading: ReportReading, begin: int, end: int) -> Phase:
    part = reading.done[begin:end]
    return Phase(
        begin + 1,
        end,
        mean([r.worked_us for r in part]),
        sum(is_foundation(reading, r) for r in part),
        sum(len(r.judged) > 1 for r in part),
    )


# --- efficiency ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Retried:
    handle: str
    orders: int


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Figures of the sprints that have a judged order. `fitting` ones never needed a stronger
    model.
    """

    judged: int
    first_try: int
    retried: tuple[Retried, ...]
    fitting: int
    upgrades: int
    budget_used: float | None
    oversized: tuple[str, ...]
    undersized: tuple[str, ...]


def efficiency(reading: ReportReading) -> Efficiency:
    judged = [r for r in reading.sprints if r.judged]
    upgrades = {r.handle: upgrades_of(r) for r in judged}
    shares = [a.usage.turns / a.max_turns for a in telling(reading.account.orders) if a.max_turns]
    return Efficiency(
        judged=len(judged),
        first_try=sum(r.is_first_try for r in judged),
        retried=tuple(Retried(r.handle, len(r.judged)) for r in judged if len(r.judged) > 1),
        fitting=sum(not upgrades[r.handle] for r in judged),
        upgrades=sum(upgrades.values()),
        budget_used=mean(shares),
        oversized=tuple(r.handle for r in judged if _is_oversized(r)),
        undersized=tuple(r.handle for r in judged if _is_undersized(r)),
    )


def upgrades_of(one: SprintReport) -> int:
    """Return how often an order went to a stronger tier than the one before it."""
    ranks = [TIERS.index(a.tier) for a in one.attempts]
    return sum(after > before for before, after in pairwise(ranks))


def _is_oversized(one: SprintReport) -> bool:
    return any(a.usage.turns > a.max_turns * OVERSIZED for a in telling(one.attempts))


def _is_undersized(one: SprintReport) -> bool:
    """Return whether the sprint was completed with hardly any of one order's budget of turns."""
    told = telling(one.attempts)
    if not one.is_done or not told or len(told) < len(one.attempts):
        return False
    return sum(a.usage.turns for a in told) < told[0].max_turns * UNDERSIZED
