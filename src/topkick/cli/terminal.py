"""The terminal: whether there is one, its width, the local time zone, and printing."""

import shutil
import sys
import time
from collections.abc import Mapping
from typing import TextIO

import click

from topkick.app.run_view import View
from topkick.sprint.views.status import Restart, Situation

WIDTH_WITHOUT_TERMINAL = 100


def is_there() -> bool:
    """Return whether a user sees a question and can answer it."""
    return _is_a_terminal(sys.stdin) and _is_a_terminal(sys.stdout)


def is_shown() -> bool:
    """Return whether the output goes to a screen, not to a program or a file."""
    return _is_a_terminal(sys.stdout)


def _is_a_terminal(stream: TextIO | None) -> bool:
    """Return whether the stream is a terminal; a closed stream is None."""
    return stream is not None and stream.isatty()


def width() -> int:
    if not _is_a_terminal(sys.stdout):
        return WIDTH_WITHOUT_TERMINAL
    return shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns


def utc_offset_s() -> int:
    return time.localtime().tm_gmtoff


def say(line: str) -> None:
    """Print a line and flush it, also into a pipe or a log."""
    click.echo(line)
    if sys.stdout is not None:
        sys.stdout.flush()


def situation(view: View, doing: Mapping[str, str] | None = None) -> Situation:
    """Return what status pages show; `doing` is the last event of each agent, by its run id."""
    pid = view.holder.pid if view.holder is not None else None
    restart = None
    if view.restart is not None:
        restart = Restart(view.restart.at_us, view.restart.died, view.restart.deaths)
    return Situation(view.now_us, pid, view.live_agents, utc_offset_s(), doing or {}, restart)
