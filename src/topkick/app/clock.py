"""Time and waiting: on everything that can wake a supervisor."""

import selectors
import time
from collections.abc import Callable

from topkick.engine.io import crash_points


def now_us() -> int:
    return time.time_ns() // 1000


class WallClock:
    """The wall clock, and waiting on everything that can wake the supervisor.

    Much may have happened to the project during the sleep: `look_first` is called before it
    continues.
    """

    def __init__(self, look_first: Callable[[], None]) -> None:
        self._look_first = look_first
        self._selector = selectors.DefaultSelector()
        self._drains: dict[int, Callable[[], object]] = {}

    def watch(self, fileno: int, drain: Callable[[], object] = lambda: None) -> None:
        self._selector.register(fileno, selectors.EVENT_READ)
        self._drains[fileno] = drain

    def now_us(self) -> int:
        return now_us()

    def monotonic_us(self) -> int:
        return time.monotonic_ns() // 1000

    def rest(self, duration_s: float) -> None:
        """Pause; only a signal's own handler interrupts it."""
        time.sleep(duration_s)
        self._look_first()

    def wait(self, timeout_s: float | None) -> None:
        crash_points.here("loop.before-wait")
        for key, _ in self._selector.select(timeout_s):
            self._drains[key.fd]()
        self._look_first()

    def close(self) -> None:
        self._selector.close()
