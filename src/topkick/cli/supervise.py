"""`topkick supervise`: the supervisor in the background, started by start and resume."""

import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import NoReturn

import click

from topkick.app.respawn import CRASHED, respawn
from topkick.app.run import drive
from topkick.app.run_search import find_run
from topkick.cli import terminal
from topkick.engine.errors import JournalUnavailable


@click.command("supervise", hidden=True)
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--respawn", "watched", is_flag=True, help="Restart it after a crash.")
def command(plan: Path, watched: bool) -> int:
    """Run as the supervisor of this plan until the run ends.

    \b
    Example: topkick supervise EXECUTION_PLAN.md
    """
    project = find_run(plan)
    sys.excepthook = _crash
    if not watched:
        try:
            return drive(project, say=terminal.say, background=True)
        except (OSError, JournalUnavailable):  # the cause may go away: let the respawner retry
            _crash(*sys.exc_info())
    awake = _hold_off_sleep()
    try:
        return respawn(project)
    finally:
        if awake is not None:
            awake.terminate()


def _hold_off_sleep() -> subprocess.Popen[bytes] | None:
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


def _crash(
    kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
) -> NoReturn:
    """Exit with a code of its own, by which the respawner recognises a crash."""
    traceback.print_exception(kind, error, where)
    sys.stderr.flush()
    os._exit(CRASHED)
