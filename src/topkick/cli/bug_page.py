"""The page for a bug in topkick itself: one paragraph, and a file with the details.

`main` installs `report` as the hook for exceptions that no command expects, so no `except` has to
catch everything. The stack is unwound by then: the terminal is back as it was, and a supervisor
in this process no longer holds the project.
"""

import os
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NoReturn

import click

from topkick import __version__

CRASHED = 70  # EX_SOFTWARE
INTERRUPTED = 130
FILES_KEPT = 20
PREFIX = "error-"


def report(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> NoReturn:
    """Print what happened, the state of the run and where the details are; exit with 70."""
    code = CRASHED
    if issubclass(kind, KeyboardInterrupt):
        code = INTERRUPTED
    else:
        with suppress(OSError, ValueError):  # stderr may be closed
            click.echo("\n".join(_lines(kind, error, where)), err=True)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _lines(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> list[str]:
    what = " ".join(f"{kind.__name__}: {error}".split())[:300]
    details = "".join(traceback.format_exception(kind, error, where))
    return [
        f"topkick has a bug: {_printable(what)}",
        _the_run(),
        _kept(details),
    ]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _the_run() -> str:
    """Describe the run with as little code as possible: the bug may be in what a command needs."""
    with suppress(Exception):
        from topkick.app.project import find_project
        from topkick.app.state_dir.lock import holder, is_held

        project = find_project()
        if is_held(project.state_dir):
            who = holder(project.state_dir)
            pid = f" (process {who.pid})" if who is not None else ""
            return (
                f"The run continues: its supervisor is another process{pid}. Look: topkick status"
            )
        if project.journal_path.exists():
            return (
                "No supervisor is running now; agents at work continue, and no record is lost. "
                "Continue: topkick resume    Look: topkick status"
            )
    return "No run was changed."


def _kept(details: str) -> str:
    please = "Please report it with that file. It names paths of this machine, so read it first."
    try:
        path = _write(_place(), details)
    except OSError as trouble:
        last = " ".join(details.strip().splitlines()[-3:-1]).split()
        return f"Details could not be written ({trouble.strerror}). The bug is at: {' '.join(last)}"
    return f"Details: {path}\n{please}"


def _place() -> Path:
    with suppress(Exception):
        from topkick.app.project import find_project

        project = find_project()
        if project.state_dir.is_dir():
            return project.state_dir
    given = os.environ.get("XDG_STATE_HOME")
    place = (Path(given) if given else Path.home() / ".local" / "state") / "topkick"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def _write(place: Path, details: str) -> Path:
    for old in sorted(place.glob(f"{PREFIX}*.txt"))[: -FILES_KEPT + 1]:
        with suppress(OSError):
            old.unlink()
    path = place / f"{PREFIX}{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    said = f"topkick {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n"
    command = " ".join(sys.argv[1:])
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{said}topkick {command}\n\n{details}")
    return path
