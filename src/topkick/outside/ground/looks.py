"""What is asked of a checker and what it answers: one line each way between two processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topkick.core.agents import AgentExit, AgentProgram, Conversation
from topkick.core.codec import Codec
from topkick.core.model import Ahead, Evidence, Ground


@dataclass(frozen=True, slots=True)
class Look:
    """What to look at. `before` asks for the ground before an order, else for evidence after."""

    id: str
    directory: str
    project: str
    entry: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    base: str | None = None
    ahead: Ahead | None = None
    before: bool = False
    output_of: str = ""
    timeout_s: float = 600.0
    secrets: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    program: AgentProgram | None = None
    resumed: Conversation | None = None
    ended: AgentExit | None = None


_CODEC = Codec(Look, Ground, Evidence)


def to_line(value: Look | Ground | Evidence) -> bytes:
    return " ".join(_CODEC.encode(value)).encode("utf-8", "surrogatepass") + b"\n"


def from_line(line: bytes) -> Look | Ground | Evidence:
    kind, _, body = line.rstrip(b"\n").decode("utf-8", "surrogatepass").partition(" ")
    found = _CODEC.decode(kind, body)
    assert isinstance(found, Look | Ground | Evidence)
    return found
