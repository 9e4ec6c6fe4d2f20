"""A seed's explicit plan of everything that will happen: the run depends on it alone."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from proof.simulation.names import AGENT_KINDS, COMMANDS, FAULTS, LAUNCH_FATES, REPORTS

DAY_S = 86_400.0
HOUR_S = 3_600.0
REPORTING = (3, 8)
"""In two seeds of ten agents report; the others are unchanged from before reports existed."""
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Agent:
    """The behaviour of one dispatch's agent; the default works and ends well."""

    kind: str = "good"
    takes_s: float = 600.0
    at: float = 0.9  # the share of its time after which its work is done
    launch: str = "ok"
    deaf: bool = False  # ignores SIGTERM
    dies_s: float = 0.2  # how long it takes to die of SIGTERM
    child: str = ""  # what it leaves behind: "", "meek", "deaf" or "stuck"
    says: str = "done"


@dataclass(frozen=True, slots=True)
class Step:
    """One sprint of the simulated plan."""

    id: str
    type: str = "code"
    checks: int = 1
    entry: str = ""  # "", "met" or "late"
    agents: tuple[Agent, ...] = ()
    met_after_s: float = 0.0  # for a deferred condition; negative: fails as declared
    builds: bool = False  # one more check, which only one may run at a time
    dependencies: bool = False  # brings only what the others build with


@dataclass(frozen=True, slots=True)
class Part:
    """One work unit of the simulated plan."""

    name: str
    after: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    verify: bool = False  # must be verified before others build on it
    layer: int | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """A fault or a person's command, and its time."""

    at_s: float
    what: str
    n: int = 0
    for_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Schedule:
    seed: int
    parts: tuple[Part, ...]
    faults: tuple[Timed, ...] = ()
    commands: tuple[Timed, ...] = ()
    settings: dict[str, float] = field(default_factory=dict)
    flaky: float = 0.0
    slow_us: int = 0  # how long one call to the outside may take
    away_s: float = HOUR_S  # how long a person stays away after the run stopped
    hours: float = 24.0

    def describe(self) -> list[str]:
        lines = [f"settings {self.settings}, flaky {self.flaky}, slow {self.slow_us} us"]
        for part in self.parts:
            after = f" after {', '.join(part.after)}" if part.after else ""
            lines.append(f"{part.name}{after}")
            lines += [f"  {_describe(step)}" for step in part.steps]
        lines += [
            f"{_clock(f.at_s)} fault {f.what} n={f.n} for {f.for_s:.0f} s" for f in self.faults
        ]
        lines += [f"{_clock(c.at_s)} person {c.what} n={c.n}" for c in self.commands]
        return lines


def _describe(step: Step) -> str:
    odd = [f"{a.kind}/{a.launch}/{a.takes_s:.0f}s" for a in step.agents]
    return f"{step.id} {step.type} checks={step.checks} entry={step.entry!r} agents={odd}"


def _clock(at_s: float) -> str:
    return f"{int(at_s // 3600):02}:{int(at_s // 60 % 60):02}:{at_s % 60:06.3f}"


# --- from a seed ---------------------------------------------------------------------------


def make(seed: int, hours: float = 24.0) -> Schedule:
    dice = random.Random(f"topkick {seed}")
    calm = dice.random() < 0.05
    parts = _parts(dice)
    faults = () if calm else timed(dice, FAULTS, hours, dice.choice((0, 4, 10, 20, 30)))
    commands = () if calm else timed(dice, COMMANDS, hours, dice.choice((0, 4, 10, 18)))
    made = Schedule(
        seed=seed,
        parts=parts,
        faults=faults,
        commands=commands,
        settings=_settings(dice),
        flaky=dice.choice((0.0, 0.0, 0.1, 0.3)),
        slow_us=dice.choice((0, 0, 2_000, 50_000, 400_000)),
        away_s=dice.choice((600.0, HOUR_S, 3 * HOUR_S)),
        hours=hours,
    )
    return _reporting(made) if seed % 10 in REPORTING else made


def _reporting(schedule: Schedule) -> Schedule:
    """Add reports with their own random numbers, so that nothing else changes."""
    dice = random.Random(f"reports {schedule.seed}")
    settings = {**schedule.settings, "on_limit": dice.choice((0, 0, 1, 2))}
    parts = []
    for part in schedule.parts:
        steps = [replace(s, agents=tuple(_with_reports(dice, s.agents))) for s in part.steps]
        parts.append(replace(part, steps=tuple(steps)))
    return replace(schedule, parts=tuple(parts), settings=settings)


def _with_reports(dice: random.Random, agents: tuple[Agent, ...]) -> Iterator[Agent]:
    kinds, weights = zip(*REPORTS.items(), strict=True)
    for agent in (*agents, Agent()):
        for _ in range(dice.choice((0, 0, 0, 1, 1, 2))):
            takes_s = round(dice.choice((5.0, 120.0, 900.0)) * dice.uniform(0.5, 1.5), 3)
            kind = dice.choices(kinds, weights)[0]
            yield Agent(kind, takes_s, dice.choice((0.2, 0.9)), says="", deaf=dice.random() < 0.2)
        yield agent


def _settings(dice: random.Random) -> dict[str, float]:
    return {
        "max_agents": dice.choice((1, 2, 4)),
        "max_retries": dice.choice((1, 2, 3, 3)),
        "max_continuations": dice.choice((1, 3)),
        "max_dispatches": dice.choice((1, 4, 12, 12)),
        "sprint_timeout_s": dice.choice((1800.0, 3600.0)),
        "stop_patience_s": dice.choice((60.0, 1800.0)),
        "stop_grace_s": dice.choice((2.0, 10.0)),
        "deferred_poll_s": dice.choice((120.0, 600.0)),
        "accept_unchecked": dice.choice((0, 1)),
        "always": dice.choice((0, 0, 1)),
        "only": dice.choice((0, 0, 0, 0, 1)),
    }


