"""Run many batches on several workers, each a child of a bystander that leads its session."""

import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from proof.processes.batch import WAYS, Order, Result, run_batch
from proof.processes.innocents import ALONE, bystander_argv, heard, own_namespace

AGENTS = 16
WORKER_LIMIT_S = 3600.0


@dataclass(slots=True)
class Figures:
    """The sum of all batches."""

    kills: int = 0
    by_way: Counter[str] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    bystanders: int = 0
    taken_over: int = 0
    seconds: float = 0.0
    told: int = 0

    @property
    def good(self) -> bool:
        return not (self.survivors or self.foreign or self.troubles)

    def add(self, result: Result) -> None:
        where = f"batch {result.number} ({result.mode}, {result.way}): "
        self.kills += result.kills
        self.by_way[f"{result.mode}/{result.way}"] += result.kills
        self.survivors += [where + text for text in result.survivors]
        self.foreign += [where + text for text in result.foreign]
        self.troubles += result.troubles
        self.bystanders += result.bystanders
        self.taken_over += result.taken_over

    def line(self) -> str:
        return (
            f"{self.kills} kills, {len(self.survivors)} survivors, "
            f"{len(self.foreign)} foreign signals ({self.bystanders} bystanders, "
            f"{self.taken_over} with a pid that an agent had), "
            f"{len(self.troubles)} troubles, {self.seconds:.0f} s"
        )


def plan(kills: int, modes: Sequence[str], seed: int, plant: str = "") -> list[Order]:
    """Return batches that add up to so many kills; modes and ways alternate in random order."""
    luck = random.Random(seed)
    orders = []
    while kills > 0:
        number = len(orders)
        way = luck.choices(list(WAYS), list(WAYS.values()))[0]
        agents = min(AGENTS, kills)
        orders.append(Order(number, seed, modes[number % len(modes)], way, agents, plant))
        kills -= agents
    return orders


def run(orders: Sequence[Order], jobs: int, tell: Callable[[Figures], None]) -> Figures:
    """Run the batches on so many workers; after an interrupt they finish what they began."""
    figures, begun_s = Figures(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="proof-") as place:
        crew = [_Crew(orders[i::jobs], Path(place) / f"worker-{i}") for i in range(jobs)]
        try:
            _gather(crew, figures, tell)
        finally:
            for one in crew:
                figures.foreign += one.let_go()
    if sum(o.agents for o in orders) != figures.kills and not figures.troubles:
        figures.troubles.append("a worker ended before its last batch")
    figures.seconds = time.monotonic() - begun_s
    return figures


def _gather(crew: Sequence["_Crew"], figures: Figures, tell: Callable[[Figures], None]) -> None:
    talking = {one.fd: one for one in crew}
    limit_at = time.monotonic() + WORKER_LIMIT_S
    while talking and time.monotonic() < limit_at:
        for fd in select.select(list(talking), [], [], 1.0)[0]:
            for result in talking[fd].read():
                figures.add(result)
            tell(figures)
            if talking[fd].done:
                del talking[fd]


class _Crew:
    """A bystander that leads a session, and the worker that it started there.

    As root they have a pid namespace of their own, in which the bystander is process 1: there pids
    can be reused on purpose, a planted bug harms no other process, and everything ends with process
    1.
    """

    def __init__(self, orders: Sequence[Order], place: Path) -> None:
        place.mkdir(parents=True)
        self._record = place / "session-leader"
        leash, self._hand = os.pipe()
        words = [sys.executable, "-m", "proof.processes.worker", str(place)]
        alone = own_namespace()
        self._leader = subprocess.Popen(
            [*alone, *bystander_argv(self._record, "--", *words)],
            stdin=leash,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                ALONE: "1" if alone else "0",
                "PROOF_ORDERS": json.dumps([asdict(o) for o in orders]),
            },
            cwd=Path(__file__).resolve().parents[2],
            start_new_session=True,
        )
        os.close(leash)
        assert self._leader.stdout is not None
        self._out = self._leader.stdout
        self.fd = self._out.fileno()
        self._pending = b""
        self.done = False

    def read(self) -> list[Result]:
        data = os.read(self.fd, 1 << 16)
        *lines, self._pending = (self._pending + data).split(b"\n")
        self.done = not data or b"done" in lines
        return [Result(**json.loads(line)) for line in lines if line != b"done"]

    def let_go(self) -> list[str]:
        os.close(self._hand)
        while self._out.read(1 << 16):  # until the worker has cleaned up
            continue
        self._leader.wait()
        return [f"the session's leader: {word}" for word in heard(self._record)]


def work(orders: Sequence[Order], place: Path, goes_on: Callable[[], bool]) -> None:
    """Run in the worker: one line for every batch, and `done` even if one could not be run."""
    try:
        for order in orders:
            if not goes_on():
                return
            result = run_batch(order, place / f"batch-{order.number}")
            sys.stdout.write(json.dumps(asdict(result)) + "\n")
            sys.stdout.flush()
    finally:
        sys.stdout.write("done\n")
        sys.stdout.flush()
