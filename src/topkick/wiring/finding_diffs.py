"""What an agent changed in the files that findings are about, read without running git there."""

from itertools import islice
from pathlib import Path

from topkick.core.mission import Mission, Sprint, Unit
from topkick.core.verdict import held_against
from topkick.outside.ground.git_changes import opened, patches_between
from topkick.outside.trees.places import unit_root
from topkick.wiring.project import Project

MOST_LINES = 400


def finding_diff(project: Project, mission: Mission, unit: Unit, sprint: Sprint) -> tuple[str, ...]:
    """From the commit of the first order to the commit that was judged; the first lines of it."""
    outcome = sprint.outcome
    held = held_against(sprint, outcome.findings) if outcome is not None else ()
    files = tuple(dict.fromkeys(f.file for f in held if f.file))
    repo = opened(_place(project, mission, unit))
    if outcome is None or not files or repo is None or not sprint.base_at_first:
        return ()
    lines = patches_between(repo, sprint.base_at_first, outcome.head, files)
    return tuple(islice(lines, MOST_LINES))


def _place(project: Project, mission: Mission, unit: Unit) -> Path:
    """The unit's own clone where it has one."""
    if mission.isolation is not None:
        root = unit_root(mission.isolation, unit.handle)
        if root.is_dir():
            return root / unit.plan.directory
    return project.root / unit.plan.directory
