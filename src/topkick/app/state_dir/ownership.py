"""Follow, count and signal only agents that belong to this project and are within reach."""

from pathlib import Path

from topkick.app.project import Project, put_board_away
from topkick.app.state_dir import home
from topkick.app.state_dir.lock import ProjectLock
from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.git.read.directory import find_git


class CopiedProject(UsageError):
    """The agents in this project's files belong to the original."""


class RunsElsewhere(AnotherSupervisor):
    """Agents run in another container, where their process ids are valid."""


def whose_copy(project: Project) -> Path | None:
    """Return the state directory that this one was copied from, while its agents are in doubt."""
    if not project.state_dir.is_dir():
        return None
    copied_from = home.original(project.state_dir)
    return copied_from if copied_from and home.claimed_runs(project.runs) else None


def require_own(project: Project) -> None:
    _require_own_worktree(project)
    copied_from = whose_copy(project)
    if copied_from is not None:
        raise CopiedProject(
            f"This project is a copy, made during a run. The state directory of the original is "
            f"{copied_from}.\nThe agents of that run belong to the original: this copy neither "
            "follows nor ends them.\n"
            "Continue in the original: topkick resume    "
            "Or repeat their work here too: topkick resume --adopt-copy"
        )


def _require_own_worktree(project: Project) -> None:
    """Raise for a copied worktree, which points to the same git directory and state."""
    git = find_git(project.root)
    if git is None or git.checked_out_at is None:
        return
    if not git.checked_out_at.exists() or git.checked_out_at.samefile(git.top / ".git"):
        return
    raise CopiedProject(
        f"{git.top} is a copy of the git worktree {git.checked_out_at.parent} and would share the "
        "original's run, so nothing was done.\n"
        "Make a worktree instead (git worktree add), or work in the original."
    )


def require_within_reach(project: Project) -> None:
    away = home.kept_elsewhere(project.runs)
    if away:
        raise RunsElsewhere(
            f"Agents of this project work in another container (PID namespace): {', '.join(away)}."
            "\nFrom here, topkick can neither follow nor end them; nothing was signalled.\n"
            "In that container: topkick resume, or topkick killall    Or wait until they end."
        )


def settle(project: Project) -> None:
    """Check ownership; called by the holder of the project before it acts."""
    require_own(project)
    require_within_reach(project)
    home.settle(project.state_dir)


def adopt_copy(project: Project, now_us: int) -> None:
    """Make a copied run this project's own; the original's agents count as lost."""
    if whose_copy(project) is None:
        return
    with ProjectLock(project.state_dir).acquire(now_us):
        home.give_up(project.runs)
        put_board_away(project, now_us)  # copied while the original continued, it may be ahead
        home.settle(project.state_dir)
