"""The files of a bus, the lock that its writers hold, and the checks of what is in their place.

Agents may write there. A link, a FIFO or a directory in the place of a file is an error that names
it, and no process waits forever.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from topkick.engine.errors import BusUnavailable, UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.files import fsync_dir, replace_atomically
from topkick.engine.io.filesystems import is_network

DIRECTORY = ".msg"
MESSAGES, META, MARK, LOCK = "messages.jsonl", "meta.json", ".mark", ".lock"
LARGEST_BYTES = 64 << 20
LONGEST_META_BYTES = LARGEST_BYTES
LOCK_LIMIT_S = 30.0
OPENINGS = 100
MODE = 0o644


class BusPlace:
    """The paths of one session's bus. Reading needs no lock; writers must hold it."""

    def __init__(self, session_dir: Path) -> None:
        self.session_dir = session_dir
        self.directory = session_dir / DIRECTORY
        self.messages = self.directory / MESSAGES
        self.meta = self.directory / META
        self.mark = self.directory / MARK
        self._is_local = False

    def require_session(self) -> None:
        if not self.session_dir.is_dir():
            raise UsageError(
                f"There is no session directory {self.session_dir}. Make it first: mkdir -p "
                f"{self.session_dir}"
            )

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn an OSError into a message that names the file."""
        try:
            yield
        except OSError as trouble:
            raise BusUnavailable(self._sentence(trouble)) from trouble

    def _sentence(self, trouble: OSError) -> str:
        where = trouble.filename or self.directory
        why = "it is a link" if trouble.errno == errno.ELOOP else trouble.strerror or trouble
        return (
            f"The message bus cannot be used: {os.fsdecode(where)}: {why}.\n"
            f"It needs plain files of yours in {self.directory}; put that right and say it again."
        )

    # --- the lock ----------------------------------------------------------------------------

    @contextmanager
    def locked(self) -> Iterator[None]:
        self.make()
        descriptor = self._taken()
        try:
            crash_points.here("bus.locked")
            yield
        finally:
            os.close(descriptor)

    def make(self) -> None:
        """Create the directory, on a local disk: file locks of other machines may not be
        visible.
        """
        self.require_session()
        if not self._is_local:
            kind = is_network(self.session_dir)
            if kind is not None:
                raise UsageError(
                    f"The session lies on a network file system ({kind}): {self.session_dir}.\n"
                    "Its message bus needs a local disk. Move the session to one."
                )
            self._is_local = True
        with suppress(FileExistsError):
            self.directory.mkdir()
            fsync_dir(self.session_dir)
        if not stat.S_ISDIR(self.directory.lstat().st_mode):
            raise OSError(errno.ENOTDIR, "it is not a directory", str(self.directory))

    def _taken(self) -> int:
        """Take the lock, after queueing for the directory's lock, where only one process waits for
        it.

        Without the queue, a process that writes often would be back before the waiting ones wake
        up.
        """
        give_up_at = time.monotonic() + LOCK_LIMIT_S
        queue = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            self._wait_for(queue, give_up_at)
            for _ in range(OPENINGS):
                descriptor = self._locked(self.directory / LOCK, give_up_at)
                if descriptor is not None:
                    return descriptor
                self.make()  # another tool removed the directory
        finally:
            os.close(queue)
        raise BusUnavailable(f"{self.directory} is replaced again and again.")

    def _locked(self, path: Path, give_up_at: float) -> int | None:
        descriptor = open_plain(path, os.O_RDWR | os.O_CREAT)
        try:
            self._wait_for(descriptor, give_up_at)
            is_at = _is_at(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        if is_at:
            return descriptor
        os.close(descriptor)
        return None

    def _wait_for(self, descriptor: int, give_up_at: float) -> None:
        """Wait for a lock with a time limit: any process that can open the file can hold the
        lock.
        """
        while not _is_locked(descriptor):
            left_s = give_up_at - time.monotonic()
            if left_s <= 0:
                raise BusUnavailable(
                    f"Others have held the lock of the bus for {LOCK_LIMIT_S:.0f} s: "
                    f"{self.directory / LOCK}.\nSee who it is: fuser {self.directory / LOCK}"
                )
            waiting = Thread(target=_wait, args=(os.dup(descriptor),), daemon=True)
            waiting.start()
            waiting.join(left_s)

    # --- files -------------------------------------------------------------------------------

    def read(self, path: Path, limit_bytes: int) -> bytes:
        """Return the file's bytes; empty if it does not exist."""
        try:
            with open(open_plain(path, os.O_RDONLY), "rb") as file:
                data = file.read(limit_bytes + 1)
        except FileNotFoundError:
            return b""
        if len(data) > limit_bytes:
            raise OSError(errno.EFBIG, f"it is larger than {limit_bytes >> 20} MiB", str(path))
        return data

    def replace(self, path: Path, data: bytes) -> None:
        """Replace a file under the lock; remaining drafts belong to dead processes and are
        deleted.
        """
        for draft in self.directory.glob(f".{path.name}.*.tmp"):
            draft.unlink(missing_ok=True)
        replace_atomically(path, data, mode=self._mode())

    def _mode(self) -> int:
        """Return the messages' permissions: the other files get the same."""
        try:
            return stat.S_IMODE(self.messages.lstat().st_mode) & 0o666
        except FileNotFoundError:
            return 0o600


def open_plain(path: Path, flags: int) -> int:
    """Open a plain file and nothing else; a new one is readable by all."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, MODE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    return descriptor


def _is_locked(descriptor: int) -> bool:
    """Try to take the lock; return True if this descriptor has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(own: int) -> None:
    """Wait for the lock in a thread, because `flock` has no timeout.

    If the thread gets the lock too late, closing its copy of the descriptor frees it.
    """
    try:
        fcntl.flock(own, fcntl.LOCK_EX)
    finally:
        os.close(own)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
