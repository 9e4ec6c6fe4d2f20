"""Limits that the kernel enforces on a process of ours, where we may set them (mostly as root)."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topkick.outside.ground import cgroups

_OLD = Path("/sys/fs/cgroup")


@contextmanager
def fence(controller: str, settings: dict[str, str]) -> Iterator[Path | None]:
    """A control group with limits, of version 1 or 2; None where none can be made."""
    path = _make(controller, settings)
    try:
        yield path
    finally:
        if path is not None:
            cgroups.remove(str(path))


def _make(controller: str, settings: dict[str, str]) -> Path | None:
    own = cgroups.base()
    for parent in (_OLD / controller, Path(own) if own else _OLD):
        path = parent / f"topkick-proof-{os.getpid()}"
        try:
            path.mkdir()
        except OSError:
            continue
        if _set(path, settings):
            return path
        path.rmdir()
    return None


def _set(path: Path, settings: dict[str, str]) -> bool:
    """At least one of the names must be known here: the two versions name things differently."""
    known = [name for name in settings if (path / name).exists()]
    try:
        for name in known:
            (path / name).write_text(settings[name])
    except OSError:
        return False
    return bool(known)


def limit_own_processes(room: int) -> bool:
    """For this user: so many more than there are now; root is not bound by it."""
    if os.geteuid() == 0:
        return False
    mine = sum(1 for p in Path("/proc").glob("[0-9]*/task/*") if p.stat().st_uid == os.geteuid())
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    resource.setrlimit(resource.RLIMIT_NPROC, (mine + room, hard))
    return True
