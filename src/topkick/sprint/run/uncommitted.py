"""Find uncommitted work in the trees of a run, without running anything from them."""

from collections.abc import Collection
from pathlib import Path

from topkick.app.project import Project
from topkick.engine.errors import TopkickError
from topkick.sprint.model import Mission, Stance, Unit
from topkick.sprint.transitions import UnitState


def uncommitted(directory: Path) -> tuple[str, ...] | None:
    """Return the uncommitted files; None without git."""
    from topkick.git.read.repository import read_tree

    tree = read_tree(directory, None)
    return None if tree is None else tree.uncommitted


def uncommitted_by_unit(
    project: Project, mission: Mission, names: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return the uncommitted files of units that had an agent; those of other units are not a
    killed agent's.
    """
    units = [u for u in mission.units.values() if u.name in names]
    had_one = [u for u in units if any(s.dispatches for s in u.sprints)]
    found = {u.name: uncommitted(directory_of(project, mission, u)) or () for u in had_one}
    kept = {name: _not_ours(project, files) for name, files in found.items()}
    return {name: files for name, files in kept.items() if files}


def left_by_killed(project: Project, mission: Mission) -> dict[str, tuple[str, ...]]:
    """Return uncommitted work after a killall or of units whose agents were ended; else nothing.

    A repository that cannot be read must break neither the state file nor `status`.
    """
    ended = {u.name for u in mission.units.values() if u.state is UnitState.KILLED}
    if mission.stance is Stance.KILLED:
        ended |= set(mission.units)
    try:
        return uncommitted_by_unit(project, mission, ended)
    except TopkickError:
        return {}


def directory_of(project: Project, mission: Mission, unit: Unit) -> Path:
    return root_of(project, mission, unit.handle) / unit.plan.directory


def root_of(project: Project, mission: Mission, tree: str) -> Path:
    if mission.isolation is None or not tree:
        return project.root
    from topkick.git.clone.places import unit_root

    return unit_root(mission.isolation, tree)


def _not_ours(project: Project, files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files without the plan and the configuration, which are the user's own."""
    own = {project.plan_path.name, project.config_path.name, project.board_path.name}
    log = project.completion_name
    return tuple(f for f in files if Path(f).name not in own and not Path(f).name.startswith(log))


def salvage(project: Project, mission: Mission, unit: Unit) -> str:
    """Save a unit's uncommitted work now; return its name, or empty if that failed."""
    import pygit2

    from topkick.app.state_dir.identity import who_commits
    from topkick.checks.executor import kept_as
    from topkick.checks.request import Ours
    from topkick.git.clone.unit_tree import Trees
    from topkick.git.salvage import REFS

    name, email = who_commits(project.root)
    isolation = mission.isolation
    ours = Ours(str(project.root), unit.handle, isolation, name, email)
    told = f"Uncommitted work of {unit.name} when it was ended"
    whose = unit.handle if isolation is not None else unit.plan.directory
    try:
        ref = Trees(ours).salvage(kept_as(f"{mission.id}-", whose), unit.plan.directory, told)
    except (TopkickError, pygit2.GitError, OSError):  # a full disk must not prevent the report
        return ""
    return ref.removeprefix(REFS)
