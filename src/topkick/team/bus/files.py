"""The files of a bus: their lock, checks of what is in their place, and an incremental reader.

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
from topkick.team.bus.model import Message, number_in, read_line

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
                f"There is no session directory {self.session_dir}. Create it first: mkdir -p "
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
            f"The bus needs regular files that you may write; see: ls -la {self.directory}"
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
                    f"The session is on a network file system ({kind}): {self.session_dir}.\n"
                    "Its message bus needs a local disk, so nothing was posted.\n"
                    f"Move the session to one: mv {self.session_dir} LOCAL_DIRECTORY"
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
        raise BusUnavailable(
            f"Other programs keep replacing {self.directory}, so nothing was written.\n"
            "Stop them, then give the same command again."
        )

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
                    f"Another process has held the lock of the bus for {LOCK_LIMIT_S:.0f} s, so "
                    f"nothing was written.\nFind the process: fuser {self.directory / LOCK}"
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


# --- reading incrementally ---------------------------------------------------------------------


REMEMBERED_BYTES = 256


class BusReader:
    """Returns each message once; needs no lock and leaves no trace.

    A rewritten file (another inode, a smaller size, or other bytes before the offset) is read from
    its beginning; then only messages with a higher number than any before are new.
    """

    def __init__(self, session_dir: Path, after: int = 0) -> None:
        self._place = BusPlace(session_dir)
        self._given = after
        self._file = (0, 0)
        self._offset = 0
        self._remembered = b""
        self.newest = 0

    def read(self) -> tuple[Message, ...]:
        """Return new messages, in the order of the file."""
        with self._place.told():
            try:
                descriptor = open_plain(self._place.messages, os.O_RDONLY)
            except FileNotFoundError:
                self._place.require_session()
                self._begin_anew((0, 0))
                return ()
            try:
                return self._read(descriptor)
            finally:
                os.close(descriptor)

    def _begin_anew(self, file: tuple[int, int]) -> None:
        self._file, self._offset, self._remembered = file, 0, b""

    def _read(self, descriptor: int) -> tuple[Message, ...]:
        found = os.fstat(descriptor)
        file = (found.st_dev, found.st_ino)
        if file != self._file or not self._goes_on(descriptor, found.st_size):
            self._begin_anew(file)
        is_anew = self._offset == 0
        messages = tuple(self._new(descriptor))
        if is_anew:
            messages = tuple(m for m in messages if m.number > self._given)
        self._given = max((self._given, *(m.number for m in messages)))
        return messages

    def _goes_on(self, descriptor: int, size: int) -> bool:
        start = self._offset - len(self._remembered)
        return (
            size >= self._offset
            and os.pread(descriptor, len(self._remembered), start) == self._remembered
        )

    def _new(self, descriptor: int) -> Iterator[Message]:
        data = self._remembered + _rest(descriptor, self._offset)
        skip = len(self._remembered)
        end = data.rfind(b"\n") + 1
        lines = data[skip:end].split(b"\n") if end > skip else []
        last = _message(data[max(end, skip) :])
        if last is not None:  # complete, only its newline is missing
            end = len(data)
        if last is None:  # torn or still being written: its number counts as used
            self.newest = max(self.newest, _number_in(data[max(end, skip) :]))
        for line in lines:
            message = _message(line)
            if message is not None:
                self.newest = max(self.newest, message.number)
                yield message
            else:
                self.newest = max(self.newest, _number_in(line))
        if last is not None:
            self.newest = max(self.newest, last.number)
            yield last
        if end > skip:
            self._offset += end - skip
            self._remembered = data[max(end - REMEMBERED_BYTES, 0) : end]


def _message(line: bytes) -> Message | None:
    return read_line(line.decode("utf-8", "replace")) if line.strip() else None


def _number_in(line: bytes) -> int:
    return number_in(line.decode("utf-8", "replace"))


def _rest(descriptor: int, offset: int) -> bytes:
    """Read up to LARGEST_BYTES, the limit for topkick's writes; what others append beyond it is
    ignored.
    """
    parts = []
    while offset < LARGEST_BYTES:
        part = os.pread(descriptor, min(1 << 20, LARGEST_BYTES - offset), offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
    return b"".join(parts)
