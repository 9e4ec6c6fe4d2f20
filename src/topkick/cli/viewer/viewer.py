"""The viewer: follows a run on a live screen. Leaving it never stops the run; `s` asks to."""

import os
import select
import signal
import sys
import termios
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
from rich.console import Console, Group
from rich.live import Live

from topkick.app.agents.tail import Ears
from topkick.app.project import Project
from topkick.app.run import exit_code
from topkick.app.run_search import run_here
from topkick.app.run_view import Follow, View, take_a_look
from topkick.app.send_command import tell
from topkick.cli import terminal
from topkick.cli.launch import stop_command, watch_command
from topkick.cli.run_end import say_ending
from topkick.cli.viewer import page as viewer_page
from topkick.cli.viewer.page import StopQuestion
from topkick.engine import messages as h
from topkick.engine.errors import TopkickError, UsageError
from topkick.sprint import status
from topkick.sprint.model import Overall
from topkick.sprint.views import event_log

INTERRUPT = "\x03"
LEAVE = "leave"
ENDED_BY = {signal.SIGTERM: LEAVE, signal.SIGHUP: LEAVE, signal.SIGINT: INTERRUPT}


class Keys:
    """The keyboard. `read` waits up to a time limit and returns the pressed keys, also Ctrl-C."""

    def __init__(self, wake: int) -> None:
        self._wake = wake
        self._stdin = sys.stdin.fileno()
        self.signals: list[str] = []

    def read(self, timeout_s: float) -> list[str]:
        ready, _, _ = select.select([self._stdin, self._wake], [], [], timeout_s)
        pressed: list[str] = []
        if self._wake in ready:
            os.read(self._wake, 512)
        if self._stdin in ready:
            data = os.read(self._stdin, 64)
            pressed += list(data.decode("ascii", "ignore")) if data else [LEAVE]
        caught, self.signals = self.signals, []
        return [*caught, *pressed]


