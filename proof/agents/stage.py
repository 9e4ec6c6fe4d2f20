"""One run of a real program with its own home and repository, and its result."""

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from proof.agents.cases import BUSY_PROMPT, Case
from proof.agents.programs import CHOOSE_CONVERSATION, COMMANDS, Command, Run
from topkick.fake_model import ModelServer

LONGEST_S = 120
PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Recording:
    """The result; `how` is exited, signaled, or stopped by the harness."""

    command: Command
    how: str
    code: int | None
    signal: int | None
    stdout: str
    stderr: str
    wall_s: float
    requests: int
    commits: int
    started_at: int


class Stage:
    def __init__(self, place: Path, kind: str, program: str, server: ModelServer) -> None:
        self.home, self.repo = place / "home", place / "repo"
        self._kind, self._program, self._server = kind, program, server
        (self.home / "tmp").mkdir(parents=True)
        self.repo.mkdir()
        self._git("init", "-q", "-b", "main")
        self._git("config", "user.name", "Rehearsal")
        self._git("config", "user.email", "rehearsal@example.invalid")
        self._git("commit", "-q", "--allow-empty", "-m", "start")

    def record(self, case: Case) -> Recording:
        conversation = self._earlier(case)
        return self._run(case, conversation or str(uuid.uuid4()), bool(conversation))

    def _earlier(self, case: Case) -> str:
        """Return the conversation that the case resumes, from a first run if necessary."""
        first = {
            "happy": Case("first", ""),
            "busy": Case("first", "", prompt=BUSY_PROMPT, signal="SIGKILL"),
        }.get(case.resumes)
        if first is None:
            return case.resumes
        made = str(uuid.uuid4())
        said = self._run(first, made, False).stdout
        return made if self._kind in CHOOSE_CONVERSATION else _conversation_of(said)

    def _run(self, case: Case, conversation: str, resumes: bool) -> Recording:
        run = f"{self._kind}-{uuid.uuid4().hex[:8]}"
        url = self._server.base_url(case.scenario, run)
        command = COMMANDS[self._kind](
            Run(self._program, case, url, str(self.home), conversation, resumes)
        )
        for name, text in command.files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        before = self._commits()
        (self.repo / "tool.pid").unlink(missing_ok=True)
        began, started_at = time.monotonic(), int(time.time())
        out, err = self.home / "stdout", self.home / "stderr"
        (self.home / "stdin").write_text(command.stdin, "utf-8")
        with (
            (self.home / "stdin").open("rb") as stdin,
            out.open("wb") as stdout,
            err.open("wb") as stderr,
        ):
            process = subprocess.Popen(
                command.argv,
                cwd=self.repo,
                env=command.env,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            stopped = self._see_through(process, case, run)
        wall_s = time.monotonic() - began
        self._clear_tool()
        code = process.returncode
        return Recording(
            command,
            "stopped" if stopped else "signaled" if code < 0 else "exited",
            code if code >= 0 else None,
            -code if code < 0 else None,
            out.read_text("utf-8"),
            err.read_text("utf-8"),
            round(wall_s, 1),
            len(self._server.requests(run)),
            self._commits() - before,
            started_at,
        )

    def _see_through(self, process: "subprocess.Popen[bytes]", case: Case, run: str) -> bool:
        """Wait for the end; return True if the program had to be stopped."""
        try:
            if case.signal:
                ready = self._tool_runs if not case.waiting else lambda: self._asked(run)
                _until(lambda: ready() or process.poll() is not None)
                process.send_signal(signal.Signals[case.signal])
            process.wait(case.stop_after_s or LONGEST_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT if self._kind == "codex" else signal.SIGTERM)
            process.wait(PATIENCE_S)
            return True
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        return False

    def _tool_runs(self) -> bool:
        return self._tool_pid() is not None

    def _tool_pid(self) -> int | None:
        path = self.repo / "tool.pid"
        text = path.read_text("ascii") if path.exists() else ""
        return int(text) if text.endswith("\n") else None

    def _asked(self, run: str) -> bool:
        return bool(self._server.requests(run))

    def _clear_tool(self) -> None:
        """End what a killed program leaves behind; the tool's shell has become the tool."""
        pid = self._tool_pid()
        if pid is None:
            return
        try:
            if b"time.sleep" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass

    def _git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.repo, check=True, capture_output=True, text=True
        )
        return done.stdout

    def _commits(self) -> int:
        return int(self._git("rev-list", "--count", "HEAD"))


def unknown_events(happy: Recording) -> Recording:
    """Return what a later version may print: new kinds, new fields, and lines that are not JSON."""
    lines = happy.stdout.splitlines()
    first = {**json.loads(lines[0]), "field_of_tomorrow": {"deep": [1, 2]}}
    strange = ['{"type":"event.of.tomorrow","payload":{"a":1}}', "not JSON at all", "[1,2]", "7"]
    text = "\n".join([json.dumps(first), *strange, *lines[1:]])
    return replace(happy, stdout=f"{text}\n")


def _conversation_of(said: str) -> str:
    for line in said.splitlines():
        event = json.loads(line)
        if name := event.get("thread_id") or event.get("sessionID"):
            return str(name)
    raise RuntimeError("the first run named no conversation")


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > deadline:
            raise RuntimeError("the program never came to the point")
        time.sleep(0.05)
