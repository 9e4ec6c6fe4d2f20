"""The behaviour of the scripted model: steps that any agent's tools can carry out, and faults.

The transcript alone chooses the step; faults are counted, and come before the steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# --- steps: requests of the model --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Write:
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Sh:
    command: str


@dataclass(frozen=True, slots=True)
class ScriptText:
    """Say something and end the turn."""

    text: str


@dataclass(frozen=True, slots=True)
class ScriptTool:
    """Call a tool by its own name, for what no abstract step covers."""

    name: str
    arguments: Mapping[str, Any]
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    text: str = "I can't help with that."


@dataclass(frozen=True, slots=True)
class Truncate:
    """Stop the answer at the limit of output tokens."""

    text: str = "and then"


Step = Write | Sh | ScriptText | ScriptTool | Refuse | Truncate


# --- faults of a request -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fail:
    """Return an HTTP status instead of an answer. A header value `now+60` becomes a time in
    seconds.

    `kind` and `code` go into the protocol's error; `body` replaces it completely.
    """

    status: int
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    code: str = ""
    body: Mapping[str, Any] | None = None
    times: int = 1


@dataclass(frozen=True, slots=True)
class Hang:
    """Accept the request and don't answer, for so long or until the server is closed."""

    for_s: float = 120.0
    times: int = 1


@dataclass(frozen=True, slots=True)
class Cut:
    """Drop the connection in the middle of the answer."""

    times: int = 1


@dataclass(frozen=True, slots=True)
class Broken:
    """Begin the stream normally, then send an error."""

    code: str
    message: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Fine:
    """Answer normally: requests between two faults."""

    times: int = 1


Fault = Fail | Hang | Cut | Broken | Fine
ALWAYS = 0  # value for `times`


@dataclass(frozen=True, slots=True)
class Tokens:
    """The usage that every answer reports."""

    input: int = 1000
    cache_read: int = 600
    cache_write: int = 100
    output: int = 50


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario; `headers` go with good answers; with `again` the steps start over instead of
    ending.
    """

    name: str
    steps: tuple[Step, ...] = ()
    faults: tuple[Fault, ...] = ()
    again: bool = False
    delay_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    tokens: Tokens = Tokens()

    def step(self, number: int) -> Step:
        """Return the step after so many tool results."""
        if not self.steps:
            return ScriptText("done")
        if self.again:
            return self.steps[number % len(self.steps)]
        return self.steps[number] if number < len(self.steps) else ScriptText("done")

    def fault(self, number: int) -> Fault | None:
        """Return the fault of the request with this number, from 0."""
        for fault in self.faults:
            if fault.times == ALWAYS or number < fault.times:
                return None if isinstance(fault, Fine) else fault
            number -= fault.times
        return None
