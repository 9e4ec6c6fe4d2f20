"""A throw-away project with a scripted agent, driven through the real command line."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import psutil

from topkick.app.project import find_project
from topkick.app.run_view import journal_happenings, journal_records
from topkick.app.state_dir.lock import holder, is_held
from topkick.engine import messages as h
from topkick.engine.loop import replay
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.sprint.status import overall

AGENT = Path(__file__).with_name("story_agent.py")
PATIENCE_S = 120.0
LOOK_EVERY_S = 0.03
ENDING_S = 30.0  # for what a story has ended to be gone, on a machine with much else to do
T = TypeVar("T")
SprintText = Callable[[str, int], str]


class Start(NamedTuple):
    """A line that every agent appends when it begins: each dispatch id once, ever."""

    run_id: str
    unit: str
    sprint: str
    attempt: int
    model: str
    pid: int


# --- plans ---------------------------------------------------------------------------------


def sprint(
    *checks: str, kind: str = "", entry: str = "", fails_if: str = "", unchecked: bool = False
) -> SprintText:
    """Return a sprint whose check is `test -f {here}/done-N.txt` unless others are given.

    `{here}` is the unit's directory: checks run at the project's root.
    """

    def render(here: str, number: int) -> str:
        commands = [] if unchecked else list(checks) or [f"test -f {{here}}/done-{number}.txt"]
        lines = [f"### Sprint {number}: Part {number}", ""]
        lines += [f"**Type**: {kind}", ""] if kind else []
        lines += [f"**Fails if**: {fails_if}", ""] if fails_if else []
        lines += ["**Entry criteria**:", f"- [ ] `{entry}`", ""] if entry else []
        lines += ["**Tasks**:", f"1. Do part {number}.", "", "**Exit criteria**:"]
        for command in commands:
            lines += ["", "```sh", command, "```"]
        if unchecked:
            lines += ["- [ ] It reads well"]
        return "\n".join([*lines, ""]).replace("{here}", here)

    return render


class UnitText(NamedTuple):
    name: str
    needs: tuple[str, ...]
    sprints: tuple[SprintText, ...]


def unit(name: str, *sprints: SprintText, needs: str = "") -> UnitText:
    return UnitText(name, tuple(needs.split()), sprints or (sprint(),))


def plan(*units: UnitText) -> str:
    lines = ["# EXECUTION_PLAN.md — Story", "", "## Work Units", ""]
    lines += ["| Work Unit | Directory | Sprints | Dependencies |", "|---|---|---|---|"]
    for u in units:
        lines.append(f"| {u.name} | {u.name} | {len(u.sprints)} | {', '.join(u.needs) or 'none'} |")
    for u in units:
        lines += ["", f"## {u.name}", ""]
        lines += [render(u.name, number) for number, render in enumerate(u.sprints, start=1)]
    return "\n".join(lines) + "\n"


# --- waiting -------------------------------------------------------------------------------


def wait_for(look: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    """Look again and again; what was found, once it is something."""
    ends_at_s = time.monotonic() + patience_s
    while not (found := look()):
        assert time.monotonic() < ends_at_s, f"it never came true within {patience_s:.0f} s"
        time.sleep(LOOK_EVERY_S)
    return found


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# --- the project ---------------------------------------------------------------------------


class Project:
    def __init__(self, place: Path, *, portable: bool) -> None:
        self.portable = portable
        self.root = place / "project"
        self.scripts = place / "scripts"
        self.home = place / "home"
        for path in (self.root, self.scripts, self.home):
            path.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            **({"TOPKICK_PORTABLE": "1"} if portable else {}),
        }
        self._started: list[subprocess.Popen[str]] = []
        self._gates: list[int] = []

    # -- making it

    def make(
        self,
        text: str,
        *,
        limits: Mapping[str, Any] | None = None,
        agent: Mapping[str, Any] | None = None,
        verify: Mapping[str, Any] | None = None,
        top: Mapping[str, Any] | None = None,
    ) -> "Project":
        quick = {"stop_grace_seconds": 0.5, "kill_grace_seconds": 0.5, "check_minutes": 0.3}
        tables = {
            "": {"agent": "scripted", "isolation": "shared", **(top or {})},
            "[agents.scripted]": {
                "command": self.agent_command(),
                "models": {"haiku": "haiku", "sonnet": "sonnet", "opus": "opus"},
                **(agent or {}),
            },
            "[limits]": {**quick, **(limits or {})},
            "[verify]": verify or {},
        }
        (self.root / "EXECUTION_PLAN.md").write_text(text)
        (self.root / "topkick.toml").write_text(_toml(tables))
        for words in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Story"),
            ("config", "user.email", "story@localhost"),
            ("add", "."),
            ("commit", "-q", "-m", "The plan"),
        ):
            self.git(*words)
        return self

    def agent_command(self, *more: str) -> list[str]:
        words = [sys.executable, "-I", "-S", str(AGENT), str(self.scripts), "{project}", "{run_id}"]
        return [*words, *more]

    def configure(self, before: str, after: str) -> None:
        path = self.root / "topkick.toml"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def script(self, order: str, directions: str) -> None:
        """Set what the agent does for `unit.sprint`, or for its nth order: `unit.sprint.n`."""
        (self.scripts / order).write_text(directions)

    def let_go(self, gate: str) -> None:
        """Open a gate for all who wait there or ever will."""
        path = self.scripts / gate
        with suppress(FileExistsError):
            os.mkfifo(path)
        self._gates.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self.env, capture_output=True, text=True, check=True
        )
        return done.stdout

    # -- driving it

    def run(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "topkick", *words],
            cwd=cwd or self.root,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def shell(self, text: str) -> subprocess.CompletedProcess[str]:
        """Run a shell line in which `{topkick}` stands for the program."""
        program = f"{shlex.quote(sys.executable)} -m topkick"
        return subprocess.run(
            ["/bin/sh", "-c", text.replace("{topkick}", program)],
            cwd=self.root,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def says(self, *words: str, code: int = 0) -> str:
        """Run a command that must end with this code; all that it printed."""
        done = self.run(*words)
        said = done.stdout + done.stderr
        assert done.returncode == code, f"topkick {' '.join(words)}: {done.returncode}\n{said}"
        return said

    def start_in_background(self, *words: str) -> None:
        said = self.says("start", "--yes", *words)
        assert "Running in the background" in said

    def begin(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a command that stays, such as a supervisor in the foreground."""
        process = subprocess.Popen(
            [sys.executable, "-m", "topkick", *words],
            cwd=self.root,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._started.append(process)
        return process

    def end_of(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        said, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, said

    def die(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait()

    # -- looking at it

    @property
    def place(self) -> Any:
        return find_project(self.root)

    def status(self) -> Any:
        return json.loads(self.says("status", "--json"))

    def mission(self) -> Mission:
        place = self.place
        return replay(journal_records(place)) if place.journal_path.exists() else Mission()

    def happenings(self) -> list[h.Happening]:
        return [item.happening for item in journal_happenings(self.place)]

    def unit(self, name: str) -> Unit:
        return self.mission().units[name]

    def sprint(self, handle: str) -> Sprint:
        name, _, number = handle.partition("/")
        return self.mission().sprint(name, number)

    def state(self, name: str) -> str:
        """Return the state of a unit (`a`) or a sprint (`a/1`)."""
        mission = self.mission()
        if not mission.units:
            return ""
        unit_name, slash, number = name.partition("/")
        found = mission.units[unit_name]
        return (mission.sprint(unit_name, number).state if slash else found.state).value

    def overall(self) -> str:
        return overall(self.mission()).value

    def board(self) -> str:
        return (self.root / "SUPERVISOR_STATE.md").read_text()

    def supervisor(self) -> int | None:
        place = self.place
        who = holder(place.state_dir) if is_held(place.state_dir) else None
        return who.pid if who is not None else None

    def wait_for_rest(self) -> Mission:
        """Until the supervisor and everything that it started is gone."""
        wait_for(lambda: self.supervisor() is None and not self.processes())
        return self.mission()

    def starts(self) -> list[Start]:
        path = self.scripts / "starts"
        lines = path.read_text().splitlines() if path.exists() else []
        rows = [line.split(" ") for line in lines]
        return [Start(r[0], r[1], r[2], int(r[3]), r[4], int(r[5])) for r in rows]

    def trail(self) -> list[str]:
        path = self.scripts / "trail"
        return path.read_text().splitlines() if path.exists() else []

    def prompt(self, start: Start) -> str:
        return (self.scripts / f"prompt.{start.run_id}").read_text()

    def dispatches(self) -> list[h.RunDispatched]:
        return [x for x in self.happenings() if isinstance(x, h.RunDispatched)]

    def decisions(self) -> list[str]:
        return [f"{d.decision}: {d.rationale}" for d in self.mission().decisions]

    def picture(self) -> tuple[str, bytes, dict[str, bytes]]:
        """HEAD, the index, and every byte of the tree but for our own boards (K5)."""
        git = self.root / ".git"
        ours = ("SUPERVISOR_STATE.md", "COMPLETE_project.md", "ANALYSIS_REPORT.md")
        files = {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and git not in path.parents and path.name not in ours
        }
        return self.git("rev-parse", "HEAD"), (git / "index").read_bytes(), files

    def processes(self) -> list[psutil.Process]:
        """All that lives of this test: its HOME goes to everything that topkick starts."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                ours = process.environ().get("HOME") == str(self.home)
                if ours and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    # -- the end

    def close(self) -> list[str]:
        """Return the processes still alive some seconds after the story; there should be none."""
        left: list[psutil.Process] = []
        with suppress(AssertionError):
            wait_for(lambda: not self.processes(), patience_s=ENDING_S)
        left = self.processes()
        said = [_describe(process) for process in left]
        while left:
            for process in left:
                with suppress(psutil.Error):
                    process.send_signal(signal.SIGKILL)
            psutil.wait_procs(left, timeout=1)
            left = self.processes()
        for started in self._started:
            started.kill()
            started.communicate()
        for fd in self._gates:
            os.close(fd)
        return said


def _describe(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return f"{process.pid} {' '.join(process.cmdline())[:200]}"
    return str(process.pid)


def _toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    lines: list[str] = []
    for head, rows in tables.items():
        lines += [head, *(f"{key} = {_value(value)}" for key, value in rows.items()), ""]
    return "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return json.dumps(value)
