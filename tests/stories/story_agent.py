"""The agent of the stories: does what a file outside the tree tells it for this very order.

Run as a program of its own, with nothing but the standard library. The directions are Python
that calls the functions below; without any it does the work and commits.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

SCRIPTS, PROJECT, RUN_ID = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
UNIT, SPRINT = os.environ["TOPKICK_UNIT"], os.environ["TOPKICK_SPRINT"]
HERE = PROJECT / UNIT


def say(text: str) -> None:
    print(text, flush=True)


def claim(status: str, **more: object) -> None:
    say(json.dumps({"status": status, **more}))


def append(name: str, line: str) -> None:
    """Append with one write, so that lines of several agents do not mix."""
    fd = os.open(SCRIPTS / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, f"{line}\n".encode())
    os.close(fd)


def note(text: str) -> None:
    append("trail", f"{UNIT}/{SPRINT} {text}")


def write(name: str, text: str = f"by {RUN_ID}\n") -> None:
    HERE.mkdir(exist_ok=True)
    (HERE / name).write_text(text)


def commit(name: str, text: str = f"by {RUN_ID}\n") -> None:
    """Agents share the tree, and git locks its index for a moment."""
    write(name, text)
    path = f"{UNIT}/{name}"
    for _ in range(100):
        if git("add", "--", path) and git("commit", "-q", "-m", f"{UNIT}: {name}", "--", path):
            return
        time.sleep(0.02)
    sys.exit("could not commit")


def git(*words: str) -> bool:
    quiet = subprocess.DEVNULL
    done = subprocess.run(["git", *words], cwd=PROJECT, check=False, stdout=quiet, stderr=quiet)
    return done.returncode == 0


def work() -> None:
    commit(f"done-{SPRINT}.txt")


def wait(name: str) -> None:
    """Until the test lets go of this gate; asleep in the kernel, without a sign of life."""
    path = SCRIPTS / name
    with suppress(FileExistsError):
        os.mkfifo(path)
    note(f"waits {name}")
    os.close(os.open(path, os.O_RDONLY))


def hang() -> NoReturn:
    note("hangs")
    while True:
        signal.pause()


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def fail(code: int = 1) -> NoReturn:
    sys.exit(code)


def orphan() -> None:
    """A child that leaves the session and the family, and does not listen to SIGTERM."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    deaf()
    note(f"orphan {os.getpid()}")
    while True:
        signal.pause()


def directions() -> str:
    mine = [s for s in (SCRIPTS / "starts").read_text().splitlines() if f" {UNIT} {SPRINT} " in s]
    for name in (f"{UNIT}.{SPRINT}.{len(mine)}", f"{UNIT}.{SPRINT}", "default"):
        if (SCRIPTS / name).exists():
            return (SCRIPTS / name).read_text()
    return "work()"


def main() -> None:
    (SCRIPTS / f"prompt.{RUN_ID}").write_text(sys.stdin.read())
    (SCRIPTS / f"words.{RUN_ID}").write_text(json.dumps(sys.argv[4:]))
    (SCRIPTS / f"env.{RUN_ID}").write_text(json.dumps(dict(os.environ)))
    attempt, model = os.environ["TOPKICK_ATTEMPT"], os.environ["TOPKICK_MODEL"]
    append("starts", f"{RUN_ID} {UNIT} {SPRINT} {attempt} {model} {os.getpid()}")
    exec(directions(), globals())


main()
