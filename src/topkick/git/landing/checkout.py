"""Check whether everything in a clone is also in a branch of the user's own repository."""

import os
from collections.abc import Iterator
from pathlib import Path

import pygit2

from topkick.git.clone.places import Clone
from topkick.git.landing.fetch_commits import NotGathered, opened_clone
from topkick.git.read.repository import UnreadableRepository, read_tree


def why_not_clone(clone: Clone) -> str:
    """Return what would be lost with the clone; empty if nothing."""
    if not (clone.at / ".git").exists() and not _holds_anything(clone.at):
        return ""  # it was never completed
    try:
        repo = opened_clone(clone)
        tree = read_tree(clone.at, None)
    except (UnreadableRepository, NotGathered) as error:
        return str(error).splitlines()[0]
    if tree is not None and tree.uncommitted:
        count = len(tree.uncommitted)
        return (
            f"{count} file{'s' * (count != 1)} in it {'is' if count == 1 else 'are'} not committed"
        )
    return _unlanded(clone, repo) or _at_stake_below(clone, repo)


def _holds_anything(place: Path) -> bool:
    return os.path.lexists(place) and (not place.is_dir() or any(place.iterdir()))


def _unlanded(clone: Clone, repo: pygit2.Repository) -> str:
    for name, commit in _tips(repo):
        if not _is_landed(clone.main, commit):
            own = name in ("HEAD", f"refs/heads/{clone.branch}")
            what = "its work is not landed" if own else f"its {name} is in none of your branches"
            return f"{what}: {clone.mission}"
    return ""


def _tips(repo: pygit2.Repository) -> Iterator[tuple[str, str]]:
    """Yield the places where agents may have left work: branches, a stash, a detached HEAD."""
    if not repo.head_is_unborn:
        yield "HEAD", str(repo.head.peel(pygit2.Commit).id)
    for name in repo.references:
        if name.startswith("refs/heads/") or name == "refs/stash":
            yield name, str(repo.references[name].peel(pygit2.Commit).id)


def _is_landed(main: Path, commit: str) -> bool:
    """Return whether the commit is in one of the user's own branches, or in their checkout's
    HEAD.
    """
    repo = _opened(main)
    if repo is None or commit not in repo:
        return False
    theirs = [n for n in repo.branches.local if not n.startswith("topkick/")]
    names = [f"refs/heads/{name}" for name in theirs]
    if not repo.head_is_unborn and (repo.head_is_detached or repo.head.name in names):
        names.insert(0, "HEAD")  # the most likely first
    tips = (repo.references[name].peel(pygit2.Commit).id for name in names)
    return any(str(tip) == commit or repo.descendant_of(tip, commit) for tip in tips)


def _opened(top: Path) -> pygit2.Repository | None:
    try:
        return pygit2.Repository(os.fspath(top)) if (top / ".git").exists() else None
    except pygit2.GitError:
        return None


def _at_stake_below(clone: Clone, repo: pygit2.Repository) -> str:
    """Return commits in a submodule that are only in this clone."""
    if not (clone.at / ".gitmodules").is_file():
        return ""
    for module in repo.listall_submodules():
        if not (clone.at / module / ".git").exists():
            continue
        commits = {c for _, c in _tips(pygit2.Repository(os.fspath(clone.at / module)))}
        known = _opened(clone.main / module)
        if known is None or any(commit not in known for commit in commits):
            return f"its submodule {module} has commits that are nowhere else"
    return ""
