"""Wait for a judge's answer, without polling where the system can wake the process."""

import select
import time

from topkick.app.project import Project
from topkick.team.bus.model import Message
from topkick.team.bus.store import Bus
from topkick.team.judge.wake import answer_in


def wait_for_answer(project: Project, asked: Message, timeout_s: float) -> Message | None:
    """Return the answer, or None if there is none in time."""
    bus = Bus(project.plan_path.parent)
    reader = bus.reader(asked.number)
    later: list[Message] = []
    give_up_at = time.monotonic() + timeout_s
    with bus.changes() as changes:
        while True:
            changes.drain()
            later += reader.read()
            answer = answer_in(asked, later)
            left_s = give_up_at - time.monotonic()
            if answer is not None or left_s <= 0:
                return answer
            waits = [] if (found := changes.fileno()) is None else [found]
            wake_s = changes.wake_in_s()
            select.select(waits, [], [], left_s if wake_s is None else min(left_s, wake_s))
