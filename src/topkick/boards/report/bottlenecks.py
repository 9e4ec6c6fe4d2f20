"""What the run waited for: the longest chain of sprints, the longest one, the most tried one."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from topkick.boards.report.reading import Reading, SprintReport

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """`path` are handles in the order in which each had to wait for the one before."""

    path: tuple[str, ...]
    path_us: int
    longest: SprintReport | None
    most_tried: SprintReport | None


def bottleneck(reading: Reading) -> Bottleneck:
    path = critical_path(reading)
    worked = [r for r in reading.sprints if r.worked_us]
    tried = [r for r in reading.sprints if len(r.judged) > 1]
    return Bottleneck(
        tuple(r.handle for r in path),
        sum(r.worked_us for r in path),
        max(worked, key=lambda r: r.worked_us, default=None),
        max(tried, key=lambda r: len(r.judged), default=None),
    )


def critical_path(reading: Reading) -> tuple[SprintReport, ...]:
    """Through the order in units, what units wait for and what sprints do, by real durations;
    without those at its ends that took no time. Of two as long, the first in the plan."""
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


def _needs(reading: Reading) -> Mapping[Key, list[Key]]:
    """What each sprint waits for itself."""
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
    """Whatever is waited for comes first; a circle is left out."""
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
