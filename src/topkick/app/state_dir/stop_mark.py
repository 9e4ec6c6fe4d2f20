"""The stop mark: a file that `killall` leaves when it cannot write to the journal.

A full disk still allows a file to be renamed, so a supervisor creates the mark's file beforehand
and `killall` only renames it. On a read-only disk nothing can be changed; then the mark is an empty
file in a memory-backed directory of the host, named after the project. While a mark exists, no
supervisor dispatches anything: it journals the kill first, and only then removes the mark. So it
makes no difference whether that supervisor was alive all the time, was started by the respawner, or
is the next `topkick resume`.
"""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from topkick.engine.io.files import fsync_dir, replace_atomically

SET = "halt"
READY = "halt.ready"
SAID = b"A killall that the journal does not have yet.\n"
ELSEWHERE = (Path("/dev/shm"), Path("/tmp"))  # noqa: S108


@dataclass(frozen=True, slots=True)
class StopMark:
    """The mark of one project; `project` is the token that identifies the project on this host."""

    state_dir: Path
    project: str

    def make_ready(self) -> None:
        """Create the file that only needs to be renamed; on a full disk there is none."""
        with suppress(OSError):
            if not self.is_set() and not _is_ours(self.state_dir / READY):
                replace_atomically(self.state_dir / READY, SAID, durable=False)

    def set(self) -> bool:
        """Set the mark; return False if nothing can be written anywhere."""
        return self._rename() or any(_create(path) for path in self._places())

    def _rename(self) -> bool:
        try:
            (self.state_dir / READY).rename(self.state_dir / SET)
        except OSError:
            return False
        with suppress(OSError):
            fsync_dir(self.state_dir)
        return True

    def is_set(self) -> bool:
        return any(_is_ours(path) for path in self._places())

    def release(self) -> None:
        """Remove the mark; only after the kill is journaled, or for a new run."""
        for path in self._places():
            if _is_ours(path):
                with suppress(OSError):
                    path.unlink()
        self.make_ready()

    def _places(self) -> list[Path]:
        name = f"topkick-{os.geteuid()}-{self.project}.halt"
        others = [place / name for place in ELSEWHERE] if self.project else []
        return [self.state_dir / SET, *others]


def _create(path: Path) -> bool:
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        os.close(os.open(path, flags, 0o600))
    except OSError:
        return False
    return _is_ours(path)


def _is_ours(path: Path) -> bool:
    """Return whether this is a plain file of this user: others may make one of the same name."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
