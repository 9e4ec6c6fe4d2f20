"""The notice of the respawner while it waits before it starts a dead supervisor again.

It is for screens only. It is valid as long as a respawner lives, which a lock shows: the kernel
drops the lock with the process, whatever ended it.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from topkick.engine.io.files import read_plain, replace_atomically

NOTICE_FILE = "restart.json"
LOCK_FILE = "respawner.lock"
LONGEST_BYTES = 1 << 12
FLAGS = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""Open flags: do not follow a link in the lock's place, and do not block on a FIFO."""


@dataclass(frozen=True, slots=True)
class RestartNotice:
    at_us: int
    died: str
    deaths: int


@contextmanager
def respawner_at_work(state_dir: Path) -> Iterator[None]:
    """Show that a respawner lives. There may be several: one of an earlier run may still be
    waiting.
    """
    try:
        descriptor = os.open(state_dir / LOCK_FILE, FLAGS | os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:  # a full disk must not prevent a restart
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            (state_dir / NOTICE_FILE).unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def announce(state_dir: Path, notice: RestartNotice) -> None:
    said = json.dumps([notice.at_us, notice.died, notice.deaths]).encode()
    with suppress(OSError):
        replace_atomically(state_dir / NOTICE_FILE, said, durable=False)


def expected(state_dir: Path) -> RestartNotice | None:
    """Return the announcement of a respawner that is still alive."""
    try:
        at_us, died, deaths = json.loads(read_plain(state_dir / NOTICE_FILE, LONGEST_BYTES))
        notice = RestartNotice(int(at_us), str(died), int(deaths))
        return notice if _respawner_lives(state_dir) else None
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def _respawner_lives(state_dir: Path) -> bool:
    descriptor = os.open(state_dir / LOCK_FILE, FLAGS | os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
