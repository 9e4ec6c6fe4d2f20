"""Read an agent's changes in the files of findings, without running git there."""

from itertools import islice
from pathlib import Path

from topkick.app.project import Project
from topkick.git.clone.places import unit_root
from topkick.git.read.changes import opened, patches_between
from topkick.sprint.model import Mission, Sprint, Unit, held_against

MOST_LINES = 400


def finding_diff(project: Project, mission: Mission, unit: Unit, sprint: Sprint) -> tuple[str, ...]:
    """Return the first lines of the change from the first order's commit to the judged one."""
    outcome = sprint.outcome
    held = held_against(sprint, outcome.findings) if outcome is not None else ()
    files = tuple(dict.fromkeys(f.file for f in held if f.file))
    repo = opened(_place(project, mission, unit))
    if outcome is None or not files or repo is None or not sprint.base_at_first:
        return ()
    lines = patches_between(repo, sprint.base_at_first, outcome.head, files)
    return tuple(islice(lines, MOST_LINES))


def _place(project: Project, mission: Mission, unit: Unit) -> Path:
    """Return the unit's own clone, if it has one."""
    if mission.isolation is not None:
        root = unit_root(mission.isolation, unit.handle)
        if root.is_dir():
            return root / unit.plan.directory
    return project.root / unit.plan.directory
