"""What lies uncommitted in the tree, read without running anything that stands in it."""

from pathlib import Path

from topkick.core.model import Mission
from topkick.wiring.project import Project


def uncommitted(directory: Path) -> tuple[str, ...] | None:
    """None where there is no git."""
    from topkick.outside.ground.git_reading import read_tree

    tree = read_tree(directory, None)
    return None if tree is None else tree.uncommitted


def uncommitted_by_unit(project: Project, mission: Mission) -> dict[str, tuple[str, ...]]:
    """Only of units that had an agent: what lies elsewhere is not from a killed one."""
    had_one = [u for u in mission.units.values() if any(s.dispatches for s in u.sprints)]
    found = {u.name: uncommitted(project.root / u.plan.directory) or () for u in had_one}
    kept = {name: _not_ours(project, files) for name, files in found.items()}
    return {name: files for name, files in kept.items() if files}


def _not_ours(project: Project, files: tuple[str, ...]) -> tuple[str, ...]:
    """The plan and the configuration are a person's own, committed or not."""
    own = {project.plan_path.name, project.config_path.name, project.board_path.name}
    return tuple(f for f in files if Path(f).name not in own)
