"""A FIFO in the state directory that wakes the supervisor when a command is queued."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISFIFO
from typing import Self

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points

NAME = "bell"
DRAIN_BYTES = 65536


class WakeFifo:
    """The supervisor's end: a descriptor that becomes readable when a process wakes it."""

    def __init__(self, state_dir: Path) -> None:
        path = state_dir / NAME
        try:
            with suppress(FileExistsError):
                os.mkfifo(path, 0o600)
            # Open for reading and writing: otherwise the FIFO stays at end of file once a writer
            # has closed it.
            flags = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
            self._descriptor = os.open(path, flags)
        except OSError as error:
            raise TopkickError(
                f"The FIFO {path} cannot be made: {error.strerror}. The supervisor did not start. "
                "Make the directory writable; in the background the supervisor then starts again "
                "by itself. See: topkick status"
            ) from error
        if not S_ISFIFO(os.fstat(self._descriptor).st_mode):
            self.close()
            raise TopkickError(
                f"{path} is not a FIFO, so the supervisor did not start. "
                "Remove that file; in the background the supervisor then starts again by itself. "
                "See: topkick status"
            )

    def fileno(self) -> int:
        return self._descriptor

    def drain(self) -> bool:
        """Clear the bell; return whether it had rung."""
        rang = False
        with suppress(BlockingIOError):
            while os.read(self._descriptor, DRAIN_BYTES):
                rang = True
        return rang

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ring(state_dir: Path) -> bool:
    """Wake the supervisor; return False if no supervisor listens."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(state_dir / NAME, flags)
    except OSError:  # no FIFO, or no reader
        return False
    try:
        if not S_ISFIFO(os.fstat(descriptor).st_mode):
            return False
        crash_points.here("bell.before-ring")
        os.write(descriptor, b"!")
        crash_points.here("bell.after-ring")
    except OSError as error:
        return error.errno == errno.EAGAIN  # full: it has rung already
    finally:
        os.close(descriptor)
    return True
