"""Every legal move of a work unit and of a sprint, as two tables. Nothing else changes state."""

from enum import StrEnum


class UnitState(StrEnum):
    NOT_STARTED = "NOT_STARTED"
    RUNNING = "RUNNING"
    STOPPING = "STOPPING"
    STOPPED = "STOPPED"
    BLOCKED = "BLOCKED"
    KILLED = "KILLED"
    COMPLETED = "COMPLETED"


class SprintState(StrEnum):
    PENDING = "PENDING"
    DISPATCHED = "DISPATCHED"
    RUNNING = "RUNNING"
    PARTIAL = "PARTIAL"
    BACKOFF = "BACKOFF"
    FATAL = "FATAL"
    COMPLETED = "COMPLETED"


U = UnitState
S = SprintState


class UnitCause(StrEnum):
    START = "start"
    FINISHED = "finished"
    STOP = "stop"
    SPRINT_FATAL = "sprint fatal"
    KILLED = "killed"
    DRAINED = "drained"
    RESUME = "resume"


class SprintCause(StrEnum):
    DISPATCHED = "dispatched"
    FIRST_ACTIVITY = "first activity"
    SUCCEEDED = "succeeded"
    PROGRESSED = "progressed"
    FAILED = "failed"
    TROUBLED = "troubled"
    KILLED = "killed"
    EXHAUSTED = "exhausted"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    LATE_FINISH = "late finish"
    RESUMED = "resumed"
    FOUND_DONE = "found done"


UNIT_MOVES: dict[tuple[U, UnitCause], U] = {
    (U.NOT_STARTED, UnitCause.START): U.RUNNING,
    (U.RUNNING, UnitCause.FINISHED): U.COMPLETED,
    (U.RUNNING, UnitCause.STOP): U.STOPPING,
    (U.RUNNING, UnitCause.SPRINT_FATAL): U.BLOCKED,
    (U.RUNNING, UnitCause.KILLED): U.KILLED,
    (U.STOPPING, UnitCause.KILLED): U.KILLED,
    (U.STOPPING, UnitCause.DRAINED): U.STOPPED,
    (U.STOPPING, UnitCause.FINISHED): U.COMPLETED,
    (U.STOPPING, UnitCause.SPRINT_FATAL): U.BLOCKED,
    (U.STOPPED, UnitCause.RESUME): U.RUNNING,
    (U.BLOCKED, UnitCause.RESUME): U.RUNNING,
    (U.KILLED, UnitCause.RESUME): U.RUNNING,
}

SPRINT_MOVES: dict[tuple[S, SprintCause], S] = {
    (S.PENDING, SprintCause.DISPATCHED): S.DISPATCHED,
    (S.PARTIAL, SprintCause.DISPATCHED): S.DISPATCHED,
    (S.BACKOFF, SprintCause.DISPATCHED): S.DISPATCHED,
    (S.DISPATCHED, SprintCause.FIRST_ACTIVITY): S.RUNNING,
    (S.DISPATCHED, SprintCause.SUCCEEDED): S.COMPLETED,
    (S.RUNNING, SprintCause.SUCCEEDED): S.COMPLETED,
    (S.DISPATCHED, SprintCause.PROGRESSED): S.PARTIAL,
    (S.RUNNING, SprintCause.PROGRESSED): S.PARTIAL,
    (S.DISPATCHED, SprintCause.FAILED): S.BACKOFF,
    (S.RUNNING, SprintCause.FAILED): S.BACKOFF,
    (S.DISPATCHED, SprintCause.TROUBLED): S.BACKOFF,
    (S.RUNNING, SprintCause.TROUBLED): S.BACKOFF,
    (S.DISPATCHED, SprintCause.KILLED): S.BACKOFF,
    (S.RUNNING, SprintCause.KILLED): S.BACKOFF,
    (S.BACKOFF, SprintCause.EXHAUSTED): S.FATAL,
    (S.PARTIAL, SprintCause.ACCEPTED): S.COMPLETED,
    (S.PARTIAL, SprintCause.REJECTED): S.BACKOFF,
    (S.BACKOFF, SprintCause.ACCEPTED): S.COMPLETED,
    (S.FATAL, SprintCause.ACCEPTED): S.COMPLETED,
    (S.BACKOFF, SprintCause.LATE_FINISH): S.COMPLETED,
    (S.FATAL, SprintCause.LATE_FINISH): S.COMPLETED,
    (S.BACKOFF, SprintCause.RESUMED): S.PENDING,
    (S.FATAL, SprintCause.RESUMED): S.PENDING,
    (S.PENDING, SprintCause.FOUND_DONE): S.COMPLETED,
}


class IllegalMove(AssertionError):
    """A move that is not in the tables: a bug, never a user's mistake."""


def move_unit(state: U, cause: UnitCause) -> U:
    try:
        return UNIT_MOVES[state, cause]
    except KeyError:
        raise IllegalMove(f"a work unit in {state} cannot move on '{cause}'") from None


def move_sprint(state: S, cause: SprintCause) -> S:
    try:
        return SPRINT_MOVES[state, cause]
    except KeyError:
        raise IllegalMove(f"a sprint in {state} cannot move on '{cause}'") from None
