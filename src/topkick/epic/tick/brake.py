"""The emergency brake: checked on the last rows of the memory before any subagent is asked."""

from collections import Counter
from dataclasses import dataclass

from topkick.epic.body import Epic
from topkick.epic.files.memory import RowClass, since_reset
from topkick.epic.items import EpicItem, Status
from topkick.text.format import moment_us

WINDOW = 8
SAME_FAILURES = 3
STALLED_ITEMS = 2
REACT_HALTS = 2
DISPATCHES = 4


@dataclass(frozen=True, slots=True)
class Braked:
    """The reason to halt; `about` names the cause."""

    reason: str
    about: str = ""


def braked(epic: Epic, now_us: int, stalled_s: float) -> Braked | None:
    """Return why the epic must halt now, or None (EP-20)."""
    return (
        _recurring(epic)
        or _stalled(epic, now_us, stalled_s)
        or _react_exhausted(epic)
        or _no_progress(epic)
    )


def _recurring(epic: Epic) -> Braked | None:
    """Look for a recurring class; only failures and halts count, not successful dispatches."""
    last = since_reset(epic.rows)[-WINDOW:]
    counts = Counter(row.found for row in last if row.found.endswith(("_fail", "_halt")))
    worst = next((found for found, n in counts.most_common(1) if n >= SAME_FAILURES), None)
    return Braked(f"recurring: {worst}") if worst else None


def _stalled(epic: Epic, now_us: int, stalled_s: float) -> Braked | None:
    stuck = [item for item in epic.items if is_stale(item, now_us, stalled_s)]
    if len(stuck) < STALLED_ITEMS:
        return None
    return Braked("stalled workers", ", ".join(item.id for item in stuck))


def is_stale(item: EpicItem, now_us: int, stalled_s: float) -> bool:
    """Return whether the item is in progress and showed no activity for that long."""
    if item.status != Status.IN_PROGRESS or item.outcome:
        return False
    heard_us = moment_us(item.active)
    return heard_us is not None and now_us - heard_us > round(stalled_s * 1e6)


def _react_exhausted(epic: Epic) -> Braked | None:
    halts = [row for row in since_reset(epic.rows) if row.found == RowClass.REACT_HALT]
    return Braked("repeated react halt") if len(halts) >= REACT_HALTS else None


def _no_progress(epic: Epic) -> Braked | None:
    """Look for an item that was dispatched repeatedly without anything new."""
    for item in epic.items:
        waits = item.status == Status.QUEUED or bool(item.outcome)
        if waits and item.dispatches >= DISPATCHES:
            return Braked("no progress", f"{item.dispatches} dispatches of {item.id}")
    return None
