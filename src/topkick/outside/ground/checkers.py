"""The supervisor's end of a checker process: ask, hear, and send it away."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from topkick.outside.ground import crash_points, processes
from topkick.outside.ground.files import open_log
from topkick.outside.ground.looks import Look, from_line, to_line

_BOOT = "import sys; from topkick.outside.checker import main; main(int(sys.argv[1]))"
LEAVING_LIMIT_S = 10.0
MOST_ROUNDS = 50
ROUNDS_UNSEEN = 2


class Checker:
    """One process, one look at a time. A checker that is sent away ends what it runs."""

    def __init__(self, log_path: Path) -> None:
        self.look: Look | None = None
        self._heard = b""
        self._kill_at_s: float | None = None
        crash_points.here("checker.before-start")
        self._socket, theirs = socket.socketpair()
        with theirs, open_log(log_path) as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", _BOOT, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        crash_points.here("checker.after-start")

    def fileno(self) -> int:
        """Readable when it has answered or has died."""
        return self._socket.fileno()

    def ask(self, look: Look) -> bool:
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
        self._heard += data
        line, newline, rest = self._heard.partition(b"\n")
        if not newline:
            return None
        self._heard = rest
        return from_line(line)

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
        self._process.kill()

    def _bury(self) -> None:
        """Reap it; should it have died in the middle of a look, end what that left behind."""
        self._process.wait()
        if self.look is not None and self._process.returncode != 0:
            _end_all(self.look.env[processes.MARKER])

    def close(self) -> None:
        self._socket.close()


def _end_all(mark: str) -> None:
    """Round after round: a shell may fork, or be in the middle of an exec, while we look."""
    unseen = 0
    for _ in range(MOST_ROUNDS):
        rows = processes.table(with_words=True)
        left = [rows[pid] for pid in processes.marked(mark, rows) if pid != os.getpid()]
        left = [process for process in left if not process.dead]
        unseen = 0 if left else unseen + 1
        if unseen == ROUNDS_UNSEEN:
            return
        processes.signal_each(left, signal.SIGKILL)
        processes.signal_groups(left, signal.SIGKILL)
