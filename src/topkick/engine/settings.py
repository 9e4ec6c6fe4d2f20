"""The settings by which a plan is carried out."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.checks.model import Where
from topkick.engine.agents.budgets import NO_BUDGETS, Budgets
from topkick.engine.agents.program import AgentProgram, Tier
from topkick.epic.settings import EpicSettings
from topkick.sprint.gates.model import GateMode
from topkick.team.settings import JudgeSettings, PipelineSettings


class OnLimit(StrEnum):
    """The reaction to an account's usage limit (DP-09)."""

    WAIT = "wait"
    WAIT_UNTIL = "wait-until"
    ASK = "ask"
    SWITCH = "switch"


class OnSigterm(StrEnum):
    """The reaction of a foreground supervisor to SIGTERM: end its agents, or leave them for the
    next supervisor. In the background it always leaves them.
    """

    STOP = "stop"
    LEAVE = "leave"


class OnFinding(StrEnum):
    """The reaction when every check passes and there is a finding (VF-06)."""

    RETURN = "return"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class TreeSetup:
    """Commands and files of the user that a unit's tree needs beyond what is committed."""

    setup: tuple[str, ...] = ()
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()


NO_SETUP = TreeSetup()


@dataclass(frozen=True, slots=True)
class Role:
    """The agent for a role outside a plan; `prompt` is the user's own text for it."""

    name: str
    agent: AgentProgram
    tier: Tier = Tier.SONNET
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run. `limit_ends_at_minute` is a minute of the day in UTC, for
    `wait-until`.

    `other_agent` is the one to switch to, and after a switch the one before.
    """

    agent: AgentProgram
    max_agents: int = 4
    max_retries: int = 3
    max_continuations: int = 3
    max_dispatches: int = 12
    max_turns: int = 50
    first_tier: Tier | None = None
    sprint_timeout_s: float = 3600.0
    check_timeout_s: float = 600.0
    stop_patience_s: float = 1800.0
    stop_grace_s: float = 10.0
    kill_grace_s: float = 3.0
    stall_poll_s: float = 60.0
    deferred_poll_s: float = 60.0
    verify_always: tuple[str, ...] = ()
    verify_pass_env: tuple[str, ...] = ()
    accept_unchecked: bool = False
    only: tuple[str, ...] = ()
    on_event: tuple[str, ...] = ()
    budgets: Budgets = NO_BUDGETS
    on_limit: OnLimit = OnLimit.WAIT
    limit_ends_at_minute: int | None = None
    other_agent: AgentProgram | None = None
    tree: TreeSetup = NO_SETUP
    verify_at: Where = Where.COMMIT
    verify_prepare: tuple[str, ...] | None = None
    on_finding: OnFinding = OnFinding.RETURN
    reconcile: bool = True
    gate: GateMode = GateMode.OFF
    gate_commands: tuple[str, ...] = ()
    gate_timeout_s: float = 3600.0
    builds: int = 1
    build_max_pressure: float = 20.0
    build_min_free_mb: int = 1024
    roles: tuple[Role, ...] = ()
    epic: EpicSettings | None = None
    judge: JudgeSettings | None = None
    pipeline: PipelineSettings | None = None
    on_sigterm: OnSigterm = OnSigterm.STOP

    @property
    def all_pass_env(self) -> tuple[str, ...]:
        """The variables that an agent or a check may see; their values are secrets."""
        others = self.other_agent.pass_env if self.other_agent is not None else ()
        of_roles = tuple(name for role in self.roles for name in role.agent.pass_env)
        workers = self.epic.workers if self.epic is not None else ()
        of_workers = tuple(name for worker in workers for name in worker.agent.pass_env)
        own = (*self.agent.pass_env, *others, *of_roles, *of_workers)
        return (*own, *self.verify_pass_env)
