"""Fetch a unit's commits into the user's repository: one commit and what it needs, verified.

The git program reads a temporary repository that borrows the clone's objects. So it never sees
settings or other refs of a repository that agents can write to.
"""

import os
import tempfile
from pathlib import Path

import pygit2

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.clone import home_of, moved_submodules, opened_submodule
from topkick.git.clone.places import Clone
from topkick.git.clone.shared_objects import borrow
from topkick.git.locks import free_ref
from topkick.git.program import git
from topkick.git.read.directory import find_git

_LENT = "refs/heads/lent"


class NotGathered(TopkickError):
    """A unit's commits cannot be fetched."""


def head_of(clone: Clone) -> str | None:
    """Return the commit at which the agent left its clone; None if there is no commit."""
    repo = opened_clone(clone)
    return None if repo.head_is_unborn else str(repo.head.peel(pygit2.Commit).id)


def gather(clone: Clone, commit: str) -> None:
    """Fetch the commit into the user's repository, with a ref that keeps it."""
    main = opened_main(clone)
    if commit not in main:
        crash_points.here("tree.before-gather")
        _fetch(Path(main.path), opened_clone(clone), commit, clone.gathered)
    _gather_submodules(clone, main, commit)
    keep(main, clone.gathered, commit)
    crash_points.here("tree.after-gather")


def _gather_submodules(clone: Clone, main: pygit2.Repository, commit: str) -> None:
    """Fetch commits of submodules too: the outer commit cannot be checked out without them."""
    for path, wanted in moved_submodules(main, clone.base, commit):
        home, lender = home_of(clone, path), opened_submodule(clone, path)
        if home is not None and lender is not None and wanted in lender and wanted not in home:
            _fetch(Path(home.path), lender, wanted, clone.gathered)


def _fetch(main: Path, lender: pygit2.Repository, commit: str, ref: str) -> None:
    if commit not in lender:
        raise NotGathered(
            f"{lender.workdir} no longer has commit {commit[:12]}, which was checked there. "
            "Nothing was merged. Restore the commit (git reflog), then: topkick resume"
        )
    with tempfile.TemporaryDirectory(prefix="topkick-lend-") as place:
        lent = Path(place)
        git("init", "--quiet", "--bare", "--template=", ".", at=lent)
        borrow(lent, [Path(lender.path) / "objects"])
        _copy_shallow(main, lent)
        free_ref(main, ref)
        pygit2.Repository(place).references.create(_LENT, commit)
        git("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc",
            "--no-recurse-submodules", str(lent), f"+{_LENT}:{ref}",
            at=main, git_dir=main)  # fmt: skip


def _copy_shallow(main: Path, lent: Path) -> None:
    """Copy the boundary of the user's shallow history; agents can change the clone's."""
    shallow = main / "shallow"
    if shallow.is_file():
        (lent / "shallow").write_bytes(shallow.read_bytes())


def keep(repo: pygit2.Repository, ref: str, commit: str) -> None:
    free_ref(Path(repo.path), ref)
    repo.references.create(ref, commit, force=True)


def _common(main: Path) -> str:
    found = find_git(main)
    if found is None:
        raise NotGathered(
            f"{main} is no longer a git repository, so no work can be merged into it. Restore its "
            ".git, then: topkick resume"
        )
    return os.fspath(found.common)


def opened_main(clone: Clone) -> pygit2.Repository:
    return pygit2.Repository(_common(clone.main))


def opened_clone(clone: Clone) -> pygit2.Repository:
    """Open the clone with its own directory and refs, whatever an agent has configured there."""
    git_dir = clone.at / ".git"
    if not git_dir.is_dir():
        raise NotGathered(
            f"The tree of {clone.unit.upper()} is gone: {clone.at}. Its work cannot be merged. "
            "Restore the directory, or let topkick make a new one: topkick resume"
        )
    repo = pygit2.Repository(os.fspath(git_dir))
    tree = None if repo.is_bare else Path(repo.workdir).resolve()
    if tree != clone.at.resolve() or git_dir.is_symlink() or (git_dir / "commondir").exists():
        raise NotGathered(
            f"The git settings of {clone.at} lead to another directory (core.worktree, core.bare, "
            "a link for .git or a file .git/commondir), so topkick does not read it.\n"
            "Remove them there, then: topkick resume"
        )
    return repo
