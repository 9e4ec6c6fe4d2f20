"""Questions that the kernel asks a policy."""

from dataclasses import dataclass

from topkick.checks.model import Evidence, Ground, Integration
from topkick.engine.agents.program import AgentExit
from topkick.engine.effects import Seen, SeenBranch, SeenRun, Upshot
from topkick.engine.messages.commands import Command
from topkick.team.bus.model import Message


@dataclass(frozen=True, slots=True)
class WhatOfCommand:
    command: Command


@dataclass(frozen=True, slots=True)
class WhatOfGround:
    run_id: str
    ground: Ground


@dataclass(frozen=True, slots=True)
class WhatOfActivity:
    run_id: str


@dataclass(frozen=True, slots=True)
class WhatOfSilence:
    run_id: str
    polls: int


@dataclass(frozen=True, slots=True)
class WhatOfExit:
    run_id: str
    exit: AgentExit


@dataclass(frozen=True, slots=True)
class WhatOfWork:
    run_id: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class WhatOfIntegration:
    run_id: str
    found: Integration


@dataclass(frozen=True, slots=True)
class WhatOfGate:
    gate_id: str


@dataclass(frozen=True, slots=True)
class WhatOfFiles:
    files: tuple[Seen, ...]
    runs: tuple[SeenRun, ...] = ()
    branches: tuple[SeenBranch, ...] = ()
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class WhatOfEdits:
    changed: str
    trouble: str


@dataclass(frozen=True, slots=True)
class WhatOfBus:
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class WhatOfPosts:
    numbers: tuple[int, ...]
    trouble: str


@dataclass(frozen=True, slots=True)
class WhatOfBackground:
    """A background process has ended."""

    id: str
    exit: AgentExit


@dataclass(frozen=True, slots=True)
class WhatOfErrand:
    upshot: Upshot


@dataclass(frozen=True, slots=True)
class WhatNext:
    """The next move of the mission. The kernel asks until the policy has no answer.

    `to_look_at` are the units for which a rule may have an answer (engine/worklist.py); the policy
    removes each unit for which no rule has one. None means all units.
    """

    to_look_at: set[str] | None = None


Question = (
    WhatOfCommand
    | WhatOfGround
    | WhatOfActivity
    | WhatOfSilence
    | WhatOfExit
    | WhatOfWork
    | WhatOfIntegration
    | WhatOfGate
    | WhatOfFiles
    | WhatOfEdits
    | WhatOfBus
    | WhatOfPosts
    | WhatOfBackground
    | WhatOfErrand
    | WhatNext
)
