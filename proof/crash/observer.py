"""Judges a history from outside: the agents' log, the process table, the files and git."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from proof.crash.episode import Story
from proof.crash.home import AtHome
from proof.crash.place import Place
from proof.crash.points import Point
from proof.crash.steps import Scenario
from proof.crash.subject import Subject

ORPHAN_PATIENCE_S = 20.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """How the scenario ends when nobody dies."""

    standing: Mapping[str, str]
    starts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found; `alive` agents lived at the crash, `adopted` of them were found again."""

    point: Point | None
    hit: bool
    lost: list[str] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    alive: int = 0
    adopted: int = 0
    where: str = ""

    @property
    def findings(self) -> list[str]:
        named = {
            "lost": self.lost,
            "second process": self.doubles,
            "orphan": self.orphans,
            "half a file": self.half,
            "changed tree": self.changed,
            "wrong end": self.wrong,
        }
        return [f"{name}: {what}" for name, found in named.items() for what in found]


def starts_of(place: Place) -> Counter[str]:
    return Counter(f"{n.unit}/{n.sprint}" for n in place.noted() if n.what == "start")


def judge(
    subject: Subject,
    scenario: Scenario,
    place: Place,
    point: Point | None,
    story: Story,
    baseline: Baseline | None,
) -> Verdict:
    left = place.wait_until_empty(ORPHAN_PATIENCE_S)
    noted = place.noted()
    begun = Counter(n.run_id for n in noted if n.what == "start")
    ended = {n.run_id for n in noted if n.what == "end"}
    alive = story.alive if scenario.spares else ()
    given = subject.intents(place)
    early = [n for n in noted if n.what == "start" and n.at_s < given.get(n.run_id, n.at_s + 1)]
    wrong = [*story.wrong]
    wrong += [f"{n.run_id} inherited the crash point" for n in noted if n.what == "armed"]
    if baseline is not None:
        wrong += _wrong_end(subject, scenario, place, point, baseline)
    home = subject.at_home(place, scenario) if scenario.isolated else AtHome([], [], [], [])
    return Verdict(
        point=point,
        hit=story.crashes > 0,
        lost=[
            *story.lost,
            *home.lost,
            *subject.unkept(place, story.said),
            *(f"{n.run_id} began before its order was durable" for n in early),
        ],
        doubles=[
            *(f"{run_id}: {n} processes" for run_id, n in begun.items() if n > 1),
            *subject.twice(place),
        ],
        orphans=[*(p.words[:150] for p in left), *subject.left_lying(place)],
        half=sorted({*story.half, *home.half, *subject.half_files(place)}),
        changed=[*story.changed, *home.changed],
        wrong=[*wrong, *home.wrong],
        alive=len(alive),
        adopted=len([r for r in alive if r in ended and r in subject.exits(place)]),
    )


def _wrong_end(
    subject: Subject, scenario: Scenario, place: Place, point: Point | None, baseline: Baseline
) -> list[str]:
    """The same standing as without a crash, and no more orders than that took."""
    standing = subject.standing(place)
    found = [
        f"{name} is {standing.get(name)}, not {baseline.standing.get(name)}"
        for name in sorted({*standing, *baseline.standing})
        if standing.get(name) != baseline.standing.get(name)
    ]
    if not scenario.exact:
        return found
    starts = starts_of(place)
    # A keeper that dies between claim and start has cost an order; the others cost none.
    more = 0 if point is None or point.process in ("sup", "cmd", "look") else 1
    for name in sorted({*starts, *baseline.starts}):
        wanted = baseline.starts.get(name, 0)
        if not wanted <= starts[name] <= wanted + more:
            found.append(f"{name} was begun {starts[name]} times, not {wanted}")
    return found
