"""Measure how fast sprints go through, next to bare loops that run the same processes.

20 units x 50 sprints of `true` as agent and as criterion, 8 at a time. What the bare loops run
for a sprint is what a sprint needs at the least: the agent, then its criterion. topkick also runs
the criterion before the order (DP-08), reads git, and writes everything down.

    python benchmarks/sprints.py [--units 20] [--sprints 50] [--at-once 8] [--json]

With --scale it measures one thing only: how much CPU time the supervisor process itself uses per
sprint as the number of units grows. Agents, keepers and checkers are processes of their own and
do not count. The time until the first sprint is judged (reading the plan, the step of `start`) is
given apart. CPU time and not wall time, so that a busy machine disturbs the figures little.

    python benchmarks/sprints.py --scale 20x50 100x10 1000x2 [--seconds 60] [--json]
"""

import argparse
import asyncio
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil


@dataclass
class Figures:
    name: str
    sprints_per_s: float
    cpu_ms_per_sprint: float
    peak_mb: float
    latency_p50_ms: float
    latency_p99_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--sprints", type=int, default=50)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scale", nargs="+", metavar="UNITSxSPRINTS")
    parser.add_argument("--seconds", type=float, default=60.0, help="the most for a row of --scale")
    given = parser.parse_args()
    if given.scale:
        shapes = [tuple(map(int, shape.split("x"))) for shape in given.scale]
        loads = [supervise(*shape, given.at_once, given.seconds) for shape in shapes]
        rows_as_json = json.dumps([asdict(load) for load in loads], indent=2)
        print(rows_as_json if given.json else scale_table(loads, given.at_once))
        return
    shape = (given.units, given.sprints, given.at_once)
    rows = [
        measure("bare asyncio loop", lambda: bare(*shape, plain), shape),
        measure("the same + 1 SQLite FULL commit", lambda: committing(*shape), shape),
        measure("the same + 2 Python processes", lambda: bare(*shape, with_pythons), shape),
        measure("topkick", lambda: topkick(*shape), shape),
    ]
    print(json.dumps([asdict(r) for r in rows], indent=2) if given.json else table(rows, shape))


def table(rows: list[Figures], shape: tuple[int, int, int]) -> str:
    units, sprints, at_once = shape
    head = f"{units} units x {sprints} sprints, {at_once} at a time, {os.cpu_count()} cores\n\n"
    columns = "| | sprints/s | host CPU ms/sprint | peak MB | exit to next p50 ms | p99 ms |\n"
    lines = [
        f"| {r.name} | {r.sprints_per_s:.0f} | {r.cpu_ms_per_sprint:.1f} | {r.peak_mb:.0f} "
        f"| {r.latency_p50_ms:.1f} | {r.latency_p99_ms:.1f} |"
        for r in rows
    ]
    ratio = rows[-1].latency_p50_ms / max(rows[0].latency_p50_ms, 1e-9)
    pace = rows[-1].sprints_per_s / rows[0].sprints_per_s
    tail = f"\n\nbeside the bare loop: {pace:.2f}x the pace, {ratio:.1f}x the latency (p50)"
    return head + columns + "|---|---|---|---|---|---|\n" + "\n".join(lines) + tail


# --- measuring -----------------------------------------------------------------------------


def measure(name: str, work: Callable[[], list[float]], shape: tuple[int, int, int]) -> Figures:
    """Measure the CPU time of the whole host: keepers count too, and they are children of init."""
    count = shape[0] * shape[1]
    peak, busy_s, began = Peak(), host_cpu_s(), time.perf_counter()
    latencies = work()
    took_s = time.perf_counter() - began
    return Figures(
        name,
        count / took_s,
        (host_cpu_s() - busy_s) / count * 1000,
        peak.stop(),
        statistics.median(latencies) * 1000,
        sorted(latencies)[int(len(latencies) * 0.99)] * 1000,
    )


def host_cpu_s() -> float:
    times = psutil.cpu_times()
    return sum(times) - times.idle - getattr(times, "iowait", 0.0)


class Peak:
    """The most memory of all processes below this one; shared pages count once (PSS)."""

    def __init__(self) -> None:
        self._most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        mine = psutil.Process()
        while not self._over.wait(1.0):
            total = 0
            for process in [mine, *mine.children(recursive=True)]:
                try:
                    found = process.memory_full_info()
                    total += getattr(found, "pss", found.uss)
                except psutil.Error:
                    continue
            self._most = max(self._most, total)

    def stop(self) -> float:
        self._over.set()
        self._thread.join()
        return self._most / 1e6


# --- the bare loops ------------------------------------------------------------------------

Task = Callable[[], Awaitable[None]]


async def plain() -> None:
    await run("true")


async def with_pythons() -> None:
    """Run as many Python processes as a sprint would cost with a fresh one for each order."""
    await run("true")
    await run(sys.executable, "-I", "-S", "-c", "")
    await run(sys.executable, "-I", "-S", "-c", "")


async def run(*words: str) -> None:
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.DEVNULL)
    await process.wait()


def bare(units: int, sprints: int, at_once: int, check: Task) -> list[float]:
    latencies: list[float] = []

    async def unit(slots: asyncio.Semaphore) -> None:
        ended = 0.0
        for _ in range(sprints):
            async with slots:
                process = await asyncio.create_subprocess_exec("true")
                if ended:
                    latencies.append(time.perf_counter() - ended)
                await process.wait()
                ended = time.perf_counter()
                await check()

    async def everything() -> None:
        slots = asyncio.Semaphore(at_once)
        await asyncio.gather(*(unit(slots) for _ in range(units)))

    asyncio.run(everything())
    return latencies


