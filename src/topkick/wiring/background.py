"""A supervisor that outlives the terminal: detached, respawned when it crashes, kept awake."""

import os
import shutil
import signal
import subprocess
import sys
import time
from types import FrameType

from topkick.core.errors import TopkickError
from topkick.outside.ground.files import open_log, read_end
from topkick.outside.lock import holder, is_held
from topkick.wiring.project import Project

BEGIN_LIMIT_S = 15.0
RESTS_S = (1.0, 10.0, 60.0)
RESPAWN_WINDOW_S = 600.0
CRASHED = 70
LOG_SHOWN_BYTES = 2_000


def _argv(project: Project, *more: str) -> list[str]:
    return [sys.executable, "-m", "topkick", "supervise", str(project.plan_path), *more]


def drive_in_background(project: Project) -> int:
    """The pid of the supervisor once it holds the project."""
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
            raise TopkickError(f"The supervisor did not come up ({code}).\n{_log_tail(project)}")
        time.sleep(0.02)
    raise TopkickError(
        f"The supervisor did not come up within {BEGIN_LIMIT_S:.0f} s.\n{_log_tail(project)}"
    )


def _log_tail(project: Project) -> str:
    try:
        data = read_end(project.log_path, LOG_SHOWN_BYTES)
    except OSError:
        return ""
    return f"Its log ({project.log_path}) ends with:\n{data.decode('utf-8', 'replace').strip()}"


def respawn(project: Project) -> int:
    """Start the supervisor again when it crashes: three times in ten minutes, then give up.

    Ever later, as what it died of may take its time to pass.
    """
    crashes: list[float] = []
    while True:
        try:
            code = _run_once(project)
        except OSError:  # no process to be had, just now
            code = CRASHED
        if code >= 0 and code != CRASHED:
            return code
        now_s = time.monotonic()
        crashes = [*(t for t in crashes if now_s - t < RESPAWN_WINDOW_S), now_s]
        if len(crashes) > len(RESTS_S):
            return CRASHED
        time.sleep(RESTS_S[len(crashes) - 1])  # SIGTERM ends it, and us


def _run_once(project: Project) -> int:
    process = subprocess.Popen(_argv(project), stdin=subprocess.DEVNULL)
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
    return 128 + signal.SIGTERM if asked else code


def hold_off_sleep() -> subprocess.Popen[bytes] | None:
    """Keep the machine awake while we live, where there is a program for that."""
    if inhibit := shutil.which("systemd-inhibit"):
        words = [inhibit, "--what=idle:sleep", "--who=topkick", "--why=agents are working", "cat"]
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
