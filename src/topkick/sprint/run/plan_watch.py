"""Notice that a person has edited the plan while it runs (LP-05)."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from topkick.engine import messages as h
from topkick.engine.io.files import read_plain

EVERY_S = 5.0
LARGEST_BYTES = 16 << 20  # more than any plan that can be accepted


class PlanWatch:
    """An executor without orders: it compares the plan file's time stamp now and then.

    `known` is the hash that the run has for the file. The first look always compares it: the file
    may have changed while no supervisor was running.
    """

    def __init__(self, path: Path, hash_of: Callable[[str], str], known: Callable[[], str]) -> None:
        self._path = path
        self._hash_of = hash_of
        self._known = known
        self._stamp: tuple[int, int] | None = None
        self._next_s = time.monotonic() + EVERY_S

    def takes(self, _order: h.Order) -> bool:
        return False

    def ensure(self, _order: h.Order) -> None:
        return

    def cancel(self, _order_id: str) -> None:
        return

    def live(self) -> frozenset[str]:
        return frozenset()

    def wake_in_s(self) -> float | None:
        return max(0.0, self._next_s - time.monotonic())

    def poll(self) -> Sequence[h.Fact]:
        if time.monotonic() < self._next_s:
            return ()
        self._next_s = time.monotonic() + EVERY_S
        stamp = self._look()
        if stamp == self._stamp:
            return ()
        self._stamp = stamp
        sha256 = self._hash()
        return (h.PlanEdited(sha256),) if sha256 != self._known() else ()

    def _look(self) -> tuple[int, int]:
        try:
            found = self._path.stat()
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_size)

    def _hash(self) -> str:
        try:
            data = read_plain(self._path, LARGEST_BYTES, follow_links=True)
        except OSError:  # missing, or not a regular file: an agent may have replaced it
            return h.PLAN_DELETED
        return self._hash_of(data.decode("utf-8", "replace"))
