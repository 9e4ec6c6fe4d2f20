"""Temporary directories that last no longer than the process that made them.

Each has a lock file next to it, which the kernel frees with its owner; the next process removes
what dead ones have left.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

COLD = "cold-"
COMPOSED = "compose-"


@contextmanager
def fleeting(place: Path, kind: str) -> Iterator[Path]:
    """Make an empty directory, and remove it at the end of the block."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    sweep(place)
    for number in count(1):
        mine = place / f"{kind}{os.getpid()}-{number}"
        lock = locked(mine)
        if lock is None:
            continue
        try:
            mine.mkdir()
            yield mine
        finally:
            _remove(mine)
            os.close(lock)
        return


def sweep(place: Path) -> None:
    """Remove the directories of processes that have died."""
    for kind in (COLD, COMPOSED):
        for path in place.glob(f"{kind}*.lock"):
            mine = path.with_suffix("")
            lock = locked(mine)
            if lock is not None:
                _remove(mine)
                os.close(lock)


def locked(mine: Path) -> int | None:
    """Return the locked descriptor; None if another process has the lock, or is removing it."""
    path = _lock_of(mine)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), path.stat()):
            return fd
    os.close(fd)
    return None


def _remove(mine: Path) -> None:
    """Remove the directory and its companions; the lock last, because the sweep finds it by
    that.
    """
    lock = _lock_of(mine)
    beside = [path for path in mine.parent.glob(f"{mine.name}.*") if path != lock]
    for path in (mine, *beside, lock):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _lock_of(mine: Path) -> Path:
    return mine.with_name(f"{mine.name}.lock")
