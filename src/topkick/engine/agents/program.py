"""Agents as the kernel knows them: the program, the usage of a run, and how it ended.

An adapter knows the details of one program; this module has the vocabulary that all share.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Annotated


class Tier(StrEnum):
    HAIKU = "haiku"
    SONNET = "sonnet"
    OPUS = "opus"


TIERS = (Tier.HAIKU, Tier.SONNET, Tier.OPUS)
PLAIN = "command"
"""The adapter for any program: it runs the given command line, and its output is plain text."""


class PromptBy(StrEnum):
    STDIN = "stdin"
    ARGUMENT = "argument"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a number in the settings: more than `gt`, at least `ge`, at most `le`.

    pydantic asks for them by the method below when it builds the validator for topkick.toml, so a
    class of the core states its limits itself and does not import pydantic. Nothing else checks
    them: a value from the journal or from a test is taken as it is.
    """

    gt: float | None = None
    ge: float | None = None
    le: float | None = None

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        return {**handler(source), **{k: v for k, v in asdict(self).items() if v is not None}}


Dollars = Annotated[float, Bounds(ge=0, le=1e9)]


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens, for programs that do not report their cost."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None

    def cost_microusd(self, usage: "Usage") -> int:
        """Return the cost; `cached` tokens were read from a cache and are part of the input."""
        cached = self.input if self.cached is None else self.cached
        fresh_tokens = max(0, usage.input_tokens - usage.cached_tokens)
        return round(
            fresh_tokens * self.input
            + usage.cached_tokens * cached
            + usage.output_tokens * self.output
        )


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """A program that takes an order, and its model for each tier.

    `adapter` knows how it is started and read. The adapter "command" takes the whole command line
    from `command`; the others take the program from its first word and pass on the rest. Agents of
    one `account` share its usage limits.
    """

    name: str
    command: tuple[str, ...]
    prompt: PromptBy = PromptBy.STDIN
    models: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    adapter: str = PLAIN
    permissions: str = ""
    account: str = ""
    prices: Prices | None = None

    @property
    def shares_limits_as(self) -> str:
        return self.account or self.name

    def model_for(self, tier: Tier) -> str:
        return self.models.get(tier, tier.value)

    def tier_as(self, tier: Tier) -> Tier:
        """Return the lowest tier with the same model: tiers that map to one model are one tier."""
        return next(t for t in TIERS if self.model_for(t) == self.model_for(tier))

    @property
    def has_one_model(self) -> bool:
        return self.tier_as(TIERS[-1]) is TIERS[0]

    def priced(self, usage: "Usage") -> "Usage":
        """Return the usage with its cost, where the program itself does not report it."""
        if usage.cost_microusd is not None or self.prices is None:
            return usage
        return replace(usage, cost_microusd=self.prices.cost_microusd(usage))


@dataclass(frozen=True, slots=True)
class Usage:
    """Turns, tokens and cost. A cost of None is unknown and is not added."""

    turns: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_microusd: int | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        costs = [c for c in (self.cost_microusd, other.cost_microusd) if c is not None]
        return Usage(
            self.turns + other.turns,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            sum(costs) if costs else None,
        )

    def minus(self, other: "Usage") -> "Usage":
        """Return the difference; never below zero, in case a program starts counting anew."""
        cost = self.cost_microusd
        return Usage(
            max(0, self.turns - other.turns),
            max(0, self.input_tokens - other.input_tokens),
            max(0, self.cached_tokens - other.cached_tokens),
            max(0, self.output_tokens - other.output_tokens),
            None if cost is None else max(0, cost - (other.cost_microusd or 0)),
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that can be resumed; `used` is its total, as some programs count it."""

    id: str
    used: Usage = NO_USAGE


class Conclusion(StrEnum):
    """The way an agent's work ended, for every program."""

    FINISHED = "finished"
    TURN_LIMIT = "turn limit"
    CONTEXT_EXHAUSTED = "context exhausted"
    PERMISSION_DENIED = "permission denied"
    ASKED = "asked for input"
    USAGE_LIMIT = "usage limit"
    PROVIDER_TROUBLE = "provider trouble"
    AUTHENTICATION = "authentication"
    BAD_REQUEST = "bad request or model"
    REFUSED = "refused"
    BUDGET_SPENT = "budget spent"
    CONVERSATION_LOST = "conversation lost"
    CRASHED = "crashed"
    KILLED = "killed"
    INTERRUPTED = "interrupted"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class AgentReport:
    """An adapter's conclusion from the stream and the wait status; `said` is a short text for
    people.

    `proven`: an event made for machines says so, not only words or an exit code.
    """

    conclusion: Conclusion
    said: str = ""
    usage: Usage = NO_USAGE
    conversation: Conversation | None = None
    resets_at_us: int | None = None
    denied: tuple[str, ...] = ()
    model: str = ""
    version: str = ""
    proven: bool = False


class Ending(StrEnum):
    """The way an agent's process ended."""

    EXITED = "exited"
    SIGNALED = "signaled"
    DEADLINE = "deadline"
    STOPPED = "stopped"
    CANNOT_START = "cannot_start"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class AgentExit:
    how: Ending
    code: int | None = None
    signal: int | None = None
    detail: str = ""
    survivors: tuple[int, ...] = ()
    cpu_ms: int = 0
    busy_ms: int | None = None
