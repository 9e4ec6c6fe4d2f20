"""Pass every step on to the terminal and to the user's own hook."""

import json
import os
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import IO

from topkick.app.project import Project
from topkick.engine import messages as h
from topkick.engine.io import crash_points
from topkick.engine.loop import News
from topkick.engine.messages import CODEC
from topkick.runner.environment import allowed
from topkick.sprint.model import Mission
from topkick.sprint.views import event_log

# --- the user's command for events -------------------------------------------------------------
# Call it with each event as JSON, one at a time, without blocking the run.

QUEUE_LIMIT = 1_000
TIME_LIMIT_S = 30.0
LOOK_EVERY_S = 0.02


class EventHook:
    """Best effort: each event is passed on at most once, and a hook that hangs is killed."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self._command = list(command)
        self._env = dict(env)
        self._cwd = cwd
        self._queue: deque[str] = deque(maxlen=QUEUE_LIMIT)
        self._process: subprocess.Popen[bytes] | None = None
        self._ends_at_s = 0.0
        self.trouble = ""

    def put(self, line: str) -> None:
        if self._command:
            self._queue.append(line)
            self.turn()

    def turn(self) -> None:
        """Check the running hook, and start the next one."""
        if self._process is not None and self._process.poll() is None:
            if time.monotonic() < self._ends_at_s:
                return
            self._process.kill()
            self._process.wait()
            self.trouble = (
                f"the on_event command did not end within {TIME_LIMIT_S:.0f} s, so topkick ended it"
            )
        self._process = None
        if self._queue:
            self._begin(self._queue.popleft())

    def wake_in_s(self) -> float | None:
        return LOOK_EVERY_S if self._process is not None or self._queue else None

    def finish(self, within_s: float) -> None:
        """Pass on queued events for a moment before the supervisor ends."""
        ends_at_s = time.monotonic() + within_s
        while (self._queue or self._process is not None) and time.monotonic() < ends_at_s:
            self.turn()
            time.sleep(LOOK_EVERY_S)

    def _begin(self, line: str) -> None:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self._env,
                cwd=self._cwd,
                start_new_session=True,
            )
        except OSError as error:
            self.trouble = f"the on_event command cannot be started: {error}"
            self._queue.clear()
            return
        self._ends_at_s = time.monotonic() + TIME_LIMIT_S
        assert self._process.stdin is not None
        _hand_over(self._process.stdin, line)


def _hand_over(pipe: IO[bytes], line: str) -> None:
    """Write the event. It fits into the pipe's buffer, so a hook that does not read it does no
    harm.
    """
    try:
        pipe.write(line.encode("utf-8", "replace")[: 1 << 15] + b"\n")
        pipe.close()
    except OSError:
        return


HOOK_FAREWELL_S = 2.0
HOOK_LONGEST_BYTES = 1 << 15

Say = Callable[[str], None]


class StepListener:
    """Passes each step on to the terminal and to the user's hook; an executor without orders."""

    def __init__(self, project: Project, held: ExitStack, say: Say) -> None:
        self._project = project
        self._say = say
        self._hook: EventHook | None = None
        self._complaint = ""
        held.callback(self._farewell)

    def hear(self, news: News) -> None:
        crash_points.here("loop.written")
        self._hook_for(news.mission)
        for happening in (news.fact, *news.events):
            line = event_log.tell(news.mission, happening, news.at_us, _utc_offset_s(news.at_us))
            if line:
                self._say(line)
            if self._hook is not None:
                self._hook.put(_as_json(happening, news.at_us, line or ""))
        crash_points.here("loop.told")

    def complain(self, trouble: str) -> None:
        """Print each trouble once, however often it occurs."""
        if trouble != self._complaint:
            self._complaint = trouble
            self._say(trouble)

    def _hook_for(self, mission: Mission) -> None:
        """Set up the hook; only a driving supervisor calls it, others would only be delayed."""
        settings = mission.settings
        if settings is None or not settings.on_event or not mission.driven or self._hook:
            return
        env = {**allowed(os.environ), "TOPKICK_PROJECT": str(self._project.root)}
        self._hook = EventHook(settings.on_event, env, str(self._project.root))

    def takes(self, _order: h.Order) -> bool:
        return False

    def ensure(self, _order: h.Order) -> None:
        return

    def cancel(self, _order_id: str) -> None:
        return

    def live(self) -> frozenset[str]:
        return frozenset()

    def poll(self) -> tuple[h.Fact, ...]:
        if self._hook is not None:
            self._hook.turn()
        return ()

    def wake_in_s(self) -> float | None:
        return self._hook.wake_in_s() if self._hook is not None else None

    def _farewell(self) -> None:
        if self._hook is not None:
            self._hook.finish(HOOK_FAREWELL_S)
            if self._hook.trouble:
                self._say(self._hook.trouble)


def _as_json(happening: h.Happening, at_us: int, text: str) -> str:
    kind, body = CODEC.encode(happening)
    said = {"event": kind, "at_us": at_us, "text": text}
    if len(body) > HOOK_LONGEST_BYTES // 4:  # e.g. a whole plan: the journal has it
        return json.dumps(said)
    return json.dumps({**said, "data": json.loads(body)})


def _utc_offset_s(at_us: int) -> int:
    return time.localtime(at_us / 1e6).tm_gmtoff
