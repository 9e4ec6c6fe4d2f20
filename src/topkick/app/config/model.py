"""The tables and keys of topkick.toml and of the user's own settings.

Every table is a standard dataclass. `config_file` builds one pydantic `TypeAdapter` from `Config`,
which checks the files and prints the settings in force. Where the kernel takes a table as it is
(budgets, prices), the table is the kernel's own class.
"""

import difflib
import re
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, with_config

from topkick.agents.registry import adapter_named
from topkick.engine.agents.budgets import NO_BUDGETS, Budgets
from topkick.engine.agents.program import PLAIN, AgentProgram, Bounds, Prices, PromptBy, Tier
from topkick.engine.errors import UsageError
from topkick.engine.settings import OnFinding, OnSigterm, TreeSetup
from topkick.epic.settings import STALLED_S, TURNS, Surface
from topkick.sprint.gates.model import GateMode

# --- settings of epics -------------------------------------------------------------------------
# Workers, projects, routing and turns (EP-13).

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")]
EpicCount = Annotated[int, Bounds(ge=1, le=1000)]


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """A family of workers: the agent that plays it, and how many may work at once."""

    agent: str = ""
    tier: Tier = Tier.SONNET
    max: EpicCount = 4
    stand_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoutingConfig:
    default: str = ""
    effort: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    many_files: EpicCount = 20
    for_many_files: str = ""
    long_hours: Annotated[float, Bounds(gt=0, le=1000)] = 4
    for_long: str = ""
    refusals: Annotated[int, Bounds(ge=0, le=100)] = 1


@dataclass(frozen=True, slots=True)
class EpicConfig:
    """Without workers, the run's own agent is the only one."""

    workers: dict[Name, WorkerConfig] = field(default_factory=dict)
    projects: dict[Name, str] = field(default_factory=dict)
    routing: RoutingConfig = RoutingConfig()
    turns: dict[str, EpicCount] = field(default_factory=lambda: dict(TURNS))
    hosts: tuple[str, ...] = ()
    review: Surface = Surface.BRANCH
    share: Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w./-]*$")] = ""
    stalled_hours: Annotated[float, Bounds(gt=0, le=1000)] = STALLED_S / 3600


NO_EPICS = EpicConfig()


Words = tuple[str, ...]
Count = Annotated[int, Bounds(ge=1, le=10_000)]
Wait = Annotated[float, Bounds(gt=0, le=30_000)]
"""Minutes or seconds: at most three weeks, which every system call for waiting accepts."""
RoleName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")]
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


@dataclass(frozen=True, slots=True)
class AgentConfig:
    adapter: str = PLAIN
    command: Words = ()
    prompt: PromptBy = PromptBy.STDIN
    models: dict[Tier, str] = field(default_factory=dict)
    pass_env: Words = ()
    permissions: str = ""
    account: str = ""
    prices: Prices | None = None

    def __post_init__(self) -> None:
        self._is_known()
        self._the_order_arrives()

    def _is_known(self) -> None:
        try:
            adapter = adapter_named(self.adapter)
            adapter.permissions(
                AgentProgram(self.adapter, self.command, permissions=self.permissions)
            )
        except UsageError as error:
            raise ValueError(str(error)) from error
        if self.adapter == PLAIN and not self.command:
            raise ValueError(
                'name the program, for example: command = ["my-agent", "{prompt_file}"]'
            )

    def _the_order_arrives(self) -> None:
        """Raise if the command does not pass on the prompt: the order would be paid for nothing."""
        if self.adapter != PLAIN:
            return
        wanted = {PromptBy.ARGUMENT: "{prompt}", PromptBy.FILE: "{prompt_file}"}.get(self.prompt)
        if wanted is not None and not any(wanted in word for word in self.command):
            raise ValueError(f'prompt = "{self.prompt}" needs {wanted} in the command; add it')
        for name in re.findall(r"\{([a-z_]+)\}", " ".join(self.command)):
            near = difflib.get_close_matches(name, PLACEHOLDERS, n=1, cutoff=0.7)
            if name not in PLACEHOLDERS and near:
                raise ValueError(f"{{{name}}} is not a placeholder; did you mean {{{near[0]}}}?")


@dataclass(frozen=True, slots=True)
class LimitsConfig:
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


@dataclass(frozen=True, slots=True)
class Verify:
    """`at` is where the checks of code sprints run: in topkick's tree at the commit, or in place.

    `prepare` makes that tree ready; without it, what lock files call for is run.
    """

    always: Words = ()
    pass_env: Words = ()
    at: Literal["commit", "place"] = "commit"
    prepare: Words | None = None
    on_finding: OnFinding = OnFinding.RETURN


@dataclass(frozen=True, slots=True)
class TreeConfig(TreeSetup):
    """Files and commands that a unit's tree needs besides the commit, and where trees are made."""

    place: str = ""


@dataclass(frozen=True, slots=True)
class GateConfig:
    """When the work of all units is built and tested together, by which command, and how many
    builds run on the host at once (GT-02). `gate = "ask"` is short for a table with that mode."""

    mode: GateMode = GateMode.AUTO
    command: Words = ()
    minutes: Annotated[float, Bounds(gt=0, le=10_000)] = 60.0
    builds: Annotated[int, Bounds(ge=1, le=64)] = 1
    max_pressure: Annotated[float, Bounds(ge=0, le=100)] = 20.0
    min_free_mb: Annotated[int, Bounds(ge=0, le=1 << 30)] = 1024


@dataclass(frozen=True, slots=True)
class RoleConfig:
    """The agent for a role outside any plan, its tier, and a file with the user's own prompt in
    place of the built-in one."""

    agent: str = ""
    tier: Tier = Tier.SONNET
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Kanban:
    manager: Literal["agent", "builtin"] = "agent"


@with_config(ConfigDict(extra="forbid", allow_inf_nan=False))
@dataclass(frozen=True, slots=True)
class Config:
    """All tables. Its pydantic settings (no unknown keys, no infinities) hold for them too."""

    agent: str = ""
    isolation: Literal["auto", "clone", "shared"] = "auto"
    agents: dict[str, AgentConfig] = field(default_factory=dict)
    limits: LimitsConfig = LimitsConfig()
    budget: Budgets = NO_BUDGETS
    verify: Verify = Verify()
    tree: TreeConfig = TreeConfig()
    gate: GateConfig = GateConfig()
    roles: dict[RoleName, RoleConfig] = field(default_factory=dict)
    kanban: Kanban = Kanban()
    epic: EpicConfig = NO_EPICS
    reconcile: bool = True
    ritual: bool = True
    on_event: Words = ()
    on_sigterm: OnSigterm = OnSigterm.STOP
