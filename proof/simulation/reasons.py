"""Why a supervisor may give up: somebody else is there, or the disk does not let it begin."""

from collections.abc import Sequence
from pathlib import Path

from proof.simulation.oracle_journal import JournalOracle
from proof.simulation.storage import Disk, stored_epoch
from topkick.supervisor import Supervisor


class Reasons:
    """Noted when a supervisor begins, asked for when it gives up."""

    def __init__(self, path: Path, disk: Disk, oracle: JournalOracle) -> None:
        self._path = path
        self._disk = disk
        self._oracle = oracle
        self._epoch = oracle.epoch
        self._failures = disk.failures

    def taken_over(self, mine: Sequence[Supervisor]) -> None:
        """Only by one whose epoch is beyond its own, which is on record."""
        own, stored = max(self._epoch, _epoch(mine)), stored_epoch(self._path)
        self._oracle.require(stored > own, "J4", f"epoch {own} is taken over by nobody")

    def no_journal(self, mine: Sequence[Supervisor]) -> None:
        """Who has begun waits for the disk, unless it was to leave anyway (K6)."""
        ill = self._disk.failures > self._failures
        self._oracle.require(ill, "K6", "no journal, and nothing was wrong with the disk")
        waits = _epoch(mine) > 0 and not mine[0]._leaving
        self._oracle.require(not waits, "K6", "it gives up where it should wait for the disk")


def _epoch(mine: Sequence[Supervisor]) -> int:
    """Of the one that gives up; none before it has begun."""
    return mine[0]._journal.epoch if mine else 0  # type: ignore[attr-defined]
