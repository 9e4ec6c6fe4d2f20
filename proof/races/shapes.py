"""The events of a race, drawn from its seed."""

import random
import signal
from dataclasses import dataclass

from .entrants import DRIVE

START = ("start", "--yes", "--foreground")
RESUME = ("resume", "--foreground", "--yes")


@dataclass(frozen=True, slots=True)
class Entry:
    words: tuple[str, ...]
    delay_s: float


@dataclass(frozen=True, slots=True)
class Blow:
    """A signal to the project's holder at that moment; a stopped one is continued."""

    after_s: float
    signal: int
    lasts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A race; `before`: fresh (no run yet), crashed (agents without a supervisor) or killed."""

    seed: int
    before: str
    entries: tuple[Entry, ...]
    blows: tuple[Blow, ...]
    resumes_at_the_end: bool


def draw(seed: int) -> tuple[Shape, random.Random]:
    chance = random.Random(seed)
    before = chance.choice(("fresh", "crashed", "crashed", "killed"))
    usual = START if before == "fresh" else RESUME
    some = [usual, usual, usual, (DRIVE,), ("stop",), ("killall",), ("status",), RESUME, START]
    count = chance.randint(2, 8)
    words = [usual, *(chance.choice(some) for _ in range(count - 1))]
    at_once = chance.random() < 0.6
    entries = tuple(
        Entry(w, 0.0 if at_once else chance.choice((0.0, 0.0, 0.01, 0.05, 0.2)) * chance.random())
        for w in words
    )
    blows = tuple(_blow(chance) for _ in range(chance.choice((0, 0, 1, 1, 2))))
    return Shape(seed, before, entries, blows, chance.random() < 0.6), chance


def _blow(chance: random.Random) -> Blow:
    after_s = chance.uniform(0.005, 0.5)
    if chance.random() < 0.5:
        return Blow(after_s, signal.SIGKILL)
    return Blow(after_s, signal.SIGSTOP, chance.uniform(0.02, 0.2))
