"""Supervisors that are already loaded and wait for a signal, so that they really collide.

Each is a forked process that becomes `topkick WORDS`. It records what it did to the world,
afterwards, in the observer's file: if two act, their lines interleave there.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from topkick.app.run import drive
from topkick.app.state_dir import lock
from topkick.cli import main
from topkick.engine.journal.writer import Journal
from topkick.runner.agent_executor import AgentBench
from topkick.sprint.commands import killall, resume, start, stop  # noqa: F401  loaded once

from .arena import Arena

DRIVE = "drive"
HARD_LIMIT_S = 120


class Entrant:
    def __init__(
        self, arena: Arena, words: tuple[str, ...], delay_s: float, line: int, *, planted: bool
    ) -> None:
        self.words = words
        self.code: int | None = None
        self.killed = False
        self._said = arena.home / f"said.{time.monotonic_ns()}"
        self.pid = os.fork()
        if self.pid == 0:
            _run(arena, words, delay_s, line, self._said, planted)

    @property
    def said(self) -> str:
        return self._said.read_text(errors="replace") if self._said.exists() else ""

    def look(self) -> bool:
        """Return whether it has ended."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code is not None

    def strike(self, number: int) -> None:
        if not self.look():
            self.killed = self.killed or number == signal.SIGKILL
            os.kill(self.pid, number)

    def end(self) -> None:
        if not self.look():
            os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
            self.code = os.waitstatus_to_exitcode(status)


def _run(
    arena: Arena, words: tuple[str, ...], delay_s: float, line: int, said: Path, planted: bool
) -> NoReturn:
    code = 99
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.alarm(HARD_LIMIT_S)
        _dress(arena, said)
        _observe(arena.acts_path)
        if planted:
            _plant()
        os.read(line, 1)  # the start signal: the other end is closed
        time.sleep(delay_s)
        code = _become(words)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001  the traceback is evidence
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


def _dress(arena: Arena, said: Path) -> None:
    os.setsid()
    os.environ.clear()
    os.environ.update(arena.env)
    os.chdir(arena.root)
    null = os.open(os.devnull, os.O_RDONLY)
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(null, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115


def _become(words: tuple[str, ...]) -> int:
    if words != (DRIVE,):
        return main.run(list(words))
    from topkick.app.project import find_project
    from topkick.cli import terminal
    from topkick.engine.errors import TopkickError

    try:
        return drive(find_project(), say=terminal.say)
    except TopkickError as mistake:
        print(mistake)
        return mistake.exit_code


_epochs = [0]
"""The names of this process: it may hold the project again later."""


def _observe(path: Path) -> None:
    note = _noter(path)
    _after(Journal, "append", note)
    _after(Journal, "begin_epoch", note)
    _after(AgentBench, "_run", note)
    _after(AgentBench, "_end", note)


def _noter(path: Path) -> Callable[[str], None]:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(what: str) -> None:
        who = f"{os.getpid()}/{_epochs[-1]}"
        os.write(fd, f"{time.monotonic_ns()} {who} {what}\n".encode())

    return note


def _after(owner: type, name: str, note: Callable[[str], None]) -> None:
    real = getattr(owner, name)

    def noted(self: Any, *words: Any, **more: Any) -> Any:
        answer = real(self, *words, **more)
        if name == "begin_epoch":
            _epochs.append(answer)
        note(name)
        return answer

    setattr(owner, name, noted)


def _plant() -> None:
    """Plant the negative control: no lock is taken and no epoch is checked."""
    lock._try_lock = lambda *_: True
    Journal._check_epoch = lambda _self: None  # type: ignore[method-assign]
    Journal._check_unchanged = lambda _self: None  # type: ignore[method-assign]
