"""A program in a real terminal: what it writes there, byte for byte, and keys for it to hear."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PATIENCE_S = 90.0


class Terminal:
    """The program leads the session of a pseudo-terminal, in whose foreground it is."""

    def __init__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], columns: int = 110
    ) -> None:
        self.written = b""
        self.code: int | None = None
        self._size = struct.pack("HHHH", 40, columns, 0, 0)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
                signal.signal(number, signal.SIG_DFL)  # background jobs are born ignoring them
            os.chdir(cwd)
            os.execve(argv[0], list(argv), dict(env))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, self._size)

    def press(self, keys: bytes) -> None:
        os.write(self._fd, keys)

    def until(self, condition: Callable[[bytes], object]) -> bytes:
        """Read on until what was written satisfies; it must not end before."""
        limit_at = time.monotonic() + PATIENCE_S
        while not condition(self.written):
            assert time.monotonic() < limit_at, f"never came true: {self.written[-2000:]!r}"
            assert self.code is None, f"it ended with {self.code}: {self.written[-2000:]!r}"
            self._turn()
        return self.written

    def end(self) -> int:
        """Read on until the program has ended; its exit code."""
        limit_at = time.monotonic() + PATIENCE_S
        while self.code is None:
            assert time.monotonic() < limit_at, f"never ended: {self.written[-2000:]!r}"
            self._turn()
        return self.code

    def pump(self, wait_s: float) -> None:
        """Take what it has written; nothing of it is kept but the end."""
        if self.code is None:
            self._turn(wait_s)
        self.written = self.written[-(1 << 20) :]

    def _turn(self, wait_s: float = 0.05) -> None:
        if not select.select([self._fd], [], [], wait_s)[0]:
            self._look_for_end()
            return
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:  # the last of its writers is gone
            data = b""
        self.written += data
        if not data:
            self._look_for_end(os.WEXITED)

    def _look_for_end(self, how: int = 0) -> None:
        pid, status = os.waitpid(self.pid, 0 if how else os.WNOHANG)
        if pid == 0:
            return
        self.code = os.waitstatus_to_exitcode(status)
        while select.select([self._fd], [], [], 0)[0]:
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.written += data

    def close(self) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
