"""Virtual time: a monotonic clock, a wall clock that may jump, and scheduled events."""

import heapq
from collections.abc import Callable

FIRST_MONOTONIC_US = 5_000_000_000
FIRST_WALL_US = 1_750_000_000_000_000
SECOND_US = 1_000_000


class Horizon(BaseException):
    """The end of the simulated day; everything is left as it is."""


class Timeline:
    def __init__(self) -> None:
        self.now_us = FIRST_MONOTONIC_US
        self.limit_us: int | None = None
        self._wall_ahead_us = FIRST_WALL_US - FIRST_MONOTONIC_US
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    @property
    def since_s(self) -> float:
        """Seconds since the beginning."""
        return (self.now_us - FIRST_MONOTONIC_US) / SECOND_US

    def monotonic_s(self) -> float:
        return self.now_us / SECOND_US

    def wall_us(self) -> int:
        return self.now_us + self._wall_ahead_us

    def jump(self, seconds: float) -> None:
        """Set the wall clock; nothing else notices."""
        self._wall_ahead_us += round(seconds * SECOND_US)

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self._count += 1
        at_us = self.now_us + round(seconds * SECOND_US)
        heapq.heappush(self._queue, (at_us, self._count, do))

    def next_us(self) -> int | None:
        return self._queue[0][0] if self._queue else None

    def happen(self) -> None:
        """Run the next event, at its time."""
        at_us, _, do = self._queue[0]
        self._pass_to(max(at_us, self.now_us))
        heapq.heappop(self._queue)
        do()

    def pass_s(self, seconds: float) -> None:
        """Let time pass, with all events in between."""
        until_us = self.now_us + round(seconds * SECOND_US)
        while (at_us := self.next_us()) is not None and at_us <= until_us:
            self.happen()
        self._pass_to(max(until_us, self.now_us))

    def _pass_to(self, at_us: int) -> None:
        if self.limit_us is not None and at_us > self.limit_us:
            self.now_us = max(self.now_us, self.limit_us)
            raise Horizon
        self.now_us = at_us
