"""What is asked of a checker and what it answers, as files between two processes."""

from dataclasses import dataclass

from topkick.core.codec import Codec
from topkick.core.happenings import Ahead
from topkick.core.model import Evidence, Ground


@dataclass(frozen=True, slots=True)
class Look:
    """What to look at. `before` asks for the ground before an order, else for evidence after."""

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


LOOKS = Codec(Look)
FINDINGS = Codec(Ground, Evidence)
