"""The scripted agent: does what a file outside the tree says, and bears witness in a log.

Run as a program of its own with nothing but the standard library; ends by itself within a minute
when nobody watches any more.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

WITNESS, PROJECT, RUN_ID = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
UNIT, SPRINT = os.environ["TOPKICK_UNIT"], os.environ["TOPKICK_SPRINT"]
LIFE_S = 30.0
LOOK_EVERY_S = 0.01


def note(what: str) -> None:
    """One write, so that lines of several agents do not mix."""
    fd = os.open(WITNESS / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, f"{what} {RUN_ID} {UNIT} {SPRINT} {os.getpid()} {time.time():.6f}\n".encode())
    os.close(fd)


def pause(seconds: str) -> None:
    time.sleep(float(seconds))


def somebody_watches() -> bool:
    """The harness gives a sign of life all the time; without it agents end by themselves."""
    return time.time() - (WITNESS / "heartbeat").stat().st_mtime < LIFE_S


def wait(gate: str) -> None:
    note("waits")
    while not (WITNESS / gate).exists() and somebody_watches():
        time.sleep(LOOK_EVERY_S)


def write(name: str) -> None:
    place = PROJECT / UNIT
    place.mkdir(exist_ok=True)
    (place / name).write_text(f"by {RUN_ID}\n")


def commit(name: str) -> None:
    """Agents share the tree, and git locks its index for a moment."""
    write(name)
    note("works")
    path = f"{UNIT}/{name}"
    for _ in range(400):
        if git("add", "--", path) and git("commit", "-q", "-m", f"{UNIT}: {name}", "--", path):
            return
        time.sleep(0.02)
    sys.exit("could not commit")


def git(*words: str) -> bool:
    quiet = subprocess.DEVNULL
    done = subprocess.run(["git", *words], cwd=PROJECT, check=False, stdout=quiet, stderr=quiet)
    return done.returncode == 0


def stage(name: str) -> None:
    """In the index and no further."""
    write(name)
    git("add", "--", f"{UNIT}/{name}")


def next_of(names: str) -> None:
    """The first of these files that is not there yet."""
    missing = [n for n in names.split(",") if not (PROJECT / UNIT / n).exists()]
    if missing:
        commit(missing[0])


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def orphan() -> None:
    """A child that leaves the session and the family, and does not listen to SIGTERM."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    deaf()
    sleep_on()
    os._exit(0)


def sleep_on() -> None:
    while somebody_watches():
        time.sleep(1.0)


def hang() -> None:
    note("hangs")
    sleep_on()


def fail(code: str) -> NoReturn:
    note("end")
    sys.exit(int(code))


VERBS: dict[str, Callable[..., None]] = {
    "pause": pause,
    "wait": wait,
    "write": write,
    "stage": stage,
    "commit": commit,
    "next": next_of,
    "deaf": deaf,
    "orphan": orphan,
    "hang": hang,
    "fail": fail,
}


def main() -> None:
    note("start")
    if any(name.startswith("TOPKICK_CRASH") for name in os.environ):
        note("armed")
    script = (WITNESS / f"{UNIT}.{SPRINT}").read_text()
    for line in script.splitlines():
        verb, *rest = line.split()
        VERBS[verb](*rest)
    note("end")


main()
