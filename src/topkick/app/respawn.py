"""Restart the supervisor in the background whenever it dies, and rest longer after each death."""

import signal
import subprocess
import time
from types import FrameType

from topkick.app.background import supervisor_command
from topkick.app.clock import now_us
from topkick.app.project import Project
from topkick.app.state_dir.restart_notice import RestartNotice, announce, respawner_at_work
from topkick.app.state_dir.supervisor_deaths import SupervisorDeaths, keep_deaths, read_deaths

CRASHED = 70
LEFT = 6


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
        process = subprocess.Popen(supervisor_command(project), stdin=subprocess.DEVNULL)
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
