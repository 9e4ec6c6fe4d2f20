"""A throw-away project in which topkick drives a real program against the scripted model."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proof.agents.programs import DUMMY_KEY
from topkick.fake_model import ModelServer

PATIENCE_S = 90
LOOK_S = 0.1
TOPKICK = (sys.executable, "-m", "topkick")
CLAUDE_MODELS = {"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-4-5"}


ENDED_BY_US = {"the limit of turns was reached": "turn limit"}


class Stuck(AssertionError):
    """Something that should have happened did not, within the time limit."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The settings of a case that differ in topkick.toml."""

    scenario: str = "happy"
    agent: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    key: str = "ANTHROPIC_API_KEY"
    isolation: str = "shared"


class Project:
    def __init__(
        self, place: Path, kind: str, program: str, server: ModelServer, plan: str, wishes: Wishes
    ) -> None:
        self.root, self.home = place / "project", place / "home"
        self.run_name = f"{kind}-{uuid.uuid4().hex[:8]}"
        self._server = server
        (self.home / "tmp").mkdir(parents=True)
        self.root.mkdir()
        url = server.base_url(wishes.scenario, self.run_name)
        self._env = _environment(kind, url, self.home, wishes)
        (self.root / "EXECUTION_PLAN.md").write_text(plan, "utf-8")
        (self.root / "topkick.toml").write_text(_config(kind, program, url, wishes), "utf-8")
        for words in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Rehearsal"),
            ("config", "user.email", "rehearsal@example.invalid"),
            ("add", "-A"),
            ("commit", "-q", "-m", "start"),
        ):
            self.git(*words)

    # --- commands ----------------------------------------------------------------------------

    def topkick(self, *words: str, code: int | None = 0) -> str:
        done = subprocess.run(
            [*TOPKICK, *words],
            cwd=self.root,
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        said = done.stdout + done.stderr
        assert code is None or done.returncode == code, f"{words} ended with {said}"
        return said

    def begin(self, *words: str) -> "subprocess.Popen[bytes]":
        log = (self.home / "supervisor.log").open("ab")
        with log:
            return subprocess.Popen(
                [*TOPKICK, *words],
                cwd=self.root,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def plays(self, role: str, steps: Sequence[Mapping[str, object]]) -> None:
        """Write the prompt of a role, with the scripted model's steps for it."""
        text = f"You are the {role}.\n\nREHEARSE: {json.dumps(steps)}\n"
        (self.root / f"{role}.md").write_text(text)

    # --- records -----------------------------------------------------------------------------

    def rows(self, kind: str) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        states = self.root / ".git" / "topkick"  # next to journals, agents create and delete files
        for journal in sorted(states.glob("*/current/journal.db")):
            with (
                suppress(sqlite3.OperationalError),
                closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True)) as db,
            ):
                query = "SELECT body FROM records WHERE kind = ? ORDER BY seq"
                found += [json.loads(body) for (body,) in db.execute(query, (kind,))]
        return found

    def reports(self) -> list[Mapping[str, Any]]:
        evidence = [row["evidence"] for row in self.rows("WorkChecked")]
        return [e["report"] for e in evidence if "report" in e]

    def conclusion(self) -> str:
        """Return the conclusion of the first order: how topkick ended it, or its program's
        report.
        """
        ended = [row["why"] for row in self.rows("RunCancelled")]
        if ended and ended[0] in ENDED_BY_US:
            return ENDED_BY_US[ended[0]]
        reports = self.reports()
        return reports[0]["conclusion"] if reports else "none, nothing is left"

    def charged(self) -> int:
        return sum(bool(row.get("charged")) for row in self.rows("SprintJudged"))

    def completed(self) -> int:
        return sum(row["now"] == "COMPLETED" for row in self.rows("SprintMoved"))

    def orders(self) -> int:
        return len(self.rows("RunDispatched"))

    def requests(self) -> Sequence[Any]:
        return self._server.requests(self.run_name)

    # --- waiting and clearing up -------------------------------------------------------------

    def until(self, true: Callable[[], object], what: str) -> None:
        ends_at_s = time.monotonic() + PATIENCE_S
        while not true():
            if time.monotonic() > ends_at_s:
                raise Stuck(f"never: {what}\n{self.log()}")
            time.sleep(LOOK_S)

    def log(self) -> str:
        path = self.home / "supervisor.log"
        return path.read_text("utf-8", "replace")[-2000:] if path.exists() else ""

    def tool_pids(self) -> list[int]:
        """Return the pids that tools of a script wrote next to the work."""
        texts = [path.read_text() for path in self.root.glob("*.pid")]
        return [int(text) for text in texts if text.endswith("\n")]

    def living(self) -> set[int]:
        """Return processes with the mark of an order of this project."""
        return {pid for pid in _pids() if str(self.root).encode() in _environ(pid)}

    def clear(self) -> None:
        if (self.root / ".git" / "topkick").exists():
            self.topkick("killall", code=None)
        for pid in self.living():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _environ(pid: int) -> bytes:
    """Return the environment of a process; agents' processes have TOPKICK_PLAN, which names the
    project.
    """
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return b""
    return next((w for w in words if w.startswith(b"TOPKICK_PLAN=")), b"")


def _environment(kind: str, url: str, home: Path, wishes: Wishes) -> dict[str, str]:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    if kind == "claude":
        env |= {"ANTHROPIC_BASE_URL": url, wishes.key: DUMMY_KEY}
    else:
        env |= {"SCRIPTED_KEY": DUMMY_KEY}
    return {**env, **wishes.env}


def _config(kind: str, program: str, url: str, wishes: Wishes) -> str:
    command = [program]
    if kind == "codex":
        provider = (
            f'{{name="scripted",base_url="{url}/v1",env_key="SCRIPTED_KEY",wire_api="responses",'
            "supports_websockets=false,request_max_retries=2,stream_max_retries=2}"
        )
        command += ["-c", 'model_provider="scripted"']
        command += ["-c", f"model_providers.scripted={provider}"]
    models = CLAUDE_MODELS if kind == "claude" else dict.fromkeys(("haiku", "sonnet"), "gpt-5.5")
    names = ["ANTHROPIC_BASE_URL", wishes.key] if kind == "claude" else ["SCRIPTED_KEY"]
    agent = {
        "adapter": kind,
        "command": command,
        "models": {**models, "opus": models["sonnet"]},
        "pass_env": names,
        **wishes.agent,
    }
    limits = {"stall_poll_seconds": 20, "stop_grace_seconds": 5, **wishes.limits}
    return "\n".join(
        [
            f'agent = "{kind}"',
            f'isolation = "{wishes.isolation}"',
            f"[agents.{kind}]",
            *(f"{key} = {_toml(value)}" for key, value in agent.items()),
            "[limits]",
            *(f"{key} = {_toml(value)}" for key, value in limits.items()),
        ]
    )


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
