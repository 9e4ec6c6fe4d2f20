"""Settings of an epic's supervisor besides the epic: the workers, their projects, this host."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from topkick.engine.agents.program import AgentProgram, Tier

TURNS = {"XS": 40, "S": 70, "M": 100, "L": 150}
STALLED_S = 4 * 3600.0


class Surface(StrEnum):
    """The place where work is handed over for review."""

    BRANCH = "branch"
    PULL_REQUEST = "pull-request"
    """The worker opens a pull request."""
    GH = "gh"
    """topkick opens a pull request for the worker's branch, once it has passed."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A family of workers. Only those in `stand_in` replace it, and only when it has no free
    place.
    """

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
    """Rules that choose a worker for a task: a tag beats the number of files, which beats the
    hours, which beat the effort. Of several tags, the first one in this table wins.

    A task that has failed its pre-flight more than `refusals` times goes to a person.
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
    """Settings of one epic. `host` is this host's name, `hosts` may dispatch (empty: all).

    `turns` depend on a task's effort; a worker without a sign of life for `stalled_s` is stuck.
    `surface` is where a code item is handed over for review. `share` names the remote branch that
    shares the task files; empty means that they are not shared.
    """

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
