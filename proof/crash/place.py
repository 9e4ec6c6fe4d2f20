"""The directories of one try, the agents' records there, and its living processes."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

PATIENCE_S = 300.0
LOOK_EVERY_S = 0.03


class Noted(NamedTuple):
    """A line of an agent's own log: the only thing the observer trusts about agents."""

    what: str
    run_id: str
    unit: str
    sprint: str
    pid: int
    at_s: float


class Living(NamedTuple):
    pid: int
    words: str


@dataclass(frozen=True, slots=True)
class Picture:
    """HEAD, the index, and every byte of the tree except the program's own files."""

    head: str
    index: bytes
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Place:
    """The directories; `project` is a git repository, `witness` the agents' log, `home` marks every
    process.
    """

    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def witness(self) -> Path:
        return self.root / "witness"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    def make(self) -> None:
        for path in (self.project, self.witness, self.home, self.temporary):
            path.mkdir(parents=True)
        self.beat()

    def copied_to(self, root: Path) -> "Place":
        shutil.copytree(self.root, root)
        Place(root).beat()
        return Place(root)

    def git(self, *words: str) -> str:
        done = self.asked_git(*words)
        done.check_returncode()
        return done.stdout

    def asked_git(self, *words: str) -> "subprocess.CompletedProcess[str]":
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "GIT_OPTIONAL_LOCKS": "0",
        }
        return subprocess.run(
            ["git", *words], cwd=self.project, env=env, capture_output=True, text=True, check=False
        )

    # --- records of agents -----------------------------------------------------------------

    def noted(self) -> list[Noted]:
        path = self.witness / "log"
        rows = [line.split(" ") for line in path.read_text().splitlines()] if path.exists() else []
        return [Noted(r[0], r[1], r[2], r[3], int(r[4]), float(r[5])) for r in rows if len(r) == 6]

    def book(self, name: str) -> list[list[str]]:
        """Return the agents' records, one line each."""
        path = self.witness / name
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def beat(self) -> None:
        """Give a sign of life: agents continue as long as it is repeated."""
        (self.witness / "heartbeat").touch()

    def open_gate(self, name: str) -> None:
        (self.witness / name).touch()

    # --- the tree --------------------------------------------------------------------------

    def picture(self, ours: tuple[str, ...]) -> Picture:
        git = self.project / ".git"
        index = git / "index"
        files = {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and git not in path.parents and path.name not in ours
        }
        head = self.git("rev-parse", "HEAD")
        return Picture(head, index.read_bytes() if index.exists() else b"", files)

    # --- processes -------------------------------------------------------------------------

    def living(self) -> list[Living]:
        """Return every process with this HOME, which all processes of the program inherit."""
        needle = b"\0HOME=%s\0" % os.fsencode(self.home)
        found = []
        for name in os.listdir("/proc"):
            with suppress(OSError):
                if not name.isdigit() or needle not in b"\0" + _bytes(f"/proc/{name}/environ"):
                    continue
                if _state(name) not in "ZX":
                    words = _bytes(f"/proc/{name}/cmdline").replace(b"\0", b" ")
                    found.append(Living(int(name), words.decode("utf-8", "replace").strip()))
        return found

    def lives(self, pid: int) -> bool:
        return any(process.pid == pid for process in self.living())

    def tracers(self) -> list[int]:
        return [p.pid for p in self.living() if p.words.startswith("strace ")]

    def wait_until_empty(self, patience_s: float) -> list[Living]:
        """Return what is still alive after the wait."""
        wait_for(lambda: not self._living_but_tracers(), patience_s)
        return self._living_but_tracers()

    def _living_but_tracers(self) -> list[Living]:
        return [p for p in self.living() if not p.words.startswith("strace ")]

    def end_all(self) -> None:
        """Kill only processes with the HOME of this very try."""
        ends_at_s = time.monotonic() + 10.0
        while (left := self.living()) and time.monotonic() < ends_at_s:
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
            time.sleep(LOOK_EVERY_S)

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _state(pid: str) -> str:
    text = _bytes(f"/proc/{pid}/stat").decode("utf-8", "replace")
    return text[text.rfind(")") + 2]


def wait_for(look: Callable[[], object], patience_s: float = PATIENCE_S) -> bool:
    """Look repeatedly; return whether it came true in time."""
    ends_at_s = time.monotonic() + patience_s
    while not look():
        if time.monotonic() >= ends_at_s:
            return False
        time.sleep(LOOK_EVERY_S)
    return True
