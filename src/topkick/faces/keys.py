"""The keyboard and the signals of a viewer, as keys; the terminal is put back in every case."""

import os
import select
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPT = "\x03"
LEAVE = "leave"
ENDED_BY = {signal.SIGTERM: LEAVE, signal.SIGHUP: LEAVE, signal.SIGINT: INTERRUPT}


class Keys:
    """`read` waits at most so long and returns what was pressed, Ctrl-C as the key it is."""

    def __init__(self, wake: int) -> None:
        self._wake = wake
        self._stdin = sys.stdin.fileno()
        self.signals: list[str] = []

    def read(self, timeout_s: float) -> list[str]:
        ready, _, _ = select.select([self._stdin, self._wake], [], [], timeout_s)
        pressed: list[str] = []
        if self._wake in ready:
            os.read(self._wake, 512)
        if self._stdin in ready:
            data = os.read(self._stdin, 64)
            pressed += list(data.decode("ascii", "ignore")) if data else [LEAVE]
        caught, self.signals = self.signals, []
        return [*caught, *pressed]


@contextmanager
def listening() -> Iterator[Keys]:
    """Keys come one by one and unseen; Ctrl-C is a key and not a signal."""
    out_fd, in_fd = os.pipe()
    os.set_blocking(in_fd, False)
    keys = Keys(out_fd)
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)

    def caught(number: int, _frame: FrameType | None) -> None:
        keys.signals.append(ENDED_BY[signal.Signals(number)])

    handlers = {number: signal.signal(number, caught) for number in ENDED_BY}
    wake_before = signal.set_wakeup_fd(in_fd, warn_on_full_buffer=False)
    try:
        _quiet(stdin)
        yield keys
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)
        signal.set_wakeup_fd(wake_before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(out_fd)
        os.close(in_fd)


def _quiet(stdin: int) -> None:
    mode = termios.tcgetattr(stdin)
    mode[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
    termios.tcsetattr(stdin, termios.TCSADRAIN, mode)
