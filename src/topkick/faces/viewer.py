"""The viewer: follows a run on a screen of its own. Leaving it never stops the run; `s` asks to."""

import time
from collections import deque
from collections.abc import Callable

from rich.console import Console, Group
from rich.live import Live

from topkick.boards import story
from topkick.core import happenings as h
from topkick.core import standing
from topkick.core.errors import TopkickError, UsageError
from topkick.core.mission import Overall
from topkick.faces import keys, terminal, viewer_page
from topkick.faces.ending import say_ending
from topkick.faces.launching import stop_command, watch_command
from topkick.faces.viewer_page import Question
from topkick.wiring.hearing import Ears
from topkick.wiring.looking import Follow, View, take_a_look
from topkick.wiring.project import Project
from topkick.wiring.running import exit_code
from topkick.wiring.talking import tell

LOOK_EVERY_S = 0.25
RESPAWN_PATIENCE_S = 3.0
EVENTS_KEPT = 200
EVENTS_AT_THE_END = 5
ANSWER_LIMIT_S = 2.0
LEAVING = {keys.LEAVE, keys.INTERRUPT, *"dDqQ"}


def watch(project: Project) -> int:
    """Follow the run until it ends or the person leaves; the exit code is the run's."""
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
        self._asks: Question | None = None

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
        return viewer_page.page(view, events, width, height, asks=self._asks, where=where)

    def _obey(self, key: str) -> bool:
        """Return True when the person leaves. Nothing is stopped without a question and a yes."""
        if key in LEAVING:
            return True
        asked, self._asks = self._asks, None
        if key in {"s", "S"}:
            draining = standing.overall(self._follow.mission) is Overall.STOPPING
            self._asks = Question.NOW if asked is not None or draining else Question.DRAIN
        elif key in {"y", "Y"} and asked is not None:
            self._stop(h.Stop(force=asked is Question.NOW))
        return False

    def _stop(self, order: h.Stop) -> None:
        try:
            told = tell(self._project, order, wait_s=ANSWER_LIMIT_S)
        except TopkickError as trouble:
            self._events.append(str(trouble))
            return
        if not told.accepted:
            self._events.append(told.answer)

    def _leave(self) -> int:
        """Say how the run stands, read anew: Ctrl-C may have come in the middle of a look."""
        again = f"Watch: {watch_command(self._project)}"
        view = take_a_look(self._project)
        match standing.overall(view.mission) if view is not None else None:
            case Overall.RUNNING:
                stop = f"Stop it: {stop_command(self._project)}"
                terminal.say(f"The run goes on. {stop}    {again}")
            case Overall.STOPPING:
                terminal.say(f"The run stops once these agents are done. {again}")
            case _:
                terminal.say("The run is over. Look: topkick status")
        return 0

    # --- without one -----------------------------------------------------------------------

    def line_by_line(self) -> int:
        """Print every event into a pipe or a file, then the closing lines."""
        self._tell = terminal.say
        try:
            while not self._is_over(self._look()):
                time.sleep(LOOK_EVERY_S)
            return self._end()
        except KeyboardInterrupt:
            return self._leave()

    # --- both ------------------------------------------------------------------------------

    def _look(self) -> View:
        offset_s = terminal.utc_offset_s()
        for item in self._follow.news():
            line = story.tell(self._follow.mission, item.happening, item.at_us, offset_s)
            if line is not None:
                self._tell(line)
        return self._follow.view()

    def _is_over(self, view: View) -> bool:
        """A supervisor that crashed is started again, within moments or when it is due: no end."""
        if view.holder is not None or view.restart is not None:
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
