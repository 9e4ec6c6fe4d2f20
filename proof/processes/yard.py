"""A runner in a directory of its own with ways to wait, for single cases."""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from topkick.runner.local_runner import Exit, LocalRunner, Notice, Placement, RunEnded
from topkick.runner.process import processes
from topkick.runner.run_dir import RunDescription

PATIENCE_S = 90.0
SHAPES = Path(__file__).with_name("shapes.py")


class Yard:
    """One project's runs, and the runner that watches them."""

    def __init__(self, home: Path, mode: str) -> None:
        """Prepare; the mode must be set already: see `batch.MODES`."""
        self.home = home
        self.mode = mode
        self.runs = home / "runs"
        self.runner = LocalRunner(self.runs)
        self.notices: list[Notice] = []

    # -- starting

    def shell(self, run_id: str, script: str, *, deadline_s: float | None = None) -> None:
        self.argv(run_id, "/bin/sh", "-c", script, deadline_s=deadline_s)

    def python(self, run_id: str, program: str) -> None:
        self.argv(run_id, sys.executable, "-I", "-S", "-c", program)

    def shape(self, run_id: str, shape: str) -> None:
        """Start one of the campaign's nasty agents, and wait until it is in place."""
        self.argv(run_id, sys.executable, "-I", "-S", str(SHAPES), shape, str(self.log(run_id)))
        self.until(lambda: any(word == "ready" for _, _, word in self.logged(run_id)))

    def argv(self, run_id: str, *argv: str, deadline_s: float | None = None) -> None:
        placement = Placement(
            argv=argv,
            cwd=str(self.home),
            env={"PATH": os.environ["PATH"]},
            deadline_s=deadline_s,
            grace_s=0.2,
            output_cap_bytes=1 << 20,
        )
        self.runner.ensure(run_id, placement)

    def again(self) -> None:
        """Start a new runner that knows nothing, as after the supervisor's death."""
        self.runner.close()
        self.runner = LocalRunner(self.runs)
        self.notices.clear()

    # -- waiting

    def turn(self) -> None:
        wait_s = self.runner.wake_in_s()
        select.select([self.runner], [], [], 0.05 if wait_s is None else min(wait_s, 0.05))
        self.notices += self.runner.poll()

    def until(self, condition: Callable[[], object]) -> None:
        limit_at = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < limit_at, f"never came true; heard {self.notices}"
            self.turn()

    def end_of(self, run_id: str) -> Exit:
        self.until(lambda: self.ends(run_id))
        return self.ends(run_id)[0]

    def number_in(self, name: str) -> int:
        """Return what an agent wrote to a file, once it is a whole line."""
        path = self.home / name
        self.until(lambda: path.exists() and path.read_text().endswith("\n"))
        return int(path.read_text())

    # -- looking

    def ends(self, run_id: str) -> list[Exit]:
        return [n.exit for n in self.notices if isinstance(n, RunEnded) and n.run_id == run_id]

    def describe(self, run_id: str) -> RunDescription:
        return self.runner.describe(run_id)

    def running(self, run_id: str) -> RunDescription:
        self.until(lambda: self.describe(run_id).state == "running")
        return self.describe(run_id)

    def log(self, run_id: str) -> Path:
        return self.home / f"log.{run_id}"

    def logged(self, run_id: str) -> list[tuple[int, int, str]]:
        path = self.log(run_id)
        lines = path.read_text().splitlines() if path.exists() else []
        rows = [line.split(" ", 2) for line in lines]
        return [(int(row[0]), int(row[1]), row[2]) for row in rows]

    def alive(self, run_id: str) -> list[int]:
        """Return the living processes that this run's agent recorded."""
        return [pid for pid, started, _ in self.logged(run_id) if lives(pid, started)]

    def starts(self) -> int:
        path = self.home / "starts"
        return len(path.read_text().splitlines()) if path.exists() else 0

    # -- the end

    def close(self) -> None:
        self.runner.kill_everything(0.0)
        self.runner.close()


def lives(pid: int, started: int | None = None) -> bool:
    row = processes.look(pid)
    return row is not None and not row.dead and started in (None, row.started)


def end(pid: int | None, number: int = signal.SIGKILL) -> None:
    """Send a signal from outside, like the OOM killer, a person or a debugger."""
    assert pid is not None
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
