"""The bystanders of a campaign: started near the agents, and similar to them."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from topkick.runner.process import processes

PROGRAM = Path(__file__).with_name("bystander.py")
PATIENCE_S = 60.0
ALONE = "PROOF_PID_NAMESPACE"
_LAST_PID = Path("/proc/sys/kernel/ns_last_pid")


def bystander_argv(record: Path, *more: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(PROGRAM), str(record), *more]


def own_namespace() -> list[str]:
    """Return a command prefix that creates a pid namespace; empty without root."""
    unshare = shutil.which("unshare")
    if os.geteuid() != 0 or unshare is None:
        return []
    return [unshare, "--pid", "--fork", "--mount-proc", "--kill-child=KILL"]


class Innocents:
    """The bystanders of one batch; `let_go` returns what they received."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._records: list[Path] = []
        self._started: list[subprocess.Popen[bytes]] = []
        self._forked: list[int] = []
        self._leash, self._hand = os.pipe()

    def add(
        self, *more: str, env: Mapping[str, str] | None = None, own_session: bool = False
    ) -> int:
        record = self._place / f"innocent-{len(self._records)}"
        self._records.append(record)
        process = subprocess.Popen(
            bystander_argv(record, *more),
            stdin=self._leash,
            env=dict(env or {}),
            start_new_session=own_session,
        )
        self._started.append(process)
        return process.pid

    def take_over(self, pids: Sequence[int], tries: int = 50) -> int:
        """Start a bystander with the pid of an agent's dead process; return how many succeeded.

        Only root can choose the next pid, and other processes may be quicker. This happens only in
        a namespace of its own: where pids are reused so soon, every program that remembers one is a
        danger.
        """
        if os.environ.get(ALONE) != "1" or not pids:
            return 0
        for attempt in range(tries):
            wanted = pids[attempt % len(pids)]
            if processes.look(wanted) is None and self._born_as(wanted):
                return 1
        return 0

    def _born_as(self, wanted: int) -> bool:
        record = self._place / f"innocent-{len(self._records)}"
        words = bystander_argv(record)
        try:
            _LAST_PID.write_text(str(wanted - 1))
        except OSError:
            return False
        pid = os.fork()
        if pid == 0:
            if os.getpid() != wanted:
                os._exit(0)
            os.setsid()
            os.dup2(self._leash, 0)
            os.execve(words[0], words, {})
        if pid != wanted:
            os.waitpid(pid, 0)
            return False
        self._records.append(record)
        self._forked.append(pid)
        return True

    def wait_until_ready(self) -> list[int]:
        limit_at = time.monotonic() + PATIENCE_S
        while not all(r.exists() and b"ready" in r.read_bytes() for r in self._records):
            if any(process.poll() is not None for process in self._started):
                break  # hit before it could record: `let_go` will report it
            assert time.monotonic() < limit_at, "a bystander never got ready"
            time.sleep(0.005)
        return [*(process.pid for process in self._started), *self._forked]

    def let_go(self) -> list[str]:
        """Return the received signals; a bystander that died before has received SIGKILL."""
        os.close(self._leash)
        os.close(self._hand)
        for process in self._started:
            process.wait(timeout=PATIENCE_S)
        for pid in self._forked:
            os.waitpid(pid, 0)
        return [word for record in self._records for word in heard(record)]


def heard(record: Path) -> list[str]:
    words = record.read_text().split("\n") if record.exists() else []
    signals = [f"signal {word}" for word in words if word.isdigit()]
    return signals if "end" in words else [*signals, "killed"]