@contextmanager
def listening() -> Iterator[Keys]:
    """Read single keys without echo; Ctrl-C arrives as a key, not as a signal."""
    out_fd, in_fd = os.pipe()
    os.set_blocking(in_fd, False)
    keys = Keys(out_fd)
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)

    def caught(number: int, _frame: FrameType | None) -> None:
        keys.signals.append(ENDED_BY[signal.Signals(number)])

    handlers = {number: signal.signal(number, caught) for number in ENDED_BY}
    wake_before = signal.set_wakeup_fd(in_fd, warn_on_full_buffer=False)
    try:
        _quiet(stdin)
        yield keys
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)
        signal.set_wakeup_fd(wake_before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(out_fd)
        os.close(in_fd)


def _quiet(stdin: int) -> None:
    mode = termios.tcgetattr(stdin)
    mode[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
    termios.tcsetattr(stdin, termios.TCSADRAIN, mode)


LOOK_EVERY_S = 0.25
RESPAWN_PATIENCE_S = 3.0
EVENTS_KEPT = 200
EVENTS_AT_THE_END = 5
ANSWER_LIMIT_S = 2.0
LEAVING = {LEAVE, INTERRUPT, *"dDqQ"}


def watch(project: Project) -> int:
    """Follow the run until it ends or the user leaves; return the exit code of the run."""
    if not project.journal_path.exists():
        raise UsageError("There is no run here yet. Begin one: topkick start")
    session = _Session(project)
    try:
        return session.on_screen() if terminal.is_there() else session.line_by_line()
    finally:
        session.close()


class _Session:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._follow = Follow(project)
        self._ears = Ears(project)
        self._events: deque[str] = deque(maxlen=EVENTS_KEPT)
        self._tell: Callable[[str], None] = self._events.append
        self._alone_since_s: float | None = None
        self._asks: StopQuestion | None = None

    def close(self) -> None:
        self._follow.close()

    # --- with a screen ---------------------------------------------------------------------

    def on_screen(self) -> int:
        console = Console(highlight=False)
        left = False
        with (
            listening() as keyboard,
            Live(console=console, screen=True, auto_refresh=False) as live,
        ):
            while not left:
                view = self._look()
                if self._is_over(view):
                    break
                live.update(self._page(view, console), refresh=True)
                left = any(self._obey(key) for key in keyboard.read(LOOK_EVERY_S))
        return self._leave() if left else self._end()

    def _page(self, view: View, console: Console) -> Group:
        width, height = console.size
        doing = {} if view.copied_from is not None else self._ears.doing(view.mission)
        where = terminal.situation(view, doing)
        events = tuple(self._events)
        return viewer_page.page(view, events, width, height, asks=self._asks, where=where)

    def _obey(self, key: str) -> bool:
        """Return True when the user leaves. Stop the run only after a question and a yes."""
        if key in LEAVING:
            return True
        asked, self._asks = self._asks, None
        if key in {"s", "S"}:
            draining = status.overall(self._follow.mission) is Overall.STOPPING
            self._asks = StopQuestion.NOW if asked is not None or draining else StopQuestion.DRAIN
        elif key in {"y", "Y"} and asked is not None:
            self._stop(h.Stop(force=asked is StopQuestion.NOW))
        return False

    def _stop(self, order: h.Stop) -> None:
        try:
            told = tell(self._project, order, wait_s=ANSWER_LIMIT_S)
        except TopkickError as trouble:
            self._events.extend(str(trouble).split("\n"))
            return
        if not told.accepted:
            self._events.extend(told.answer.split("\n"))

    def _leave(self) -> int:
        """Print the state of the run, read anew: Ctrl-C may have interrupted a reading."""
        again = f"Follow: {watch_command(self._project)}"
        view = take_a_look(self._project)
        match status.overall(view.mission) if view is not None else None:
            case Overall.RUNNING:
                stop = f"Stop: {stop_command(self._project)}"
                terminal.say(f"The run continues. {stop}    {again}")
            case Overall.STOPPING:
                terminal.say(f"The run stops when the agents at work are done. {again}")
            case _:
                terminal.say("The run has ended. Look: topkick status")
        return 0

    # --- without a screen ----------------------------------------------------------------------

    def line_by_line(self) -> int:
        """Print every event into a pipe or a file, then the closing lines."""
        self._tell = terminal.say
        try:
            while not self._is_over(self._look()):
                time.sleep(LOOK_EVERY_S)
            return self._end()
        except KeyboardInterrupt:
            return self._leave()

    # --- with and without a screen -------------------------------------------------------------

    def _look(self) -> View:
        offset_s = terminal.utc_offset_s()
        for item in self._follow.news():
            line = event_log.tell(self._follow.mission, item.happening, item.at_us, offset_s)
            if line is not None:
                self._tell(line)
        return self._follow.view()

    def _is_over(self, view: View) -> bool:
        """Return whether the run has ended; the respawner restarts a supervisor that crashed."""
        if view.holder is not None or view.restart is not None:
            self._alone_since_s = None
            return False
        if status.overall(view.mission) not in {Overall.RUNNING, Overall.STOPPING}:
            return True
        now_s = time.monotonic()
        if self._alone_since_s is None:
            self._alone_since_s = now_s
        return now_s - self._alone_since_s > RESPAWN_PATIENCE_S

    def _end(self) -> int:
        view = self._look()
        for line in list(self._events)[-EVENTS_AT_THE_END:]:
            terminal.say(line)
        say_ending(self._project, view)
        return exit_code(view.mission)


# --- the command ---------------------------------------------------------------------------------


@click.command("watch")
@click.argument("file", required=False, type=click.Path(path_type=Path))
def command(file: Path | None) -> int:
    """Follow the run: table and last events. Ctrl-C leaves, `s` asks to stop the run.

    FILE is the plan or board of the run; without it, the plan of this directory.

    \b
    Example: topkick watch tasks/0-kanban-lexer.md
    """
    project = run_here(file)
    if take_a_look(project) is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    return watch(project)
