"""topkick.toml and the user's own settings, checked with clear words (pydantic at the border)."""

import difflib
import os
import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from topkick.core.agents import PLAIN, AgentProgram, Prices, PromptBy, Tier
from topkick.core.budgets import Budget, Budgets
from topkick.core.errors import UsageError
from topkick.core.evidence import Where
from topkick.core.gates import GateMode
from topkick.core.model import OnLimit, Settings, TreeSetup
from topkick.outside.agents.registry import adapter_named
from topkick.wiring.epic_config import EpicConfig, RoutingConfig, WorkerConfig
from topkick.wiring.project import CONFIG_NAME, Project

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Words = tuple[str, ...]
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


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PricesConfig(_Strict):
    """Dollars for a million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached: Annotated[float, Field(ge=0)] | None = None


class AgentConfig(_Strict):
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


class Limits(_Strict):
    max_agents: Count = 4
    max_retries: Count = 3
    max_continuations: Count = 3
    max_dispatches: Count = 12
    max_turns: Count = 50
    first_tier: Tier | None = None
    sprint_minutes: Positive = 60
    check_minutes: Positive = 10
    stop_patience_minutes: Positive = 30
    stop_grace_seconds: Positive = 10
    kill_grace_seconds: Positive = 3
    stall_poll_seconds: Positive = 60
    deferred_poll_seconds: Positive = 60
    on_limit: str = "wait"


class BudgetConfig(_Strict):
    usd: Positive | None = None
    tokens: Count | None = None
    minutes: Positive | None = None

    def budget(self) -> Budget:
        return Budget(self.usd, self.tokens, self.minutes)


NO_BUDGET = BudgetConfig()


class BudgetsConfig(_Strict):
    sprint: BudgetConfig = NO_BUDGET
    unit: BudgetConfig = NO_BUDGET
    run: BudgetConfig = NO_BUDGET
    day: BudgetConfig = NO_BUDGET


class Verify(_Strict):
    """`at` is where the checks of code sprints run: in a tree of ours at the commit, or in place.

    `prepare` makes that tree ready; without it, what lock files call for is run.
    """

    always: Words = ()
    pass_env: Words = ()
    at: Literal["commit", "place"] = "commit"
    prepare: Words | None = None


class Tree(_Strict):
    """What trees of units need beside what is committed, and where they are made."""

    setup: Words = ()
    copy_: Annotated[Words, Field(alias="copy")] = ()
    link: Words = ()
    place: str = ""


class Gate(_Strict):
    """When everybody's work is built and tested together, by what, and how many builds run on the
    host at once (GT-02). `gate = "ask"` is short for a table with that mode."""

    mode: Literal["auto", "ask", "off"] = "auto"
    command: Words = ()
    minutes: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] = 60.0
    builds: Annotated[int, Field(ge=1, le=64)] = 1
    max_pressure: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = 20.0
    min_free_mb: Annotated[int, Field(ge=0)] = 1024


class RoleConfig(_Strict):
    """Who plays a role outside any plan: an agent of those set up, its tier, and a file with
    words of the user's own in place of ours."""

    agent: str = ""
    tier: Tier = Tier.SONNET
    prompt: str = ""


class Kanban(_Strict):
    manager: Literal["agent", "builtin"] = "agent"


class Config(_Strict):
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


def user_config_path() -> Path:
    given = os.environ.get("XDG_CONFIG_HOME")
    base = Path(given) if given else Path.home() / ".config"
    return base / "topkick" / "config.toml"


def load_config(project: Project) -> Config:
    return load_config_at(project.config_path)


def load_config_at(path: Path) -> Config:
    """The project's file over the user's."""
    own = _read(user_config_path())
    here = _read(path)
    own, here = _spelled_out(own), _spelled_out(here)
    merged = {**own, **here}
    for section in (
        "agents",
        "limits",
        "budget",
        "verify",
        "tree",
        "gate",
        "roles",
        "kanban",
        "epic",
    ):
        if isinstance(own.get(section), dict) and isinstance(here.get(section), dict):
            merged[section] = {**own[section], **here[section]}
    try:
        return Config.model_validate(merged)
    except ValidationError as error:
        raise UsageError(_explain(error, path)) from error


def _spelled_out(given: dict[str, Any]) -> dict[str, Any]:
    """`gate = "ask"` and `[gate] command = "make test"` are what people write."""
    gate = given.get("gate")
    if isinstance(gate, str):
        gate = {"mode": gate}
    if isinstance(gate, dict) and isinstance(gate.get("command"), str):
        gate = {**gate, "command": [gate["command"]]}
    return given if gate is None else {**given, "gate": gate}


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.exists() and not path.is_file():  # a FIFO would keep us waiting
            raise UsageError(f"{path} is not a plain file.\nMake it a file that you may read.")
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error}. Save it as UTF-8.") from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}.\nMake it a file that you may read."
        ) from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error


def _explain(error: ValidationError, path: Path) -> str:
    lines = [f"{path} has settings that topkick does not understand:"]
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"])
        lines.append(f"  {key}: {_plainly(problem['type'], problem['msg'], key)}")
    return "\n".join([*lines, "See docs/reference/configuration.md for every setting."])


