"""One try: a session with a request and a shutdown on its bus, and a judge that handles both."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import psutil

from proof.crash.points import traced
from topkick.engine.io.crash_points import AT, TRACE
from topkick.team.bus.model import Message, data_of
from topkick.team.bus.store import Bus
from topkick.team.run.judge_session import find_session

AGENT = Path(__file__).with_name("agent.py")
SHARED = Path("/dev/shm")
PATIENCE_S = 180.0
ORPHANS_S = 20.0
TASK = "CHECKPOINT-001"
REPORT = f"artifacts/{TASK}-report.md"
SPEC = f"""\
# Judge

## {TASK}: Brief

| Check | Kind | What | Group | Severity |
|---|---|---|---|---|
| artifact-exists | builtin | | process | normal |
| is-long | shell | `test -s spec/brief.md` | process | normal |
| is-short | shell | `false` | process | normal |
| is-clear | agent | Is the brief clear? | consistency | normal |
"""
BRIEF = "# Brief\n\n" + "It reads tokens, one after the other, and says where each begins.\n" * 4
WISDOM = "- Others know something, and left the line open"
SESSION = {
    "session_id": "night",
    "team_name": "owls",
    "requirement": "A lexer",
    "tasks": [{"id": "DRAFT-001", "status": "completed", "ref": "spec/brief.md"}],
}


@dataclass(frozen=True, slots=True)
class Try:
    """The directories. `call` is where strace kills a command (`write.3`), `name` is a crash
    point.
    """

    at: Path

    @property
    def root(self) -> Path:
        return self.at / "project"

    @property
    def session(self) -> Path:
        return self.root / "night"

    @property
    def notes(self) -> Path:
        return self.at / "notes"

    @property
    def bus(self) -> Bus:
        return Bus(self.session)

    def make(self) -> "Try":
        for path in (self.session / "spec", self.session / "wisdom", self.notes, self.at / "home"):
            path.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=self.root, check=True)
        command = json.dumps([sys.executable, "-I", "-S", str(AGENT), str(self.notes)])
        (self.root / "topkick.toml").write_text(
            f'agent = "scripted"\n[agents.scripted]\ncommand = {command}\n'
        )
        (self.root / "role.md").write_text(SPEC)
        (self.session / "team-session.json").write_text(json.dumps(SESSION))
        (self.session / "spec/brief.md").write_text(BRIEF)
        (self.session / "wisdom/issues.md").write_text(WISDOM)
        text = f"## Checkpoint Request\ntask_id: {TASK}\nscope: [DRAFT-001]\n"
        self.trace.touch()
        self._say("message", {"content": f"{text}pipeline_progress: 1/1 tasks completed"})
        self.wish_it_gone("first")
        return self

    def wish_it_gone(self, request_id: str) -> None:
        self._say("shutdown_request", {"request_id": request_id})

    def _say(self, type_: str, data: Mapping[str, object]) -> None:
        self.bus.post(Message("coordinator", "supervisor", type_, type_, data_of(data)))

    # --- running it --------------------------------------------------------------------------

    def serve(self, *words: str, name: str = "", call: str = "", counts: str = "") -> int:
        """Run the judge; `counts` is "names" or "calls", all of which are recorded."""
        argv = [sys.executable, "-m", "topkick", "checkpoint", "serve", "night"]
        argv += ["--role-spec", "role.md", *words]
        if call or counts == "calls":
            argv = traced(argv, self.log(words), call)
        named = {AT: name} if name else {}
        trace = {TRACE: str(self.trace)} if name or counts == "names" else {}
        return self._run(argv, {**named, **trace})

    @property
    def trace(self) -> Path:
        """The file of passed names, writable even from inside the sandbox."""
        slug = sha256(str(self.at).encode()).hexdigest()[:12]
        return SHARED / f"topkick-judge-{slug}" if SHARED.is_dir() else self.notes / "trace"

    def passed(self) -> list[str]:
        return self.trace.read_text().split()

    def _run(self, argv: Sequence[str], more: Mapping[str, str]) -> int:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.at / "home"), "LANG": "C.UTF-8"}
        with (self.notes / "said").open("a") as said:
            done = subprocess.run(
                argv,
                cwd=self.root,
                env={**env, **more},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                timeout=PATIENCE_S,
                check=False,
            )
        return done.returncode

    def log(self, words: Sequence[str] = ()) -> Path:
        return self.notes / f"calls{''.join(words)}"

    def lose_journal(self) -> None:
        """Delete the journal, and all else that is known outside the session."""
        shutil.rmtree(find_session(self.session).state_dir, ignore_errors=True)

    def has_journal(self) -> bool:
        return find_session(self.session).journal_path.exists()

    def remove(self) -> None:
        self.trace.unlink(missing_ok=True)
        shutil.rmtree(self.at)

    def left_alive(self) -> list[str]:
        """Return what is still alive of this try after a while; its HOME marks all its
        processes.
        """
        give_up_at_s = time.monotonic() + ORPHANS_S
        while (found := [*self._alive()]) and time.monotonic() < give_up_at_s:
            time.sleep(0.1)
        return found

    def _alive(self) -> Iterator[str]:
        mark = str(self.at / "home")
        for process in psutil.process_iter():
            try:
                if process.environ().get("HOME") == mark:
                    yield " ".join(process.cmdline())[:200]
            except psutil.Error:
                continue
