"""The nasty agents: run as a program of its own, with a shape and the log of its processes.

Every process writes its pid and start time to the log when it is in place, the last one `ready`;
every one ends by itself after a minute.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn

LIFE_S = 60
HOPPING_S = 20
STORM = 60


def note(word: str = "here") -> None:
    """Write with one write, so that lines of several processes don't mix."""
    fd = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, f"{os.getpid()} {started()} {word}\n".encode())
    os.close(fd)


def started() -> int:
    try:
        with open("/proc/self/stat", "rb") as file:
            return int(file.read().rsplit(b")", 1)[1].split()[19])
    except OSError:
        return 0


def settle(word: str = "here") -> NoReturn:
    """Stay for a minute, whatever happens."""
    signal.alarm(LIFE_S)
    note(word)
    while True:
        signal.pause()


def deafen() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def forked(act: Callable[[], object]) -> int:
    """Fork a child that does this and then stays."""
    pid = os.fork()
    if pid == 0:
        act()
        settle()
    return pid


def detached(act: Callable[[], object]) -> None:
    """Leave a grandchild in a session of its own whose parent is gone."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        note("passed by")
        if os.fork() == 0:
            act()
            settle()
        os._exit(0)
    os.waitpid(pid, 0)


def freeze(word: str = "here") -> None:
    """Stop this process; a child makes sure that it ends after a minute."""
    pid = os.getpid()
    if os.fork() == 0:
        note()
        time.sleep(LIFE_S)
        if os.getppid() == pid:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)
    note(word)
    os.kill(pid, signal.SIGSTOP)


def nothing() -> None:
    return


def bare(*words: str) -> NoReturn:
    """Become a program without any environment, and so without a mark."""
    note()
    os.execve("/bin/sleep", ["sleep", *words, str(LIFE_S)], {})


# --- the shapes ----------------------------------------------------------------------------


def plain() -> None:
    forked(nothing)


def deaf() -> None:
    deafen()
    forked(nothing)


def daemon() -> None:
    detached(nothing)


def deaf_daemon() -> None:
    detached(deafen)


def frozen() -> None:
    freeze("ready")


def frozen_daemon() -> None:
    def act() -> None:
        deafen()
        freeze()

    detached(act)


def sessions() -> None:
    for _ in range(3):
        forked(os.setsid)


def groups() -> None:
    for _ in range(3):
        forked(lambda: os.setpgid(0, 0))


def unmarked() -> None:
    """Start children without the mark, in the agent's group and in one of their own."""
    forked(bare)
    forked(lambda: (os.setpgid(0, 0), bare()))


def unmarked_orphan() -> None:
    """Leave an orphan without the mark, but still in the agent's group."""
    if os.fork() == 0:
        if os.fork() == 0:
            bare()
        os._exit(0)
    os.wait()


def unmarked_daemon() -> None:
    """Leave a process without the mark, a parent or a known group."""
    detached(bare)


def closing() -> None:
    forked(lambda: os.closerange(0, 256))
    os.closerange(0, 256)


def headless() -> None:
    """End the first thread, which shows as a zombie, while another one continues."""
    import ctypes

    deafen()
    threading.Thread(target=time.sleep, args=(LIFE_S,)).start()
    signal.alarm(LIFE_S)
    note("ready")
    ctypes.CDLL(None).pthread_exit(None)


def flooding() -> None:
    def act() -> None:
        signal.alarm(LIFE_S)
        note()
        with contextlib.suppress(OSError):
            while True:
                os.write(1, b"x" * 4096)

    forked(act)


def storm() -> None:
    """Fork all the time, each child in a session of its own."""
    deafen()
    note("ready")
    for _ in range(STORM):
        if os.fork() == 0:
            os.setsid()
            settle()
        time.sleep(0.01)


def hopping(act: Callable[[], object]) -> NoReturn:
    """Fork and exit without end; the ticks show whether it continues."""
    deafen()
    ends_at = time.monotonic() + HOPPING_S
    ticks = os.open(f"{LOG}.ticks", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    if os.fork():
        settle("ready")
    while time.monotonic() < ends_at:
        if os.fork():
            os._exit(0)
        act()
        os.write(ticks, b".")
    os._exit(0)


def hopper() -> None:
    hopping(nothing)


def leaper() -> None:
    hopping(os.setsid)


def quick() -> None:
    """End at once and leave a daemon that is in place only later."""
    if os.fork() == 0:
        os.setsid()
        deafen()
        settle()
    note("ready")
    os._exit(0)


SHAPES: dict[str, Callable[[], object]] = {
    f.__name__: f
    for f in (
        plain,
        deaf,
        daemon,
        deaf_daemon,
        frozen,
        frozen_daemon,
        sessions,
        groups,
        unmarked,
        unmarked_orphan,
        unmarked_daemon,
        closing,
        headless,
        flooding,
        storm,
        hopper,
        leaper,
        quick,
    )
}

if __name__ == "__main__":
    LOG = sys.argv[2]
    signal.alarm(LIFE_S)
    SHAPES[sys.argv[1]]()
    settle("ready")
