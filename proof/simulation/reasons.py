"""Valid reasons for a supervisor to give up: another one took over, or the disk prevents a
start.
"""

from collections.abc import Sequence
from pathlib import Path

from proof.simulation.oracle_journal import JournalOracle
from proof.simulation.storage import Disk, stored_epoch
from topkick.engine.loop import Supervisor


class Reasons:
    """Recorded when a supervisor begins, checked when it gives up."""

    def __init__(self, path: Path, disk: Disk, oracle: JournalOracle) -> None:
        self._path = path
        self._disk = disk
        self._oracle = oracle
        self._epoch = oracle.epoch
        self._failures = disk.failures

    def taken_over(self, mine: Sequence[Supervisor]) -> None:
        """Check that the recorded epoch is beyond its own."""
        own, stored = max(self._epoch, _epoch(mine)), stored_epoch(self._path)
        self._oracle.require(stored > own, "J4", f"epoch {own} is taken over by nobody")

    def no_journal(self, mine: Sequence[Supervisor]) -> None:
        """Check that a started supervisor waits for the disk, unless it was about to leave (K6)."""
        ill = self._disk.failures > self._failures
        self._oracle.require(ill, "K6", "no journal, and nothing was wrong with the disk")
        waits = _epoch(mine) > 0 and not mine[0]._leaving
        self._oracle.require(not waits, "K6", "it gives up where it should wait for the disk")


def _epoch(mine: Sequence[Supervisor]) -> int:
    """Return the epoch of the supervisor that gives up; 0 before it has begun."""
    return mine[0]._journal.epoch if mine else 0  # type: ignore[attr-defined]
