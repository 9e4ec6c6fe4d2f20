"""Remove git lock files that a killed process of topkick left behind.

Refs under `refs/topkick/` and the mission's branch are written by topkick alone, one process at a
time, so a lock on them that stays for a while has lost its owner. The user's branch and index are
also written by the user's own git; there, a note names the topkick process that was writing.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pygit2

from topkick.engine.errors import UsageError
from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.runner.process import processes
from topkick.runner.process.processes import Identity

PATIENCE_S = 3.0
LOOK_EVERY_S = 0.05
LANDING_S = 60.0
_NOTE = "topkick-landing"


def common_dir(repo: pygit2.Repository) -> Path:
    """Return the directory that holds the refs, for a linked worktree too."""
    found = Path(repo.path) / "commondir"
    return (
        (Path(repo.path) / found.read_text().strip()).resolve()
        if found.is_file()
        else Path(repo.path)
    )


def free_ref(git_dir: Path, ref: str) -> None:
    """Remove a stale lock before one of topkick's own refs is written."""
    _free(git_dir / f"{ref}.lock")


def free_clone(git_dir: Path) -> None:
    """Remove stale locks before an order in a clone: no process works there, so none holds a
    lock.
    """
    tops = [git_dir / f"{name}.lock" for name in ("index", "HEAD", "config", "packed-refs")]
    for lock in (*tops, *(git_dir / "refs").rglob("*.lock")):
        _free(lock)


def _free(lock: Path) -> None:
    ends_at_s = time.monotonic() + PATIENCE_S
    while lock.exists():
        if time.monotonic() >= ends_at_s:
            lock.unlink(missing_ok=True)
            return
        time.sleep(LOOK_EVERY_S)


@contextmanager
def writing(own: Path, common: Path, ref: str) -> Iterator[None]:
    """Write the user's index and branch in the block; remove locks that a killed landing left."""
    note = own / _NOTE
    was_ours = was_cut_off(own)
    for lock in (own / "index.lock", common / f"{ref}.lock", own / "HEAD.lock"):
        if was_ours and _is_of_the_time_of(note, lock):
            lock.unlink(missing_ok=True)
        elif lock.exists():
            raise UsageError(
                f"Another git process is at work in this repository, or died there: {lock}\n"
                "Nothing was changed. If no git is running, remove that file; then: topkick land"
            )
    me = processes.identify(os.getpid())
    replace_atomically(note, f"{me.pid} {me.started} {int(me.portable)}\n".encode())
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def was_cut_off(own: Path) -> bool:
    """Return whether a landing in this checkout was killed while it wrote files."""
    with suppress(OSError, ValueError):
        pid, started, portable = (int(word) for word in read_plain(own / _NOTE, NOTE_BYTES).split())
        return not processes.alive(Identity(pid, started, bool(portable)))
    return False


def _is_of_the_time_of(note: Path, lock: Path) -> bool:
    """Return whether the lock is about as old as the killed landing; a later one belongs to another
    git.
    """
    with suppress(FileNotFoundError):
        return lock.stat().st_mtime <= note.stat().st_mtime + LANDING_S
    return False
