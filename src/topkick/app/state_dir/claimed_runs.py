"""The runs of a state directory that a keeper claimed and whose end is not recorded."""

import time
from pathlib import Path

from topkick.runner import run_dir
from topkick.runner.process import processes

DOUBT_S = 1.0


def claimed_runs(runs: Path) -> list[Path]:
    """Return directories of runs that a keeper claimed and whose end is not recorded."""
    try:
        found = sorted(runs.iterdir())
    except OSError:
        return []
    return [path for path in found if _is_claimed(path)]


def _is_claimed(path: Path) -> bool:
    try:
        if not path.is_dir() or (path / "exit.json").exists():
            return False
        claim = run_dir.read_claim(path)
    except OSError:  # no keeper made it; the run's watch will report it
        return False
    return claim is not None and claim.revoked is None


def give_up(runs: Path) -> None:
    """Disown all runs of a copied project: their agents belong to the original."""
    for path in claimed_runs(runs):
        run_dir.disown(path, "its agent belongs to the original")
    for order in runs.glob("*/order.json"):
        if not order.with_name("claim").exists():  # it names paths of the original
            order.unlink()


def kept_elsewhere(runs: Path) -> list[str]:
    """Return runs whose keeper lives in another container."""
    return [path.name for path in claimed_runs(runs) if _is_kept_elsewhere(path)]


def _is_kept_elsewhere(path: Path) -> bool:
    """Return whether the keeper's lock is held although its process cannot be seen.

    This is checked for a while: a child forked by a dying keeper may hold the lock for a moment.
    Without /proc, start times are too coarse to prove that a process is not the keeper.
    """
    claim = run_dir.read_claim(path)
    if claim is None or claim.keeper is None or claim.keeper.portable:
        return False
    ends_at_s = time.monotonic() + DOUBT_S
    while not processes.alive(claim.keeper) and run_dir.keeper_lives(path):
        if time.monotonic() >= ends_at_s:
            return True
        time.sleep(0.05)
    return False