def committing(units: int, sprints: int, at_once: int) -> list[float]:
    with tempfile.TemporaryDirectory() as place:
        db = sqlite3.connect(Path(place) / "tasks.db", isolation_level=None)
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=full")
        db.execute("create table done(at real)")

        async def check() -> None:
            await run("true")
            db.execute("insert into done values (?)", (time.time(),))

        latencies = bare(units, sprints, at_once, check)
        db.close()
    return latencies


# --- topkick -------------------------------------------------------------------------------


def topkick(units: int, sprints: int, at_once: int) -> list[float]:
    root = Path(tempfile.mkdtemp(prefix="topkick-bench-"))
    try:
        make_project(root, units, sprints, at_once)
        command = [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"]
        done = subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, f"topkick ended with {done.returncode}"
        return read_latencies(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def make_project(root: Path, units: int, sprints: int, at_once: int) -> None:
    lines = ["# Bench", "", "## Work Units", "", "| Work Unit | Directory |", "|---|---|"]
    lines += [f"| unit {u} | . |" for u in range(units)]
    for u in range(units):
        lines += ["", f"## unit {u}"]
        for s in range(1, sprints + 1):
            lines += ["", f"### Sprint {s}: nothing", "", "**Type**: command", ""]
            lines += ["**Exit criteria**:", "- [ ] `true`"]
    (root / "EXECUTION_PLAN.md").write_text("\n".join(lines) + "\n")
    (root / "topkick.toml").write_text(
        'isolation = "shared"\n[agents.true]\ncommand = ["true"]\n\n'
        f"[limits]\nmax_agents = {at_once}\n"
    )
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "bench")):
        names = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        subprocess.run(["git", *names, *words], cwd=root, check=True)


# --- the supervisor alone ------------------------------------------------------------------


@dataclass
class Load:
    """Usage of the supervisor from the first judged sprint on; `start_cpu_s` is before."""

    units: int
    sprints: int
    judged: int
    cpu_ms_per_sprint: float
    sprints_per_s: float
    start_cpu_s: float


def scale_table(loads: list[Load], at_once: int) -> str:
    head = f"CPU time of the supervisor process, {at_once} agents at a time\n\n"
    columns = "| units x sprints | sprints judged | CPU ms/sprint | sprints/s | start, CPU s |\n"
    lines = [
        f"| {x.units} x {x.sprints} | {x.judged} | {x.cpu_ms_per_sprint:.1f} "
        f"| {x.sprints_per_s:.1f} | {x.start_cpu_s:.2f} |"
        for x in loads
    ]
    return head + columns + "|---|---|---|---|---|\n" + "\n".join(lines)


def supervise(units: int, sprints: int, at_once: int, seconds: float) -> Load:
    root = Path(tempfile.mkdtemp(prefix="topkick-bench-"))
    try:
        make_project(root, units, sprints, at_once)
        command = [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"]
        process = psutil.Popen(command, cwd=root, stdout=subprocess.DEVNULL)
        while not (judged := count_judged(root)) and not is_over(process):
            time.sleep(0.05)
        first, before_s, began = judged, own_cpu_s(process), time.perf_counter()
        while not is_over(process) and time.perf_counter() - began < seconds:
            time.sleep(0.1)
        judged, after_s, took_s = (
            count_judged(root),
            own_cpu_s(process),
            time.perf_counter() - began,
        )
        process.terminate()
        process.wait()
        counted = judged - first
        return Load(
            units,
            sprints,
            counted,
            (after_s - before_s) / counted * 1000,
            counted / took_s,
            before_s,
        )
    finally:
        shutil.rmtree(root, ignore_errors=True)


def is_over(process: psutil.Process) -> bool:
    """A process that has ended and was not waited for still tells what it used."""
    return process.status() == psutil.STATUS_ZOMBIE


def own_cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def count_judged(root: Path) -> int:
    for path in root.glob(".git/topkick/**/current/journal.db"):
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            found = db.execute("select count(*) from records where kind like 'SprintJudged%'")
            return int(found.fetchone()[0])
        except sqlite3.OperationalError:  # it is being made
            return 0
        finally:
            db.close()
    return 0


def read_latencies(root: Path) -> list[float]:
    """Return the times from an agent's recorded end to the start of the next in the same unit."""
    from topkick.app.project import find_project
    from topkick.app.run_view import journal_happenings
    from topkick.engine import messages as h
    from topkick.runner.run_dir import read_exit

    project = find_project(start=root)
    unit_of: dict[str, str] = {}
    ended: dict[str, float] = {}
    latencies: list[float] = []
    for happened in journal_happenings(project):
        match happened.happening:
            case h.RunOpened(run_id, unit):
                unit_of[run_id] = unit
            case h.AgentExited(run_id):
                found = read_exit(project.runs / run_id)
                assert found is not None
                assert found.started_at is not None
                assert found.ended_at is not None
                unit = unit_of[run_id]
                if unit in ended:
                    latencies.append(found.started_at - ended[unit])
                ended[unit] = found.ended_at
            case _:
                continue
    return latencies


if __name__ == "__main__":
    main()
