"""Facts about a project and its run for `land`, `clean` and `salvage`."""

from pathlib import Path

from topkick.app.config.file import load_config
from topkick.app.project import Project
from topkick.app.run_view import take_a_look
from topkick.app.state_dir.identity import who_commits
from topkick.engine.errors import UsageError
from topkick.git.clone.cleanup import UnitTrees, look_around, look_at_checks
from topkick.git.clone.places import common_place
from topkick.git.isolation import Isolation
from topkick.git.landing.landing import Landing, look_at
from topkick.git.landing.moved_branch import Moved, find_moved
from topkick.git.program import Signed
from topkick.git.read.directory import find_git
from topkick.sprint.model import Mission, Overall
from topkick.sprint.run.isolation import trees_of, verify_place
from topkick.sprint.status import overall


def mission_of(project: Project) -> Mission:
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here. Begin one: topkick start")
    return view.mission


def landings(project: Project, isolation: Isolation) -> list[Landing]:
    """Return a landing for each repository with new work."""
    common = common_place(project.root, isolation)
    found = (look_at(common / r.path, isolation.branch, r.tip) for r in isolation.repositories)
    return [landing for landing in found if landing is not None]


def moved_branches(project: Project, isolation: Isolation) -> dict[str, Moved]:
    """Return where another program or person moved the mission's branch, by repository."""
    common, found = common_place(project.root, isolation), {}
    for repository in isolation.repositories:
        top = common / repository.path
        left_at = repository.tip or repository.base
        moved = find_moved(top, isolation.branch, left_at) if find_git(top) is not None else None
        if moved is not None:
            found[repository.path] = moved
    return found


def signed(project: Project) -> Signed:
    return Signed(*who_commits(project.root))


def trees_left(project: Project) -> list[UnitTrees]:
    view = take_a_look(project)
    mission = view.mission if view is not None else Mission()
    over = overall(mission) is Overall.COMPLETED
    in_use = mission.isolation.branch if mission.isolation is not None and not over else ""
    trees = look_around(trees_of(project, load_config(project).tree.place), in_use)
    begun = mission.plan is not None and not over
    return [*trees, *look_at_checks(verify_place(project), begun=begun)]


def checkouts(project: Project) -> list[Path]:
    """Return the repositories in which work of this project may have been saved."""
    view = take_a_look(project)
    isolation = view.mission.isolation if view is not None else None
    if isolation is not None:
        common = common_place(project.root, isolation)
        return [common / r.path for r in isolation.repositories]
    git = find_git(project.root)
    if git is None:
        raise UsageError("There is no git here, so nothing was saved.")
    return [git.top]
