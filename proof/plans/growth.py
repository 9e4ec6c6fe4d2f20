"""Measure how the time to read a plan grows with its size: the exponent over five doublings."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from proof.plans.hostile import HOSTILE
from topkick.engine.codec.gc_pause import without_collecting
from topkick.plan_format.document import PlanError, read

DOUBLINGS = 5
RUNS = 5
LEAST_S = 0.004
LIMIT = 1.25


@dataclass(frozen=True, slots=True)
class Growth:
    name: str
    exponent: float
    bytes: int
    seconds: float


def grow_all() -> list[Growth]:
    return [grow(name, make) for name, make in HOSTILE.items()]


def grow(name: str, make: Callable[[int], str]) -> Growth:
    """Measure from a size that takes a few milliseconds; the minimum of several runs at each
    size.
    """
    number = 64
    while _seconds(make(number)) < LEAST_S and number < 1 << 16:
        number *= 2
    points: list[tuple[float, float]] = []
    for doubling in range(DOUBLINGS + 1):
        text = make(number << doubling)
        points.append((len(text.encode("utf-8", "surrogatepass")), _seconds(text, RUNS)))
    return Growth(name, _slope(points), int(points[-1][0]), points[-1][1])


def _seconds(text: str, runs: int = 1) -> float:
    best = math.inf
    for _ in range(runs):
        begin = time.process_time()
        with suppress(PlanError), without_collecting():
            read(text, default_name="t")
        best = min(best, time.process_time() - begin)
    return best


def _slope(points: list[tuple[float, float]]) -> float:
    """Return the slope by least squares in logarithms."""
    logs = [(math.log(size), math.log(max(seconds, 1e-6))) for size, seconds in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    over = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    under = sum((x - mean_x) ** 2 for x, _ in logs)
    return over / under if under else 0.0
