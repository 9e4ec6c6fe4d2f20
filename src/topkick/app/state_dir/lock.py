"""One supervisor per project: a lock on the state directory itself, freed when its holder ends.

The lock is `flock` on a descriptor of the directory. The kernel frees it when the last copy of the
descriptor is closed, so a supervisor that is killed leaves no stale lock, and no pid is trusted.
The file `holder.json` only names the holder in messages; it may be missing or stale, and nothing is
decided by it.

Cases:

- A forked child inherits the descriptor and would keep the lock after the supervisor's death. So
  every fork drops it in the child (`_drop_in_child`), and it is closed on exec.
- The directory is replaced while a process waits for the lock: `acquire` compares the locked
  directory with the one at the path, and tries again if they differ.
- The directory is moved or replaced while the lock is held: the lock protects nothing then. The
  supervisor asks `require_in_place` before it acts, and stops.
- `is_held` takes a shared lock for a moment, so `acquire` tries several times before it gives up.

The journal's epoch is the second line of defence: it refuses the writes of a supervisor that was
overtaken although it held a lock (see `journal/writer.py`).
"""

import fcntl
import json
import os
import time
import weakref
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically

HOLDER_FILE = "holder.json"
# `is_held` takes the lock for a moment, which must not make a start fail.
TRIES, PAUSE_S = 20, 0.01
OPENINGS = 100


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that took the lock last. For messages only: the lock alone decides."""

    pid: int
    since_us: int
    pid_namespace: str = field(default="", compare=False)
    driven: bool = field(default=False, compare=False)
    """Whether the holder is a supervisor, not a command that holds the project for a moment."""

    @property
    def is_elsewhere(self) -> bool:
        """True if the holder is in another container, where its pid means nothing here."""
        return bool(self.pid_namespace) and self.pid_namespace != own_pid_namespace()


class ProjectLock:
    """The project's lock, held from `acquire` until `release` or the end of this process."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._descriptor: int | None = None
        self._said: Holder | None = None

    def acquire(self, now_us: int, *, driven: bool = False) -> Self:
        for _ in range(OPENINGS):
            self._descriptor = _made_and_locked(self._state_dir)
            if self.is_in_place():
                break
            self.drop()  # replaced meanwhile: the locked directory is no longer in use
        else:
            raise AnotherSupervisor(
                f"{self._state_dir} is replaced again and again, so the project could not be "
                "locked and nothing was done. Look for the program that does it, then: topkick "
                "status"
            )
        crash_points.here("lock.taken")
        _held.add(self)
        _note_death(self._state_dir, now_us)
        self._said = Holder(os.getpid(), now_us, own_pid_namespace(), driven)
        said = json.dumps(asdict(self._said)).encode()
        with suppress(OSError):  # a full disk must not keep killall from its work
            replace_atomically(self._state_dir / HOLDER_FILE, said, durable=False)
            crash_points.here("lock.named")
        return self

    def release(self) -> None:
        if self._descriptor is not None:
            crash_points.here("lock.before-release")
            if holder(self._state_dir) == self._said:  # else it names a later holder
                with suppress(OSError):
                    (self._state_dir / HOLDER_FILE).unlink()
            self.drop()

    def drop(self) -> None:
        """Close this process's copy of the descriptor; a forked child must do so, or it keeps the
        lock.
        """
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def is_in_place(self) -> bool:
        """Return False if the directory was replaced, and with it the files that the lock
        protects.
        """
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._state_dir.stat())
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:  # the disk does not answer; if it is gone, the next write fails
            return True

    def require_in_place(self) -> None:
        """Raise unless the locked directory is still at its path; called before the supervisor
        acts.
        """
        if not self.is_in_place():
            raise AnotherSupervisor(
                f"{self._state_dir} was moved, removed or replaced while this supervisor worked, "
                "so it no longer holds the project. This supervisor ends; its agents continue.\n"
                "In the project's new place: topkick status, then topkick resume"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _note_death(state_dir: Path, now_us: int) -> None:
    """Record the death of a supervisor that held the lock before and never released it."""
    before = holder(state_dir)
    if before is not None and before.driven:
        from topkick.app.state_dir.supervisor_deaths import FOUND_DEAD, keep_deaths, read_deaths

        deaths = read_deaths(state_dir)
        deaths = deaths.and_of(before.pid, before.since_us, now_us, FOUND_DEAD)
        keep_deaths(state_dir, deaths)


_held: "weakref.WeakSet[ProjectLock]" = weakref.WeakSet()


def _drop_in_child() -> None:
    for lock in list(_held):
        lock.drop()


os.register_at_fork(after_in_child=_drop_in_child)


def is_held(state_dir: Path) -> bool:
    """Return whether a process holds the project now."""
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
        said = json.loads(read_plain(state_dir / HOLDER_FILE, NOTE_BYTES))
        where = said.get("pid_namespace", "")
        driven = said.get("driven") is True
        return Holder(int(said["pid"]), int(said["since_us"]), str(where), driven)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def own_pid_namespace() -> str:
    """Return a text that differs between containers; empty where the system has no such
    namespaces.
    """
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _made_and_locked(state_dir: Path) -> int:
    descriptor = _made_and_opened(state_dir)
    if not _try_lock(descriptor, fcntl.LOCK_EX, TRIES):
        os.close(descriptor)
        raise AnotherSupervisor(_refusal(holder(state_dir)))
    return descriptor


def _made_and_opened(state_dir: Path) -> int:
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"The state directory {state_dir} cannot be opened: {error.strerror}. Nothing was "
            "done. Make sure that it is a directory and belongs to you, then run the command again."
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
    return (
        f"Another supervisor holds this project: {_name(who)}. "
        "Follow that run: topkick watch   Stop it: topkick stop"
    )


def _name(who: Holder | None) -> str:
    if who is None:
        return "an unknown process"
    where = " in another container" if who.is_elsewhere else ""
    return f"process {who.pid}{where}{_since(who)}"


def _since(who: Holder) -> str:
    try:
        since = time.localtime(who.since_us / 1_000_000)
    except (OverflowError, ValueError, OSError):
        return ""
    return time.strftime(", since %Y-%m-%d %H:%M:%S", since)
