"""The choice table: from the body to the one subagent of this tick (EP-10)."""

from dataclasses import dataclass

from topkick.epic.body import REVIEWING, Epic
from topkick.epic.items import NONE, EpicItem, Status
from topkick.epic.settings import EpicSettings
from topkick.epic.tick import critique, route

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
    """Return who looks next: the verifier if the verification task is done, the planner if it is
    stuck.
    """
    closer = epic.item(by)
    if closer is None or closer.is_settled:
        return Ask("verify", item.id)
    stuck = closer.status in {Status.BLOCKED, Status.REVIEW}
    return Ask("react", item.id, f"{item.id} its verification {by} is stuck") if stuck else None


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
        return "its plan waits for a person: topkick epic clear"
    return f"its status is {epic.status}: only a person moves it on (topkick epic clear)"
