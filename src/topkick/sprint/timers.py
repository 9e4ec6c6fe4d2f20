"""Timers: when time alone changes a decision, read from a mission."""

from collections.abc import Iterator

from topkick.engine.agents.runs import Stage
from topkick.sprint.model import Limit, Mission, Stance, Unit
from topkick.sprint.spending import spent_at_us
from topkick.sprint.transitions import UnitState
from topkick.sprint.unit_index import Trait, index_of


def due_at_us(mission: Mission) -> int | None:
    """Return when time alone will change a decision: a backoff ends, a limit ends, the patience
    with an agent ends, or a budget of minutes is spent.
    """
    return min((*_rests(mission), *_patience(mission), *spent_at_us(mission)), default=None)


def wake_at_us(mission: Mission, now_us: int) -> int | None:
    """Return the next time to look again; a poll that is due already is an order instead."""
    polls = [r.next_poll_at_us for r in mission.runs.values() if r.stage is Stage.WAITING]
    moments = (*_rests(mission), *_patience(mission), *spent_at_us(mission), *polls)
    return min((m for m in moments if m > now_us), default=None)


def limit_of(mission: Mission) -> Limit | None:
    """Return the usage limit that holds back every next order, if there is one now."""
    assert mission.settings is not None
    limit = mission.limits.get(mission.settings.agent.shares_limits_as)
    return limit if limit is not None and limit.until_us > mission.at_us else None


def _rests(mission: Mission) -> Iterator[int]:
    """Yield the ends of backoffs and limits; an agent that waits for a person has none."""
    if mission.settings is None or mission.settings.agent.name in mission.agents_down:
        return
    if not mission.units and mission.stance is Stance.WORKING and not mission.runs:
        yield from (x.until_us for x in mission.limits.values() if x.until_us > mission.at_us)
    index = index_of(mission)
    for unit in index.having(Trait.RESTING):
        assert unit.current is not None
        if unit.current.not_before_us > mission.at_us:
            yield unit.current.not_before_us
    limit = limit_of(mission)
    if limit is not None and index.has(Trait.READY):
        yield limit.until_us


def _patience(mission: Mission) -> Iterator[int]:
    for run in mission.runs.values():
        if run.stage is Stage.WORKING and run.cancel is None:
            unit = mission.units.get(run.unit)
            if unit is not None and unit.state is UnitState.STOPPING:
                yield patience_ends_at_us(mission, unit)


def patience_ends_at_us(mission: Mission, unit: Unit) -> int:
    """Return when the agent of a stopping unit is ended, if nothing completes before."""
    assert mission.settings is not None
    since_us = max(unit.moved_at_us, mission.last_end_at_us)
    return since_us + round(mission.settings.stop_patience_s * 1e6)
