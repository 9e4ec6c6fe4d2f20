"""One batch: a dozen agents under one runner, ended in one way, with bystanders all around."""

import os
import random
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proof.processes.innocents import Innocents
from proof.processes.planted import launcher_for, spoil_runner
from topkick.engine.io import files
from topkick.runner import run_dir
from topkick.runner.local_runner import Exit, LocalRunner, Placement, RunEnded
from topkick.runner.process import processes

PROGRAM = Path(__file__).with_name("shapes.py")
PATIENCE_S = 90.0
TOKEN = "PROOF_BATCH"
MODES = {
    "native": {"TOPKICK_PORTABLE": "0", "TOPKICK_CGROUP": "1"},
    "no-cgroup": {"TOPKICK_PORTABLE": "0", "TOPKICK_CGROUP": "0"},
    "portable": {"TOPKICK_PORTABLE": "1", "TOPKICK_CGROUP": "0"},
}
WAYS = {
    "stop": 30,
    "killall-beside": 20,
    "killall-alone": 20,
    "deadline": 15,
    "unkept": 15,
    "forged": 15,
}
"""In `forged` no keeper is left, and each run has an exit record that its agent wrote."""
UNKEPT = ("unkept", "forged")

EVERYWHERE = [
    "plain",
    "deaf",
    "daemon",
    "deaf_daemon",
    "frozen",
    "frozen_daemon",
    "sessions",
    "groups",
    "closing",
    "headless",
    "flooding",
    "storm",
    "quick",
]
"""Caught in every mode and in every way."""
KEPT = ["unmarked", "unmarked_orphan", "hopper"]
"""Caught where a keeper lives or a control group contains them."""
FENCED = ["leaper", "unmarked_daemon"]
"""Caught by a subreaper or a control group alone: portable mode cannot find them."""


def shapes_for(mode: str, way: str) -> list[str]:
    """Return the shapes that topkick promises to catch there."""
    if mode == "native":
        return [*EVERYWHERE, *KEPT, *FENCED]
    if way in UNKEPT:
        return EVERYWHERE
    return [*EVERYWHERE, *KEPT, *([] if mode == "portable" else FENCED)]


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that a batch depends on, except the machine's timing."""

    number: int
    seed: int
    mode: str
    way: str
    agents: int
    plant: str = ""


@dataclass(slots=True)
class Result:
    """The result of a batch; `troubles` are what was not even tried or did not end."""

    number: int
    mode: str
    way: str
    kills: int = 0
    survivors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    taken_over: int = 0
    bystanders: int = 0


def run_batch(order: Order, place: Path) -> Result:
    """Start, kill, check; leave nothing behind even if the runner did."""
    os.environ.update(MODES[order.mode])
    place.mkdir(parents=True)
    spoil_runner(order.plant)
    batch = _Batch(order, place)
    try:
        with _left_by_keepers(batch.left):
            batch.run()
    finally:
        batch.clean_up()
    shutil.rmtree(place, ignore_errors=True)
    return batch.result


