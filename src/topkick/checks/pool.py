"""The supervisor's side of checker processes: start one, ask it, read its answer, dismiss it."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

from topkick.checks.request import Question, env_of, from_line, to_line
from topkick.engine.io import crash_points
from topkick.runner.process import processes
from topkick.runner.standby import Standby

_BOOT = "import sys; from topkick.checks.worker.process import lead; lead(int(sys.argv[1]))"
LEAVING_LIMIT_S = 10.0
MOST_ROUNDS = 50
ROUNDS_UNSEEN = 2


class Foreman(Standby):
    """The process that checkers are forked from, so that only one process has to be loaded."""

    def __init__(self, log_path: Path) -> None:
        super().__init__([sys.executable, "-I", "-X", "utf8", "-c", _BOOT], log_path)

    def hire(self) -> "Checker":
        """Start a checker; if the foreman and its replacement die, the checker is found dead at
        once.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            crash_points.here("checker.before-start")
            self.ask(lambda line: socket.send_fds(line, [b"+"], [theirs.fileno()]))
            crash_points.here("checker.after-start")
        return Checker(ours)


class Checker:
    """One process that handles one look at a time. A dismissed checker ends what it runs.

    Its first line gives its identity; an empty line says that it leaves nothing behind.
    """

    def __init__(self, line: socket.socket) -> None:
        self.look: Question | None = None
        self._socket = line
        self._identity: processes.Identity | None = None
        self._heard = b""
        self._is_tidy = False
        self._kill_at_s: float | None = None

    def fileno(self) -> int:
        """Return a descriptor that is readable when the checker has answered or died."""
        return self._socket.fileno()

    def ask(self, look: Question) -> bool:
        """Send a question; return False if the checker has died meanwhile."""
        self.look = look
        try:
            self._socket.sendall(to_line(look))
            crash_points.here("checker.after-ask")
        except OSError:
            return False
        return True

    def hear(self) -> object:
        """Return the answer; None if there is none yet; raise EOFError when the process is gone."""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._bury()
            raise EOFError
        *lines, self._heard = (self._heard + data).split(b"\n")
        found = None
        for line in lines:
            found = self._take(line)
        return found

    def _take(self, line: bytes) -> object:
        if self._identity is None:
            pid, started, portable = (int(word) for word in line.split())
            self._identity = processes.Identity(pid, started, bool(portable))
            return None
        self._is_tidy = not line
        return from_line(line) if line else None

    def send_away(self) -> None:
        """Dismiss the checker: the socket is half-closed, and the checker ends its command and
        itself.
        """
        self._kill_at_s = time.monotonic() + LEAVING_LIMIT_S
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def leaves_in_s(self) -> float | None:
        """Return when to kill a dismissed checker; None if it was not dismissed."""
        if self._kill_at_s is None:
            return None
        return max(0.0, self._kill_at_s - time.monotonic())

    def kill(self) -> None:
        """Kill the checker; if it has not sent its identity, only close its socket."""
        if self._identity is not None:
            processes.send(self._identity, signal.SIGKILL)
        else:
            self._socket.shutdown(socket.SHUT_RDWR)

    def _bury(self) -> None:
        """End what the checker left behind if it died in the middle of a look."""
        if self.look is not None and not self._is_tidy:
            _end_all(env_of(self.look)[processes.MARKER])

    def close(self) -> None:
        self._socket.close()


def end_leftovers(beginning: str) -> None:
    """End processes of checkers that died together with their supervisor: no other process knows
    them.
    """
    _end_all(beginning, whole=False)


def _end_all(mark: str, *, whole: bool = True) -> None:
    """Kill all processes with the mark, in rounds: a shell may fork or be in an exec meanwhile."""
    unseen = 0
    for _ in range(MOST_ROUNDS):
        rows = processes.table(with_words=True)
        left = [
            rows[pid] for pid in processes.marked(mark, rows, whole=whole) if pid != os.getpid()
        ]
        left = [process for process in left if not process.dead]
        unseen = 0 if left else unseen + 1
        if unseen == ROUNDS_UNSEEN:
            return
        processes.signal_each(left, signal.SIGKILL)
        processes.signal_groups(left, signal.SIGKILL)
