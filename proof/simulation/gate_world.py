"""The gates of the simulated world: who is to blame, how builds misbehave, what may begin."""

import random
from dataclasses import dataclass, replace

from proof.simulation.schedule import HOUR_S, Part, Step, Timed

GATED = (0, 4, 9)
"""Three seeds of ten have gates; the others are unchanged from before gates existed."""

ODD = {"": 6.0, "flaky": 1.0, "before": 1.0, "cannot run": 0.7, "trouble": 0.7, "hangs": 0.5}
SAID = {"pass gate": 3.0, "refuse gate": 2.0, "resume other gates": 1.0, "resume": 2.0}


@dataclass(frozen=True, slots=True)
class GateWorld:
    """The hidden truth: `groups` fail, each alone or only together, until a repair fixes it, if one
    can.

    `odd` is what else is wrong with builds, until `odd_until_s`.
    """

    mode: str = "off"
    known: bool = True  # or only detected
    isolated: bool = False
    groups: tuple[frozenset[str], ...] = ()
    odd: str = ""
    odd_until_s: float = 0.0
    mends: bool = True
    clears_at_s: float = 0.0
    commands: tuple[Timed, ...] = ()


def is_gated(seed: int) -> bool:
    return seed % 10 in GATED


def make(seed: int, parts: tuple[Part, ...]) -> tuple[GateWorld, tuple[Part, ...]]:
    dice = random.Random(f"gates {seed}")
    odds, weights = zip(*ODD.items(), strict=True)
    groups = [
        frozenset(dice.choices(("P1", "P2", "P3", "P4"), (4, 4, 2, 1), k=dice.choice((1, 1, 2))))
        for _ in range(dice.choice((0, 1, 1, 2)))
    ]
    world = GateWorld(
        mode=dice.choice(("auto", "auto", "auto", "ask")),
        known=dice.random() < 0.7,
        isolated=dice.random() < 0.4,
        groups=tuple(dict.fromkeys(groups)),
        odd=dice.choices(odds, weights)[0],
        odd_until_s=dice.choice((HOUR_S, 6 * HOUR_S, 24 * HOUR_S)),
        mends=dice.random() < 0.7,
        clears_at_s=dice.choice((0.0, 0.0, 2 * HOUR_S)),
        commands=tuple(_said(dice) for _ in range(dice.choice((0, 3, 8)))),
    )
    layered = dice.random() < 0.3
    return world, tuple(_gated(seed, part, layered) for part in parts)


def _gated(seed: int, part: Part, layered: bool) -> Part:
    """Add gates by the part's own name, so that a smaller schedule has the same gates."""
    dice = random.Random(f"gates {seed} {part.name}")
    verify = dice.random() < 0.3
    layer = len(part.after) if layered else None
    steps = [_with_build(dice, step, n == 0) for n, step in enumerate(part.steps)]
    return replace(part, steps=tuple(steps), verify=verify, layer=layer)


def _with_build(dice: random.Random, step: Step, first: bool) -> Step:
    builds = step.type == "code" and step.checks > 0 and dice.random() < 0.5
    brings = first and step.type == "code" and dice.random() < 0.3
    return replace(step, builds=builds, dependencies=brings)


def _said(dice: random.Random) -> Timed:
    names, weights = zip(*SAID.items(), strict=True)
    at_s = dice.expovariate(1 / dice.choice((3_000, 10_000)))
    return Timed(round(at_s, 3), dice.choices(names, weights)[0], dice.randint(0, 40))
