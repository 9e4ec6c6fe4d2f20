"""A small project with agents of some milliseconds, observed from outside."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from topkick.app.project import Project, find_project
from topkick.app.state_dir.lock import holder, is_held

PATIENCE_S = 60.0

AGENT = """\
run_id=$1 unit=$2 sprint=$3 starts=$4
printf '%s %s\\n' "$run_id" "$$" >> "$starts"
case $unit in
  slow*) sleep 0.4 ;;
  deaf*) trap '' TERM; sleep 0.3 ;;
  fork*) (setsid sleep 0.5 &) ;;
esac
mkdir -p "$unit" && : > "$unit/done-$sprint"
"""

CONFIG = """\
agent = "tiny"
isolation = "shared"

[agents.tiny]
command = ["/bin/sh", "{agent}", "{{run_id}}", "{{unit}}", "{{sprint}}", "{starts}"]

[limits]
stop_grace_seconds = 0.2
kill_grace_seconds = 0.2
check_minutes = 1
sprint_minutes = 1
max_agents = 3
"""

KINDS = ("quick", "slow", "deaf", "fork")


class Start(NamedTuple):
    """An agent's own record of its start, in a file that no supervisor writes."""

    run_id: str
    pid: int


class Arena:
    """A project; `config` has placeholders for the agent's script and its record file."""

    def __init__(self, place: Path, plan: str, agent: str = AGENT, config: str = CONFIG) -> None:
        self.root, self.home = place / "project", place / "home"
        self.starts_path, self.acts_path = place / "starts", place / "acts"
        for path in (self.root, self.home):
            path.mkdir(parents=True)
        (place / "agent.sh").write_text(agent)
        filled = config.format(agent=place / "agent.sh", starts=self.starts_path)
        (self.root / "topkick.toml").write_text(filled)
        (self.root / "EXECUTION_PLAN.md").write_text(plan)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "LANG": "C.UTF-8",
        }

    @property
    def project(self) -> Project:
        """The project as the entrants see it: without git, its state is in their home."""
        before = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = self.env["XDG_STATE_HOME"]
        try:
            return find_project(self.root)
        finally:
            del os.environ["XDG_STATE_HOME"]
            if before is not None:
                os.environ["XDG_STATE_HOME"] = before

    def journals(self) -> list[Path]:
        """Return the journals of this run and of the finished ones before it."""
        state_dir = self.project.state_dir
        found = [*state_dir.glob("archive/*/journal.db"), state_dir / "current" / "journal.db"]
        return [path for path in found if path.exists()]

    def holder_pid(self) -> int | None:
        state_dir = self.project.state_dir
        who = holder(state_dir) if is_held(state_dir) else None
        return who.pid if who is not None else None

    def starts(self) -> list[Start]:
        text = self.starts_path.read_text() if self.starts_path.exists() else ""
        rows = [line.split() for line in text.splitlines()]
        return [Start(run_id, int(pid)) for run_id, pid in rows]

    def processes(self) -> list[int]:
        """Return all living processes of this project, by the HOME that they inherit."""
        needle = f"HOME={self.home}\0".encode()
        return [
            pid
            for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if pid != os.getpid() and needle in _environ(pid)
        ]

    def background_supervisors(self) -> list[int]:
        """Return supervisors that `stop` started to end agents whose supervisor died."""
        return [pid for pid in self.processes() if b"\0supervise\0" in _read(pid, "cmdline")]

    def wait_until_empty(self) -> list[int]:
        """Return what is still alive after a long while."""
        wait_for(lambda: not self.processes(), PATIENCE_S)
        return self.processes()

    def end_all(self) -> None:
        """Kill only processes with this project's own mark."""
        for _ in range(100):
            left = self.processes()
            if not left:
                return
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)


def _environ(pid: int) -> bytes:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        return b"" if state in (b"Z", b"X") else _read(pid, "environ")
    except OSError:
        return b""


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


class UnitText(NamedTuple):
    name: str
    needs: str = "none"
    sprints: int = 1


def plan_text(units: Sequence[UnitText], title: str = "Race") -> str:
    """Return a plan; each sprint is done when its own file exists."""
    lines = [f"# EXECUTION_PLAN.md — {title}", "", "## Work Units", ""]
    lines += ["| Work Unit | Directory | Sprints | Dependencies |", "|---|---|---|---|"]
    lines += [f"| {u.name} | {u.name} | {u.sprints} | {u.needs} |" for u in units]
    for u in units:
        lines += ["", f"## {u.name}", ""]
        for n in range(1, u.sprints + 1):
            lines += [f"### Sprint {n}: Part {n}", "", "**Type**: command", "", "**Tasks**:"]
            lines += ["1. Do it.", "", "**Exit criteria**:", "", "```sh"]
            lines += [f"test -e {u.name}/done-{n}", "```", ""]
    return "\n".join(lines) + "\n"


def small_plan(chance: random.Random) -> str:
    names = [f"{chance.choice(KINDS)}{n}" for n in range(chance.randint(1, 3))]
    return plan_text(
        [
            UnitText(n, names[0] if i and chance.random() < 0.4 else "none")
            for i, n in enumerate(names)
        ]
    )


@contextmanager
def arena(plan: str, agent: str = AGENT, config: str = CONFIG) -> Iterator[Arena]:
    place = Path(mkdtemp(prefix="topkick-proof-"))
    made = Arena(place, plan, agent, config)
    try:
        yield made
    finally:
        made.end_all()
        shutil.rmtree(place, ignore_errors=True)


def wait_for(look: Callable[[], object], patience_s: float) -> bool:
    """Return whether it came true in time."""
    ends_at_s = time.monotonic() + patience_s
    while not look():
        if time.monotonic() >= ends_at_s:
            return False
        time.sleep(0.01)
    return True
