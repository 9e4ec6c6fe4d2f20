"""Limit how many builds run on this host at once, over all supervisors and projects (GT-02).

A running build holds a lock on a slot's file; a waiting one holds a lock on a numbered ticket:
first come, first served. The kernel frees the locks of dead processes, so a crash leaves nothing to
clean up.
"""

import fcntl
import os
import re
import select
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain
from topkick.runner.process.tree import SignalPipe

INSIDE = "TOPKICK_BUILDING"  # a build that calls topkick must not wait for itself
FIRST_PAUSE_S = 0.02
NEXT_PAUSE_S = 0.1
FAR_PAUSE_S = 0.5
MOST_LABEL_BYTES = 200
_DOOR, _SLOT, _TICKET = "door", "slot-", "wait-"
_AVERAGE = re.compile(r"^some .*?avg10=([0-9.]+)", re.MULTILINE)
_AVAILABLE = re.compile(r"^MemAvailable:\s*([0-9]+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Slots:
    """At most `builds` at once, by locks in the directory `place`; `label` names this project to
    others.

    A second build starts only if memory pressure is below `max_pressure` percent and `min_free_mb`
    of memory are available. CPU load is not considered: it only makes builds slow.
    """

    place: Path
    builds: int = 1
    max_pressure: float = 20.0
    min_free_mb: int = 1024
    label: str = ""
    proc: Path = Path("/proc")


@contextmanager
def building(
    slots: Slots, bell: SignalPipe, told: Callable[[str], None] = lambda _told: None
) -> Iterator[int | None]:
    """Hold a build slot inside the `with` block; yield the locked descriptor, for the build to
    inherit.

    Yield None if a stop was requested while waiting. `told` is called once if there is a wait.
    """
    try:
        slots.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = _wait(slots, bell, told)
    except OSError as error:
        raise UsageError(
            f"Builds wait for each other by locks in {slots.place}, and that failed: "
            f"{error.strerror}. The check was not run.\n"
            "Make sure that this directory belongs to you and is on a local disk with room."
        ) from error
    if held is None:
        yield None
        return
    try:
        yield held
    finally:
        _leave(held)


def _leave(held: int) -> None:
    """Unlock the slot for all processes that inherited it: an escaped process must not keep it."""
    with suppress(OSError):
        os.ftruncate(held, 0)
    fcntl.flock(held, fcntl.LOCK_UN)
    os.close(held)


# --- waiting -------------------------------------------------------------------------------


def _wait(slots: Slots, bell: SignalPipe, told: Callable[[str], None]) -> int | None:
    """Poll for a slot until there is one or a stop is requested.

    `flock` cannot wait together with the bell. The next build in line polls often, later ones
    seldom.
    """
    with closing(_Turn(slots)) as turn:
        pause_s, is_told = FIRST_PAUSE_S, False
        while not bell.stops_asked:
            held = turn.look()
            if held is not None:
                return held
            if turn.waits and not is_told:
                is_told = True
                told(_why(slots.place))
            _pause(bell, pause_s)
            pause_s = min(pause_s * 1.5, NEXT_PAUSE_S if turn.is_next else FAR_PAUSE_S)
    return None


def _pause(bell: SignalPipe, pause_s: float) -> None:
    poller = select.poll()
    for fd in (bell.fd, bell.stop_fd):
        if fd is not None:
            poller.register(fd, select.POLLIN)
    for fd, _ in poller.poll(pause_s * 1000):
        if fd == bell.fd:
            bell.drain()
        else:
            bell.stops_asked += 1


class _Turn:
    """This build's place in the queue. The lock on the door file makes each look exclusive."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._ticket: int | None = None
        self._number = 0
        self.is_next = False

    @property
    def waits(self) -> bool:
        return self._ticket is not None

    def look(self) -> int | None:
        """Return a slot if it is this build's turn and one is free; None means to look again
        later.
        """
        door = _locked(self._slots.place / _DOOR)
        if door is None:
            return None
        try:
            ahead = self._tickets()
            self.is_next = not any(n < self._number for n in ahead) if self.waits else not ahead
            held = _take(self._slots) if self.is_next else None
            if held is None and not self.waits:
                self._number = max(ahead, default=0) + 1
                self._ticket = _locked(self._path(self._number))
            return held
        finally:
            os.close(door)

    def _tickets(self) -> list[int]:
        """Return the tickets of living builds; remove those of dead ones."""
        found = []
        for number in _numbers(self._slots.place, _TICKET):
            path = self._path(number)
            lock = _locked(path) if number != self._number else None
            if lock is None:
                found.append(number)
            else:
                try:
                    path.unlink(missing_ok=True)
                finally:
                    os.close(lock)
        return found

    def _path(self, number: int) -> Path:
        return self._slots.place / f"{_TICKET}{number}"

    def close(self) -> None:
        if self._ticket is not None:
            try:
                self._path(self._number).unlink(missing_ok=True)
            finally:
                os.close(self._ticket)


# --- slots ---------------------------------------------------------------------------------


def _take(slots: Slots) -> int | None:
    """Take a slot, counting the slots of all projects, as others may allow more than this one."""
    known = _numbers(slots.place, _SLOT)
    free: list[int] = []
    held = None
    try:
        for number in known:
            lock = _locked(slots.place / f"{_SLOT}{number}")
            free += [lock] if lock is not None else []
        busy = len(known) - len(free)
        if busy < slots.builds and (busy == 0 or has_room(slots)):
            new = slots.place / f"{_SLOT}{max(known, default=0) + 1}"
            held = free.pop(0) if free else _locked(new)
    finally:
        for lock in free:
            os.close(lock)
    if held is not None:
        _sign(held, slots.label)
    return held


def _locked(path: Path) -> int | None:
    """Return the locked descriptor, or None if another process has the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _numbers(place: Path, prefix: str) -> list[int]:
    found = [p.name.removeprefix(prefix) for p in place.iterdir() if p.name.startswith(prefix)]
    return sorted(int(number) for number in found if re.fullmatch("[0-9]{1,18}", number))


def _sign(held: int, label: str) -> None:
    with suppress(OSError):  # for messages only: a full disk must not prevent a build
        os.ftruncate(held, 0)
        os.pwrite(held, f"{os.getpid()} {label}"[:MOST_LABEL_BYTES].encode(), 0)


def _why(place: Path) -> str:
    names = [_signed(place / f"{_SLOT}{number}") for number in _numbers(place, _SLOT)]
    holders = "; ".join(name for name in names if name)
    return "waits for another build on this host" + (f" ({holders})" if holders else "")


def _signed(path: Path) -> str:
    """Return the holder's label, if it is printable: any build may have written to the file."""
    with suppress(OSError):
        said = read_plain(path, MOST_LABEL_BYTES).decode("utf-8", "replace")
        found = re.fullmatch(r"([0-9]+) ([^\x00-\x1f\x7f]*)", said)
        if found is not None and found[1].isascii():
            return f"pid {found[1]}" + (f", project {found[2]}" if found[2].isprintable() else "")
    return ""


# --- memory --------------------------------------------------------------------------------


def has_room(slots: Slots) -> bool:
    """Return whether memory allows a second build; missing system files forbid nothing."""
    pressure = pressure_in(_text(slots.proc / "pressure" / "memory"))
    free_mb = free_mb_in(_text(slots.proc / "meminfo"))
    is_calm = pressure is None or pressure <= slots.max_pressure
    return is_calm and (free_mb is None or free_mb >= slots.min_free_mb)


def pressure_in(text: str) -> float | None:
    """Return the percentage of the last ten seconds in which a process had to wait for memory."""
    found = _AVERAGE.search(text)
    try:
        return float(found[1]) if found is not None else None
    except ValueError:
        return None


def free_mb_in(text: str) -> int | None:
    found = _AVAILABLE.search(text)
    return int(found[1]) // 1024 if found is not None else None


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""
