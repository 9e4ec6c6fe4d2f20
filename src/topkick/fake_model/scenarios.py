"""The behaviour of the scripted model: steps that any agent's tools can carry out, and faults.

The transcript alone chooses the step; faults are counted, and come before the steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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


# --- built-in scenarios --------------------------------------------------------------------------


WORK = (
    Write("hello.txt", "hello\n"),
    Sh('git add -A && git commit -m "sprint 1"'),
    ScriptText("done"),
)
# Longer than any test waits, and short enough if a process is forgotten. Not the program `sleep`,
# which one of the agents refuses to run.
LONG_COMMAND = "python3 -c 'import time; time.sleep(60)'"
NO_MODEL = "The model `no-such-model` does not exist or you do not have access to it."
TOO_LONG = "prompt is too long: 220000 tokens > 200000 maximum"
UNIFIED = "anthropic-ratelimit-unified"
LIMIT_HEADERS = {
    f"{UNIFIED}-status": "rejected",
    f"{UNIFIED}-reset": "now+5400",
    f"{UNIFIED}-representative-claim": "five_hour",
    f"{UNIFIED}-5h-status": "rejected",
    f"{UNIFIED}-5h-reset": "now+5400",
    f"{UNIFIED}-5h-utilization": "1.0",
    "retry-after": "5400",
}
WARNING_HEADERS = {
    f"{UNIFIED}-status": "allowed_warning",
    f"{UNIFIED}-reset": "now+5400",
    f"{UNIFIED}-representative-claim": "five_hour",
    f"{UNIFIED}-5h-status": "allowed_warning",
    f"{UNIFIED}-5h-reset": "now+5400",
    f"{UNIFIED}-5h-utilization": "0.92",
    f"{UNIFIED}-5h-surpassed-threshold": "0.9",
}
PLAN_LIMIT = {
    "error": {
        "type": "usage_limit_reached",
        "message": "The usage limit has been reached",
        "plan_type": "plus",
        "resets_at": "now+5400",
    }
}


def _failing(name: str, *faults: Fault) -> Scenario:
    return Scenario(name, WORK, faults)


def _status(status: int, message: str = "", *, kind: str = "", code: str = "") -> Fail:
    return Fail(status, message, kind=kind, code=code, times=ALWAYS)


BUILTIN = {
    scenario.name: scenario
    for scenario in (
        Scenario("happy", WORK),
        Scenario("warned", WORK, headers=WARNING_HEADERS),
        Scenario("talk", (ScriptText("Nothing to do."),)),
        Scenario("ask", (ScriptText("Which database shall I use?"),)),
        Scenario("loop", (Sh("git status --short"),), again=True),
        Scenario("long-tool", (Sh(LONG_COMMAND), *WORK)),
        Scenario("refusal", (Refuse(),)),
        Scenario("max-tokens", (Truncate(),)),
        _failing("400", _status(400)),
        _failing("401", _status(401, "invalid x-api-key")),
        _failing("403", _status(403)),
        _failing("404", _status(404, NO_MODEL, code="model_not_found")),
        _failing("429", _status(429)),
        _failing("429-2", Fail(429, headers={"retry-after": "2"}, times=ALWAYS)),
        _failing("429-7200", Fail(429, headers={"retry-after": "7200"}, times=ALWAYS)),
        _failing("quota", _status(429, kind="insufficient_quota", code="insufficient_quota")),
        _failing("credit", _status(400, "Your credit balance is too low")),
        _failing("usage-limit", Fail(429, headers=LIMIT_HEADERS, times=ALWAYS)),
        _failing("plan-limit", Fail(429, body=PLAN_LIMIT, times=ALWAYS)),
        _failing("500", _status(500)),
        _failing("503", _status(503)),
        _failing("529", _status(529)),
        _failing("too-long", _status(400, TOO_LONG, code="context_length_exceeded")),
        _failing("too-long-in-stream", Broken("context_length_exceeded", TOO_LONG, ALWAYS)),
        _failing("overloaded-in-stream", Broken("overloaded_error", "Overloaded", ALWAYS)),
        _failing("cut", Cut(ALWAYS)),
        _failing("cut-once", Cut()),
        _failing("hang", Hang(times=ALWAYS)),
        _failing("flaky", Fail(529), Fail(500), Fine(), Fail(429), Fine()),
    )
}