class _Batch:
    def __init__(self, order: Order, place: Path) -> None:
        self._order = order
        self._place = place
        self._runs = place / "runs"
        self._luck = random.Random(f"{order.seed}/{order.number}")
        self._token = f"{os.getpid()}-{order.number}-{order.seed}"
        self._runner = self._new_runner()
        self._innocents = Innocents(place)
        self._shapes: dict[str, str] = {}
        self._ends: dict[str, Exit] = {}
        self.left: set[str] = set()
        self.result = Result(order.number, order.mode, order.way)

    def _new_runner(self) -> LocalRunner:
        return LocalRunner(self._runs, launcher_for(self._order.plant, self._runs))

    def run(self) -> None:
        self._innocents.add()  # in the runner's own group and session
        self._start_all()
        self._wait_until_ready()
        self._add_more_innocents()
        self._kill()
        self._until(lambda: len(self._ends) == len(self._shapes), "ended")
        self.result.kills = len(self._ends)
        self._judge()

    # -- starting

    def _start_all(self) -> None:
        possible = shapes_for(self._order.mode, self._order.way)
        deadline_s = self._luck.uniform(0.3, 1.0) if self._order.way == "deadline" else None
        for index in range(self._order.agents):
            run_id = f"b{self._order.number}-{index}"
            self._shapes[run_id] = self._luck.choice(possible)
            self._runner.ensure(run_id, self._placement(run_id, deadline_s))
            if index % 6 == 3:  # a pid in the middle of theirs, the same program
                self._innocents.add(self._shapes[run_id], own_session=True)

    def _placement(self, run_id: str, deadline_s: float | None) -> Placement:
        shape = self._shapes[run_id]
        words = (sys.executable, "-I", "-S", str(PROGRAM), shape, str(self._log(run_id)))
        return Placement(
            argv=words,
            cwd=str(self._place),
            env={"PATH": os.environ["PATH"], TOKEN: self._token},
            deadline_s=deadline_s,
            grace_s=self._luck.choice((0.0, 0.05, 0.3)),
            output_cap_bytes=1 << 16,
        )

    def _log(self, run_id: str) -> Path:
        return self._place / f"log.{run_id}"

    def _wait_until_ready(self) -> None:
        def ready() -> bool:
            logs = [self._log(i) for i in self._shapes if i not in self._ends]
            return all(p.exists() and b" ready\n" in p.read_bytes() for p in logs)

        self._until(ready, "ready")

    def _add_more_innocents(self) -> None:
        """Add bystanders that look most like an agent: its mark as a word, or nearly its mark."""
        run_id = self._luck.choice(list(self._shapes))
        claim = self._runner.describe(run_id).claim
        mark = claim.mark if claim is not None and claim.mark else run_id
        name = processes.MARKER
        self._innocents.add(f"{name}={mark}", own_session=True)
        self._innocents.add(env={name: f"{mark}x"}, own_session=True)
        self._innocents.add(env={name: run_id, "NOTE": f"{name}={mark}"}, own_session=True)
        dead = [pid for pid, _, word in self._logged() if word == "passed by"]
        if self._order.mode != "portable":  # in portable mode signals can only be sent to pids
            self.result.taken_over = self._innocents.take_over(dead)
        self.result.bystanders = len(self._innocents.wait_until_ready())

    # -- ending

    def _kill(self) -> None:
        grace_s = self._luck.choice((0.0, 0.1, 0.4))
        match self._order.way:
            case "stop":
                for run_id in self._shapes:
                    self._runner.stop(run_id, grace_s)
            case "killall-beside":
                self._killall_beside(grace_s)
            case "killall-alone":
                self._killall_alone(grace_s)
            case "unkept" | "forged":
                self._kill_keepers()
                if self._order.way == "forged":
                    self._forge_ends()
                for run_id in self._shapes:
                    self._runner.stop(run_id, grace_s)
            case _:
                return

    def _killall_beside(self, grace_s: float) -> None:
        """Run killall in another process, while the runner continues."""
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                LocalRunner(self._runs).kill_everything(grace_s)
                code = 0
            finally:
                os._exit(code)
        codes: list[int] = []

        def ended() -> bool:
            found, status = os.waitpid(pid, os.WNOHANG)
            codes.extend([os.waitstatus_to_exitcode(status)] * bool(found))
            return bool(found)

        self._until(ended, "killall ended")
        if codes not in ([0], []):
            where = f"batch {self._order.number}"
            self.result.troubles.append(f"{where}: killall beside the runner ended with {codes[0]}")

    def _killall_alone(self, grace_s: float) -> None:
        self._runner.close()
        self._runner = self._new_runner()
        for killed in self._runner.kill_everything(grace_s):
            self._ends[killed.run_id] = killed.exit
        for run_id in self._shapes:
            found = self._runner.describe(run_id).exit
            if run_id not in self._ends and found is not None:
                self._ends[run_id] = found

    def _kill_keepers(self) -> None:
        """Kill keepers, and let some records name a bystander, as when a pid has a new owner."""
        stranger = self._innocents.wait_until_ready()[0]
        for run_id in self._shapes:
            found = self._runner.describe(run_id)
            if found.state not in ("claimed", "running") or found.keeper_pid is None:
                continue
            os.kill(found.keeper_pid, signal.SIGKILL)
            if found.agent is not None and self._luck.random() < 0.4:
                _end_and_wait(found.agent.pid)
                record = {"pid": stranger, "started": found.agent.started - 1000}
                (self._runs / run_id / "agent").write_bytes(files.seal(record))

    def _forge_ends(self) -> None:
        for run_id in self._shapes:
            run_dir.write_exit(self._runs / run_id, Exit("exited", code=0))

    # -- waiting and judging

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        limit_at = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > limit_at:
                self.result.troubles.append(f"batch {self._order.number}: never {what}")
                return
            wait_s = self._runner.wake_in_s()
            select.select([self._runner], [], [], 0.02 if wait_s is None else min(wait_s, 0.02))
            for notice in self._runner.poll():
                if isinstance(notice, RunEnded):
                    self._ends[notice.run_id] = notice.exit

    def _judge(self) -> None:
        for run_id, ended in self._ends.items():
            if ended.survivors:
                shape = self._shapes[run_id]
                self.result.survivors.append(f"{shape}: it says so itself {ended.survivors}")
        if self._order.way not in UNKEPT:
            left = sorted(self._shapes[run_id] for run_id in self.left)
            self.result.survivors += [f"{shape}: its keeper left it to others" for shape in left]
        found = {pid for pid, started, _ in self._logged() if _lives(pid, started)}
        found |= _carrying(f"{TOKEN}={self._token}")
        self.result.survivors += [self._name(pid) for pid in sorted(found)]
        self.result.survivors += [f"{shape}: still hopping" for shape in self._hopping()]
        self.result.foreign = self._innocents.let_go()

    def _logged(self) -> list[tuple[int, int, str]]:
        paths = [self._log(i) for i in self._shapes if self._log(i).exists()]
        rows = [line.split(" ", 2) for p in paths for line in p.read_text().splitlines()]
        return [(int(row[0]), int(row[1]), row[2]) for row in rows]

    def _name(self, pid: int) -> str:
        for run_id, shape in self._shapes.items():
            path = self._log(run_id)
            if path.exists() and f"\n{pid} " in f"\n{path.read_text()}":
                return f"{shape}: {pid}"
        return f"unknown: {pid}"

    def _hopping(self) -> list[str]:
        """Return agents whose ticks still grow: too quick to be seen in a process list."""
        ticks = {i: self._place / f"log.{i}.ticks" for i in self._shapes}
        before = {i: p.stat().st_size for i, p in ticks.items() if p.exists()}
        if before:
            time.sleep(0.03)
        return [self._shapes[i] for i, size in before.items() if ticks[i].stat().st_size > size]

    def clean_up(self) -> None:
        """End what is left; after a planted bug there may be much."""
        self._runner.close()
        limit_at = time.monotonic() + 30
        while time.monotonic() < limit_at:
            left = {pid for pid, started, _ in self._logged() if _lives(pid, started)}
            left |= _carrying(f"{TOKEN}={self._token}")
            if not left:
                return
            for pid in left:
                processes.kill(pid, signal.SIGKILL)
            time.sleep(0.01)


