"""The scripted agent: does what a file outside the tree says, and records it in a log.

It runs as a program of its own with only the standard library, and ends by itself within a minute
after the harness is gone.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

WITNESS, PROJECT, RUN_ID = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
UNIT, SPRINT = os.environ["TOPKICK_UNIT"], os.environ["TOPKICK_SPRINT"]
LIFE_S = 30.0
LOOK_EVERY_S = 0.01
MISSION = "topkick/integrated"
lying_about: list[str] = []


def note(what: str) -> None:
    """Write a line with one write, so that lines of several agents don't mix."""
    fd = os.open(WITNESS / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, f"{what} {RUN_ID} {UNIT} {SPRINT} {os.getpid()} {time.time():.6f}\n".encode())
    os.close(fd)


def bear_witness(book: str, *words: str) -> None:
    """Record something for the observer in a book of its own, one write per line."""
    fd = os.open(WITNESS / book, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, f"{' '.join(words)}\n".encode())
    os.close(fd)


def pause(seconds: str) -> None:
    time.sleep(float(seconds))


def somebody_watches() -> bool:
    """Return whether the harness still gives signs of life; without it agents end by themselves."""
    return time.time() - (WITNESS / "heartbeat").stat().st_mtime < LIFE_S


def wait(gate: str) -> None:
    note("waits")
    while not (WITNESS / gate).exists() and somebody_watches():
        time.sleep(LOOK_EVERY_S)


def write(name: str) -> None:
    place = PROJECT / UNIT
    place.mkdir(exist_ok=True)
    (place / name).write_text(f"by {RUN_ID}\n")
    lying_about.append(f"{UNIT}/{name}")


def commit(name: str) -> None:
    write(name)
    commit_path(f"{UNIT}/{name}")


def share(name: str) -> None:
    """Write and commit a file that other units write too."""
    (PROJECT / name).write_text(f"by {RUN_ID}\n")
    commit_path(name)


def commit_path(path: str) -> None:
    """Commit; agents may share the tree, and git locks its index for a moment."""
    note("works")
    for _ in range(400):
        if git("add", "--", path) and git("commit", "-q", "-m", f"{UNIT}: {path}", "--", path):
            return tell_commit(path)
        time.sleep(0.02)
    sys.exit("could not commit")


def tell_commit(path: str) -> None:
    bear_witness("commits", said("rev-parse", "HEAD"), UNIT, SPRINT, RUN_ID, path)


def git(*words: str) -> bool:
    quiet = subprocess.DEVNULL
    done = subprocess.run(["git", *words], cwd=PROJECT, check=False, stdout=quiet, stderr=quiet)
    return done.returncode == 0


def said(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=PROJECT, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode().strip()


def merge(name: str) -> None:
    """Merge both sides of the file, one after the other."""
    note("works")
    if not git("merge", "--no-edit", MISSION):
        sides = [said("show", f"{side}:{name}") for side in ("HEAD", MISSION)]
        (PROJECT / name).write_text("\n".join([*sides, f"by {RUN_ID}", ""]))
        if not (git("add", "--", name) and git("commit", "-q", "--no-edit")):
            sys.exit("could not merge")
    tell_commit(name)


def stage(name: str) -> None:
    """Write a file and add it to the index only."""
    write(name)
    git("add", "--", f"{UNIT}/{name}")


def next_of(names: str) -> None:
    """Commit the first of these files that does not exist yet."""
    missing = [n for n in names.split(",") if not (PROJECT / UNIT / n).exists()]
    if missing:
        commit(missing[0])


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def orphan() -> None:
    """Leave a child outside the session and the family that ignores SIGTERM."""
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
    note("failed")
    note("end")
    sys.exit(int(code))


def leave_once(how: str) -> None:
    """End the first agent that comes here, with its work uncommitted."""
    try:
        (WITNESS / f"{UNIT}.{SPRINT}.left").touch(exist_ok=False)
    except FileExistsError:
        return
    for path in lying_about:
        bear_witness("left", RUN_ID, path)
    if how == "failing":
        fail("1")
    hang()


VERBS: dict[str, Callable[..., None]] = {
    "pause": pause,
    "wait": wait,
    "write": write,
    "stage": stage,
    "commit": commit,
    "share": share,
    "merge": merge,
    "leave-once": leave_once,
    "next": next_of,
    "deaf": deaf,
    "orphan": orphan,
    "hang": hang,
    "fail": fail,
}


def look_for_others() -> None:
    """Check that no other agent works for this unit, and no process of one is left."""
    rows = [line.split(" ") for line in (WITNESS / "log").read_text().splitlines()]
    theirs = {row[1] for row in rows if row[2] == UNIT} - {RUN_ID}
    for path in Path("/proc").glob("[0-9]*/cmdline") if theirs else ():
        with suppress(OSError):
            words = path.read_bytes().decode("utf-8", "replace").split("\0")
            if sys.argv[1] in words and theirs.intersection(words):
                note("beside")


def main() -> None:
    note("start")
    look_for_others()
    if any(name.startswith("TOPKICK_CRASH") for name in os.environ):
        note("armed")
    script = (WITNESS / f"{UNIT}.{SPRINT}").read_text()
    for line in script.splitlines():
        verb, *rest = line.split()
        VERBS[verb](*rest)
    note("end")


main()
