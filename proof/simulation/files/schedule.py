"""A seed's plan for a board or an epic: behaviour of agents, faults, and people's edits."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from proof.simulation.names import LAUNCH_FATES
from proof.simulation.schedule import Agent, Timed, fewer, timed

AGENT_KINDS = {
    "good": 10.0,
    "garbage": 2.0,  # not JSON
    "wrong": 1.5,  # JSON of another form
    "fails": 1.0,  # a good answer, and ends with 1
    "crashes": 1.0,
    "hangs": 0.5,
    "cannot start": 0.2,
    "limit": 0.7,  # usage limit; says until when
    "trouble": 0.7,  # of the provider
}

FAULTS = {
    "crash": 8.0,
    "leave": 0.7,
    "reboot": 1.0,
    "disk full": 1.5,
    "fsync error": 1.5,
    "commit lies": 1.5,  # done and reported as failed
    "commit lies twice": 1.0,
    "lost tail": 1.0,
    "keeper killed": 1.5,
    "agent killed": 1.0,
    "clock forward": 0.7,
    "clock back": 0.7,
    "second at once": 2.0,  # another command for the same file, which finds it held
    "overtaken": 2.0,  # the holder freezes, and another holds the project when it wakes
    "echo": 3.0,  # earlier facts are delivered again
}

PEOPLE = {
    "board": {
        "note": 4.0,
        "note while it reads": 2.0,
        "note in a task": 2.0,
        "move": 1.0,  # another task becomes the current one
        "half a file": 1.0,  # as an editor leaves it for a while
        "no file": 1.0,
        "stop": 1.0,
        "stop twice": 1.0,
        "killall": 1.0,
    },
    "epic": {
        "note": 4.0,
        "note while it writes": 6.0,
        "note in a task": 2.0,
        "note in a task while it writes": 3.0,
        "queue": 6.0,
        "pause": 1.5,
        "pause while it asks": 1.0,
        "half a file": 1.0,
        "no file": 1.0,
        "cancel a row": 0.7,
        "requeue a row": 0.7,
        "own row": 0.7,  # a row of a person's own
        "no task": 0.7,  # a child's file is gone for a while
        "move": 1.5,  # to another host, without the journal
    },
}


ROWS: Mapping[str, Sequence[int]] = {"board": (1, 1, 1, 1, 2, 5, 12), "epic": (1, 1, 1, 1, 2, 5)}
"""The possible numbers of equal agents in a row."""


@dataclass(frozen=True, slots=True)
class FileSchedule:
    """A schedule; `spans_s` is how long a round may take, or when a person returns."""

    seed: int
    policy: str
    agents: tuple[Agent, ...] = ()
    faults: tuple[Timed, ...] = ()
    people: tuple[Timed, ...] = ()
    tasks: int = 3
    slow_us: int = 0
    spans_s: float = 900.0
    hours: float = 24.0

    def describe(self) -> list[str]:
        odd = [f"{a.kind}/{a.launch}/{a.takes_s:.0f}s" for a in self.agents]
        lines = [
            f"{self.policy} of {self.tasks}, slow {self.slow_us} us, every {self.spans_s:.0f} s"
        ]
        lines.append(f"agents {odd}")
        lines += [f"{f.at_s:9.1f} fault {f.what} n={f.n} for {f.for_s:.0f} s" for f in self.faults]
        return lines + [f"{p.at_s:9.1f} person {p.what} n={p.n}" for p in self.people]


def make(policy: str, seed: int, hours: float = 24.0) -> FileSchedule:
    dice = random.Random(f"topkick {policy} {seed}")
    calm = dice.random() < 0.05
    return FileSchedule(
        seed=seed,
        policy=policy,
        agents=tuple(_agents(dice, dice.choice((0, 4, 12, 20)), ROWS[policy])),
        faults=() if calm else timed(dice, FAULTS, hours, dice.choice((0, 4, 10, 20, 40))),
        people=() if calm else timed(dice, PEOPLE[policy], hours, dice.choice((0, 6, 12, 24))),
        tasks=dice.choice((1, 2, 3, 4)),
        slow_us=dice.choice((0, 0, 2_000, 50_000, 400_000)),
        spans_s=dice.choice((60.0, 300.0, 900.0, 1800.0)),
        hours=hours,
    )


def _agents(dice: random.Random, count: int, rows: Sequence[int]) -> Iterator[Agent]:
    """Yield agents; some repeat, because one bad answer seldom comes alone."""
    for _ in range(count):
        yield from [_agent(dice)] * dice.choice(rows)


def _agent(dice: random.Random) -> Agent:
    kinds, weights = zip(*AGENT_KINDS.items(), strict=True)
    fates, odds = zip(*LAUNCH_FATES.items(), strict=True)
    launch = dice.choices(fates, odds)[0]
    lengths = (5.0, 60.0) if launch == "keeper dies" else (0.5, 5.0, 120.0, 900.0, 3000.0)
    return Agent(
        kind=dice.choices(kinds, weights)[0],
        takes_s=round(dice.choice(lengths) * dice.uniform(0.5, 1.5), 3),
        at=dice.choice((0.2, 0.9, 1.0)),
        launch=launch,
        deaf=dice.random() < 0.2,
        dies_s=dice.choice((0.01, 0.5, 4.0)),
        says=dice.choices(("yes", "no", "unsure"), (6, 2, 1))[0],
    )


def smaller(schedule: FileSchedule) -> list[FileSchedule]:
    found = [replace(schedule, people=few) for few in fewer(schedule.people)]
    found += [replace(schedule, faults=few) for few in fewer(schedule.faults)]
    found += [replace(schedule, agents=few) for few in fewer(schedule.agents)]
    if schedule.slow_us:
        found.append(replace(schedule, slow_us=0))
    if schedule.tasks > 1:
        found.append(replace(schedule, tasks=schedule.tasks - 1))
    return found
