"""Judge a history from outside: the agents' log, the process table, the files and git."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from proof.crash import lives
from proof.crash.episode import Story
from proof.crash.home import AtHome
from proof.crash.place import Place
from proof.crash.points import Point
from proof.crash.steps import Scenario
from proof.crash.subject import Subject

ORPHAN_PATIENCE_S = 20.0  # less than agents live without the harness
TRACEBACK = "Traceback (most recent call last)"
TOLD_CHARS = 3000


@dataclass(frozen=True, slots=True)
class Baseline:
    """The end of the scenario without a crash."""

    standing: Mapping[str, str]
    starts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings; `alive` agents lived at the crash, `adopted` of them were found again."""

    point: Point | None
    hit: bool
    lost: list[str] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
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
            "traceback": self.tracebacks,
            "wrong end": self.wrong,
        }
        return [f"{name}: {what}" for name, found in named.items() for what in found]


def tracebacks(text: str) -> list[str]:
    """Return tracebacks, which are bugs; a killed process prints none."""
    return [f"{TRACEBACK}{after[:TOLD_CHARS]}" for after in text.split(TRACEBACK)[1:]]


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
    exits = subject.exits(place)
    alive = story.alive if scenario.spares else ()
    given = subject.intents(place)
    early = [n for n in noted if n.what == "start" and n.at_s < given.get(n.run_id, n.at_s + 1)]
    wrong = [*story.wrong]
    wrong += [f"{n.run_id} inherited the crash point" for n in noted if n.what == "armed"]
    doubles = [f"{run_id}: {n} processes" for run_id, n in begun.items() if n > 1]
    if baseline is not None:
        wrong += _other_standing(subject.standing(place), baseline.standing)
    if baseline is not None and scenario.exact:
        starts, unseen = starts_of(place), lives.unseen_failures(noted, exits)
        wrong += _begun_too_rarely(starts, baseline.starts)
        doubles += begun_too_often(starts, baseline.starts, unseen)
    home = subject.at_home(place, scenario) if scenario.isolated else AtHome([], [], [], [])
    return Verdict(
        point=point,
        hit=story.crashes > 0,
        lost=[
            *story.lost,
            *home.lost,
            *subject.unkept(place, story.said),
            *(f"{n.run_id} began before its order was durable" for n in early),
            *lives.given_up(noted, exits),
        ],
        doubles=[
            *doubles,
            *lives.at_the_same_time(noted),
            *subject.twice(place),
        ],
        orphans=[*(p.words[:150] for p in left), *subject.left_lying(place)],
        half=sorted({*story.half, *home.half, *subject.half_files(place)}),
        changed=[*story.changed, *home.changed],
        tracebacks=tracebacks(story.said + subject.logged(place)),
        wrong=[*wrong, *home.wrong],
        alive=len(alive),
        adopted=lives.adopted(alive, noted, exits, keeper_died=_may_be_a_keeper(point)),
    )


def _may_be_a_keeper(point: Point | None) -> bool:
    """Return whether the point may hit a keeper: any process may pass a named point."""
    return point is not None and (point.is_named or point.process == "keep")


def _other_standing(now: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    return [
        f"{name} is {now.get(name)}, not {wanted.get(name)}"
        for name in sorted({*now, *wanted})
        if now.get(name) != wanted.get(name)
    ]


def begun_too_often(
    starts: Mapping[str, int], wanted: Mapping[str, int], unseen: Mapping[str, int]
) -> list[str]:
    """Return sprints begun too often, by the agents' records: an order that never began costs
    nothing.
    """
    return [
        f"{name} was begun {count} times, not {wanted.get(name, 0)}"
        for name, count in sorted(starts.items())
        if count > wanted.get(name, 0) + unseen.get(name, 0)
    ]


def _begun_too_rarely(starts: Mapping[str, int], wanted: Mapping[str, int]) -> list[str]:
    return [
        f"{name} was begun {starts.get(name, 0)} times, not {count}"
        for name, count in sorted(wanted.items())
        if starts.get(name, 0) < count
    ]