@contextmanager
def _left_by_keepers(noted: set[str]) -> Iterator[None]:
    """Record runs whose end is recorded while something of them lives.

    The runner ends what is left of them, so that a keeper's failure would go unnoticed.
    """
    ended = run_dir._ended

    def noting(path: Path, *rest: Any) -> run_dir.RunDescription:
        found = ended(path, *rest)
        if found.state == "orphaned":
            noted.add(path.name)
        return found

    run_dir._ended = noting
    try:
        yield
    finally:
        run_dir._ended = ended


def _end_and_wait(pid: int) -> None:
    processes.kill(pid, signal.SIGKILL)
    limit_at = time.monotonic() + PATIENCE_S
    while (row := processes.look(pid)) is not None and not row.dead:
        assert time.monotonic() < limit_at, "an agent would not die"
        time.sleep(0.002)


def _lives(pid: int, started: int) -> bool:
    row = processes.look(pid)
    return row is not None and row.started == started and not row.dead


def _carrying(word: str) -> set[int]:
    """Return processes with this in their environment, found independently."""
    needle, found = word.encode() + b"\0", set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            carried = path.read_bytes()
        except OSError:
            continue
        pid = int(path.parent.name)
        if needle in carried and (row := processes.look(pid)) is not None and not row.dead:
            found.add(pid)
    return found
