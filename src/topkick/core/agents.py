"""Agents as the kernel knows them: the program, what a run of it used, and how it came to its end.

What only one program does is known to its adapter; here is the vocabulary they share.
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
"""The adapter for any program: it is started as told, and what it prints is words."""


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
    """Dollars for a million tokens, for programs that do not tell what they cost."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None

    def cost_microusd(self, usage: "Usage") -> int:
        """`cached` is what was read from a cache and is part of the input."""
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

    `adapter` knows how it is started and read. The adapter "command" takes the whole command
    line from `command`; the others take the program from its first word, and the rest of it as
    more words for their own. Agents of one `account` share its usage limits.
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
        """The lowest tier with the same model: tiers that map to one model are one tier."""
        return next(t for t in TIERS if self.model_for(t) == self.model_for(tier))

    @property
    def has_one_model(self) -> bool:
        return self.tier_as(TIERS[-1]) is TIERS[0]

    def priced(self, usage: "Usage") -> "Usage":
        """With its cost, where the program itself does not tell it."""
        if usage.cost_microusd is not None or self.prices is None:
            return usage
        return replace(usage, cost_microusd=self.prices.cost_microusd(usage))


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used. A cost of None is not known; what is not known is not added."""

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
        """What came since; never less than nothing, should a program begin to count anew."""
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
    """A conversation that can be resumed; some programs count over the whole of it: `used`."""

    id: str
    used: Usage = NO_USAGE


class Conclusion(StrEnum):
    """How an agent's work came to its end, whichever program it is."""

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
    """What an adapter made of the stream and the wait status; `said` is for people, in short.

    `proven`: an event made for machines says so, and not only words or an exit code.
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
    """How an agent's process came to its end."""

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
