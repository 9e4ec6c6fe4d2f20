"""The viewer: follows a run on a screen of its own; Ctrl-C stops the run, `d` leaves it alone."""

import time
from collections import deque

from rich.console import Console, Group
from rich.live import Live

from topkick.boards import story
from topkick.core import happenings as h
from topkick.core import standing
from topkick.core.errors import TopkickError, UsageError
from topkick.core.fold import apply
from topkick.core.mission import Mission, Overall
from topkick.faces import keys, terminal, viewer_page
from topkick.faces.ending import say_ending
from topkick.faces.launching import watch_command
from topkick.wiring.hearing import Ears
from topkick.wiring.looking import Follow, View
from topkick.wiring.project import Project
from topkick.wiring.running import exit_code
from topkick.wiring.talking import tell

LOOK_EVERY_S = 0.25
RESPAWN_PATIENCE_S = 3.0
EVENTS_KEPT = 200
EVENTS_AT_THE_END = 5
ANSWER_LIMIT_S = 2.0


def watch(project: Project, *, can_stop: bool = True) -> int:
    """Until the supervisor ends, or the person leaves; the exit code is the run's."""
    if not project.journal_path.exists():
        raise UsageError("There is no run here yet. Begin one: topkick start")
    session = _Session(project, can_stop=can_stop)
    try:
        return session.on_screen() if terminal.is_there() else session.line_by_line()
    finally:
        session.close()


class _Session:
    def __init__(self, project: Project, *, can_stop: bool) -> None:
        self._project = project
        self._can_stop = can_stop
        self._follow = Follow(project)
        self._ears = Ears(project)
        self._told = Mission()
        self._events: deque[str] = deque(maxlen=EVENTS_KEPT)
        self._alone_since_s: float | None = None
        self._asked_to_stop = False

    def close(self) -> None:
        self._follow.close()

    # --- with a screen ---------------------------------------------------------------------

    def on_screen(self) -> int:
        console = Console(highlight=False)
        left = False
        with (
            keys.listening() as keyboard,
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
        return viewer_page.page(view, events, width, height, can_stop=self._can_stop, where=where)

    def _obey(self, key: str) -> bool:
        """True when the person leaves."""
        if key == keys.INTERRUPT and self._can_stop:
            self._stop()
            return False
        return key in {keys.LEAVE, keys.INTERRUPT, "d", "D", "q", "Q"}

    def _stop(self) -> None:
        """The first stop drains; who asks again has seen that it does, and forces."""
        draining = standing.overall(self._follow.mission) is Overall.STOPPING
        order = h.Stop(force=self._asked_to_stop or draining)
        self._asked_to_stop = True
        try:
            told = tell(self._project, order, wait_s=ANSWER_LIMIT_S)
        except TopkickError as trouble:
            self._events.append(str(trouble))
            return
        if not told.accepted:
            self._events.append(told.answer)

    def _leave(self) -> int:
        again = f"{watch_command(self._project)} attaches again."
        match standing.overall(self._follow.mission):
            case Overall.RUNNING:
                terminal.say(f"Left running. {again}")
            case Overall.STOPPING:
                terminal.say(f"Left stopping: the run rests once these agents are done. {again}")
            case _:
                terminal.say("Over. Look: topkick status")
        return 0

    # --- without one -----------------------------------------------------------------------

    def line_by_line(self) -> int:
        """Into a pipe or a file: every event, then the closing lines."""
        while True:
            view = self._look()
            while self._events:
                terminal.say(self._events.popleft())
            if self._is_over(view):
                return self._end()
            time.sleep(LOOK_EVERY_S)

    # --- both ------------------------------------------------------------------------------

    def _look(self) -> View:
        offset_s = terminal.utc_offset_s()
        for item in self._follow.news():
            self._told = apply(self._told, item.happening, item.at_us)
            line = story.tell(self._told, item.happening, item.at_us, offset_s)
            if line is not None:
                self._events.append(line)
        return self._follow.view()

    def _is_over(self, view: View) -> bool:
        """A supervisor that crashed is started again within moments; that is no end."""
        if view.holder is not None:
            self._alone_since_s = None
            return False
        if standing.overall(view.mission) not in {Overall.RUNNING, Overall.STOPPING}:
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
