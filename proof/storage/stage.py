"""A real project with a scripted agent, driven through the real command line, and its bytes."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from topkick.app.project import Project, find_project
from topkick.app.run_view import take_a_look
from topkick.engine.journal import JournalReader, post
from topkick.runner.run_dir import write_stop

PATIENCE_S = 120.0
STOP_GRACE_S = 0.25
PLAN = """\
# EXECUTION_PLAN.md — Storage

## Work Units

| Work Unit | Directory | Sprints | Dependencies |
|---|---|---|---|
| a | a | 2 | none |

## a

### Sprint 1: One

**Tasks**:
1. Do part 1.

**Exit criteria**:

```sh
test -f a/done-1.txt
```

### Sprint 2: Two

**Tasks**:
1. Do part 2.

**Exit criteria**:

```sh
test -f a/done-2.txt
```
"""
# The agent waits for at most a minute where it finds the file `wait`, so that none is left behind.
AGENT = """\
cat > /dev/null
mkdir -p $TOPKICK_UNIT
echo "$TOPKICK_ORDER" >> "$0.starts"
n=0
while [ -e "$0.wait.$TOPKICK_SPRINT" ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
echo "$TOPKICK_ORDER" > $TOPKICK_UNIT/done-$TOPKICK_SPRINT.txt
git add $TOPKICK_UNIT && git commit -q -m "$TOPKICK_UNIT $TOPKICK_SPRINT"
"""


@dataclass(frozen=True, slots=True)
class Said:
    """A command's exit code and its whole output."""

    code: int
    text: str


class Scene:
    """One project in a directory of its own; `close` ends everything that still lives of it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.root = place / "project"
        self.home = place / "home"
        self.agent = place / "agent.sh"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "USER": "proof",
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }

    def make(self, *, with_git: bool = True) -> "Scene":
        for path in (self.root, self.home):
            path.mkdir(parents=True, exist_ok=True)
        self.agent.write_text(AGENT)
        (self.root / "EXECUTION_PLAN.md").write_text(PLAN)
        (self.root / "topkick.toml").write_text(
            'agent = "scripted"\nritual = false\n[agents.scripted]\n'
            'command = ["/bin/sh", "{project}/../agent.sh"]\n'
            "[limits]\nstop_grace_seconds = 0.5\nkill_grace_seconds = 0.5\ncheck_minutes = 0.5\n"
        )
        if with_git:
            for words in (
                ("init", "-q", "-b", "main"),
                ("config", "user.name", "Proof"),
                ("config", "user.email", "proof@localhost"),
                ("add", "."),
                ("commit", "-q", "-m", "The plan"),
            ):
                subprocess.run(["git", *words], cwd=self.root, env=self.env, check=True)
        return self

    @property
    def project(self) -> Project:
        return find_project(self.root)

    def hold(self, sprint: int) -> None:
        """Let the agent of this sprint wait from now on."""
        self.agent.with_name(f"agent.sh.wait.{sprint}").touch()

    def let_go(self) -> None:
        for path in self.place.glob("agent.sh.wait.*"):
            path.unlink(missing_ok=True)

    def starts(self) -> list[str]:
        try:
            return self.agent.with_name("agent.sh.starts").read_text().split()
        except OSError:
            return []

    def words(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "topkick", *words]

    def begin(self, *words: str, wrap: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*wrap, *self.words(*words)],
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *words: str, wrap: tuple[str, ...] = (), limit_s: float = PATIENCE_S) -> Said:
        process = self.begin(*words, wrap=wrap)
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            return Said(-1, said.decode("utf-8", "replace") + "\nIT HUNG")
        return Said(process.returncode, said.decode("utf-8", "replace"))

    def processes(self) -> list[psutil.Process]:
        """Return all living processes of this scene, by the HOME that they inherit."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                mine = process.environ().get("HOME") == str(self.home)
                if mine and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def kill_all(self) -> None:
        while left := self.processes():
            for process in left:
                with suppress(psutil.Error):
                    process.send_signal(signal.SIGKILL)
            psutil.wait_procs(left, timeout=1)

    def close(self) -> None:
        self.let_go()
        self.kill_all()


def wait_for(look: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    ends_at_s = time.monotonic() + patience_s
    while not look():
        if time.monotonic() > ends_at_s:
            raise TimeoutError(f"it never came true within {patience_s:.0f} s")
        time.sleep(0.03)


@contextmanager
def scratch(near: Path | None = None) -> Iterator[Path]:
    """Make a directory in memory if possible, for speed."""
    memory = Path("/dev/shm")
    base = near or (memory if memory.is_dir() and os.access(memory, os.W_OK) else None)
    place = Path(tempfile.mkdtemp(prefix="topkick-proof-", dir=base))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


# --- two states of a project ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Image:
    """Every file of a project at one moment, by its path below the root."""

    name: str
    files: Mapping[str, bytes]

    def write(self, root: Path) -> None:
        for name, data in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def finished(place: Path) -> Image:
    """Return a finished run with a command queued since: nothing but the file itself."""
    scene = Scene(place).make()
    try:
        said = scene.run("start", "--yes", "--foreground")
        assert said.code == 0, said.text
        post(scene.project.journal_path, "proof", "Stop", '{"units":["a"]}', 5)
        return _photograph("finished", scene)
    finally:
        scene.close()


def half_way(place: Path) -> tuple[Image, Image]:
    """Return supervisor, keeper and agent killed at work, with a write-ahead log.

    Once as they were left, once with a queued command: losing the log's tail then loses the command
    too, and not only the anchor may notice.
    """
    scene = Scene(place).make()
    scene.hold(1)
    try:
        supervisor = scene.begin("start", "--yes", "--foreground")
        wait_for(lambda: scene.starts() and is_at_work(scene))
        wait_for(lambda: board_is_current(scene))
        supervisor.kill()
        supervisor.communicate()
        scene.kill_all()
        (run,) = (path for path in scene.project.runs.iterdir() if path.is_dir())
        write_stop(run, STOP_GRACE_S, "stopped")  # and no process was left to read it
        with JournalReader(scene.project.journal_path):  # or the log would be folded into the file
            killed = _photograph("killed", scene)
            post(scene.project.journal_path, "proof", "Stop", '{"units":["a"]}', 5)
            return killed, _photograph("half-way", scene)
    finally:
        scene.close()


def is_at_work(scene: Scene) -> bool:
    view = take_a_look(scene.project)
    return view is not None and any(run.active for run in view.mission.runs.values())


def board_is_current(scene: Scene) -> bool:
    view = take_a_look(scene.project)
    try:
        text = scene.project.board_path.read_text()
    except OSError:
        return False
    return view is not None and view.head.chain_hex in text


def _photograph(name: str, scene: Scene) -> Image:
    keep = (".git/HEAD", ".git/topkick/")
    files = {}
    for path in sorted(scene.root.rglob("*")):
        inside = path.relative_to(scene.root).as_posix()
        wanted = not inside.startswith(".git/") or inside.startswith(keep)
        if wanted and path.is_file() and not path.is_symlink():
            files[inside] = path.read_bytes()
    return Image(name, files)
