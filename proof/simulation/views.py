"""The oracle's own books about a mission, kept from the records alone."""

from dataclasses import dataclass, field

OUT = ("DISPATCHED", "RUNNING")


@dataclass(slots=True)
class SprintView:
    id: str
    type: str
    checks: tuple[str, ...]
    state: str = "PENDING"
    failures: int = 0
    ever: int = 0
    dispatches: int = 0
    exempt: int = 0  # of these, those that a proven usage limit ended
    troubles: int = 0
    idle: int = 0
    marks: list[str] = field(default_factory=list)
    declared: str = ""
    verdict: str = ""
    rest: str = ""
    hold: str = ""
    not_before_us: int = 0
    committed: bool = False
    unlooked: bool = False  # killed, and its work not checked since
    generated: bool = False
    held: tuple[str, ...] = ()
    proof: str = ""
    red: bool = False  # by the last look at its work, and by nothing else
    recheck: bool = False  # a gate has passed since it became FATAL

    @property
    def counted(self) -> int:
        return self.dispatches - self.exempt

    @property
    def begun(self) -> bool:
        return self.state != "PENDING" or self.dispatches > 0 or self.generated

    @property
    def kind(self) -> str:
        return "manual" if self.type == "deferred" and not self.checks else self.type


@dataclass(slots=True)
class UnitView:
    name: str
    waits_for: tuple[str, ...]
    sprints: list[SprintView]
    state: str = "NOT_STARTED"
    stopping_since_s: float = 0.0
    verify: tuple[str, ...] = ()
    hold: str = ""
    integrated: int = 0
    gated: int = 0

    @property
    def current(self) -> SprintView | None:
        return next((s for s in self.sprints if s.state != "COMPLETED"), None)


@dataclass(slots=True)
class RunView:
    id: str
    unit: str
    sprint: str
    stage: str
    dispatched: bool = False
    active: bool = False
    passing: tuple[str, ...] = ()
    cancel: str = ""
    grace_s: float = 0.0
    cancelled_at_s: float = 0.0
    exit_how: str = ""
    looked_at_s: float = 0.0  # when its condition was checked last
    limit: int = 0  # how many agents were allowed when it was opened
    is_open: bool = True
    alone: bool = False
    agent: str = ""


@dataclass(slots=True)
class Books:
    max_agents: int = 0
    max_retries: int = 0
    max_dispatches: int = 0
    max_continuations: int = 0
    stop_patience_s: float = 0.0
    deferred_poll_s: float = 0.0
    last_end_s: float = 0.0
    only: tuple[str, ...] = ()
    accept_unchecked: bool = False
    stance: str = "idle"
    driven: bool = False
    agent: str = ""
    accounts: dict[str, str] = field(default_factory=dict)  # of each agent that there is
    on_limit: str = "wait"
    down: set[str] = field(default_factory=set)
    limits: dict[str, int] = field(default_factory=dict)  # until when an account is limited
    units: dict[str, UnitView] = field(default_factory=dict)
    runs: dict[str, RunView] = field(default_factory=dict)
    backgrounds: dict[str, str] = field(default_factory=dict)
    ending: set[str] = field(default_factory=set)

    def sprint(self, unit: str, sprint: str) -> SprintView:
        return next(s for s in self.units[unit].sprints if s.id == sprint)

    def open_runs(self, unit: str | None = None) -> list[RunView]:
        return [r for r in self.runs.values() if r.is_open and unit in (None, r.unit)]
