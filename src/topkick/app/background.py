"""Start a supervisor that outlives the terminal, and wait until it holds the project."""

import subprocess
import sys
import time

from topkick.app.project import Project
from topkick.app.state_dir.lock import holder, is_held
from topkick.engine.errors import TopkickError
from topkick.engine.io.files import open_log, read_end

BEGIN_LIMIT_S = 15.0
LOG_SHOWN_BYTES = 2_000


def supervisor_command(project: Project, *more: str) -> list[str]:
    """Return the command that runs the supervisor of this project."""
    return [sys.executable, "-m", "topkick", "supervise", str(project.plan_path), *more]


def drive_in_background(project: Project) -> int:
    """Return the pid of the supervisor once it holds the project."""
    with open_log(project.log_path) as log:
        process = subprocess.Popen(
            supervisor_command(project, "--respawn"),
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
