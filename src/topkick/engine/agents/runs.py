"""An order under way: its stages, its dispatch, and why it was cancelled."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.checks.model import Counted
from topkick.engine.agents.program import (
    NO_USAGE,
    AgentExit,
    AgentProgram,
    Conversation,
    Tier,
    Usage,
)
from topkick.engine.codec.codec import Text


class Stage(StrEnum):
    """The progress of an order."""

    SURVEYING = "surveying"
    WORKING = "working"
    CHECKING = "checking"
    WAITING = "waiting"
    INTEGRATING = "integrating"


WITHOUT_AGENT = (Stage.WAITING, Stage.INTEGRATING)
"""Stages that take no agent's place."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Everything recorded about an order when it is dispatched (DP-05).

    `held` are criteria that wait for the gate because others work in the same tree; `alone` says
    that no other agent may start there meanwhile (GT-04). If `max_turns` is 0, the settings apply.
    """

    agent: str
    model: str
    tier: Tier
    attempt: int
    prompt: Text
    base: str | None = None
    passing: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    at_us: int = 0
    resumes: Conversation | None = None
    score: int | None = None
    cost_left_microusd: int | None = None
    program: AgentProgram | None = None
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    alone: bool = False
    max_turns: int = 0


class CancelWhy(StrEnum):
    STOP_FORCED = "stop was forced"
    KILLALL = "killall"
    UNRESPONSIVE = "no sign of life"
    TURN_LIMIT = "the limit of turns was reached"
    BUDGET_SPENT = "its budget is spent"


JUDGED = (CancelWhy.UNRESPONSIVE, CancelWhy.TURN_LIMIT, CancelWhy.BUDGET_SPENT)
"""Reasons after which the agent's work is judged: it was ended for its own behaviour."""


@dataclass(frozen=True, slots=True)
class Cancellation:
    why: CancelWhy
    grace_s: float


@dataclass(frozen=True)
class Run:
    """One order and its state. Its id is the dispatch id: one process, ever."""

    id: str
    unit: str
    sprint: str
    stage: Stage
    look: int = 0
    dispatch: Dispatch | None = None
    exit: AgentExit | None = None
    cancel: Cancellation | None = None
    quiet_polls: int = 0
    active: bool = False
    opened_at_us: int = 0
    polls: int = 0
    next_poll_at_us: int = 0
    usage: Usage = NO_USAGE
    counted: bool = False
    conversation: str = ""
    checks: tuple[str, ...] = ()
    directory: str = ""


@dataclass(frozen=True, slots=True)
class Background:
    """A process that a sprint left running on purpose, under a keeper of its own (ER-03)."""

    id: str
    unit: str
    sprint: str
    name: str
    argv: tuple[str, ...]
    cwd: str
    running: bool = False
    end_within_s: float | None = None
