"""The common events of agent programs, and the interface of an adapter.

Nothing here touches the world: adapters turn orders into command lines and lines into events.
"""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from topkick.engine.agents.program import AgentExit, AgentProgram, AgentReport, Conversation, Usage

# --- events ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Started:
    conversation: str
    model: str = ""
    version: str = ""
    permissions: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """The model has answered once more; `number` counts from 1 in this run."""

    number: int


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """The model used a tool; `what` is one short line: the command, the file."""

    tool: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A text of the model. `whole` is the complete text if `text` was cut; it is never shown.

    An answer for machines is useless without its end.
    """

    text: str
    whole: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Used:
    """The usage of this run so far."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Retrying:
    """The program tries its provider again by itself."""

    why: str
    attempt: int = 0
    of: int = 0
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class LimitReached:
    why: str
    resets_at_us: int | None = None


@dataclass(frozen=True, slots=True)
class Denied:
    tool: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    question: str


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The program reports that it has finished the order, successfully or not; it may report
    twice.
    """

    ok: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """An event without a class of its own: it is shown and otherwise ignored."""

    kind: str


Event = (
    Started
    | Turn
    | ToolUsed
    | Said
    | Used
    | Retrying
    | LimitReached
    | Denied
    | AgentQuestion
    | AgentResult
    | Unknown
)


# --- adapters --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assignment:
    """An order as the adapter gets it. All paths are absolute.

    `new_conversation` is an unused uuid for programs that accept one; `resumes` is set for a
    continuation. `git_dirs` must be writable for a commit. With `own_config` the program keeps its
    configuration and conversations there instead of in the user's home.
    """

    run_id: str
    prompt: str
    prompt_file: str
    model: str
    tier: str
    unit: str
    sprint: str
    root: str
    max_turns: int
    new_conversation: str
    resumes: Conversation | None = None
    max_cost_usd: float | None = None
    git_dirs: tuple[str, ...] = ()
    own_config: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """The command to start. Without `prompt_on_stdin` stdin is closed, because some programs hang
    otherwise.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    prompt_on_stdin: bool = True


class StreamReader(Protocol):
    """Reads one run's stream line by line; lines without JSON are shown as text."""

    def feed(self, line: bytes) -> Sequence[Event]: ...

    @property
    def usage(self) -> Usage:
        """The usage of this run alone, as far as it is known."""
        ...

    def report(self, ended: AgentExit) -> AgentReport:
        """Conclude from the stream and the wait status; the exit code is only a hint."""
        ...


class Adapter(Protocol):
    """Everything topkick knows about one agent program.

    `tested` is the version that the adapter was tested with. `counts_turns`: the program has no
    turn limit, so the supervisor counts. `stop_signal` asks the program to end.
    """

    name: str
    tested: str
    counts_turns: bool
    stop_signal: signal.Signals

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch: ...
    def reader(self, resumed: Conversation | None = None) -> StreamReader: ...
    def permissions(self, program: AgentProgram) -> str:
        """Describe in one line what the agent may do."""
        ...