def _parts(dice: random.Random) -> tuple[Part, ...]:
    names = [f"P{n}" for n in range(1, dice.choice((1, 2, 3, 4, 5)) + 1)]
    parts = []
    for n, name in enumerate(names):
        after = tuple(o for o in names[:n] if dice.random() < 0.3)
        steps = tuple(_step(dice, str(i)) for i in range(1, dice.randint(1, 4) + 1))
        parts.append(Part(name, after, steps))
    return tuple(parts)


def _step(dice: random.Random, id_: str) -> Step:
    type_ = dice.choices(
        ("code", "command", "deferred", "manual", "background"), (10, 3, 2, 1, 1.5)
    )[0]
    met_after_s = dice.choice((60.0, HOUR_S, 4 * HOUR_S, -HOUR_S))
    return Step(
        id=id_,
        type=type_,
        checks=dice.choice((0, 1, 1, 2, 3)),
        entry=dice.choices(("", "met", "late"), (8, 1, 1))[0],
        agents=tuple(_agent(dice) for _ in range(dice.choice((0, 1, 3, 6)))),
        met_after_s=met_after_s if type_ == "deferred" else 0.0,
    )


def _agent(dice: random.Random) -> Agent:
    kinds, weights = zip(*AGENT_KINDS.items(), strict=True)
    fates, odds = zip(*LAUNCH_FATES.items(), strict=True)
    launch = dice.choices(fates, odds)[0]
    alone = launch == "keeper dies"  # an agent on its own is looked at every second
    lengths = (5.0, 60.0) if alone else (0.5, 5.0, 120.0, 900.0, 2400.0)
    return Agent(
        kind=dice.choices(kinds, weights)[0],
        takes_s=round(dice.choice(lengths) * dice.uniform(0.5, 1.5), 3),
        at=dice.choice((0.2, 0.9, 1.0)),
        launch=launch,
        deaf=dice.random() < 0.2,
        dies_s=dice.choice((0.01, 0.5, 4.0)),
        child=dice.choices(("", "meek", "deaf", "stuck"), (8, 1, 1, 0.3))[0],
        says=dice.choices(("done", "partial", "failed", ""), (5, 1, 1, 2))[0],
    )


def timed(
    dice: random.Random, kinds: dict[str, float], hours: float, count: int
) -> tuple[Timed, ...]:
    names, weights = zip(*kinds.items(), strict=True)
    made = [
        Timed(
            at_s=round(_moment(dice, hours), 3),
            what=dice.choices(names, weights)[0],
            n=dice.randint(0, 40),
            for_s=round(dice.choice((0.5, 5.0, 60.0, 600.0)) * dice.uniform(0.5, 1.5), 3),
        )
        for _ in range(count)
    ]
    return tuple(sorted(made, key=lambda t: t.at_s))


def _moment(dice: random.Random, hours: float) -> float:
    """Return a time, mostly in the first hours, when most is going on."""
    chance = dice.random()
    if chance < 0.2:
        return dice.uniform(0, hours * HOUR_S)
    if chance < 0.35:
        return dice.uniform(0, 60)
    return dice.expovariate(1 / dice.choice((300, 3_000, 8_000)))


# --- smaller ones, for shrinking -----------------------------------------------------------


def smaller(schedule: Schedule) -> list[Schedule]:
    """Return schedules with one thing less, the biggest things first."""
    found = [
        replace(schedule, parts=_without(schedule.parts, p.name)) for p in schedule.parts[::-1]
    ]
    found = [s for s in found if s.parts]
    found += [replace(schedule, commands=few) for few in fewer(schedule.commands)]
    found += [replace(schedule, faults=few) for few in fewer(schedule.faults)]
    found += [replace(schedule, parts=parts) for parts in _fewer_steps(schedule.parts)]
    found += [replace(schedule, parts=parts) for parts in _better_agents(schedule.parts)]
    if schedule.flaky:
        found.append(replace(schedule, flaky=0.0))
    if schedule.slow_us:
        found.append(replace(schedule, slow_us=0))
    return found


def fewer(things: tuple[Thing, ...]) -> list[tuple[Thing, ...]]:
    """Return none, half, or one less of the things."""
    middle = len(things) // 2
    halves = [(), things[:middle], things[middle:]] if len(things) > 2 else []
    return [*halves, *(things[:i] + things[i + 1 :] for i in range(len(things) - 1, -1, -1))]


def _without(parts: tuple[Part, ...], name: str) -> tuple[Part, ...]:
    return tuple(
        replace(p, after=tuple(a for a in p.after if a != name)) for p in parts if p.name != name
    )


def _fewer_steps(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    found = []
    for n, part in enumerate(parts):
        for i in range(len(part.steps) - 1, -1, -1):
            if len(part.steps) > 1:
                less = replace(part, steps=part.steps[:i] + part.steps[i + 1 :])
                found.append((*parts[:n], less, *parts[n + 1 :]))
    return found


def _better_agents(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    found = []
    for n, part in enumerate(parts):
        for i, step in enumerate(part.steps):
            if step.agents:
                fewer = replace(step, agents=step.agents[:-1])
                steps = (*part.steps[:i], fewer, *part.steps[i + 1 :])
                found.append((*parts[:n], replace(part, steps=steps), *parts[n + 1 :]))
    return found
