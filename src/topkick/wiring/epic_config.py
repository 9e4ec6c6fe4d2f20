"""The part of topkick.toml that is about epics: workers, projects, routing and turns (EP-13)."""

from typing import Annotated

from pydantic import Field

from topkick.core.agents import Tier
from topkick.core.epics import STALLED_S, TURNS, Surface
from topkick.wiring.strict import Strict, Words

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")]
Count = Annotated[int, Field(ge=1, le=1000)]


class WorkerConfig(Strict):
    """A family of workers: the agent that plays it, and how many may work at once."""

    agent: str = ""
    tier: Tier = Tier.SONNET
    max: Count = 4
    stand_in: Words = ()


class RoutingConfig(Strict):
    default: str = ""
    effort: dict[str, str] = {}
    tags: dict[str, str] = {}
    many_files: Count = 20
    for_many_files: str = ""
    long_hours: Annotated[float, Field(gt=0, le=1000)] = 4
    for_long: str = ""
    refusals: Annotated[int, Field(ge=0, le=100)] = 1


class EpicConfig(Strict):
    """Without workers, the run's own agent is the only one."""

    workers: dict[Name, WorkerConfig] = {}
    projects: dict[Name, str] = {}
    routing: RoutingConfig = RoutingConfig()
    turns: dict[str, Count] = dict(TURNS)
    hosts: Words = ()
    review: Surface = Surface.BRANCH
    share: Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w./-]*$")] = ""
    stalled_hours: Annotated[float, Field(gt=0, le=1000)] = STALLED_S / 3600
