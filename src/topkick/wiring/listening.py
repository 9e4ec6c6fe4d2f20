"""Pass every step on to the terminal and to the user's own hook."""

import json
import os
import time
from collections.abc import Callable
from contextlib import ExitStack

from topkick.boards import story
from topkick.core import happenings as h
from topkick.core.mission import Mission
from topkick.outside.event_hook import EventHook
from topkick.outside.ground import crash_points
from topkick.outside.ground.environment import allowed
from topkick.supervisor import CODEC, News
from topkick.wiring.project import Project

HOOK_FAREWELL_S = 2.0
HOOK_LONGEST_BYTES = 1 << 15

Say = Callable[[str], None]


class Listener:
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
            line = story.tell(news.mission, happening, news.at_us, _utc_offset_s(news.at_us))
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
    if len(body) > HOOK_LONGEST_BYTES // 4:  # a whole plan; whoever wants it reads the journal
        return json.dumps(said)
    return json.dumps({**said, "data": json.loads(body)})


def _utc_offset_s(at_us: int) -> int:
    return time.localtime(at_us / 1e6).tm_gmtoff
