"""The supervisor's log of answers that were requested again: the last hundred."""

import json
from dataclasses import asdict, dataclass

from topkick.core import happenings as h
from topkick.core.mission import Mission

RETRIES_ALLOWED = 3
RETRY_EVENTS = "retry events"
RETRY_EVENTS_KEPT = 100


@dataclass(frozen=True, slots=True)
class RetryEvent:
    """One line of the supervisor's log."""

    at_us: int
    agent: str
    task: str
    attempt: int
    expected: str
    received: str
    issue: str
    input_sha256: str


def retry_events(mission: Mission) -> tuple[RetryEvent, ...]:
    """Return the last events, in order."""
    total = int(mission.notebook.get(RETRY_EVENTS, "0"))
    first = max(0, total - RETRY_EVENTS_KEPT)
    keys = [f"retry {number % RETRY_EVENTS_KEPT}" for number in range(first, total)]
    return tuple(RetryEvent(**json.loads(mission.notebook[key])) for key in keys)


def log_retry(mission: Mission, event: RetryEvent) -> tuple[h.NoteTaken, ...]:
    total = int(mission.notebook.get(RETRY_EVENTS, "0"))
    written = json.dumps(asdict(event), sort_keys=True)
    return (
        h.NoteTaken(f"retry {total % RETRY_EVENTS_KEPT}", written),
        h.NoteTaken(RETRY_EVENTS, str(total + 1)),
    )
