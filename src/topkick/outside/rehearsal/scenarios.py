"""What the scripted model does: steps that any agent's tools can carry out, and faults.

Steps are chosen by the transcript alone; faults are counted, and come before the steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# --- steps: what a model asks for --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Write:
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Sh:
    command: str


@dataclass(frozen=True, slots=True)
class Text:
    """Words, and the end of the turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool by its own name, for what no abstract step covers."""

    name: str
    arguments: Mapping[str, Any]
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    text: str = "I can't help with that."


@dataclass(frozen=True, slots=True)
class Truncate:
    """The answer stops because the limit of output tokens is reached."""

    text: str = "and then"


Step = Write | Sh | Text | Tool | Refuse | Truncate


# --- faults: what happens to a request ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fail:
    """An HTTP status instead of an answer. A header value `now+60` becomes a time in seconds.

    `kind` and `code` go into the error of the dialect; `body` replaces it altogether.
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
    """The request is accepted and not answered, for so long or until the server is closed."""

    for_s: float = 120.0
    times: int = 1


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection is dropped in the middle of the answer."""

    times: int = 1


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream begins well and then holds an error."""

    code: str
    message: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Fine:
    """No fault: requests that are answered between two faults."""

    times: int = 1


Fault = Fail | Hang | Cut | Broken | Fine
ALWAYS = 0  # as `times`


@dataclass(frozen=True, slots=True)
class Tokens:
    """What every answer is said to have used."""

    input: int = 1000
    cache_read: int = 600
    cache_write: int = 100
    output: int = 50


@dataclass(frozen=True, slots=True)
class Scenario:
    """`headers` go with good answers; with `again` the steps start over instead of ending."""

    name: str
    steps: tuple[Step, ...] = ()
    faults: tuple[Fault, ...] = ()
    again: bool = False
    delay_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    tokens: Tokens = Tokens()

    def step(self, number: int) -> Step:
        """The step after so many tool results."""
        if not self.steps:
            return Text("done")
        if self.again:
            return self.steps[number % len(self.steps)]
        return self.steps[number] if number < len(self.steps) else Text("done")

    def fault(self, number: int) -> Fault | None:
        """The fault of the request with this number, from 0."""
        for fault in self.faults:
            if fault.times == ALWAYS or number < fault.times:
                return None if isinstance(fault, Fine) else fault
            number -= fault.times
        return None
