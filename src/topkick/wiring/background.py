"""A supervisor that outlives the terminal: detached, respawned when it crashes, kept awake."""

import os
import shutil
import signal
import subprocess
import sys
import time
from types import FrameType

from topkick.core.errors import TopkickError
from topkick.core.wake_notices import Wake
from topkick.outside.ground.files import open_log, read_end
from topkick.outside.lock import holder, is_held
from topkick.outside.restart_notice import RestartNotice, announce, respawner_at_work
from topkick.wiring.project import Project
from topkick.wiring.world import now_us

BEGIN_LIMIT_S = 15.0
RESTS_S = (1.0, 10.0, 60.0, 300.0, 600.0)
GOOD_STRETCH_S = 600.0
CRASHED = 70
LEFT = 6
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


class Rests:
    """How long to wait before a dead supervisor is started again.

    Longer after each death, for what it died of may take its time to pass; never for ever, for
    nobody may be there until the morning. After a supervisor that lived long, from the beginning.
    """

    def __init__(self) -> None:
        self._in_a_row = 0

    def after(self, lived_s: float) -> float:
        self._in_a_row = 1 if lived_s >= GOOD_STRETCH_S else self._in_a_row + 1
        return RESTS_S[min(self._in_a_row, len(RESTS_S)) - 1]


def is_death(code: int) -> bool:
    """A signal, or a crash, or an installation that cannot be loaded (1: Python's own).

    All other codes are ends that another start would only repeat: the run is over, or it is for
    the user to mend (exit-codes.md).
    """
    return code < 0 or code in (1, CRASHED)


def respawn(project: Project) -> int:
    """Start the supervisor again whenever it dies, until it ends by itself."""
    with respawner_at_work(project.state_dir):
        return _respawn(project)


def _respawn(project: Project) -> int:
    rests, wake = Rests(), Wake()
    while True:
        began_s = time.monotonic()
        try:
            code = _run_once(project, wake)
        except OSError:  # no process to be had, just now
            code = CRASHED
        if not is_death(code):
            return code
        rest_s = rests.after(time.monotonic() - began_s)
        died_at_us = now_us()
        wake = Wake(died=_how(code), died_at_us=died_at_us, deaths=wake.deaths + 1)
        again_at_us = died_at_us + round(rest_s * 1e6)
        announce(project.state_dir, RestartNotice(again_at_us, wake.died, wake.deaths))
        time.sleep(rest_s)  # SIGTERM ends it, and us


def _how(code: int) -> str:
    if code >= 0:
        return f"ended by a crash (code {code}, see supervisor.log)"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _run_once(project: Project, wake: Wake) -> int:
    died = (f"--died={wake.died}", f"--died-at-us={wake.died_at_us}", f"--deaths={wake.deaths}")
    argv = _argv(project, *(died if wake.died else ()))
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
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
    return LEFT if asked else code


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
