"""The choice of a tick: the emergency brake first, then the one subagent to ask (EP-10, EP-20)."""

from collections import Counter
from dataclasses import dataclass

from topkick.epic.body import REVIEWING, Epic, RowClass, since_reset
from topkick.epic.items import NONE, EpicItem, Status
from topkick.epic.settings import EpicSettings
from topkick.epic.tick import critique, route
from topkick.text.format import moment_us

EXITED, FAILED, REVISED, PASSED = "exited", "verify_fail: ", "verify_revise: ", "verify_pass"


@dataclass(frozen=True, slots=True)
class Ask:
    """One subagent, in one role, about one item or none; `context` is one line for it."""

    role: str
    item: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """Open a pull request for an item that has passed; that needs no subagent."""

    item: EpicItem


@dataclass(frozen=True, slots=True)
class Summarize:
    """Every child is at its review surface, or stuck for a recorded reason."""


@dataclass(frozen=True, slots=True)
class NoOp:
    why: str


Choice = Ask | Open | Summarize | NoOp

ACTIVE = frozenset({Status.QUEUED, Status.IN_PROGRESS})


def choose(epic: Epic, settings: EpicSettings) -> Choice:
    return (
        _after_a_worker(epic)
        or _critic(epic)
        or _decompose(epic)
        or _preflight(epic, settings)
        or _summary(epic)
        or NoOp(_waits_for(epic))
    )


def _after_a_worker(epic: Epic) -> Ask | Open | None:
    for item in epic.items:
        if item.status == Status.IN_PROGRESS and item.outcome:
            asked = _of_outcome(epic, item)
            if asked is not None:
                return asked
    return None


def _of_outcome(epic: Epic, item: EpicItem) -> Ask | Open | None:
    if item.outcome == PASSED:
        return Open(item)
    if item.outcome.startswith(FAILED):
        return Ask("react", item.id, f"{item.id} verifier-fail: {item.outcome[len(FAILED) :]}")
    if item.outcome.startswith(REVISED):
        return _after_looking_closer(epic, item, item.outcome[len(REVISED) :])
    if item.surface and item.surface != NONE:
        return Ask("verify", item.id)
    return Ask("react", item.id, f"{item.id} exited without a deliverable: {item.notes}")


def _after_looking_closer(epic: Epic, item: EpicItem, by: str) -> Ask | None:
    """Ask the verifier if the verification task is done, or the planner if it is stuck."""
    closer = epic.item(by)
    if closer is None or closer.is_settled:
        return Ask("verify", item.id)
    stuck = closer.status in {Status.BLOCKED, Status.REVIEW}
    return Ask("react", item.id, f"{item.id} cannot be verified: {by} is stuck") if stuck else None


def _critic(epic: Epic) -> Ask | None:
    wanted = (i for i in epic.items if i.critic == critique.WANTED and i.status == Status.QUEUED)
    found = next(wanted, None)
    return Ask("criticize", found.id, found.notes) if found is not None else None


def _decompose(epic: Epic) -> Ask | None:
    return Ask("decompose") if not epic.items else None


def _preflight(epic: Epic, settings: EpicSettings) -> Ask | None:
    ready = [i for i in epic.items if i.status == Status.QUEUED and epic.is_ready(i)]
    queued = [i for i in ready if not route.holder_of_branch(epic, i)]
    return Ask("preflight") if queued and route.has_any_place(epic, settings) else None


def _summary(epic: Epic) -> Summarize | None:
    behind = epic.stuck_behind()
    done = all(item.is_recorded or item.id in behind for item in epic.items)
    return Summarize() if done else None


def _waits_for(epic: Epic) -> str:
    """Return one line that says why nothing happens."""
    working = [i.id for i in epic.items if i.status == Status.IN_PROGRESS]
    ready = [i.id for i in epic.items if i.status in {Status.READY, Status.INBOX}]
    if working:
        return f"waits for {', '.join(working)}"
    if ready:
        return f"waits for a person to queue {', '.join(ready)}"
    return "nothing can be dispatched now"


def may_tick(epic: Epic) -> str:
    """Return why a tick has nothing to do with this epic now; empty if it has (EP-16, EP-21)."""
    if epic.status in ACTIVE:
        return ""
    if epic.status == Status.READY or epic.phase == REVIEWING:
        return f"the plan waits for a person's approval: topkick epic clear {epic.id}"
    return f"only a person can resume it from {epic.status}: topkick epic clear {epic.id}"


# --- the emergency brake -----------------------------------------------------------------------


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
