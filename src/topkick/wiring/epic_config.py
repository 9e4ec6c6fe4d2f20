"""The part of topkick.toml that is about epics: workers, projects, routing and turns (EP-13)."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from topkick.core.agents import Bounds, Tier
from topkick.core.epics import STALLED_S, TURNS, Surface

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")]
Count = Annotated[int, Bounds(ge=1, le=1000)]


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """A family of workers: the agent that plays it, and how many may work at once."""

    agent: str = ""
    tier: Tier = Tier.SONNET
    max: Count = 4
    stand_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoutingConfig:
    default: str = ""
    effort: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    many_files: Count = 20
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
    turns: dict[str, Count] = field(default_factory=lambda: dict(TURNS))
    hosts: tuple[str, ...] = ()
    review: Surface = Surface.BRANCH
    share: Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w./-]*$")] = ""
    stalled_hours: Annotated[float, Bounds(gt=0, le=1000)] = STALLED_S / 3600


NO_EPICS = EpicConfig()
