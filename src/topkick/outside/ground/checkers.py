"""The supervisor's end of checker processes: hire one, ask, hear, and send it away."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

from topkick.outside.ground import crash_points, processes
from topkick.outside.ground.looks import Question, env_of, from_line, to_line
from topkick.outside.ground.standby import Standby

_BOOT = "import sys; from topkick.outside.checking.process import lead; lead(int(sys.argv[1]))"
LEAVING_LIMIT_S = 10.0
MOST_ROUNDS = 50
ROUNDS_UNSEEN = 2


class Foreman(Standby):
    """The process that checkers are forked from, so that only one of them has to be loaded."""

    def __init__(self, log_path: Path) -> None:
        super().__init__([sys.executable, "-I", "-X", "utf8", "-c", _BOOT], log_path)

    def hire(self) -> "Checker":
        """Should both die that are asked, the checker is found dead at once."""
        ours, theirs = socket.socketpair()
        with theirs:
            crash_points.here("checker.before-start")
            self.ask(lambda line: socket.send_fds(line, [b"+"], [theirs.fileno()]))
            crash_points.here("checker.after-start")
        return Checker(ours)


class Checker:
    """One process, one look at a time. A checker that is sent away ends what it runs.

    Its first line says who it is, and an empty one that it leaves nothing behind.
    """

    def __init__(self, line: socket.socket) -> None:
        self.look: Question | None = None
        self._socket = line
        self._identity: processes.Identity | None = None
        self._heard = b""
        self._is_tidy = False
        self._kill_at_s: float | None = None

    def fileno(self) -> int:
        """Readable when it has answered or has died."""
        return self._socket.fileno()

    def ask(self, look: Question) -> bool:
        """False if it has died meanwhile."""
        self.look = look
        try:
            self._socket.sendall(to_line(look))
            crash_points.here("checker.after-ask")
        except OSError:
            return False
        return True

    def hear(self) -> object:
        """The finding; None if there is none yet; EOFError when the process is gone."""
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
        """Take the look back: our half of the line closes, and it ends its command and itself."""
        self._kill_at_s = time.monotonic() + LEAVING_LIMIT_S
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def leaves_in_s(self) -> float | None:
        """When to be done with patience; None if it was not sent away."""
        if self._kill_at_s is None:
            return None
        return max(0.0, self._kill_at_s - time.monotonic())

    def kill(self) -> None:
        """One that has not even said who it is was never born: its line is at an end, too."""
        if self._identity is not None:
            processes.send(self._identity, signal.SIGKILL)
        else:
            self._socket.shutdown(socket.SHUT_RDWR)

    def _bury(self) -> None:
        """Should it have died in the middle of a look, end what that left behind."""
        if self.look is not None and not self._is_tidy:
            _end_all(env_of(self.look)[processes.MARKER])

    def close(self) -> None:
        self._socket.close()


def end_leftovers(beginning: str) -> None:
    """What checkers left that died together with their supervisor: nobody else knows of it."""
    _end_all(beginning, whole=False)


def _end_all(mark: str, *, whole: bool = True) -> None:
    """Round after round: a shell may fork, or be in the middle of an exec, while we look."""
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
