"""One vocabulary for what agent programs say while they work, and what an adapter has to know.

Nothing here touches the world: adapters make words from orders and values from lines.
"""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from topkick.core.agents import AgentExit, AgentProgram, AgentReport, Conversation, Usage

# --- what is heard ---------------------------------------------------------------------------


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
    """`what` is one short line: the command, the file."""

    tool: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """`whole` where the text was cut: an answer for machines is of no use without its end.

    It is never shown.
    """

    text: str
    whole: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Used:
    """All that this run has used so far."""

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
class Asked:
    question: str


@dataclass(frozen=True, slots=True)
class Result:
    """The program says that it is done with the order, well or not; it may say so twice."""

    ok: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """An event that we have no word for: shown, and otherwise passed over."""

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
    | Asked
    | Result
    | Unknown
)


# --- what an adapter knows -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assignment:
    """An order as a program is to get it. All paths are absolute.

    `new_conversation` is an unused uuid for programs that let us choose; `resumes` is set for a
    continuation. `git_dirs` have to be writable for a commit. With `own_config` the program keeps
    its configuration and conversations there instead of in the user's home.
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
    """What to start. `prompt_on_stdin`: else stdin is closed, for an open one hangs some."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    prompt_on_stdin: bool = True


class Reader(Protocol):
    """Reads one run's stream, a line at a time; lines that are no JSON are shown as said."""

    def feed(self, line: bytes) -> Sequence[Event]: ...

    @property
    def usage(self) -> Usage:
        """What this run alone has used, as far as it is known by now."""
        ...

    def report(self, ended: AgentExit) -> AgentReport:
        """From the stream and the wait status; the exit code is only a hint."""
        ...


class Adapter(Protocol):
    """What there is to know of one program.

    `tested` is the version that this was measured with. `counts_turns`: the program has no
    limit of its own, so the supervisor counts. `stop_signal` is the polite one.
    """

    name: str
    tested: str
    counts_turns: bool
    stop_signal: signal.Signals

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch: ...
    def reader(self, resumed: Conversation | None = None) -> Reader: ...
    def permissions(self, program: AgentProgram) -> str:
        """What the agent may do, in one line for people."""
        ...
