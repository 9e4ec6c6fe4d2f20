"""Run many points: a template for each scenario, parallel tries, and the table."""

import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from proof.crash import known, points
from proof.crash.episode import INTERRUPT, Episode
from proof.crash.known import Known
from proof.crash.observer import Baseline, Verdict, judge, starts_of
from proof.crash.place import Place
from proof.crash.points import Counts, Point
from proof.crash.scenarios import BY_NAME
from proof.crash.steps import Scenario
from proof.crash.subject import Subject

DEATHS_TRIED = 5
REACHED = 0.97
REACHED_AGAIN = 0.90
"""For second deaths: a recovery with little left to do is over before it comes to some of them."""
ADOPTED = 0.99


class GoesWrong(AssertionError):
    """A scenario fails without a crash."""


class Bench:
    """Lays out each scenario once and tries points on copies of it."""

    def __init__(
        self,
        subject: Subject,
        root: Path | None = None,
        expected: Mapping[str, Known] | None = None,
    ) -> None:
        self._subject = subject
        self.root = root or Path(tempfile.mkdtemp(prefix="topkick-crash-"))
        self._expected = known.read() if expected is None else expected
        self._templates: dict[str, Place] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Remove templates; directories of failed tries stay."""
        for template in self._templates.values():
            template.remove()
        if not any(self.root.iterdir()):
            self.root.rmdir()

    def _template(self, scenario: Scenario) -> Place:
        with self._lock:
            if scenario.name not in self._templates:
                place = Place(self.root / f"template-{scenario.name}")
                place.make()
                self._subject.prepare(place, scenario)
                self._templates[scenario.name] = place
            return self._templates[scenario.name]

    def count(self, scenario: Scenario) -> Known:
        """Play it twice without a crash: once for the names, once for the system calls."""
        names = self.play_through(scenario, "names")
        calls = self.play_through(scenario, "calls")
        counts = points.count(
            lambda kind: (names if kind == "names" else calls).log(kind), builds=scenario.builds
        )
        state = calls.place.project / ".git"
        own = points.per_event(calls.log("sup"), state, self._subject.ours)
        baseline = Baseline(self._subject.standing(calls.place), starts_of(calls.place))
        for episode in (names, calls):
            episode.place.remove()
        return Known(baseline, counts._replace(per_event=own))

    def play_through(self, scenario: Scenario, kind: str) -> Episode:
        """Play the scenario without a crash, which must succeed first."""
        place = self._template(scenario).copied_to(self.root / f"{kind}-{scenario.name}")
        episode = Episode(self._subject, scenario, place, None, counting=kind)
        try:
            story = episode.play()
            verdict = judge(self._subject, scenario, place, None, story, None)
        finally:
            place.end_all()
        if verdict.findings:
            found = "\n".join(verdict.findings)
            raise GoesWrong(f"{scenario.name} ({place.root}):\n{found}")
        return episode

    def try_point(self, point: Point) -> Verdict:
        """Try a point; if the recovery ends before its death, kill it sooner."""
        verdict = self._try_with_one_death(point)
        for call in points.sooner(point.again):
            if verdict.hit or verdict.findings or not verdict.where:
                break
            verdict = self._try_with_one_death(replace(point, again=call))
        return verdict

    def _try_with_one_death(self, point: Point) -> Verdict:
        """Try again if more than one died: after three dead checkers a person is asked."""
        for _ in range(DEATHS_TRIED):
            verdict, deaths = self._try(point)
            if point.process != "look" or deaths <= 1 or verdict.findings:
                break
        return verdict

    def _try(self, point: Point) -> tuple[Verdict, int]:
        scenario = BY_NAME[point.scenario]
        place = self._template(scenario).copied_to(self.root / point.slug)
        episode = Episode(self._subject, scenario, place, point)
        baseline = self._expected[point.scenario].baseline
        try:
            story = episode.play()
            verdict = judge(self._subject, scenario, place, point, story, baseline)
        finally:
            place.end_all()
        log = episode.log(point.process or "names")
        deaths = points.killed(log)
        twice = not point.again or points.was_killed(episode.log("again"))
        verdict = replace(verdict, where=points.where(log), hit=verdict.hit and twice)
        if point.process == "look" and deaths > 1:
            verdict = excused(verdict)
        if not verdict.findings:
            place.remove()
        return verdict, deaths


def excused(verdict: Verdict) -> Verdict:
    """Return the verdict without differences that several dead checkers may cause."""
    return replace(verdict, hit=False, wrong=[])


# --- points --------------------------------------------------------------------------------


def all_points(scenario: Scenario, counts: Counts) -> list[Point]:
    """Return every system call of supervisor, command and keeper, and each name's first and last
    passing.

    With isolated units, also those of checkers, which make the trees and merge; and at gates, where
    they build.
    """
    looks = scenario.isolated or scenario.builds
    before = {} if scenario.from_the_start else counts.before
    found = _calls(scenario, "sup", counts.sup, before)
    found += _calls(scenario, "cmd", counts.cmd, {})
    found += _calls(scenario, "keep", counts.keep, {})
    found += _calls(scenario, "look", counts.look if looks else {}, counts.look_before)
    return found + [
        Point(scenario.name, name, number)
        for name, count in sorted(counts.names.items())
        for number in sorted({1, count})
    ]


def _calls(
    scenario: Scenario, process: str, counts: Mapping[str, int], before: Mapping[str, int]
) -> list[Point]:
    return [
        Point(scenario.name, f"{process}.{call}", number)
        for call, count in sorted(counts.items())
        for number in range(before.get(call, 0) + 1, count + 1)
    ]


def share(found: Sequence[Point], part: int, of: int) -> list[Point]:
    """Return every n-th point; the parts together are the whole."""
    return [point for index, point in enumerate(found) if index % of == part % of]


def again(found: Iterable[Point], recovery: Counts) -> list[Point]:
    """Return the same points with a second death in the recovery, at a call fixed for each
    point.
    """
    calls = [f"{call}.{n}" for call, k in sorted(recovery.sup.items()) for n in range(1, k + 1)]
    return [
        replace(p, again=calls[int(sha256(str(p).encode()).hexdigest(), 16) % len(calls)])
        for p in found
        if p.process == "sup"
    ]


# --- tries ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """A row of the table."""

    name: str
    points: int = 0
    hit: int = 0
    lost: int = 0
    doubles: int = 0
    orphans: int = 0
    half: int = 0
    changed: int = 0
    wrong: int = 0
    alive: int = 0
    adopted: int = 0

    def add(self, verdict: Verdict) -> None:
        self.points += 1
        self.hit += verdict.hit
        self.lost += bool(verdict.lost)
        self.doubles += bool(verdict.doubles)
        self.orphans += bool(verdict.orphans)
        self.half += bool(verdict.half)
        self.changed += bool(verdict.changed)
        self.wrong += bool(verdict.wrong or verdict.tracebacks)
        self.alive += verdict.alive
        self.adopted += verdict.adopted

    def row(self) -> str:
        found = (self.points, self.hit, self.lost, self.doubles, self.orphans, self.half)
        cells = "".join(f"{n:>9}" for n in (*found, self.changed, self.wrong))
        return f"{self.name:<14}{cells}{f'{self.adopted}/{self.alive}':>12}"


HEAD = (
    f"{'scenario':<14}"
    + "".join(
        f"{word:>9}"
        for word in ("points", "reached", "lost", "doubles", "orphans", "half", "changed", "wrong")
    )
    + f"{'adopted':>12}"
)


def try_all(
    bench: Bench, found: Sequence[Point], jobs: int, tell: Callable[[Point, Verdict], None]
) -> None:
    """Try all points; `tell` is called with each verdict as soon as there is one."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(bench.try_point, point): point for point in found}
        try:
            for future in as_completed(futures):
                tell(futures[future], future.result())
        except BaseException:
            INTERRUPT.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def table(verdicts: Iterable[Verdict]) -> list[Tally]:
    rows: dict[str, Tally] = {}
    total = Tally("all")
    for verdict in verdicts:
        assert verdict.point is not None
        name = verdict.point.scenario
        rows.setdefault(name, Tally(name)).add(verdict)
        total.add(verdict)
    return [*rows.values(), total]


def shortcomings(total: Tally, reached: float = REACHED) -> list[str]:
    """Return why a campaign proves nothing: it hardly struck, or agents were not found again."""
    found = []
    if total.hit < reached * total.points:
        found.append(
            f"Only {total.hit} of {total.points} points were reached, and {reached:.0%} have to "
            "be: if the program has changed, renew the counts: `python -m proof.crash --count`."
        )
    if total.adopted < ADOPTED * total.alive:
        found.append(
            f"Only {total.adopted} of {total.alive} living agents were adopted, "
            f"and {ADOPTED:.0%} have to be."
        )
    return found


def is_available() -> bool:
    return shutil.which("strace") is not None and sys.platform.startswith("linux")
