"""Run seeds, one or many at once, and report the results."""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from proof.simulation import schedule as schedules
from proof.simulation.files import schedule as file_schedules
from proof.simulation.files.board_story import BoardStory
from proof.simulation.files.epic_story import EpicStory
from proof.simulation.files.schedule import FileSchedule
from proof.simulation.oracle_journal import Violation
from proof.simulation.schedule import Schedule
from proof.simulation.story import ROOM, Story

Edge = tuple[str, str, str]
Planned = Schedule | FileSchedule
POLICIES = ("plan", "board", "epic")
CHUNK = 5
SHRINK_TRIES = 400


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one seed; `rule` is the id of the violated invariant."""

    seed: int
    rule: str = ""
    what: str = ""
    steps: int = 0
    hours: float = 0.0
    cpu_s: float = 0.0
    figures: Counter[str] = field(default_factory=Counter)
    edges: frozenset[Edge] = frozenset()

    @property
    def holds(self) -> bool:
        return not self.rule


def make(seed: int, hours: float = 24.0, policy: str = "plan") -> Planned:
    if policy == "plan":
        return schedules.make(seed, hours)
    return file_schedules.make(policy, seed, hours)


def smaller(schedule: Planned) -> Sequence[Planned]:
    if isinstance(schedule, Schedule):
        return schedules.smaller(schedule)
    return file_schedules.smaller(schedule)


def _story(
    schedule: Planned, room: Path, tell: Callable[[str], None]
) -> Story | BoardStory | EpicStory:
    if isinstance(schedule, Schedule):
        return Story(schedule, room, tell)
    return (BoardStory if schedule.policy == "board" else EpicStory)(schedule, room, tell)


def run_schedule(schedule: Planned, tell: Callable[[str], None] = lambda _line: None) -> Result:
    began_s = time.process_time()
    rule = what = ""
    with tempfile.TemporaryDirectory(dir=ROOM, prefix="topkick-simulation-") as room:
        story = _story(schedule, Path(room), tell)
        try:
            story.run()
        except Violation as violation:
            rule, what = violation.rule, str(violation)
            story.note(f"VIOLATION {what}")
    return Result(
        seed=schedule.seed,
        rule=rule,
        what=what,
        steps=story.oracle.steps,
        hours=story.timeline.since_s / 3600,
        cpu_s=time.process_time() - began_s,
        figures=story.figures,
        edges=frozenset(story.oracle.edges),
    )


def run_seed(seed: int, hours: float = 24.0, policy: str = "plan") -> Result:
    return run_schedule(make(seed, hours, policy))


def run_seeds(seeds: range, hours: float, jobs: int = 1, policy: str = "plan") -> Iterator[Result]:
    """Run the seeds; with several jobs the results come in no particular order."""
    if jobs == 1:
        yield from (run_seed(seed, hours, policy) for seed in seeds)
        return
    chunks = [seeds[n : n + CHUNK] for n in range(0, len(seeds), CHUNK)]
    pool = ProcessPoolExecutor(jobs)
    try:
        asked = [pool.submit(_run_chunk, chunk, hours, policy) for chunk in chunks]
        for done in as_completed(asked):
            yield from done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _run_chunk(seeds: range, hours: float, policy: str) -> list[Result]:
    return [run_seed(seed, hours, policy) for seed in seeds]


def shrink(schedule: Planned, rule: str) -> Planned:
    """Remove parts greedily as long as the same rule is still violated."""
    tries = 0
    again = True
    while again and tries < SHRINK_TRIES:
        again = False
        for candidate in smaller(schedule):
            tries += 1
            if run_schedule(candidate).rule == rule:
                schedule, again = candidate, True
                break
            if tries >= SHRINK_TRIES:
                break
    return schedule


def replay_command(seed: int, hours: float, policy: str) -> str:
    more = "" if policy == "plan" else f" --policy {policy}"
    more += "" if hours == 24.0 else f" --hours {hours:g}"
    return f"python -m proof.simulation --seed {seed}{more}"


def tell_failure(result: Result, hours: float, policy: str = "plan") -> list[str]:
    """Return the violated rule, the replay command, and the smallest story that violates it."""
    lines = [f"seed {result.seed} breaks {result.what}"]
    lines.append(f"replay: {replay_command(result.seed, hours, policy)}")
    small = shrink(make(result.seed, hours, policy), result.rule)
    told: list[str] = []
    run_schedule(small, told.append)
    return [*lines, "shrunk to:", *small.describe(), "", *told[-80:]]
