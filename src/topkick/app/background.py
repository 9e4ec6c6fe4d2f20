"""Run a supervisor that outlives the terminal: detached, restarted when it crashes, kept awake."""

import os
import shutil
import signal
import subprocess
import sys
import time
from types import FrameType

from topkick.app.clock import now_us
from topkick.app.project import Project
from topkick.app.state_dir.lock import holder, is_held
from topkick.app.state_dir.restart_notice import RestartNotice, announce, respawner_at_work
from topkick.app.state_dir.supervisor_deaths import SupervisorDeaths, keep_deaths, read_deaths
from topkick.engine.errors import TopkickError
from topkick.engine.io.files import open_log, read_end

BEGIN_LIMIT_S = 15.0
CRASHED = 70
LEFT = 6
LOG_SHOWN_BYTES = 2_000


def _argv(project: Project, *more: str) -> list[str]:
    return [sys.executable, "-m", "topkick", "supervise", str(project.plan_path), *more]


def drive_in_background(project: Project) -> int:
    """Return the pid of the supervisor once it holds the project."""
    with open_log(project.log_path) as log:
        process = subprocess.Popen(
            _argv(project, "--respawn"),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=project.root,
            start_new_session=True,
        )
    ends_at_s = time.monotonic() + BEGIN_LIMIT_S
    while time.monotonic() < ends_at_s:
        who = holder(project.state_dir) if is_held(project.state_dir) else None
        if who is not None:
            return who.pid
        code = process.poll()
        if code in {0, 3, 6}:
            return process.pid
        if code is not None:
            raise TopkickError(
                f"The supervisor ended while it started (exit code {code}), so nothing runs.\n"
                f"{_log_tail(project)}\nFix the cause, then type the command again."
            )
        time.sleep(0.02)
    raise TopkickError(
        f"The supervisor did not start within {BEGIN_LIMIT_S:.0f} s. It may still do so; "
        f"look: topkick status\n{_log_tail(project)}"
    )


def _log_tail(project: Project) -> str:
    try:
        data = read_end(project.log_path, LOG_SHOWN_BYTES)
    except OSError:
        return ""
    return f"Its log ({project.log_path}) ends with:\n{data.decode('utf-8', 'replace').strip()}"


def is_death(code: int) -> bool:
    """Return whether the code means a signal, a crash, or an installation that cannot be loaded
    (1).

    All other codes are ends that another start would only repeat: the run is over, or the user must
    act (exit-codes.md).
    """
    return code < 0 or code in (1, CRASHED)


def respawn(project: Project) -> int:
    """Restart the supervisor whenever it dies, until it ends by itself."""
    with respawner_at_work(project.state_dir):
        return _respawn(project)


def _respawn(project: Project) -> int:
    deaths = SupervisorDeaths()
    while True:
        began_us = now_us()
        pid, code = _run_once(project)
        if not is_death(code):
            return code
        died_at_us = now_us()
        deaths = max(deaths, read_deaths(project.state_dir), key=lambda d: d.total)
        deaths = deaths.and_of(pid, began_us, died_at_us, _how(code))
        keep_deaths(project.state_dir, deaths)
        again_at_us = died_at_us + round(deaths.rest_s * 1e6)
        announce(project.state_dir, RestartNotice(again_at_us, deaths.died, deaths.total))
        time.sleep(deaths.rest_s)  # SIGTERM ends the sleep and this process
        keep_deaths(project.state_dir, deaths)  # there may have been no room for it before


def _how(code: int) -> str:
    if code >= 0:
        return f"ended by a crash (code {code}, see supervisor.log)"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _run_once(project: Project) -> tuple[int, int]:
    """Run a supervisor to its end; return its pid, or 0 if none could be started, and its code."""
    try:
        process = subprocess.Popen(_argv(project), stdin=subprocess.DEVNULL)
    except OSError:  # the system has no room for another process now
        return 0, CRASHED
    asked = False

    def pass_on(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        process.send_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, pass_on)
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
    return process.pid, LEFT if asked else code


def hold_off_sleep() -> subprocess.Popen[bytes] | None:
    """Keep the machine awake while this process lives, where there is a program for that."""
    if inhibit := shutil.which("systemd-inhibit"):
        words = [
            inhibit,
            "--what=idle:sleep",
            "--who=topkick",
            "--why=AI agents are working",
            "cat",
        ]
    elif caffeinate := shutil.which("caffeinate"):
        words = [caffeinate, "-i", "-w", str(os.getpid())]
    else:
        return None
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
