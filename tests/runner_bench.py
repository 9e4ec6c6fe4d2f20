"""A runner in a temporary directory with ways to wait for things, shared by the process tests."""

import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

from topkick.runner.local_runner import Exit, LocalRunner, Notice, Placement, RunEnded
from topkick.runner.process import processes

PATIENCE_S = 90.0


def wait_until(condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Look again and again until it holds."""
    limit = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < limit, "it never came true"
        time.sleep(0.005)


class Bench:
    """One project's runs, and the runner that watches them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.runs = home / "runs"
        self.runner = LocalRunner(self.runs)
        self.notices: list[Notice] = []

    def start(
        self,
        run_id: str,
        script: str,
        *,
        deadline_s: float | None = None,
        grace_s: float = 5.0,
        output_cap_bytes: int = 1 << 20,
        stdin_text: str | None = None,
    ) -> None:
        placement = Placement(
            argv=("/bin/sh", "-c", script),
            cwd=str(self.home),
            env=ENV,
            stdin_text=stdin_text,
            deadline_s=deadline_s,
            grace_s=grace_s,
            output_cap_bytes=output_cap_bytes,
        )
        self.runner.ensure(run_id, placement)

    def start_argv(self, run_id: str, *argv: str, cwd: str | None = None) -> None:
        self.runner.ensure(run_id, Placement(argv, cwd or str(self.home), ENV))

    def again(self) -> None:
        """As after the supervisor's death: a new runner that knows nothing."""
        self.runner.close()
        self.runner = LocalRunner(self.runs)
        self.notices.clear()

    def turn(self) -> None:
        wait_s = self.runner.wake_in_s()
        select.select([self.runner], [], [], 0.2 if wait_s is None else min(wait_s, 0.2))
        self.notices += self.runner.poll()

    def until(self, condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
        limit = time.monotonic() + patience_s
        while not condition():
            assert time.monotonic() < limit, f"never came true; heard {self.notices}"
            self.turn()

    def ends(self, run_id: str) -> list[Exit]:
        return [n.exit for n in self.notices if isinstance(n, RunEnded) and n.run_id == run_id]

    def end_of(self, run_id: str) -> Exit:
        self.until(lambda: self.ends(run_id))
        return self.ends(run_id)[0]

    def output(self, run_id: str) -> bytes:
        return self.runner.tail(run_id, 0, 1 << 20).data

    def pid_in(self, name: str) -> int:
        """Return the pid that an agent wrote to a file, once it is there."""
        path = self.home / name
        self.until(lambda: path.exists() and path.read_text().endswith("\n"))
        return int(path.read_text())

    def marked(self, run_id: str) -> set[int]:
        """Return the processes that carry the run's mark."""
        claim = self.runner.describe(run_id).claim
        assert claim is not None
        assert claim.mark is not None
        return processes.marked(claim.mark, processes.table(with_words=True))

    def clean_up(self) -> None:
        self.runner.kill_everything(0.0)
        self.runner.close()


ENV = {"PATH": os.environ["PATH"]}
PYTHON = f"{sys.executable} -I -S"


def lives(pid: int) -> bool:
    process = processes.table().get(pid)
    return process is not None and not process.dead
