"""What may stand in topkick.toml and in the user's own settings (pydantic at the border)."""

import difflib
import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from topkick.core.agents import PLAIN, AgentProgram, PromptBy, Tier
from topkick.core.budgets import Budget
from topkick.core.errors import UsageError
from topkick.outside.agents.registry import adapter_named
from topkick.wiring.epic_config import EpicConfig
from topkick.wiring.strict import Strict, Words

Positive = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Tokens = Annotated[int, Field(ge=1, le=10**12)]
Dollars = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Wait = Annotated[float, Field(gt=0, le=30_000, allow_inf_nan=False)]
"""Minutes or seconds: up to three weeks, which every system call for waiting takes."""
PLACEHOLDERS = (
    "prompt",
    "prompt_file",
    "model",
    "tier",
    "max_turns",
    "run_id",
    "unit",
    "sprint",
    "project",
)


class PricesConfig(Strict):
    """Dollars for a million tokens."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None


class AgentConfig(Strict):
    adapter: str = PLAIN
    command: Words = ()
    prompt: PromptBy = PromptBy.STDIN
    models: dict[Tier, str] = {}
    pass_env: Words = ()
    permissions: str = ""
    account: str = ""
    prices: PricesConfig | None = None

    @model_validator(mode="after")
    def _is_known(self) -> "AgentConfig":
        try:
            adapter = adapter_named(self.adapter)
            adapter.permissions(
                AgentProgram(self.adapter, self.command, permissions=self.permissions)
            )
        except UsageError as error:
            raise ValueError(str(error)) from error
        if self.adapter == PLAIN and not self.command:
            raise ValueError('a command is needed, such as command = ["my-agent", "{prompt_file}"]')
        return self

    @model_validator(mode="after")
    def _the_order_arrives(self) -> "AgentConfig":
        """A command that forgets the order would be paid for nothing."""
        if self.adapter != PLAIN:
            return self
        wanted = {PromptBy.ARGUMENT: "{prompt}", PromptBy.FILE: "{prompt_file}"}.get(self.prompt)
        if wanted is not None and not any(wanted in word for word in self.command):
            raise ValueError(f'prompt = "{self.prompt}" needs {wanted} in the command')
        for name in re.findall(r"\{([a-z_]+)\}", " ".join(self.command)):
            near = difflib.get_close_matches(name, PLACEHOLDERS, n=1, cutoff=0.7)
            if name not in PLACEHOLDERS and near:
                raise ValueError(f"{{{name}}} is no placeholder; did you mean {{{near[0]}}}?")
        return self


class Limits(Strict):
    max_agents: Count = 4
    max_retries: Count = 3
    max_continuations: Count = 3
    max_dispatches: Count = 12
    max_turns: Count = 50
    first_tier: Tier | None = None
    sprint_minutes: Wait = 60
    check_minutes: Wait = 10
    stop_patience_minutes: Wait = 30
    stop_grace_seconds: Wait = 10
    kill_grace_seconds: Wait = 3
    stall_poll_seconds: Wait = 60
    deferred_poll_seconds: Wait = 60
    on_limit: str = "wait"


class BudgetConfig(Strict):
    usd: Positive | None = None
    tokens: Tokens | None = None
    minutes: Positive | None = None

    def budget(self) -> Budget:
        return Budget(self.usd, self.tokens, self.minutes)


NO_BUDGET = BudgetConfig()


class BudgetsConfig(Strict):
    sprint: BudgetConfig = NO_BUDGET
    unit: BudgetConfig = NO_BUDGET
    run: BudgetConfig = NO_BUDGET
    day: BudgetConfig = NO_BUDGET


class Verify(Strict):
    """`at` is where the checks of code sprints run: in a tree of ours at the commit, or in place.

    `prepare` makes that tree ready; without it, what lock files call for is run.
    """

    always: Words = ()
    pass_env: Words = ()
    at: Literal["commit", "place"] = "commit"
    prepare: Words | None = None
    on_finding: str = "return"


class Tree(Strict):
    """What trees of units need beside what is committed, and where they are made."""

    setup: Words = ()
    copy_: Annotated[Words, Field(alias="copy")] = ()
    link: Words = ()
    place: str = ""


class Gate(Strict):
    """When everybody's work is built and tested together, by what, and how many builds run on the
    host at once (GT-02). `gate = "ask"` is short for a table with that mode."""

    mode: Literal["auto", "ask", "off"] = "auto"
    command: Words = ()
    minutes: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] = 60.0
    builds: Annotated[int, Field(ge=1, le=64)] = 1
    max_pressure: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = 20.0
    min_free_mb: Annotated[int, Field(ge=0, le=1 << 30)] = 1024


class RoleConfig(Strict):
    """Who plays a role outside any plan: an agent of those set up, its tier, and a file with
    words of the user's own in place of ours."""

    agent: str = ""
    tier: Tier = Tier.SONNET
    prompt: str = ""


class Kanban(Strict):
    manager: Literal["agent", "builtin"] = "agent"


class Config(Strict):
    agent: str = ""
    isolation: Literal["auto", "clone", "shared"] = "auto"
    agents: dict[str, AgentConfig] = {}
    limits: Limits = Limits()
    budget: BudgetsConfig = BudgetsConfig()
    verify: Verify = Verify()
    tree: Tree = Tree()
    gate: Gate = Gate()
    roles: dict[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")], RoleConfig] = {}
    kanban: Kanban = Kanban()
    epic: EpicConfig = EpicConfig()
    reconcile: bool = True
    ritual: bool = True
    on_event: Words = ()
    on_sigterm: Literal["stop", "leave"] = "stop"
