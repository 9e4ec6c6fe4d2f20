"""One supervisor per project: a lock on the state directory itself, gone with its holder."""

import fcntl
import json
import os
import time
import weakref
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from topkick.core.errors import AnotherSupervisor, UsageError
from topkick.outside.ground.files import replace_atomically

HOLDER_FILE = "holder.json"
# `is_held` takes the lock for a moment; someone who only looked must not stop a start.
TRIES, PAUSE_S = 20, 0.01


@dataclass(frozen=True, slots=True)
class Holder:
    """Who took the lock last. For messages only: the lock alone decides."""

    pid: int
    since_us: int


class ProjectLock:
    """Held from `acquire` until `release` or the end of this very process."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._descriptor: int | None = None

    def acquire(self, now_us: int) -> Self:
        descriptor = _made_and_opened(self._state_dir)
        if not _try_lock(descriptor, fcntl.LOCK_EX, TRIES):
            os.close(descriptor)
            raise AnotherSupervisor(_refusal(holder(self._state_dir)))
        self._descriptor = descriptor
        _held.add(self)
        said = json.dumps(asdict(Holder(os.getpid(), now_us))).encode()
        with suppress(OSError):  # a full disk must not keep killall from its work
            replace_atomically(self._state_dir / HOLDER_FILE, said, durable=False)
        return self

    def release(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                (self._state_dir / HOLDER_FILE).unlink()
            self.drop()

    def drop(self) -> None:
        """Close our copy. A forked child does this at once, or it would hold the lock on."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def is_in_place(self) -> bool:
        """False when the directory was replaced, and with it what the lock protects."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._state_dir.stat())
        except OSError:
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


_held: "weakref.WeakSet[ProjectLock]" = weakref.WeakSet()


def _drop_in_child() -> None:
    for lock in list(_held):
        lock.drop()


os.register_at_fork(after_in_child=_drop_in_child)


def is_held(state_dir: Path) -> bool:
    """Whether some process holds the project now."""
    try:
        descriptor = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor, fcntl.LOCK_SH, 1)
    finally:
        os.close(descriptor)


def holder(state_dir: Path) -> Holder | None:
    try:
        said = json.loads((state_dir / HOLDER_FILE).read_bytes())
        return Holder(int(said["pid"]), int(said["since_us"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _made_and_opened(state_dir: Path) -> int:
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"The state directory {state_dir} cannot be opened: {error.strerror}. "
            "Make sure that it is a directory of yours."
        ) from error


def _try_lock(descriptor: int, mode: int, tries: int) -> bool:
    for attempt in range(tries):
        try:
            fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < tries:
                time.sleep(PAUSE_S)
        else:
            return True
    return False


def _refusal(who: Holder | None) -> str:
    name = "a process that left no name" if who is None else f"process {who.pid}{_since(who)}"
    return (
        f"Another supervisor holds this project: {name}. "
        "Watch it: topkick watch   End it: topkick stop"
    )


def _since(who: Holder) -> str:
    try:
        since = time.localtime(who.since_us / 1_000_000)
    except (OverflowError, ValueError, OSError):
        return ""
    return time.strftime(", since %Y-%m-%d %H:%M:%S", since)
