"""Seams between any two actions of a supervisor: time passes, it dies, another steps in."""

from collections.abc import Callable
from random import Random

from proof.simulation.timeline import SECOND_US, Timeline


class Crash(BaseException):
    """The supervisor's process is gone, at this very line."""


class Seams:
    """The seams; `step_in` is called where another command comes, and returns whether the current
    one is gone.
    """

    def __init__(self, timeline: Timeline, seed: int, slow_us: int) -> None:
        self._timeline = timeline
        self._dice = Random(f"seams {seed}")
        self.slow_us = slow_us
        self.depth = 0  # how many supervisors there are, one inside another
        self.passed = 0
        self._events = 0
        self._crash_in: int | None = None
        self._another: tuple[int, Callable[[], None]] | None = None
        self._meanwhile: tuple[str, Callable[[], None]] | None = None

    def pass_by(self, name: str, note: Callable[[str], None]) -> None:
        if self._events or not self.depth:
            return
        self.passed += 1
        if self.slow_us and not name.startswith("journal"):
            self.quietly(
                lambda: self._timeline.pass_s(self._dice.randint(0, self.slow_us) / SECOND_US)
            )
        if self._meanwhile is not None and name == self._meanwhile[0]:
            act, self._meanwhile = self._meanwhile[1], None
            self.quietly(act)
        self._die_or_wait(name, note)

    def _die_or_wait(self, name: str, note: Callable[[str], None]) -> None:
        if self._crash_in is not None:
            self._crash_in -= 1
            if self._crash_in < 0:
                self._crash_in = None
                note(f"CRASH at '{name}'")
                raise Crash
        if self._another is not None and self.depth == 1 and not name.startswith("journal"):
            left, act = self._another
            self._another = (left - 1, act) if left else None
            if not left:
                note(f"another one comes at '{name}'")
                act()

    def quietly(self, act: Callable[[], None]) -> None:
        """Let the world act by itself: no supervisor dies of it."""
        self._events += 1
        try:
            act()
        finally:
            self._events -= 1

    def aloud(self, act: Callable[[], None]) -> None:
        """Let a supervisor act, and perhaps die, inside an event of the world."""
        before, self._events = self._events, 0
        try:
            act()
        finally:
            self._events = before

    def crash_in(self, seams: int) -> None:
        """Crash after so many seams, even in the next command."""
        self._crash_in = seams

    def another_in(self, seams: int, act: Callable[[], None]) -> None:
        self._another = (seams, act)

    def meanwhile(self, name: str, act: Callable[[], None]) -> None:
        """Act once, the next time that seam is passed."""
        self._meanwhile = (name, act)

    def calm(self) -> None:
        self._crash_in = self._another = self._meanwhile = None
        self.slow_us = 0
