"""Shared by the stories of gates: patience, and reading a gate's output."""

import subprocess
from collections.abc import Callable, Sequence
from typing import TypeVar

from story_project import Project, wait_for

from topkick.engine import messages as h
from topkick.sprint.gates.model import Gate

PATIENCE_S = 120.0
T = TypeVar("T")


def until(look: Callable[[], T]) -> T:
    return wait_for(look, patience_s=PATIENCE_S)


def ended(process: subprocess.Popen[str], code: int = 0) -> str:
    """Return the output of a foreground supervisor, once it has ended with this code."""
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, said
    return said


def waiting(project: Project, *names: str) -> None:
    """Until all these units' agents wait at a gate of the test's."""
    until(lambda: set(names) <= {line.partition("/")[0] for line in project.trail()})


def past(project: Project) -> Sequence[Gate]:
    return project.mission().past_gates


def told(project: Project, decision: str) -> list[str]:
    """Return the unit and the reason of each such decision."""
    found = (x for x in project.happenings() if isinstance(x, h.Decided))
    return [f"{x.unit}: {x.rationale}" for x in found if x.decision == decision]


def orders(project: Project) -> list[str]:
    return [f"{start.unit}/{start.sprint}" for start in project.starts()]


def uncharged(project: Project) -> bool:
    sprints = (s for u in project.mission().units.values() for s in u.sprints)
    return not any(s.failures_ever or s.failures or s.dispatches > 1 for s in sprints)
