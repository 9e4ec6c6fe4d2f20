"""Limits that the kernel enforces on a process, where they may be set (mostly as root)."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topkick.runner.process import cgroups

_OLD = Path("/sys/fs/cgroup")


@contextmanager
def fence(controller: str, settings: dict[str, str]) -> Iterator[Path | None]:
    """Make a control group with limits, of version 1 or 2; None where that is not possible."""
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
    """Apply the settings; the two versions use different names, of which one must be known here."""
    known = [name for name in settings if (path / name).exists()]
    try:
        for name in known:
            (path / name).write_text(settings[name])
    except OSError:
        return False
    return bool(known)


def limit_own_processes(room: int) -> bool:
    """Limit this user to so many more processes than there are now; root is not bound by it."""
    if os.geteuid() == 0:
        return False
    mine = sum(1 for p in Path("/proc").glob("[0-9]*/task/*") if p.stat().st_uid == os.geteuid())
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    resource.setrlimit(resource.RLIMIT_NPROC, (mine + room, hard))
    return True
