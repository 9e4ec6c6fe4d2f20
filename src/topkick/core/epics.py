"""What an epic's supervisor is told besides the epic: who works, where, and what runs here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from topkick.core.agents import AgentProgram, Tier

TURNS = {"XS": 40, "S": 70, "M": 100, "L": 150}
STALLED_S = 4 * 3600.0


class Surface(StrEnum):
    """Where work is handed over to whoever reviews it."""

    BRANCH = "branch"
    PULL_REQUEST = "pull-request"
    """The worker opens one."""
    GH = "gh"
    """topkick opens one for the worker's branch, once it has passed."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A family of workers. Only these `stand_in` for it, and only when it has no place left."""

    name: str
    agent: AgentProgram
    tier: Tier = Tier.SONNET
    capacity: int = 4
    stand_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    name: str
    directory: str


@dataclass(frozen=True, slots=True)
class Routing:
    """Which worker a task is for: a tag says more than the number of files, that more than hours,
    those more than effort. Of several tags the one that comes first here is heard.

    A task that has failed its pre-flight more than `refusals` times is a person's.
    """

    default: str = ""
    by_effort: Mapping[str, str] = field(default_factory=dict)
    by_tag: Mapping[str, str] = field(default_factory=dict)
    many_files: int = 20
    for_many_files: str = ""
    long_hours: float = 4.0
    for_long: str = ""
    refusals: int = 1


@dataclass(frozen=True, slots=True)
class EpicSettings:
    """`host` is what this one is called, `hosts` those that may dispatch; none: all. `turns` are by
    a task's effort; a worker that was not heard of for `stalled_s` is stuck. A code item is at its
    review `surface` when that is there. Task files are shared by the branch of a remote that
    `share` names; empty: with nobody."""

    workers: tuple[Worker, ...]
    projects: tuple[ProjectPlace, ...] = ()
    routing: Routing = Routing()
    turns: Mapping[str, int] = field(default_factory=lambda: dict(TURNS))
    host: str = ""
    hosts: tuple[str, ...] = ()
    stalled_s: float = STALLED_S
    surface: Surface = Surface.BRANCH
    share: str = ""

    def worker(self, name: str) -> Worker | None:
        return next((w for w in self.workers if w.name == name), None)

    def directory(self, project: str) -> str | None:
        return next((p.directory for p in self.projects if p.name == project), None)
