"""Describe how a completed sprint was proven, in the words that every page uses."""

from topkick.plan_format.model import SprintType
from topkick.sprint.model import Proof, Sprint

PROCESS_RUNS = "checked: its process runs"


def is_by_process(sprint: Sprint) -> bool:
    """Return whether the running process alone is the proof: a background sprint
    without a command.
    """
    background = sprint.plan.type is SprintType.BACKGROUND and not sprint.plan.checks
    return background and sprint.proof is Proof.CHECKED


def told(sprint: Sprint) -> str:
    """Return `checked`, `unchecked` and so on; empty while the sprint is not completed."""
    if is_by_process(sprint):
        return PROCESS_RUNS
    return sprint.proof.value if sprint.proof is not None else ""