_MODELS = (
    Config,
    Limits,
    BudgetsConfig,
    BudgetConfig,
    Verify,
    Tree,
    Gate,
    AgentConfig,
    PricesConfig,
    RoleConfig,
    Kanban,
    EpicConfig,
    WorkerConfig,
    RoutingConfig,
)


def _plainly(kind: str, message: str, key: str) -> str:
    match kind:
        case "extra_forbidden":
            known = [n for model in _MODELS for n in model.model_fields]
            near = difflib.get_close_matches(key.rpartition(".")[2], known, n=1)
            return "no such setting" + (f"; did you mean {near[0]}?" if near else "")
        case "tuple_type":
            return 'a list of words is needed, such as ["make", "lint"]'
        case _:
            return message.removeprefix("Value error, ")


def make_settings(
    config: Config,
    *,
    accept_unchecked: bool = False,
    only: Words = (),
    max_agents: int | None = None,
    agent: str | None = None,
) -> Settings:
    limits = config.limits
    chosen = _choose_agent(config, agent)
    when_limited = _on_limit(config, chosen.name)
    return Settings(
        agent=chosen,
        max_agents=max_agents or limits.max_agents,
        max_retries=limits.max_retries,
        max_continuations=limits.max_continuations,
        max_dispatches=limits.max_dispatches,
        max_turns=limits.max_turns,
        first_tier=limits.first_tier,
        sprint_timeout_s=limits.sprint_minutes * 60,
        check_timeout_s=limits.check_minutes * 60,
        stop_patience_s=limits.stop_patience_minutes * 60,
        stop_grace_s=limits.stop_grace_seconds,
        kill_grace_s=limits.kill_grace_seconds,
        stall_poll_s=limits.stall_poll_seconds,
        deferred_poll_s=limits.deferred_poll_seconds,
        verify_always=config.verify.always,
        verify_pass_env=config.verify.pass_env,
        verify_at=Where(config.verify.at),
        verify_prepare=config.verify.prepare,
        gate=GateMode(config.gate.mode),
        gate_commands=config.gate.command,
        gate_timeout_s=config.gate.minutes * 60,
        builds=config.gate.builds,
        build_max_pressure=config.gate.max_pressure,
        build_min_free_mb=config.gate.min_free_mb,
        reconcile=config.reconcile,
        accept_unchecked=accept_unchecked,
        only=only,
        on_event=config.on_event,
        budgets=Budgets(
            sprint=config.budget.sprint.budget(),
            unit=config.budget.unit.budget(),
            run=config.budget.run.budget(),
            day=config.budget.day.budget(),
        ),
        on_limit=when_limited.what,
        limit_ends_at_minute=when_limited.minute,
        other_agent=when_limited.agent,
        tree=TreeSetup(config.tree.setup, config.tree.copy_, config.tree.link),
    )


@dataclass(frozen=True, slots=True)
class _WhenLimited:
    what: OnLimit
    minute: int | None = None
    agent: AgentProgram | None = None


def _on_limit(config: Config, chosen: str) -> _WhenLimited:
    """`wait`, `ask`, `wait-until 06:30`, or the name of the agent to switch to."""
    said = config.limits.on_limit.strip()
    if said in (OnLimit.WAIT, OnLimit.ASK):
        return _WhenLimited(OnLimit(said))
    if found := re.fullmatch(r"wait-until (\d{1,2}):(\d{2})", said):
        hour, minute = int(found[1]), int(found[2])
        if hour < 24 and minute < 60:
            return _WhenLimited(OnLimit.WAIT_UNTIL, _utc_minute(hour, minute))
    if said and said == chosen:  # it took over already: there is nobody to switch to
        return _WhenLimited(OnLimit.WAIT)
    if said in config.agents:
        return _WhenLimited(OnLimit.SWITCH, agent=program_named(config, said))
    raise UsageError(
        f'limits.on_limit = "{said}" is not understood. Write "wait", "ask", '
        '"wait-until 06:30", or the name of another agent that is set up here.'
    )


def _utc_minute(hour: int, minute: int) -> int:
    """A time of the user's day as a minute of the day in UTC, by the offset of today."""
    local = datetime.now().astimezone().replace(hour=hour, minute=minute)
    there = local.astimezone(UTC)
    return there.hour * 60 + there.minute


def _choose_agent(config: Config, asked: str | None) -> AgentProgram:
    name = asked or config.agent or (next(iter(config.agents)) if len(config.agents) == 1 else "")
    if not config.agents:
        raise UsageError(f"No agent is set up. `topkick init` finds one and writes {CONFIG_NAME}.")
    if name not in config.agents:
        known = ", ".join(sorted(config.agents))
        what = f"There is no agent '{name}'." if name else "Several agents are set up."
        raise UsageError(f'{what} Choose one with agent = "NAME" in {CONFIG_NAME}: {known}')
    return program_named(config, name)


def program_named(config: Config, name: str) -> AgentProgram:
    """One of those that are set up."""
    chosen = config.agents[name]
    prices = chosen.prices
    return AgentProgram(
        name=name,
        command=chosen.command or (chosen.adapter,),
        prompt=chosen.prompt,
        models={tier.value: model for tier, model in chosen.models.items()},
        pass_env=chosen.pass_env,
        adapter=chosen.adapter,
        permissions=chosen.permissions,
        account=chosen.account,
        prices=Prices(prices.input, prices.output, prices.cached) if prices else None,
    )
