"""Every reason why a person's decision about a team's session is refused, as values."""

import shlex
from dataclasses import dataclass
from typing import assert_never

from topkick.engine.blockers import REASON, Offer, look, undo
from topkick.engine.refusals import CommandName

WHY = ("--why", REASON)


@dataclass(frozen=True, slots=True)
class ReasonMissing:
    """The decision has no reason, which the session's file has to record."""

    asked: CommandName
    session: str
    task: str = ""
    upstream: str = ""


@dataclass(frozen=True, slots=True)
class TaskNotWaiting:
    """The task does not wait for a person. `waits` is the one that does, if one does."""

    session: str
    task: str
    waits: str = ""


@dataclass(frozen=True, slots=True)
class NotUpstream:
    """The task to do again does not come before the task that waits; these do."""

    session: str
    task: str
    upstream: str
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionOver:
    """There is nothing to abort: the session has not begun, or has ended."""

    session: str


PipelineRefusal = ReasonMissing | TaskNotWaiting | NotUpstream | SessionOver


def offers(refusal: PipelineRefusal) -> tuple[Offer, ...]:
    session = shlex.quote(refusal.session)
    match refusal:
        case ReasonMissing(asked, _, task, upstream):
            named = (*filter(None, (task,)), *(("--task", upstream) if upstream else ()))
            return (undo(*asked.split(" "), session, *named, *WHY),)
        case TaskNotWaiting() | SessionOver():
            return (look("checkpoint", "show", session),)
        case NotUpstream(_, task, _, known):
            again = ("checkpoint", "revise", session, task)
            named = tuple(undo(*again, "--task", one, *WHY) for one in known)
            return named or (look("checkpoint", "show", session),)
        case _:
            assert_never(refusal)
